/**
 * Manages the sidecar's container for the object that owns it: starts it on a request, and lets it sleep when idle. The platform's API is
 * `ctx.container` (https://developers.cloudflare.com/containers/api/durable-object-container/).
 */
import { CONTAINER_ORIGIN } from "./sidecar.ts";

/** The used part of the platform's container. */
export interface ContainerHandle {
  readonly running: boolean;
  destroy(): Promise<void>;
  setInactivityTimeout(durationMs: number): Promise<void>;
  start(options: { readonly enableInternet: boolean; readonly env: Readonly<Record<string, string>> }): void;
  getTcpPort(port: number): { fetch(request: Request | string, init?: RequestInit): Promise<Response> };
}

export interface SidecarContainer {
  /** Forwards a request to the sidecar. Rejects if the connection breaks. */
  fetch(request: Request): Promise<Response>;
  /** Whether the next request must start it. */
  readonly isAsleep: boolean;
}

const PORT = 8788;
/** From its start to its first answer. Pulling the image can take seconds. */
const START_TIMEOUT_MS = 20_000;
const CHECK_INTERVAL_MS = 200;
const CHECK_TIMEOUT_MS = 2_000;
/** The container is stopped after this time without a request. */
const SLEEP_AFTER_MS = 10 * 60_000;

/** The container's settings. */
export interface ContainerSettings {
  /** The key of the sidecar's tokens. */
  readonly secret: string;
  /** The operator's OTTO_SCRIPT_ISOLATION, or an empty text. */
  readonly isolation: string;
}

/**
 * `handle` is undefined if the Worker was deployed without its containers.
 */
export function openContainer(
  handle: ContainerHandle | undefined,
  { secret, isolation }: ContainerSettings,
  pause: (ms: number) => Promise<unknown>,
): SidecarContainer {
  /** The start in progress, which concurrent requests share. */
  let starting: Promise<boolean> | null = null;
  let isReady = false;
  /**
   * A container that was running before this object may have a different secret. One that this object started has ours, so it is
   * not restarted when it refuses a token.
   */
  let mayHaveOtherSecret = true;
  let stopping: Promise<void> = Promise.resolve();

  async function start(container: ContainerHandle): Promise<boolean> {
    const chosen = isolation === "" ? {} : { OTTO_SCRIPT_ISOLATION: isolation };
    const env = { SIDECAR_SECRET: secret, HOST: "0.0.0.0", PORT: String(PORT), ...chosen };
    await stopping;
    for (let waitedMs = 0; waitedMs < START_TIMEOUT_MS; waitedMs += CHECK_INTERVAL_MS) {
      const checkedAt = Date.now();
      // Retries if the platform had no capacity for it before.
      if (!container.running) {
        mayHaveOtherSecret = false;
        container.start({ enableInternet: true, env });
      }
      if (await isAnswering(container)) {
        await container.setInactivityTimeout(SLEEP_AFTER_MS);
        return true;
      }
      // Count the time of an unanswered check.
      waitedMs += Date.now() - checkedAt;
      await pause(CHECK_INTERVAL_MS);
    }
    return false;
  }

  async function ensureReady(container: ContainerHandle): Promise<boolean> {
    if (isReady && container.running) return true;
    starting ??= start(container).finally(() => {
      starting = null;
    });
    isReady = await starting;
    return isReady;
  }

  /** Stops a container with a different secret, once. The next request starts it with ours. */
  async function stopOther(container: ContainerHandle): Promise<void> {
    if (!mayHaveOtherSecret) return;
    mayHaveOtherSecret = false;
    isReady = false;
    const destroyed = container.destroy();
    stopping = destroyed.catch(() => undefined);
    await destroyed;
  }

  return {
    get isAsleep() {
      return handle?.running === false;
    },
    async fetch(request) {
      if (handle === undefined) return refuse("This Worker was deployed without its container.");
      if (!(await ensureReady(handle))) return refuse("The container did not start in time.");
      const response = await handle.getTcpPort(PORT).fetch(request);
      if (await isWrongSecret(response)) await stopOther(handle);
      return response;
    },
  };
}

async function isAnswering(container: ContainerHandle): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const response = await container.getTcpPort(PORT).fetch(`${CONTAINER_ORIGIN}/health`, { signal });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Other 401s concern one token and must not stop the container for all tenants. */
async function isWrongSecret(response: Response): Promise<boolean> {
  if (response.status !== 401) return false;
  const text = await response.clone().text();
  return text.includes('"wrong_secret"');
}

/** Builds the reply that the sidecar itself sends when it accepts no work. */
function refuse(message: string): Response {
  return Response.json({ code: "upstream_failed", message, sent: false }, { status: 503 });
}

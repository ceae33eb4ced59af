/**
 * The sidecar's container, as the object that owns it drives it: started when a request comes, asleep when none has come
 * for a while. The platform's side is `ctx.container` (https://developers.cloudflare.com/containers/api/durable-object-container/).
 */
import { CONTAINER_ORIGIN } from "./sidecar.ts";

/** The part of the platform's container that is used. */
export interface ContainerHandle {
  readonly running: boolean;
  destroy(): Promise<void>;
  setInactivityTimeout(durationMs: number): Promise<void>;
  start(options: { readonly enableInternet: boolean; readonly env: Readonly<Record<string, string>> }): void;
  getTcpPort(port: number): { fetch(request: Request | string, init?: RequestInit): Promise<Response> };
}

export interface SidecarContainer {
  /** Hands a request to the sidecar and its answer back. Rejects when the connection to it broke. */
  fetch(request: Request): Promise<Response>;
  /** Whether the next request has to start it. */
  readonly isAsleep: boolean;
}

const PORT = 8788;
/** From its start to its first answer. An image that is not near yet takes seconds. */
const START_TIMEOUT_MS = 20_000;
const LOOK_EVERY_MS = 200;
const LOOK_TIMEOUT_MS = 2_000;
/** Without a request for this long the container is stopped. */
const ASLEEP_AFTER_MS = 10 * 60_000;

/** What the container is started with. */
export interface ContainerSettings {
  /** The key of the sidecar's tokens. */
  readonly secret: string;
  /** What the operator chose as OTTO_SCRIPT_ISOLATION; empty: nothing. */
  readonly isolation: string;
}

/**
 * `handle` undefined: the Worker was deployed without its containers. `pause` waits for so many milliseconds.
 */
export function openContainer(
  handle: ContainerHandle | undefined,
  { secret, isolation }: ContainerSettings,
  pause: (ms: number) => Promise<unknown>,
): SidecarContainer {
  /** The start that is under way; requests that come meanwhile wait for the same one. */
  let starting: Promise<boolean> | null = null;
  let isReady = false;
  /**
   * The container may be running since before this object was: then it may have another secret. One that was started
   * here has ours, so what it refuses was signed by somebody whose secret is another, and it stays.
   */
  let mayHaveOtherSecret = true;
  let ending: Promise<void> = Promise.resolve();

  async function start(container: ContainerHandle): Promise<boolean> {
    const chosen = isolation === "" ? {} : { OTTO_SCRIPT_ISOLATION: isolation };
    const env = { SIDECAR_SECRET: secret, HOST: "0.0.0.0", PORT: String(PORT), ...chosen };
    await ending;
    for (let waitedMs = 0; waitedMs < START_TIMEOUT_MS; waitedMs += LOOK_EVERY_MS) {
      const lookedAt = Date.now();
      // Also one that the platform had no place for when it was asked first.
      if (!container.running) {
        mayHaveOtherSecret = false;
        container.start({ enableInternet: true, env });
      }
      if (await answers(container)) {
        await container.setInactivityTimeout(ASLEEP_AFTER_MS);
        return true;
      }
      // A look that nobody answers takes its own time.
      waitedMs += Date.now() - lookedAt;
      await pause(LOOK_EVERY_MS);
    }
    return false;
  }

  async function ready(container: ContainerHandle): Promise<boolean> {
    if (isReady && container.running) return true;
    starting ??= start(container).finally(() => {
      starting = null;
    });
    isReady = await starting;
    return isReady;
  }

  /** Once: the next request starts it again, with our secret. */
  async function endOther(container: ContainerHandle): Promise<void> {
    if (!mayHaveOtherSecret) return;
    mayHaveOtherSecret = false;
    isReady = false;
    const destroyed = container.destroy();
    ending = destroyed.catch(() => undefined);
    await destroyed;
  }

  return {
    get isAsleep() {
      return handle?.running === false;
    },
    async fetch(request) {
      if (handle === undefined) return refusal("This Worker was deployed without its container.");
      if (!(await ready(handle))) return refusal("The container does not start.");
      const response = await handle.getTcpPort(PORT).fetch(request);
      if (await saysWrongSecret(response)) await endOther(handle);
      return response;
    },
  };
}

async function answers(container: ContainerHandle): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS);
    const response = await container.getTcpPort(PORT).fetch(`${CONTAINER_ORIGIN}/health`, { signal });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Its other 401s are about one token, and no reason to end it under the requests of all tenants. */
async function saysWrongSecret(response: Response): Promise<boolean> {
  if (response.status !== 401) return false;
  const text = await response.clone().text();
  return text.includes('"wrong_secret"');
}

/** As the sidecar itself says that it can take nothing. */
function refusal(message: string): Response {
  return Response.json({ code: "upstream_failed", message, sent: false }, { status: 503 });
}

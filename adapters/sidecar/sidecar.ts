/** Connects the Worker to the sidecar: at its address, or in a container that a Durable Object starts. */
import { openTimeLimit, sleep, type TimeLimit } from "../../core/base/deadline.ts";

const HEALTH_TIMEOUT_MS = 2_000;
/** For a sidecar that must be started first. */
const WAKE_TIMEOUT_MS = 25_000;
/** Time for the restart of a sidecar that died: a second, or a few on a busy machine. */
const PATIENCE_MS = 5_000;
const CHECK_INTERVAL_MS = 100;

export interface Sidecar {
  /** The key of its tokens. */
  readonly secret: string;
  /** `path` begins with a slash. Rejects if the sidecar is unreachable. Returns redirects unfollowed. */
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  /** Whether the next request must start it. The check itself does not. */
  readonly isAsleep: () => Promise<boolean>;
  /** How long to wait for it while it does not answer. */
  readonly patienceMs: number;
}

/** The Worker's stub of the container's object. */
export interface SidecarStub {
  fetch(url: string, init: RequestInit): Promise<Response>;
  isAsleep(): Promise<boolean>;
}

/** A placeholder origin: the container answers to any name. */
export const CONTAINER_ORIGIN = "http://sidecar";

/** Connects to a sidecar at a URL. */
export function connectSidecar(url: string, secret: string, patienceMs: number = PATIENCE_MS): Sidecar {
  const base = url.replace(/\/+$/, "");
  return {
    secret,
    fetch: (path, init) => fetch(base + path, { ...init, redirect: "manual" }),
    isAsleep: async () => false,
    patienceMs,
  };
}

/** Connects to the sidecar in its container. The first request starts it and waits. */
export function connectSidecarContainer(stub: SidecarStub, secret: string): Sidecar {
  return {
    secret,
    fetch: (path, init) => stub.fetch(CONTAINER_ORIGIN + path, { ...init, redirect: "manual" }),
    isAsleep: () => stub.isAsleep(),
    patienceMs: PATIENCE_MS,
  };
}

/**
 * Whether the sidecar answers. Call it before a request with an effect, since a failed fetch does not show whether the request arrived.
 * Waits for a restarting sidecar for `patienceMs`, or until `signal` aborts.
 */
export async function isUp(sidecar: Sidecar, signal: AbortSignal): Promise<boolean> {
  const endsAt = Date.now() + sidecar.patienceMs;
  for (;;) {
    const status = await readHealthStatus(sidecar, signal);
    if (status !== null) return status === 200;
    if (signal.aborted || Date.now() >= endsAt) return false;
    await sleep(globalThis, CHECK_INTERVAL_MS, signal);
  }
}

/** Null without an answer. */
async function readHealthStatus(sidecar: Sidecar, signal: AbortSignal): Promise<number | null> {
  let limit: TimeLimit | null = null;
  try {
    limit = openTimeLimit(globalThis, (await sidecar.isAsleep()) ? WAKE_TIMEOUT_MS : HEALTH_TIMEOUT_MS, signal);
    const response = await sidecar.fetch("/health", { signal: limit.signal });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  } finally {
    limit?.end();
  }
}

/** The sidecar as the Worker reaches it: at its address, or in a container that an object of ours starts. */
import { sleep } from "../../core/base/deadline.ts";

const HEALTH_TIMEOUT_MS = 2_000;
/** For a sidecar that has to be started first. */
const WAKE_TIMEOUT_MS = 25_000;
/** One that died is started again: within a second, or within some where the machine has much else to do. */
const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 100;

export interface Sidecar {
  /** The key of its tokens. */
  readonly secret: string;
  /** `path` begins with a slash. Rejects when the sidecar cannot be reached. A redirect is handed back as it is. */
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  /** Whether the next request has to start it. Asking does not start it. */
  readonly isAsleep: () => Promise<boolean>;
  /** How long it is waited for while nobody answers there. */
  readonly patienceMs: number;
}

/** A container's object as the Worker calls it. */
export interface SidecarStub {
  fetch(url: string, init: RequestInit): Promise<Response>;
  isAsleep(): Promise<boolean>;
}

/** Stands in for a name where there is none: the container answers to any. */
export const CONTAINER_ORIGIN = "http://sidecar";

/** A sidecar that runs anywhere. */
export function sidecarAt(url: string, secret: string, patienceMs: number = PATIENCE_MS): Sidecar {
  const base = url.replace(/\/+$/, "");
  return {
    secret,
    fetch: (path, init) => fetch(base + path, { ...init, redirect: "manual" }),
    isAsleep: async () => false,
    patienceMs,
  };
}

/** The sidecar in its container. It is started by the first request, which waits for it. */
export function sidecarInContainer(stub: SidecarStub, secret: string): Sidecar {
  return {
    secret,
    fetch: (path, init) => stub.fetch(CONTAINER_ORIGIN + path, { ...init, redirect: "manual" }),
    isAsleep: () => stub.isAsleep(),
    patienceMs: PATIENCE_MS,
  };
}

/**
 * Whether the sidecar answers. Asked before what has an effect, because a failed fetch does not tell whether its request
 * arrived; and after something was lost with it, so that whoever tries again meets the next one. Where nobody answers, it
 * waits for that one, for the sidecar's patience and not longer than `signal` lasts.
 */
export async function isUp(sidecar: Sidecar, signal: AbortSignal): Promise<boolean> {
  const endsAt = Date.now() + sidecar.patienceMs;
  for (;;) {
    const status = await healthStatus(sidecar, signal);
    if (status !== null) return status === 200;
    if (signal.aborted || Date.now() >= endsAt) return false;
    await sleep(globalThis, LOOK_EVERY_MS, signal);
  }
}

/** Null: nobody answered. */
async function healthStatus(sidecar: Sidecar, signal: AbortSignal): Promise<number | null> {
  try {
    const timeoutMs = (await sidecar.isAsleep()) ? WAKE_TIMEOUT_MS : HEALTH_TIMEOUT_MS;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await sidecar.fetch("/health", { signal: limit });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
}

/** The sidecar as the Worker reaches it: at its address, or in a container that an object of ours starts. */

const HEALTH_TIMEOUT_MS = 2_000;
/** For a sidecar that has to be started first. */
const WAKE_TIMEOUT_MS = 25_000;

export interface Sidecar {
  /** The key of its tokens. */
  readonly secret: string;
  /** `path` begins with a slash. Rejects when the sidecar cannot be reached. A redirect is handed back as it is. */
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  /** Whether the next request has to start it. Asking does not start it. */
  readonly isAsleep: () => Promise<boolean>;
}

/** A container's object as the Worker calls it. */
export interface SidecarStub {
  fetch(url: string, init: RequestInit): Promise<Response>;
  isAsleep(): Promise<boolean>;
}

/** Stands in for a name where there is none: the container answers to any. */
export const CONTAINER_ORIGIN = "http://sidecar";

/** A sidecar that runs anywhere. */
export function sidecarAt(url: string, secret: string): Sidecar {
  const base = url.replace(/\/+$/, "");
  return {
    secret,
    fetch: (path, init) => fetch(base + path, { ...init, redirect: "manual" }),
    isAsleep: async () => false,
  };
}

/** The sidecar in its container. It is started by the first request, which waits for it. */
export function sidecarInContainer(stub: SidecarStub, secret: string): Sidecar {
  return {
    secret,
    fetch: (path, init) => stub.fetch(CONTAINER_ORIGIN + path, { ...init, redirect: "manual" }),
    isAsleep: () => stub.isAsleep(),
  };
}

/**
 * Whether the sidecar answers. Asked before what has an effect, because a failed fetch does not tell whether its request
 * arrived.
 */
export async function isUp(sidecar: Sidecar): Promise<boolean> {
  try {
    const timeoutMs = (await sidecar.isAsleep()) ? WAKE_TIMEOUT_MS : HEALTH_TIMEOUT_MS;
    const response = await sidecar.fetch("/health", { signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}

/** The sidecar, at its address or in its container. */
import { sleep } from "../../core/base/deadline.ts";
import { type Env, required, set } from "./bindings.ts";
import { stubOf } from "./object-stub.ts";
import { type ContainerHandle, openContainer, type SidecarContainer } from "../sidecar/container.ts";
import { type Sidecar, connectSidecar, connectSidecarContainer, type SidecarStub } from "../sidecar/sidecar.ts";

/** The one sidecar's object. What limits it is what it has under way, 256 requests. */
const THE_SIDECAR = "sidecar";

/** The sidecar at SIDECAR_URL, else the one in its container; null: there is no secret to share with one. */
export function sidecarFromEnv(env: Env): Sidecar | null {
  const url = set(env.SIDECAR_URL);
  if (url !== null) return connectSidecar(url, required(env.SIDECAR_SECRET, "SIDECAR_SECRET"));
  const secret = set(env.SIDECAR_SECRET);
  return secret === null ? null : connectSidecarContainer(stubOf<SidecarStub>(env.SIDECARS, THE_SIDECAR), secret);
}

/** The container of a sidecar's object. */
export function containerFromEnv(env: Env, handle: ContainerHandle | undefined): SidecarContainer {
  const settings = { secret: set(env.SIDECAR_SECRET) ?? "", isolation: scriptIsolation(env) ?? "" };
  return openContainer(handle, settings, async (ms) => await sleep(globalThis, ms));
}

/** What shuts in the programs that the sidecar runs; null: the sidecar finds out whether bubblewrap can. */
export function scriptIsolation(env: Env): "bubblewrap" | "container" | null {
  const chosen = set(env.OTTO_SCRIPT_ISOLATION);
  if (chosen === null || chosen === "bubblewrap" || chosen === "container") return chosen;
  throw new RangeError("OTTO_SCRIPT_ISOLATION has to be bubblewrap or container");
}

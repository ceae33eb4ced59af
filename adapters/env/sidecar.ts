/** The sidecar, at its address or in its container. */
import { sleep } from "../../core/base/deadline.ts";
import { type Env, readRequired, readText } from "./bindings.ts";
import { getStub } from "./object-stub.ts";
import { type ContainerHandle, openContainer, type SidecarContainer } from "../sidecar/container.ts";
import { type Sidecar, connectSidecar, connectSidecarContainer, type SidecarStub } from "../sidecar/sidecar.ts";

/** The object of the one sidecar, which is limited by its 256 concurrent requests. */
const THE_SIDECAR = "sidecar";

/** The sidecar at SIDECAR_URL, else the one in its container; null without a shared secret. */
export function sidecarFromEnv(env: Env): Sidecar | null {
  const url = readText(env.SIDECAR_URL);
  if (url !== null) return connectSidecar(url, readRequired(env.SIDECAR_SECRET, "SIDECAR_SECRET"));
  const secret = readText(env.SIDECAR_SECRET);
  return secret === null ? null : connectSidecarContainer(getStub<SidecarStub>(env.SIDECARS, THE_SIDECAR), secret);
}

/** The container of a sidecar's object. */
export function containerFromEnv(env: Env, handle: ContainerHandle | undefined): SidecarContainer {
  const settings = { secret: readText(env.SIDECAR_SECRET) ?? "", isolation: readScriptIsolation(env) ?? "" };
  return openContainer(handle, settings, async (ms) => await sleep(globalThis, ms));
}

/** The isolation of programs in the sidecar; null: the sidecar checks whether bubblewrap works. */
export function readScriptIsolation(env: Env): "bubblewrap" | "container" | null {
  const chosen = readText(env.OTTO_SCRIPT_ISOLATION);
  if (chosen === null || chosen === "bubblewrap" || chosen === "container") return chosen;
  throw new RangeError("OTTO_SCRIPT_ISOLATION has to be bubblewrap or container");
}

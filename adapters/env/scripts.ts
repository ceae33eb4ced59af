/** Programs in the sidecar. */
import type { Env } from "./bindings.ts";
import { sidecarFromEnv } from "./sidecar.ts";
import { openScripts } from "../sidecar/scripts.ts";
import type { ScriptsPort } from "../../core/ports/scripts.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/** The programs of one tenant, in the sidecar's cage. They fail with `not_available` without a sidecar. */
export function scriptsFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">): ScriptsPort {
  return openScripts({ sidecar: sidecarFromEnv(env), tenant });
}

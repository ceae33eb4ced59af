/** The renderer of web pages. */
import type { Env } from "./bindings.ts";
import { sidecarFromEnv } from "./sidecar.ts";
import { openPages } from "../sidecar/pages.ts";
import type { PagesPort } from "../../core/ports/pages.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/** Renders pages for a tenant. Fails with `not_available` without a sidecar. */
export function pagesFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">): PagesPort {
  return openPages(sidecarFromEnv(env), tenant);
}

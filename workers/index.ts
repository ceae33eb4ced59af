/** What the Worker exports: the front door, the sweep, and the classes that its bindings name. */
import type { Env } from "../adapters/from-env.ts";
import { createApp } from "./app.ts";
import { sweep } from "./sweep.ts";

export { SandboxObject } from "../durable-objects/sandbox.ts";
export { SidecarObject } from "../durable-objects/sidecar.ts";
export { TaskObject } from "../durable-objects/task.ts";
export { TenantObject } from "../durable-objects/tenant.ts";
export { StepRunner } from "./steps.ts";

const app = createApp();

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  scheduled: (_event, env) => sweep(env, Date.now()),
} satisfies ExportedHandler<Env>;

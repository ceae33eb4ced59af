/** The Worker's exports: the entry points, the sweep, and the classes of its bindings. */
import type { Env } from "../adapters/env/bindings.ts";
import { createApp } from "./app.ts";
import { acceptMail } from "./channels/mail/entry.ts";
import { createLocalEntry } from "./http/local-entry.ts";
import { sweep } from "./sweep.ts";

export { InboxObject } from "../durable-objects/inbox/object.ts";
export { OutboxObject } from "../durable-objects/outbox/object.ts";
export { SandboxObject } from "../durable-objects/sandbox/object.ts";
export { ScheduleObject } from "../durable-objects/schedules/object.ts";
export { SidecarObject } from "../durable-objects/sidecar/object.ts";
export { TaskObject } from "../durable-objects/task/object.ts";
export { TenantObject } from "../durable-objects/tenant/object.ts";
export { ChannelRunner } from "./channels/runner.ts";
export { StepRunner } from "./steps.ts";
export { SweepRunner } from "./sweep/tasks.ts";

const app = createApp();

export const LocalEntry = createLocalEntry(app);

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  email: (message, env) => acceptMail(env, message),
  scheduled: (_event, env) => sweep(env, Date.now()),
} satisfies ExportedHandler<Env>;

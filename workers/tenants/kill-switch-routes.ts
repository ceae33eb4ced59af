/** The kill switch: everything of the tenant stops within seconds, and goes on when it is released. */
import { createRoute } from "@hono/zod-openapi";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { answers, withKey } from "../http/answers.ts";
import type { App } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { tenantOf } from "../http/principal.ts";
import { releaseBody, releaseTenant, shownSwitch, stopBody, stopTenant, switched } from "./stop.ts";

const shared = { tags: ["Kill switch"], middleware: [requireScope("admin")], ...withKey };

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "killSwitch.get",
  path: "/v1/kill-switch",
  summary: "Show whether the tenant is stopped, and by whom",
  responses: answers({ 200: switched }),
});

const stop = createRoute({
  ...shared,
  method: "post",
  operationId: "killSwitch.stop",
  path: "/v1/kill-switch/stop",
  summary: "Stop everything of the tenant",
  description:
    "Running tasks are halted within 5 seconds: model calls are cut off, and no step begins. The tool calls of a step under way have three seconds to end, and those of the same step that have not begun may still begin in them. Until the release, making and starting tasks and calling tools answers 409 `conflict`; reading, cancelling, answering and approving go on. Nothing is lost: tasks go on where they were. It holds at once, also while the database is away (which answers 503: send the request again). Stopping what is stopped changes nothing. Every request is carried out, also a repeat with the same `Idempotency-Key`.",
  request: stopBody,
  responses: answers({ 200: switched }, [413, 415, 422]),
});

const release = createRoute({
  ...shared,
  method: "post",
  operationId: "killSwitch.release",
  path: "/v1/kill-switch/release",
  summary: "Let everything of the tenant go on",
  description:
    "What the operator stopped, only the operator releases (403). Releasing what is not stopped changes nothing. Every request is carried out, also a repeat with the same `Idempotency-Key`.",
  request: releaseBody,
  responses: answers({ 200: switched }, [413, 415, 422]),
});

export function killSwitchRoutes(app: App): void {
  app.openapi(show, async (c) => c.json(shownSwitch(await tenantsFromEnv(c.env)(tenantOf(c)).stopped()), 200));

  app.openapi(stop, async (c) => {
    const { reason } = c.req.valid("json");
    return c.json(await stopTenant(c, { tenant: tenantOf(c), byOperator: false }, reason), 200);
  });

  app.openapi(release, async (c) => c.json(await releaseTenant(c, { tenant: tenantOf(c), byOperator: false }), 200));
}

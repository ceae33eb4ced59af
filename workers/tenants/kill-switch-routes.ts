/** The kill switch: stops everything of the tenant within seconds, until it is released. */
import { createRoute } from "@hono/zod-openapi";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { answers, withKey } from "../http/answers.ts";
import type { App } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getTenant } from "../http/principal.ts";
import { releaseBody, releaseTenant, toSwitchView, stopBody, stopTenant, switchReply } from "./stop.ts";

const shared = { tags: ["Kill switch"], middleware: [requireScope("admin")], ...withKey };

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "killSwitch.get",
  path: "/v1/kill-switch",
  summary: "Show whether the tenant is stopped, and who stopped it",
  responses: answers({ 200: switchReply }),
});

const stop = createRoute({
  ...shared,
  method: "post",
  operationId: "killSwitch.stop",
  path: "/v1/kill-switch/stop",
  summary: "Stop all tasks of the tenant",
  description:
    "Stops running tasks within 5 seconds: model calls are cut off, and no step starts. The tool calls of a running step have three seconds to end, and may still start within them. Until the release, creating and starting tasks and calling tools answers 409 `conflict`; reading, cancelling, answering and approving work. Nothing is lost: after the release, tasks continue. Takes effect at once, even if the database is unavailable (then the reply is 503: repeat the request). Stopping a stopped tenant changes nothing. Every request runs, even a repeat with the same `Idempotency-Key`.",
  request: stopBody,
  responses: answers({ 200: switchReply }, [413, 415, 422]),
});

const release = createRoute({
  ...shared,
  method: "post",
  operationId: "killSwitch.release",
  path: "/v1/kill-switch/release",
  summary: "Release the tenant",
  description:
    "Lets the tenant's tasks continue. Only the operator can release a tenant that the operator stopped (403). Releasing a running tenant changes nothing. Every request runs, even a repeat with the same `Idempotency-Key`.",
  request: releaseBody,
  responses: answers({ 200: switchReply }, [413, 415, 422]),
});

export function killSwitchRoutes(app: App): void {
  app.openapi(show, async (c) => c.json(toSwitchView(await tenantsFromEnv(c.env)(getTenant(c)).stopped()), 200));

  app.openapi(stop, async (c) => {
    const { reason } = c.req.valid("json");
    return c.json(await stopTenant(c, { tenant: getTenant(c), byOperator: false }, reason), 200);
  });

  app.openapi(release, async (c) => c.json(await releaseTenant(c, { tenant: getTenant(c), byOperator: false }), 200));
}

/** The audit log: administrative acts, newest first. A tenant reads its own, the operator reads acts on tenants. */
import { createRoute } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { type AuditEntry, OPERATOR_TENANT } from "../../core/ports/audit.ts";
import { writeCursor } from "../../core/base/page-cursor.ts";
import { answers, withKey } from "../http/answers.ts";
import { pageOf } from "../http/schemas.ts";
import type { App, AppEnv } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { BETWEEN, readBetween, betweenQuery } from "../http/created-between.ts";
import { optionalQuery, pageQuery, readPageRequest } from "../http/list-query.ts";
import { unwrap } from "../http/unwrap.ts";

const MAX_CHARACTERS = 200;

const entrySchema = z
  .strictObject({
    id: z.string(),
    at: z.iso.datetime(),
    actor: z
      .string()
      .describe(
        "The id of the key that acted, of the person who connected an account in a browser, `operator`, or `otto` for an act of Otto itself.",
      ),
    action: z.string(),
    target: z.string().describe("The id of the resource that the act changed."),
    request_id: z.string(),
    details: z
      .record(z.string(), z.string().nullable())
      .nullable()
      .describe(
        "What the act changed: of `key.bind`, the person of the key (`person`) and the earlier one (`before`).",
      ),
  })
  .meta({ id: "AuditEntry" });

const adminOrOperator: MiddlewareHandler<AppEnv> = async function adminOrOperator(c, next) {
  return c.get("principal").kind === "operator" ? await next() : await requireScope("admin")(c, next);
};

const list = createRoute({
  tags: ["Audit"],
  ...withKey,
  method: "get",
  operationId: "audit.list",
  path: "/v1/audit",
  summary: "List administrative acts, newest first",
  middleware: [adminOrOperator],
  description: `\`action\` is an action (\`agent.update\`) or a kind of resource (\`agent\`). ${BETWEEN}`,
  request: {
    query: z.strictObject({
      action: optionalQuery(
        z
          .string()
          .regex(/^[a-z_]+(?:\.[a-z_]+)?$/)
          .max(MAX_CHARACTERS),
      ),
      actor: optionalQuery(z.string().max(MAX_CHARACTERS)),
      target: optionalQuery(z.string().max(MAX_CHARACTERS)),
      ...betweenQuery,
      ...pageQuery,
    }),
  },
  responses: answers({ 200: { description: "A page of acts.", json: pageOf(entrySchema) } }, [422]),
});

export function auditRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const principal = c.get("principal");
    const whose = principal.kind === "operator" ? OPERATOR_TENANT : principal.tenant;
    const { action, actor, target, from, to, ...rest } = c.req.valid("query");
    const filter = {
      ...(action === undefined ? {} : { action }),
      ...(actor === undefined ? {} : { actor }),
      ...(target === undefined ? {} : { target }),
      ...readBetween({ from, to }),
    };
    const page = unwrap(await databaseFromEnv(c.env).audit.page(whose, readPageRequest(rest), filter));
    return c.json(
      {
        data: page.items.map(toEntryView),
        next_cursor: page.next === null ? null : writeCursor(page.next),
      },
      200,
    );
  });
}

function toEntryView({ id, at, actor, action, target, requestId, details }: AuditEntry) {
  const shown = details === undefined ? null : { ...details };
  return { id, at: new Date(at).toISOString(), actor, action, target, request_id: requestId, details: shown };
}

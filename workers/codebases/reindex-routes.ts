/** How often a codebase is indexed again. */
import { createRoute, z } from "@hono/zod-openapi";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { findNextReindex } from "../../core/codebases/reindex-rule.ts";
import { answers, withKey } from "../http/answers.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { findCodebase, showCodebase } from "./read-codebase.ts";
import { codebaseSchema, reindexInput } from "./view.ts";

const setReindex = createRoute({
  tags: ["Codebases"],
  ...withKey,
  middleware: [requireScope("admin")],
  method: "put",
  operationId: "codebases.setReindex",
  path: "/v1/codebases/{id}/reindex",
  summary: "Set how often a codebase is indexed again",
  description:
    "`every` is an interval from `1h` to `7d`, or a cron expression in UTC that is due once an hour at most; null: it is indexed on request and on pushes only. Times that were missed are one index.",
  request: {
    params: z.object({ id: z.string().describe("The codebase's id, `cdb_…`") }),
    body: { required: true, content: { "application/json": { schema: reindexInput } } },
  },
  responses: answers({ 200: { description: "The codebase.", json: codebaseSchema } }, [404, 413, 415, 422]),
});

export function codebaseReindexRoutes(app: App): void {
  app.openapi(setReindex, async (c) => {
    const { id } = c.req.valid("param");
    const { every } = c.req.valid("json");
    await findCodebase(c, id);
    const act = await createAuditEntry(c, "codebase.schedule", id);
    const dueAt = unwrap(findNextReindex(every, act.at));
    unwrap(await databaseFromEnv(c.env).codebases.setEvery(getTenant(c), id, { every, dueAt }, act));
    return c.json(await showCodebase(c, await findCodebase(c, id)), 200);
  });
}

/** How long a tenant's tasks are stored. By default, forever. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { MAX_RETENTION_DAYS, MAX_SWEPT_A_MINUTE, type Retention } from "../../core/tenant/retention.ts";
import { answers, withKey } from "../http/answers.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";

const days = z.number().min(0).max(MAX_RETENTION_DAYS).nullable();
const settings = {
  tasks_days: days.describe(
    "After that, the task and its subtasks are erased as by `DELETE`. Its usage and memory stay.",
  ),
  logs_days: days.describe(
    "After that, its events except the last, its messages, and the arguments and results of its calls are deleted. The task, its output, its files and the ledger stay.",
  ),
  results_days: days.describe(
    "After that, results that are stored outside their rows are deleted, and the rows say `gone`.",
  ),
};

const retentionSchema = z
  .strictObject({
    ...settings,
    stored: z
      .strictObject({
        tasks: z.int().describe("Number of tasks and subtasks."),
        ended_tasks: z.int(),
        earliest_end: z.iso.datetime().nullable(),
        file_bytes: z.int().describe("Bytes of the files of all tasks and projects."),
      })
      .describe("How much is stored."),
    removed: z
      .strictObject({
        day: z.string().nullable().describe("The day (UTC) that `today` is of."),
        today: z.int().describe("Trees of which something was deleted on that day."),
        total: z.int(),
      })
      .describe("What the sweep has deleted since retention was first set."),
  })
  .meta({ id: "Retention" });

/** An omitted setting is unlimited. */
const retentionRequestSchema = z.strictObject(settings).partial();

const shared = { tags: ["Retention"], middleware: [requireScope("admin")], ...withKey };
const standing = { description: "The settings, and how much is stored.", json: retentionSchema };

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "retention.get",
  path: "/v1/retention",
  summary: "Show the retention settings and how much is stored",
  responses: answers({ 200: standing }),
});

const set = createRoute({
  ...shared,
  method: "put",
  operationId: "retention.set",
  path: "/v1/retention",
  summary: "Set the retention of tasks",
  description: `Days count from the end of the whole tree. Unlimited if null or omitted. Live, waiting and draft tasks are never deleted. A sweep processes at most ${MAX_SWEPT_A_MINUTE} trees a minute, oldest first; a tree stays for at least a minute after its end. The audit log has an entry for each day with deletions. Deleted data cannot be restored.`,
  request: {
    body: {
      required: true,
      content: { "application/json": { schema: retentionRequestSchema.meta({ id: "RetentionInput" }) } },
    },
  },
  responses: answers({ 200: standing }, [413, 415, 422]),
});

export function retentionRoutes(app: App): void {
  app.openapi(show, async (c) => c.json(await formatRetention(c), 200));

  app.openapi(set, async (c) => {
    const { tasks_days, logs_days, results_days } = c.req.valid("json");
    const retention: Retention = { tasks: tasks_days ?? null, logs: logs_days ?? null, results: results_days ?? null };
    // Nothing is deleted without an entry in the audit log.
    unwrap(
      await databaseFromEnv(c.env).audit.add(getTenant(c), await createAuditEntry(c, "retention.set", getTenant(c))),
    );
    await tenantsFromEnv(c.env)(getTenant(c)).setRetention(retention);
    return c.json(await formatRetention(c), 200);
  });
}

async function formatRetention(c: AppContext): Promise<z.infer<typeof retentionSchema>> {
  const tenant = tenantsFromEnv(c.env)(getTenant(c));
  const [{ retention, progress }, file_bytes, counted] = await Promise.all([
    tenant.retention(),
    tenant.storedBytes(),
    databaseFromEnv(c.env).tasks.count(getTenant(c)),
  ]);
  const { tasks, ended, earliestEnd } = unwrap(counted);
  const parts = progress === null ? [] : Object.values(progress.parts);
  const sum = (of: "today" | "total") => parts.reduce((all, part) => all + part[of], 0);
  return {
    tasks_days: retention.tasks,
    logs_days: retention.logs,
    results_days: retention.results,
    stored: {
      tasks,
      ended_tasks: ended,
      earliest_end: earliestEnd === null ? null : new Date(earliestEnd).toISOString(),
      file_bytes,
    },
    removed: { day: progress?.day ?? null, today: sum("today"), total: sum("total") },
  };
}

/** How long a tenant's tasks are stored. By default everything is kept. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { MAX_RETENTION_DAYS, MAX_SWEPT_A_MINUTE, type Retention } from "../../core/tenant/retention.ts";
import { answers, withKey } from "../http/answers.ts";
import { auditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { tenantOf } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";

const days = z.number().min(0).max(MAX_RETENTION_DAYS).nullable();
const settings = {
  tasks_days: days.describe(
    "Then the task is erased as by `DELETE`, and its subtasks with it. What it used and left in memory stays.",
  ),
  logs_days: days.describe(
    "Then its events but the last one go, its messages, and what its calls were given and gave. The task, its answer, its files and the ledger stay.",
  ),
  results_days: days.describe("Then results that are stored outside their rows go, and the rows say `gone`."),
};

const retentionSchema = z
  .strictObject({
    ...settings,
    stored: z
      .strictObject({
        tasks: z.int().describe("Tasks and subtasks."),
        ended_tasks: z.int(),
        earliest_end: z.iso.datetime().nullable(),
        file_bytes: z.int().describe("Files of all tasks and projects."),
      })
      .describe("How much there is."),
    removed: z
      .strictObject({
        day: z.string().nullable().describe("The day (UTC) that `today` is of."),
        today: z.int().describe("Trees of which anything was removed on that day."),
        total: z.int(),
      })
      .describe("What the sweep removed, since retention was set first."),
  })
  .meta({ id: "Retention" });

/** A part that is left out is kept. */
const retentionRequestSchema = z.strictObject(settings).partial();

const shared = { tags: ["Retention"], middleware: [requireScope("admin")], ...withKey };
const standing = { description: "What is set, and how much there is.", json: retentionSchema };

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "retention.get",
  path: "/v1/retention",
  summary: "Show how long tasks are stored, and how much there is",
  responses: answers({ 200: standing }),
});

const set = createRoute({
  ...shared,
  method: "put",
  operationId: "retention.set",
  path: "/v1/retention",
  summary: "Set how long tasks are stored",
  description: `Days count from the end of the whole tree; null, or left out: it is kept. Live, waiting and draft tasks are never touched. A sweep goes through at most ${MAX_SWEPT_A_MINUTE} trees a minute, the earliest first; what has just ended stays for a minute. The audit log has an entry for each day on which something goes. What is gone is gone: raise the days before it goes.`,
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
    // Nothing is removed that the audit log does not know of.
    unwrap(await databaseFromEnv(c.env).audit.add(tenantOf(c), await auditEntry(c, "retention.set", tenantOf(c))));
    await tenantsFromEnv(c.env)(tenantOf(c)).setRetention(retention);
    return c.json(await formatRetention(c), 200);
  });
}

async function formatRetention(c: AppContext): Promise<z.infer<typeof retentionSchema>> {
  const tenant = tenantsFromEnv(c.env)(tenantOf(c));
  const [{ retention, progress }, file_bytes, counted] = await Promise.all([
    tenant.retention(),
    tenant.storedBytes(),
    databaseFromEnv(c.env).tasks.count(tenantOf(c)),
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

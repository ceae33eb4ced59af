/** The rebuild of a tenant's index in the API. */
import { z } from "zod";
import { COUNTED, type Reindex } from "../../core/tenant/recovery.ts";

/** Counts by kind. A kind without losses is absent. */
export const notRebuiltSchema = z
  .partialRecord(z.enum(COUNTED), z.int())
  .describe(
    "What only the lost database had, counted by kind at its last known state. Create these again. `keys` were never used, or another tenant has them; `projects` had neither tasks nor files. Absent without losses.",
  )
  .meta({ id: "NotRebuilt" });

export const reindexSchema = z
  .strictObject({
    state: z.enum(["none", "running", "done"]).describe("`none`: no rebuild was ever needed or requested."),
    reason: z
      .enum(["requested", "missing", "behind", "ahead"])
      .nullable()
      .describe(
        "`missing`: the tenant's row was missing; `behind`: the database was older than the tenant's object; `ahead`: the tenant's object was older.",
      ),
    progress: z
      .strictObject({ done: z.int(), total: z.int() })
      .describe("Tasks processed, of those that existed at the start."),
    rebuilt: z.strictObject({
      tasks: z.int(),
      projects: z.int().describe("0 until the rebuild is done."),
      schedules: z.int(),
      keys: z.int(),
    }),
    removed: z.int().describe("Rows of tasks that were erased after the backup of the database. They stay erased."),
    missing: z.int().describe("Known tasks whose own data is missing or unreadable."),
    missing_schedules: z.int().describe("Schedules that did not answer. Each reappears in the list at its next run."),
    not_rebuilt: notRebuiltSchema,
    started_at: z.iso.datetime().nullable(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Reindex" });

/** `reindex` is null if there was none. */
export function formatReindex(reindex: Reindex | null): z.infer<typeof reindexSchema> {
  if (reindex === null) {
    const nothing = { tasks: 0, projects: 0, schedules: 0, keys: 0 };
    const counts = {
      progress: { done: 0, total: 0 },
      rebuilt: nothing,
      removed: 0,
      missing: 0,
      missing_schedules: 0,
      not_rebuilt: {},
    };
    return { state: "none", reason: null, ...counts, started_at: null, ended_at: null };
  }
  const { reason, done, total, rebuilt, removed, missing, missingSchedules = 0, lost, startedAt, endedAt } = reindex;
  return {
    state: endedAt === null ? "running" : "done",
    reason,
    progress: { done, total: Math.max(done, total) },
    rebuilt,
    removed,
    missing,
    missing_schedules: missingSchedules,
    not_rebuilt: { ...lost },
    started_at: new Date(startedAt).toISOString(),
    ended_at: endedAt === null ? null : new Date(endedAt).toISOString(),
  };
}

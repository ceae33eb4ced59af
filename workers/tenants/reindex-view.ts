/** A rebuilding of a tenant's index as the API shows it. */
import { z } from "zod";
import { COUNTED, type Reindex } from "../../core/tenant/recovery.ts";

/** Counts by kind; a kind of which nothing was lost is absent. */
export const notRebuiltSchema = z
  .partialRecord(z.enum(COUNTED), z.int())
  .describe(
    "What only the lost database had, by kind, as counted when it was seen last: create it again. `keys` were never used, or another tenant has them; `projects` had neither tasks nor files. Absent: none.",
  )
  .meta({ id: "NotRebuilt" });

export const reindexSchema = z
  .strictObject({
    state: z.enum(["none", "running", "done"]).describe("`none`: no rebuilding was ever needed or requested."),
    reason: z
      .enum(["requested", "missing", "behind", "ahead"])
      .nullable()
      .describe(
        "`missing`: the tenant's row was gone; `behind`: the row was of an older database; `ahead`: the tenant's object was the older one.",
      ),
    progress: z
      .strictObject({ done: z.int(), total: z.int() })
      .describe("Tasks looked at, of those that there were at the start."),
    rebuilt: z.strictObject({
      tasks: z.int(),
      projects: z.int().describe("0 until it is done."),
      schedules: z.int(),
      keys: z.int(),
    }),
    removed: z.int().describe("Rows of tasks that were erased since an older database was saved. They stay erased."),
    missing: z.int().describe("Tasks that are known and whose own data is gone or not readable."),
    missing_schedules: z.int().describe("Schedules that did not answer. Each is listed again from its next run on."),
    not_rebuilt: notRebuiltSchema,
    started_at: z.iso.datetime().nullable(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Reindex" });

/** `reindex` null: there never was one. */
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

/** Creates reminders for a task's tools. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { schedulesFromEnv } from "../../adapters/env/schedules.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { BY_OTTO } from "../../core/ports/audit.ts";
import { ok } from "../../core/base/errors.ts";
import { readIdTime, makeId } from "../../core/base/ids.ts";
import { findPerson } from "../../core/people/find-person.ts";
import type { RemindersPort } from "../../core/ports/reminders.ts";
import { openReminders } from "../../core/schedules/task-reminders.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import { checkConfig, registerSchedule } from "./create.ts";
import { seededIds } from "../../core/base/seeded-ids.ts";

/**
 * Returns the reminders of a task. A schedule's id derives from the call's key, so that a repeated call finds its
 * reminder.
 */
export function openTaskReminders(env: Env, { tenant, deliver }: Pick<TaskFacts, "tenant" | "deliver">): RemindersPort {
  return openReminders({
    destinations: deliver,

    person: (name) => findPerson(databaseFromEnv(env).people, tenant, name),

    async find(key) {
      const { id } = await deriveId(key);
      const found = await schedulesFromEnv(env)(tenant, id).view();
      return !found.ok && found.error.code === "not_found" ? ok(null) : found;
    },

    async create(key, config, now) {
      const checked = await checkConfig(env, config, { tenant, agentsStamp: "" });
      if (!checked.ok) return checked;
      const { id, random } = await deriveId(key);
      const act = {
        id: makeId("audit", now, random),
        at: now,
        actor: BY_OTTO,
        action: "schedule.create",
        target: id,
        requestId: key.slice(0, 100),
      } as const;
      return await registerSchedule(env, { tenant, id, config: checked.value }, act, now);
    },
  });
}

/** Derives an id from a call's key, which contains the creation time of its task. */
async function deriveId(key: string): Promise<{ readonly id: string; readonly random: Uint8Array }> {
  const { createdAt, random } = await seededIds("reminder", key, readIdTime(key) ?? 0);
  return { id: makeId("schedule", createdAt, random), random };
}

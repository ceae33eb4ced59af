/** Fake reminders: created by the real rules, stored by key. */
import type { DeliverTo } from "../../core/task/source.ts";
import { ok } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import { findPerson } from "../../core/people/find-person.ts";
import type { PersonRecord } from "../../core/people/person.ts";
import { createSchedule } from "../../core/schedules/change.ts";
import type { ScheduleState } from "../../core/schedules/schedule.ts";
import type { RemindersPort } from "../../core/ports/reminders.ts";
import { openReminders } from "../../core/schedules/task-reminders.ts";
import { fakePersonTable } from "./people.ts";

const HERE: readonly DeliverTo[] = [{ channel: "slack", to: "T1/C1" }];

export function fakeReminders(places = HERE, people: readonly PersonRecord[] = []): RemindersPort {
  const stored = new Map<string, ScheduleState>();
  return openReminders({
    destinations: places,
    person: (name) => findPerson(fakePersonTable(people), "ten_1", name),
    async find(key) {
      return ok(stored.get(key) ?? null);
    },
    async create(key, config, now) {
      const id = makeId("schedule", now, new TextEncoder().encode(key.padEnd(10, ".")).slice(-10));
      const made = createSchedule({ tenant: "ten_1", id, config }, now);
      if (made.ok) stored.set(key, made.value);
      return made;
    },
  });
}

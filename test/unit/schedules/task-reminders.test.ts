import { expect, test } from "vitest";
import { ok } from "../../../core/base/errors.ts";
import { createSchedule } from "../../../core/schedules/change.ts";
import type { ScheduleState } from "../../../core/schedules/schedule.ts";
import { openReminders } from "../../../core/schedules/task-reminders.ts";

const NOW = Date.UTC(2026, 0, 1);

test("a model's reminder contains no text that Postgres cannot read", async () => {
  const made: ScheduleState[] = [];
  const reminders = openReminders({
    destinations: [{ channel: "email", to: "ana@example.com" }],
    person: async () => ok(null),
    find: async () => ok(null),
    async create(_, config, now) {
      const state = createSchedule({ tenant: "ten_1", id: "sch_1", config }, now);
      if (state.ok) made.push(state.value);
      return state;
    },
  });
  const asked = { when: { every: "0 9 * * *" }, timeZone: null, person: null, key: "call_1", now: NOW };
  await reminders.set({ ...asked, message: `NUL \u0000, half a pair \ud83d, 🦦, ${"🦦".repeat(50)}` });
  const [state] = made;
  expect(state?.config.reminder?.text).toBe(`NUL \ufffd, half a pair \ufffd, 🦦, ${"🦦".repeat(50)}`);
  expect(JSON.stringify(state)).not.toMatch(/\\u/);
});

/** What everybody who sets reminders for tasks has to hold. */
import { describe, expect, test } from "vitest";
import type { DeliverTo } from "../../../core/task/source.ts";
import type { ReminderRequest, RemindersPort } from "../../../core/ports/reminders.ts";

const DAY = 86_400_000;

/** `open`: the reminders of a task that says what it says at these places, of a new tenant that has these people. */
export function remindersSuite(
  name: string,
  open: (
    places: readonly DeliverTo[],
    people: readonly { readonly name: string; readonly timeZone: string }[],
  ) => Promise<RemindersPort>,
): void {
  const here: readonly DeliverTo[] = [{ channel: "email", to: "ana@example.com" }];
  const now = Date.now();
  const soon = new Date(now + 2 * DAY).toISOString();
  const makeRequest = (more: Partial<ReminderRequest>): ReminderRequest => ({
    message: "Call Bo.",
    when: { at: soon },
    timeZone: null,
    person: null,
    key: "call_1",
    now,
    ...more,
  });

  describe(`reminders of ${name}`, () => {
    test("are set once for a key, also when a repeat requests others", async () => {
      const reminders = await open(here, []);
      const first = await reminders.set(makeRequest({}));
      expect(first).toMatchObject({ ok: true, value: { next: Date.parse(soon), timeZone: "UTC" } });
      expect(await reminders.set(makeRequest({}))).toEqual(first);
      expect(await reminders.set(makeRequest({ now: now + 3 * DAY }))).toEqual(first);
      const other = await reminders.set(makeRequest({ key: "call_2" }));
      expect(other.ok && first.ok && other.value.id !== first.value.id).toBe(true);
    });

    test("are due when clocks of the person read the time", async () => {
      const reminders = await open([], [{ name: "Ana Lima", timeZone: "Asia/Kolkata" }]);
      const local = soon.slice(0, 16);
      const set = await reminders.set(makeRequest({ person: "ana", when: { at: local } }));
      const due = Date.parse(`${local}:00+05:30`);
      expect(set).toMatchObject({ ok: true, value: { next: due, timeZone: "Asia/Kolkata" } });
      const daily = await reminders.set(makeRequest({ person: "ana", when: { every: "0 9 * * *" }, key: "call_2" }));
      expect(daily.ok && new Date(daily.value.next ?? 0).toISOString().slice(11, 16)).toBe("03:30");
      const elsewhere = makeRequest({ person: "Ana Lima", when: { at: local }, timeZone: "UTC", key: "call_3" });
      expect(await reminders.set(elsewhere)).toMatchObject({ value: { next: Date.parse(`${local}:00Z`) } });
    });

    test.each<[string, Partial<ReminderRequest>, string, string]>([
      ["nobody is called so", { person: "Zoe" }, "not_found", "person"],
      ["it is past", { when: { at: new Date(now - DAY).toISOString() } }, "invalid_input", "at"],
      ["it is due every minute", { when: { every: "* * * * *" } }, "invalid_input", "every"],
      ["it is due several times an hour", { when: { every: "0,30 9 * * *" } }, "invalid_input", "every"],
      ["it is no expression", { when: { every: "0 9 * *" } }, "invalid_input", "every"],
      ["an impossible date", { when: { every: "0 9 31 2 *" } }, "invalid_input", "every"],
      ["there is no such zone", { timeZone: "Mars/Olympus" }, "invalid_input", "time_zone"],
      [
        "there is no such zone of an expression",
        { timeZone: "+02:00", when: { every: "@daily" } },
        "invalid_input",
        "time_zone",
      ],
    ])("are refused where %s", async (_, change, code, field) => {
      const reminders = await open(here, [{ name: "Ana Lima", timeZone: "UTC" }]);
      const refused = await reminders.set(makeRequest(change));
      expect(refused).toMatchObject({ ok: false, error: { code, field } });
      expect(refused.ok ? "" : refused.error.message).not.toMatch(/when\.|reminder\./);
    });

    test("are rejected without a recipient", async () => {
      const reminders = await open([], []);
      expect(await reminders.set(makeRequest({}))).toMatchObject({ error: { code: "not_available", field: "person" } });
      expect(await reminders.set(makeRequest({ person: "Ana" }))).toMatchObject({
        error: { code: "not_found", field: "person" },
      });
    });
  });
}

import { z } from "zod";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { MAX_EXPRESSION } from "../../core/schedules/cron.ts";
import { defineTool, failWith } from "../define-tool.ts";

const MAX_MESSAGE_CHARACTERS = 3_000;

export default defineTool({
  name: "set_reminder",
  summary:
    "Remind somebody later: once (at) or repeatedly (every, at most hourly). Without a person it goes where this task's result goes.",
  toolbox: "people",
  category: "communication",
  permissions: ["write"],
  security: "cautious",
  effect: "keyed",
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["reminders"],
  aliases: { text: "message" },
  input: z
    .object({
      message: z.string().trim().min(1).max(MAX_MESSAGE_CHARACTERS).describe("Markdown"),
      at: z.iso
        .datetime({ offset: true, local: true })
        .optional()
        .describe("e.g. 2026-12-24T09:00:00Z; without Z or offset: in time_zone"),
      every: z
        .string()
        .trim()
        .min(1)
        .max(MAX_EXPRESSION)
        .optional()
        .describe("Cron, five fields, e.g. 0 9 * * MON-FRI"),
      time_zone: z.string().trim().min(1).max(100).optional().describe("IANA name; default: the person's, or UTC"),
      person: z.string().trim().min(1).max(200).optional().describe("Name"),
    })
    .refine(({ at, every }) => (at === undefined) !== (every === undefined), {
      path: ["at"],
      message: "give at or every, and not both",
    }),
  output: z.object({
    reminder_id: z.string(),
    next_at: z.iso.datetime().nullable().describe("When it is due next; null: it has ended"),
    time_zone: z.string(),
  }),
  async run({ message, at, every, time_zone, person }, { reminders, key, nowMs }) {
    const when = at === undefined ? { every: every ?? "" } : { at };
    const asked = { message, when, timeZone: time_zone ?? null, person: person ?? null };
    const set = await reminders.set({ ...asked, key, now: nowMs });
    if (!set.ok) return failWith(set.error);
    const { id, next, timeZone } = set.value;
    return { reminder_id: id, next_at: next === null ? null : new Date(next).toISOString(), time_zone: timeZone };
  },
  show: ({ reminder_id, next_at }) =>
    next_at === null ? `The reminder ${reminder_id} is over.` : `The reminder ${reminder_id} is due at ${next_at}.`,
  examples: [
    {
      note: "every working day",
      given: { message: "The stand-up begins.", every: "25 9 * * MON-FRI", time_zone: "Europe/Lisbon" },
    },
    { note: "once", given: { message: "Pay the invoice.", at: "2026-12-24T09:00:00Z" } },
  ],
});

/** Reminders that people request in words. Each is a schedule that sends its text when it is due. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { DeliverTo } from "../../core/task/source.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import { findPerson } from "../../core/people/find-person.ts";
import type { PersonRecord } from "../../core/people/person.ts";
import { parseReminder } from "../../core/schedules/parse-reminder.ts";
import { scheduleConfigSchema, type ScheduleState } from "../../core/schedules/schedule.ts";
import { getReminderName } from "../../core/schedules/task-reminders.ts";
import { checkConfig, registerSchedule } from "./create.ts";
import { seededIds } from "../../core/base/seeded-ids.ts";

/** The requester, the text, and where a reminder for the requester is sent. */
export interface ReminderOrder {
  readonly tenant: string;
  readonly person: Pick<PersonRecord, "id" | "name" | "timeZone">;
  /** Without the command: `me in 20 minutes to call Ana`. */
  readonly text: string;
  readonly to: readonly DeliverTo[];
  readonly now: number;
  /** Identifies the request, such as an event's id: the same one creates the same reminder, once. */
  readonly seed: string;
}

/** Fails with `invalid_input` and the accepted forms, or with `not_found` for an unknown person. */
export async function createReminder(env: Env, order: ReminderOrder): Promise<Result<ScheduleState>> {
  const { tenant, person, now, seed } = order;
  const words = parseReminder(order.text, { now, timeZone: person.timeZone });
  if (!words.ok) return words;
  const { who, text, when } = words.value;
  const to = who === null ? ok(order.to) : await findTarget(env, order, who);
  if (!to.ok) return to;
  const said = who === null ? text : `${person.name}: ${text}`;
  const config = scheduleConfigSchema.safeParse({
    name: getReminderName(text),
    when,
    time_zone: person.timeZone,
    reminder: { text: said, to: to.value },
    overlap: "allow",
  });
  if (!config.success) return { ok: false, error: { code: "invalid_input", message: config.error.message } };
  const checked = await checkConfig(env, config.data, { tenant, agentsStamp: "" });
  if (!checked.ok) return checked;
  const { random } = await seededIds("schedule", seed, now);
  const id = makeId("schedule", now, random);
  const act = {
    id: makeId("audit", now, random),
    at: now,
    actor: person.id,
    action: "schedule.create",
    target: id,
  } as const;
  return await registerSchedule(
    env,
    { tenant, id, config: checked.value },
    { ...act, requestId: seed.slice(0, 100) },
    now,
  );
}

/** Finds the target of `@Ana`, or of `<@U…>` as Slack writes a member. */
async function findTarget(
  env: Env,
  { tenant, to }: Pick<ReminderOrder, "tenant" | "to">,
  who: string,
): Promise<Result<readonly DeliverTo[]>> {
  const [, member] = /^<@([A-Z0-9]+)(?:\|[^>]*)?>$/.exec(who) ?? [];
  if (member !== undefined) {
    // A member belongs to the workspace of the message.
    const [team] = to.find(({ channel }) => channel === "slack")?.to.split("/") ?? [];
    return ok([{ channel: "slack", to: team === undefined ? member : `${team}/${member}` }]);
  }
  const found = await findPerson(databaseFromEnv(env).people, tenant, who.slice(1));
  if (!found.ok) return found;
  return found.value === null
    ? { ok: false, error: { code: "not_found", message: "There are no people yet. POST /v1/people adds one." } }
    : ok([{ channel: "person", to: found.value.id }]);
}

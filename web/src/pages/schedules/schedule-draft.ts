/** A schedule in the form's fields, and the request that they make. */
import type { paths, Schedule } from "../../api/types.generated.ts";
import type { Faults } from "../../ui/faults.ts";
import { readAboveZero } from "../../ui/typed-number.ts";
import { type Delivery, EMPTY_TASK, limitFieldsOf, type LimitName, readLimits } from "../tasks/new-task.ts";
import { draftOfWhen, NEW_WHEN, readWhen, type WhenDraft } from "./rhythm.ts";
import { isZone, momentOf, wallText } from "./zoned-time.ts";

export type ScheduleConfig = paths["/v1/schedules"]["post"]["requestBody"]["content"]["application/json"];
export type Timing = Pick<ScheduleConfig, "when" | "time_zone" | "starts_at" | "ends_at">;
type TaskRequest = NonNullable<ScheduleConfig["task"]>;

export interface ScheduleDraft {
  readonly name: string;
  readonly when: WhenDraft;
  readonly timeZone: string;
  /** Wall times of its zone; empty: no bound. */
  readonly startsAt: string;
  readonly endsAt: string;
  readonly jitterMinutes: string;
  readonly missed: Schedule["missed"]["policy"];
  readonly missedHours: string;
  readonly overlap: Schedule["overlap"];
  readonly work: "task" | "reminder";
  readonly input: string;
  readonly agent: string;
  readonly project: string;
  readonly limits: Readonly<Record<LimitName, string>>;
  readonly deliver: readonly Delivery[];
  readonly text: string;
  readonly to: readonly Delivery[];
  readonly alertTo: readonly Delivery[];
  readonly alertMinutes: string;
  /** The task as it was read: what the form has no fields for stays as it is. */
  readonly before: TaskRequest | null;
}

const HOUR_S = 3_600;
const MINUTE_S = 60;

export function newSchedule(timeZone: string): ScheduleDraft {
  return {
    name: "",
    when: NEW_WHEN,
    timeZone,
    startsAt: "",
    endsAt: "",
    jitterMinutes: "",
    missed: "once",
    missedHours: "24",
    overlap: "skip",
    work: "task",
    input: "",
    agent: "",
    project: "",
    limits: EMPTY_TASK.limits,
    deliver: [],
    text: "",
    to: [{ channel: "person", to: "" }],
    alertTo: [],
    alertMinutes: "",
    before: null,
  };
}

export function draftOfSchedule(schedule: Schedule): ScheduleDraft {
  const { time_zone: zone, task, reminder, alert } = schedule;
  const wall = (at: string | undefined): string => (at === undefined ? "" : wallText(zone, Date.parse(at)));
  const start = newSchedule(zone);
  const late = alert?.if_not_finished_within_seconds;
  return {
    ...start,
    name: schedule.name,
    when: draftOfWhen(schedule.when, zone),
    startsAt: wall(schedule.starts_at),
    endsAt: wall(schedule.ends_at),
    jitterMinutes: schedule.jitter_seconds === 0 ? "" : String(schedule.jitter_seconds / MINUTE_S),
    missed: schedule.missed.policy,
    missedHours: String(schedule.missed.window_seconds / HOUR_S),
    overlap: schedule.overlap,
    work: reminder === undefined ? "task" : "reminder",
    input: task === undefined ? "" : toText(task.input),
    agent: task?.agent ?? "",
    project: task?.project ?? "",
    limits: limitFieldsOf(task?.budget),
    deliver: task?.deliver ?? [],
    text: reminder?.text ?? "",
    to: reminder?.to ?? start.to,
    alertTo: alert?.deliver ?? [],
    alertMinutes: late === undefined ? "" : String(late / MINUTE_S),
    before: task ?? null,
  };
}

type Read<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly faults: Faults };

/** When it is due, which can be previewed before the rest is written. */
export function readTiming(draft: ScheduleDraft): Read<Timing> {
  const faults: Record<string, string> = {};
  const zone = draft.timeZone.trim();
  if (!isZone(zone)) return { ok: false, faults: { time_zone: "There is no such time zone. Choose one of the list." } };
  const bound = (field: string, wall: string): string | undefined => {
    if (wall === "") return undefined;
    const at = momentOf(zone, wall);
    if (at === null) faults[field] = "Choose a day and a time, or clear the field.";
    return at === null ? undefined : new Date(at).toISOString();
  };
  const [startsAt, endsAt] = [bound("starts_at", draft.startsAt), bound("ends_at", draft.endsAt)];
  if (startsAt !== undefined && endsAt !== undefined && endsAt <= startsAt)
    faults["ends_at"] = "It ends before it begins.";
  const when = readWhen(draft.when, zone);
  if (!when.ok) return { ok: false, faults: { ...faults, ...when.faults } };
  if (Object.keys(faults).length > 0) return { ok: false, faults };
  const bounds = {
    ...(startsAt === undefined ? {} : { starts_at: startsAt }),
    ...(endsAt === undefined ? {} : { ends_at: endsAt }),
  };
  return { ok: true, value: { when: when.when, time_zone: zone, ...bounds } };
}

/** What is sent; or what has to be mended first, by the API's names of the fields. */
export function readSchedule(draft: ScheduleDraft): Read<ScheduleConfig> {
  const faults: Record<string, string> = {};
  const timing = readTiming(draft);
  if (!timing.ok) Object.assign(faults, timing.faults);
  if (draft.name.trim() === "") faults["name"] = "Write a name.";
  const jitter = seconds(draft.jitterMinutes, MINUTE_S, "jitter_seconds", faults) ?? 0;
  const window = seconds(draft.missedHours, HOUR_S, "missed.window_seconds", faults) ?? 24 * HOUR_S;
  const work = draft.work === "task" ? { task: readTask(draft, faults) } : { reminder: readReminder(draft, faults) };
  const late = seconds(draft.alertMinutes, MINUTE_S, "alert.if_not_finished_within_seconds", faults);
  const alertTo = readPlaces(draft.alertTo, "alert.deliver", faults);
  const noPlace = late !== undefined && alertTo.length === 0;
  if (noPlace) faults["alert.deliver"] = "Choose whom to notify.";
  if (!timing.ok || Object.keys(faults).length > 0) return { ok: false, faults };
  const alert = { deliver: alertTo, ...(late === undefined ? {} : { if_not_finished_within_seconds: late }) };
  return {
    ok: true,
    value: {
      name: draft.name.trim(),
      ...timing.value,
      jitter_seconds: jitter,
      missed: { policy: draft.missed, window_seconds: window },
      overlap: draft.overlap,
      ...work,
      ...(alertTo.length === 0 ? {} : { alert }),
    },
  };
}

function readTask(draft: ScheduleDraft, faults: Record<string, string>): TaskRequest {
  const {
    input: before,
    agent: _agent,
    project: _project,
    budget: _budget,
    deliver: _deliver,
    ...kept
  } = draft.before ?? {
    input: "",
  };
  if (draft.input.trim() === "") faults["task.input"] = "Say what the agent should do.";
  const budget = readLimits(draft.limits, faults, "task.budget");
  const deliver = readPlaces(draft.deliver, "task.deliver", faults);
  return {
    ...kept,
    input: withText(before, draft.input),
    ...(draft.agent === "" ? {} : { agent: draft.agent }),
    ...(draft.project.trim() === "" ? {} : { project: draft.project.trim() }),
    ...budget,
    ...(deliver.length === 0 ? {} : { deliver }),
  };
}

function readReminder({ text, to }: ScheduleDraft, faults: Record<string, string>) {
  if (text.trim() === "") faults["reminder.text"] = "Write what it says.";
  const places = readPlaces(to, "reminder.to", faults);
  if (to.length === 0) faults["reminder.to"] = "Choose whom to remind.";
  return { text, to: places };
}

function readPlaces(places: readonly Delivery[], field: string, faults: Record<string, string>): Delivery[] {
  return places.map(({ channel, to }, index) => {
    if (to.trim() === "") faults[`${field}.${index}.to`] = "Say where to, or take it out.";
    return { channel, to: to.trim() };
  });
}

/** Reads a time above zero in `unit` as whole seconds; undefined for an empty field. */
function seconds(text: string, unit: number, field: string, faults: Record<string, string>): number | undefined {
  const value = readAboveZero(text, { isWhole: false }, field, faults);
  return value === undefined ? undefined : Math.round(value * unit);
}

/** A conversation is changed in its last message, which is the user's. */
function toText(input: TaskRequest["input"]): string {
  return typeof input === "string" ? input : (input.at(-1)?.content ?? "");
}

function withText(input: TaskRequest["input"], text: string): TaskRequest["input"] {
  return typeof input === "string" ? text : [...input.slice(0, -1), { role: "user", content: text }];
}

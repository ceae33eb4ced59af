/** Where a question or an approval goes, and when: first channel, fallback, reminders. */
import type { Delivery } from "../channels/outbox/delivery.ts";
import type { Channel } from "../task/source.ts";
import type { PersonAddress, PersonRecord } from "./person.ts";
import { afterWorking, isWorking, nextWorking, type Worker } from "./working-hours.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Without an answer for so long, the next channel is tried too. */
export const FALLBACK_AFTER_MS = 15 * MINUTE_MS;
/** Working time without an answer after which the first reminder leaves, and the time between it and those that follow. */
const FIRST_REMINDER_AFTER_MS = 4 * HOUR_MS;
const NEXT_REMINDER_AFTER_MS = 24 * HOUR_MS;
export const MAX_REMINDERS = 3;
/** Places that one ask goes to. */
export const MAX_STATIONS = 5;

/** A place where something can be asked. `person`: whose it is; null: a conversation, which has no hours. */
export interface Station {
  readonly channel: Channel;
  /** As its channel reads it. */
  readonly to: string;
  readonly person: PersonRecord | null;
}

/** What is asked, and of whom: `person` null: of whoever looks after the task. */
export interface AskToRoute {
  readonly person: PersonRecord | null;
  /** Where the task delivers to, in order, as far as something can be asked there. */
  readonly conversations: readonly Station[];
  readonly askedAt: number;
  /** Null: it does not expire. */
  readonly expiresAt: number | null;
  /** False: a notification, which goes to one place and is not repeated. */
  readonly waits: boolean;
}

/** One sending: `ask` is the first word at a station, `reminder` a later one. */
export interface Leg {
  readonly kind: "ask" | "reminder";
  readonly station: Station;
  /** Milliseconds since the epoch: it does not leave before. */
  readonly at: number;
}

/** The places of an ask: the person's own, the preferred first; without any, the conversations of the task. */
export function stationsOf({ person, conversations }: Pick<AskToRoute, "person" | "conversations">): Station[] {
  const own = person === null ? [] : stationsOfPerson(person);
  const all = own.length > 0 ? own : conversations;
  return [...new Map(all.map((station) => [stationKey(station), station])).values()].slice(0, MAX_STATIONS);
}

/** What tells one place from another. */
export function stationKey({ channel, to }: Pick<Delivery, "channel" | "to">): string {
  return `${channel} ${to}`;
}

/** The first address of each kind, that of the preferred kind first. */
export function stationsOfPerson(person: PersonRecord): Station[] {
  const { preferred, addresses } = person;
  const kinds = preferred === "email" ? (["email", "slack"] as const) : (["slack", "email"] as const);
  return kinds.flatMap((kind) => {
    const address = addresses.find((each) => each.kind === kind);
    return address === undefined ? [] : [{ channel: kind, to: placeOf(address), person }];
  });
}

/**
 * What leaves for an ask, in the order of time; empty: only the console and the API show it. Slack, which disturbs, waits for
 * the person's working hours, and mail takes its turn until they begin. Nothing leaves at or after the deadline, except
 * that an ask which would leave for nowhere before it goes to its first place at once.
 */
export function routeAsk(ask: AskToRoute): Leg[] {
  const { askedAt, expiresAt, waits } = ask;
  const stations = stationsOf(ask);
  const [preferred] = stations;
  if (preferred === undefined) return [];
  const first = stations.find((station) => isOpen(station, askedAt)) ?? preferred;
  if (!waits) return [{ kind: "ask", station: first, at: openAt(first, askedAt) }];
  const others = stations.filter((station) => station !== first);
  const asked = [first, ...others].map((station, index): Leg => {
    // The preferred place that sleeps now is no fallback: it is asked as soon as it wakes.
    const after = station === preferred ? 0 : index * FALLBACK_AFTER_MS;
    return { kind: "ask", station, at: openAt(station, askedAt + after) };
  });
  const legs = [...asked, ...reminders(preferred, askedAt)].filter(({ at }) => expiresAt === null || at < expiresAt);
  const inTime: Leg[] = legs.length === 0 ? [{ kind: "ask", station: preferred, at: askedAt }] : legs;
  return inTime.toSorted((one, other) => one.at - other.at);
}

/** After hours of working time, then a day later each, in working hours. */
function reminders(station: Station, askedAt: number): Leg[] {
  const worker = station.person ?? ALWAYS;
  const legs: Leg[] = [];
  let at = afterWorking(worker, askedAt, FIRST_REMINDER_AFTER_MS);
  while (legs.length < MAX_REMINDERS) {
    at = nextWorking(worker, at);
    legs.push({ kind: "reminder", station, at });
    at += NEXT_REMINDER_AFTER_MS;
  }
  return legs;
}

const ALWAYS: Worker = { timeZone: "UTC", workingHours: null };

/** True where the ask disturbs nobody now. */
function isOpen({ channel, person }: Station, at: number): boolean {
  return channel === "email" || person === null || isWorking(person, at);
}

/** The first moment from `at` on at which an ask may leave for a station. */
export function openAt(station: Station, at: number): number {
  return isOpen(station, at) || station.person === null ? at : nextWorking(station.person, at);
}

function placeOf(address: PersonAddress): string {
  return address.kind === "slack" ? `${address.team}/${address.user}` : address.address;
}

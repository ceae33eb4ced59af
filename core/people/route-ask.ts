/** Plans where and when a question or an approval is sent: first channel, fallback, reminders. */
import type { Delivery } from "../channels/outbox/delivery.ts";
import { isDirect } from "../channels/outbox/slack-destination.ts";
import type { Channel } from "../task/source.ts";
import type { PersonAddress, PersonRecord } from "./person.ts";
import { addWorkingTime, isWorking, findNextWorking, type Worker } from "./working-hours.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** After this time without an answer, the next channel is used too. */
export const FALLBACK_AFTER_MS = 15 * MINUTE_MS;
/** Working time without an answer until the first reminder, and between reminders. */
const FIRST_REMINDER_AFTER_MS = 4 * HOUR_MS;
const NEXT_REMINDER_AFTER_MS = 24 * HOUR_MS;
export const MAX_REMINDERS = 3;
/** Destinations of one question. */
export const MAX_ASK_DESTINATIONS = 5;

/** A destination for questions. `person` is null for a conversation, which has no working hours. */
export interface AskDestination {
  readonly channel: Channel;
  /** In the form of its channel. */
  readonly to: string;
  readonly person: PersonRecord | null;
}

/** A question to route. `person` is null when anyone who follows the task may answer. */
export interface AskToRoute {
  readonly person: PersonRecord | null;
  /** Where the task delivers, in order, as far as questions can be asked there. */
  readonly conversations: readonly AskDestination[];
  readonly askedAt: number;
  /** Null: it does not expire. */
  readonly expiresAt: number | null;
  /** False for a notification, which goes to one destination once. */
  readonly waits: boolean;
}

/** One message: `ask` is the first one at a destination, `reminder` a later one. */
export interface AskStep {
  readonly kind: "ask" | "reminder";
  readonly destination: AskDestination;
  /** Earliest time to send it, in milliseconds since the epoch. */
  readonly at: number;
}

/** The destinations of a question: the person's, in order of preference; otherwise the task's conversations. */
export function listDestinations({
  person,
  conversations,
}: Pick<AskToRoute, "person" | "conversations">): AskDestination[] {
  const own = person === null ? [] : listPersonDestinations(person);
  const all = own.length > 0 ? own : conversations;
  return [...new Map(all.map((destination) => [getDestinationKey(destination), destination])).values()].slice(
    0,
    MAX_ASK_DESTINATIONS,
  );
}

/**
 * The task's conversations with others than a person who is asked directly. Empty if the person has no address, because
 * the conversations are asked then. Direct messages are the person's own: tasks there act for who writes in them.
 */
export function listOthers(person: PersonRecord, conversations: readonly AskDestination[]): AskDestination[] {
  const own = new Set(listPersonDestinations(person).map(getDestinationKey));
  if (own.size === 0) return [];
  return conversations.filter((one) => !own.has(getDestinationKey(one)) && !isDirect(one.to));
}

/** The key of a destination. */
export function getDestinationKey({ channel, to }: Pick<Delivery, "channel" | "to">): string {
  return `${channel} ${to}`;
}

/** The first address of each kind, the preferred kind first. */
export function listPersonDestinations(person: PersonRecord): AskDestination[] {
  const { preferred, addresses } = person;
  const kinds = preferred === "email" ? (["email", "slack"] as const) : (["slack", "email"] as const);
  return kinds.flatMap((kind) => {
    const address = addresses.find((each) => each.kind === kind);
    return address === undefined ? [] : [{ channel: kind, to: toAddress(address), person }];
  });
}

/**
 * Plans the messages of a question in order of time; empty when only the console and the API show it. Slack, which
 * disturbs, waits for the person's working hours, and mail is used until they begin. Nothing is sent at or after the
 * deadline. If the hours begin after it, the first destination is used at once.
 */
export function routeAsk(ask: AskToRoute): AskStep[] {
  const { askedAt, expiresAt, waits } = ask;
  const destinations = listDestinations(ask);
  const [preferred] = destinations;
  if (preferred === undefined) return [];
  const first = destinations.find((destination) => isOpen(destination, askedAt)) ?? preferred;
  if (!waits) return [{ kind: "ask", destination: first, at: getOpenTime(first, askedAt) }];
  const others = destinations.filter((destination) => destination !== first);
  const asks = [first, ...others].map((destination, index): AskStep => {
    // A preferred destination outside working hours is no fallback: it is used when they begin.
    const after = destination === preferred ? 0 : index * FALLBACK_AFTER_MS;
    return { kind: "ask", destination, at: getOpenTime(destination, askedAt + after) };
  });
  const steps = [...asks, ...planReminders(preferred, askedAt)].filter(
    ({ at }) => expiresAt === null || at < expiresAt,
  );
  const inTime: AskStep[] = steps.length === 0 ? [{ kind: "ask", destination: preferred, at: askedAt }] : steps;
  return inTime.toSorted((one, other) => one.at - other.at);
}

/** Reminders after hours of working time, then daily, in working hours. */
function planReminders(destination: AskDestination, askedAt: number): AskStep[] {
  const worker = destination.person ?? ALWAYS;
  const steps: AskStep[] = [];
  let at = addWorkingTime(worker, askedAt, FIRST_REMINDER_AFTER_MS);
  while (steps.length < MAX_REMINDERS) {
    at = findNextWorking(worker, at);
    steps.push({ kind: "reminder", destination, at });
    at += NEXT_REMINDER_AFTER_MS;
  }
  return steps;
}

const ALWAYS: Worker = { timeZone: "UTC", workingHours: null };

/** True when a message disturbs no one now. */
function isOpen({ channel, person }: AskDestination, at: number): boolean {
  return channel === "email" || person === null || isWorking(person, at);
}

/** The first time from `at` on when a message may be sent to a destination. */
export function getOpenTime(destination: AskDestination, at: number): number {
  return isOpen(destination, at) || destination.person === null ? at : findNextWorking(destination.person, at);
}

function toAddress(address: PersonAddress): string {
  return address.kind === "slack" ? `${address.team}/${address.user}` : address.address;
}

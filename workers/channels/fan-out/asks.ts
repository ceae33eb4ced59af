/** From what tasks ask people to what leaves for them: questions, approvals, reminders, and how each of them ended. */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { outboxesFromEnv } from "../../../adapters/env/channels.ts";
import { type AskedPlace, type Delivery, type DeliveryKind, outboxOf } from "../../../core/channels/outbox/delivery.ts";
import type { OutMessage } from "../../../core/channels/outbox/message.ts";
import type { Notice } from "../../../core/task/notice.ts";
import { ok, type Result } from "../../../core/base/errors.ts";
import { makeId } from "../../../core/base/ids.ts";
import {
  approvalOf,
  type AskEnd,
  askMessage,
  type AskTold,
  endsOf,
  questionOf,
  reminderMessage,
  settledMessage,
} from "../../../core/people/ask-message.ts";
import type { PersonRecord } from "../../../core/people/person.ts";
import { type Leg, openAt, routeAsk, type Station, stationKey, stationsOf } from "../../../core/people/route-ask.ts";
import type { JsonState } from "../../../core/tool/tool.ts";
import { seededIds } from "../../http/new-ids.ts";
import { stationsOfTask } from "../../people/conversations.ts";
import type { NoticeLook, Spread, Spreader } from "./spreader.ts";

const NOTHING: Result<Spread> = ok({ deliveries: [] });

/** Asks of hidden tasks go nowhere: whoever called the tool over the API has been told. */
export const spreadAsks: Spreader = async function spreadAsks(env, look) {
  const { notice } = look;
  if (notice.facts.isHidden) return NOTHING;
  if (notice.type === "question.asked") return await spreadQuestion(env, look);
  if (notice.type === "approval.requested") return await spreadApproval(env, look);
  const ends = endsOf(notice);
  return ends.length === 0 ? NOTHING : await spreadEnds(env, look, ends);
};

/** One that its task shows no more was answered, or expired, while the notice waited. */
async function spreadQuestion(env: Env, { tenant, notice, view }: NoticeLook): Promise<Result<Spread>> {
  const person = await personOf(env, tenant, notice.data["person_id"]);
  if (!person.ok) return person;
  const told = questionOf(notice, person.value?.id ?? null);
  if (told === null) return NOTHING;
  const task = told.waits ? await view() : ok(null);
  if (!task.ok) return task;
  const isOpen = task.value?.pending.some((entry) => entry.kind === "question" && entry.id === told.ask.id) ?? false;
  if (told.waits && !isOpen) return NOTHING;
  const conversations = await stationsOfTask(env, tenant, notice.facts.deliver, "question");
  if (!conversations.ok) return conversations;
  return await leaving(tenant, notice, told, { person: person.value, conversations: conversations.value });
}

/** The arguments stand with the task: one that shows the approval no more has had it decided. */
async function spreadApproval(env: Env, look: NoticeLook): Promise<Result<Spread>> {
  const { tenant, notice } = look;
  const conversations = await stationsOfTask(env, tenant, notice.facts.deliver, "approval");
  if (!conversations.ok) return conversations;
  if (conversations.value.length === 0) return NOTHING;
  const task = await look.view();
  if (!task.ok) return task;
  const id = notice.data["approval_id"];
  const pending = task.value?.pending.find((entry) => entry.kind === "approval" && entry.id === id);
  if (pending?.kind !== "approval") return NOTHING;
  const told = approvalOf(notice.facts.task, pending);
  return await leaving(tenant, notice, told, { person: null, conversations: conversations.value });
}

type Whom = { readonly person: PersonRecord | null; readonly conversations: readonly Station[] };

async function leaving(tenant: string, notice: Notice, told: AskTold, whom: Whom): Promise<Result<Spread>> {
  const { waits, ask } = told;
  const expiresAt = ask.expiresAt === null ? null : Date.parse(ask.expiresAt);
  const askedAt = Date.parse(notice.at);
  const legs = routeAsk({ ...whom, waits, expiresAt, askedAt });
  const make = makerOf(tenant, notice, ask.id);
  const asks = legs.filter(({ kind }) => kind === "ask");
  const reminders = legs.filter(({ kind }) => kind === "reminder");
  // In the order in which they are tried: those for which the time is too short stand in for others all the same.
  const stations = [...new Map([...asks.map(({ station }) => station), ...stationsOf(whom)].map(keyed)).values()];
  const deliveries: Delivery[] = [];
  for (const [index, leg] of asks.entries()) {
    const inStead = await standIns(make, told, { ...leg, at: askedAt }, stations.slice(index + 1));
    deliveries.push({ ...(await make(told, leg)), otherwise: inStead });
  }
  for (const [index, leg] of reminders.entries()) {
    const others = stations.filter((station) => stationKey(station) !== stationKey(leg.station));
    const inStead = await standIns(make, told, leg, others, index + 1);
    deliveries.push({ ...(await make(told, leg, index + 1)), otherwise: inStead });
  }
  return ok({ deliveries });
}

function keyed(station: Station): [string, Station] {
  return [stationKey(station), station];
}

type Maker = (told: AskTold, leg: Leg, number?: number) => Promise<Delivery>;

/** What leaves at once when the place of a leg is dead: for the next one, and for those after it when that is dead too. */
async function standIns(
  make: Maker,
  told: AskTold,
  leg: Leg,
  rest: readonly Station[],
  number?: number,
): Promise<Delivery[]> {
  const [station, ...others] = rest;
  if (station === undefined) return [];
  const delivery = await make(told, { ...leg, station, at: openAt(station, leg.at) }, number);
  return [{ ...delivery, otherwise: await standIns(make, told, leg, others, number) }];
}

/** Makes the delivery of a leg. One in the stead of another is the one that is planned for its place, only earlier. */
function makerOf(tenant: string, notice: Notice, ask: string): Maker {
  return async (told, { kind, station, at }, number = 0) => {
    const isAsk = kind === "ask";
    const purpose = `${kind} ${number}`;
    return await deliveryOf(tenant, notice, ask, {
      station,
      kind: isAsk ? askKind(told) : "reminder",
      purpose,
      message: isAsk ? askMessage(told) : reminderMessage(told),
      keepAs: told.waits ? `${ask} ${station.to} ${purpose}` : null,
      refs: [],
      notBefore: at,
    });
  };
}

function askKind({ waits, ask }: AskTold): DeliveryKind {
  return waits ? ask.kind : "notification";
}

/** Calls off what has not left, and changes every card that was sent, wherever it went. */
async function spreadEnds(env: Env, { tenant, notice }: NoticeLook, ends: readonly AskEnd[]): Promise<Result<Spread>> {
  const deliveries: Delivery[] = [];
  const calledOff: { outbox: string; about: string }[] = [];
  for (const end of ends) {
    // Nobody was named and it delivers nowhere: only the console and the API have shown it.
    if (end.personId === null && notice.facts.deliver.length === 0) continue;
    const found = await outboxesOf(env, tenant, notice, end);
    if (!found.ok) return found;
    for (const [outbox, isFromNow] of found.value) {
      const places = await outboxesFromEnv(env)(outbox).placesOf(end.id);
      if (isFromNow || places.length > 0) calledOff.push({ outbox, about: end.id });
      for (const cards of Map.groupBy(places, stationKey).values())
        deliveries.push(...(await settled(tenant, notice, end, cards)));
    }
  }
  return ok({ deliveries, calledOff });
}

/**
 * The outboxes that an ask can have gone to: those of the places that it would go to now (true), whose deliveries may still be on
 * their way here, and of all others of the tenant where people are asked, since addresses change.
 */
async function outboxesOf(
  env: Env,
  tenant: string,
  { facts }: Notice,
  { kind, personId }: AskEnd,
): Promise<Result<ReadonlyMap<string, boolean>>> {
  const person = await personOf(env, tenant, personId);
  if (!person.ok) return person;
  const conversations = await stationsOfTask(env, tenant, facts.deliver, kind);
  if (!conversations.ok) return conversations;
  const installs = await databaseFromEnv(env).slackInstalls.active(tenant);
  if (!installs.ok) return installs;
  const now = stationsOf({ person: person.value, conversations: conversations.value });
  const others = [
    { channel: "email", to: "" } as const,
    ...installs.value.map(({ team }) => ({ channel: "slack", to: team }) as const),
  ];
  return ok(
    new Map([
      ...others.map((place) => [outboxOf({ tenant, ...place }), false] as const),
      ...now.map((place) => [outboxOf({ tenant, ...place }), true] as const),
    ]),
  );
}

/** What changes the cards of one place; nothing where none was kept. */
async function settled(
  tenant: string,
  notice: Notice,
  end: AskEnd,
  cards: readonly AskedPlace[],
): Promise<readonly Delivery[]> {
  const [station] = cards;
  const refs = [...new Set(cards.flatMap(({ keepAs }) => keepAs ?? []))];
  if (station === undefined || refs.length === 0) return [];
  const message = settledMessage(notice.facts.task, end);
  const rest = { kind: "settled", purpose: `settled ${end.id}`, keepAs: null, notBefore: 0 } as const;
  return [await deliveryOf(tenant, notice, end.id, { ...rest, station, message, refs })];
}

interface Leaves {
  readonly station: Pick<Delivery, "channel" | "to">;
  readonly kind: DeliveryKind;
  /** Tells apart what one notice sends to one place. */
  readonly purpose: string;
  readonly message: OutMessage;
  readonly keepAs: string | null;
  readonly refs: readonly string[];
  readonly notBefore: number;
}

async function deliveryOf(tenant: string, { facts, seq, at }: Notice, ask: string, leaves: Leaves): Promise<Delivery> {
  const { station, purpose, message, ...rest } = leaves;
  const { channel, to } = station;
  const createdAt = Date.parse(at);
  const { random } = await seededIds("delivery", `${facts.task} ${seq} ${purpose} ${channel} ${to}`, createdAt);
  return {
    id: makeId("delivery", createdAt, random),
    tenant,
    channel,
    to,
    task: facts.task,
    about: ask,
    content: { ...message } satisfies JsonState & OutMessage,
    lane: `${ask} ${to}`,
    slot: null,
    otherwise: [],
    createdAt,
    ...rest,
  };
}

/** The person of a record; null: none is named, or the record is gone. */
async function personOf(env: Env, tenant: string, id: unknown): Promise<Result<PersonRecord | null>> {
  if (typeof id !== "string") return ok(null);
  const found = await databaseFromEnv(env).people.get(tenant, id);
  return !found.ok && found.error.code === "not_found" ? ok(null) : found;
}

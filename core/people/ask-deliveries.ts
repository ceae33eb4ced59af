/**
 * The deliveries of an ask: for each place the message, the reminders, and what leaves at once for another place when that one is
 * dead; and what changes the cards when the ask has ended. Ids are derived from the notice, so a repeat plans the same deliveries.
 */
import { makeId } from "../base/ids.ts";
import { seededIds } from "../base/seeded-ids.ts";
import { type AskedPlace, type Delivery, type DeliveryKind, outboxOf } from "../channels/outbox/delivery.ts";
import type { OutMessage } from "../channels/outbox/message.ts";
import { type AskEnd, askMessage, type AskTold, reminderMessage, settledMessage } from "./ask-message.ts";
import type { PersonRecord } from "./person.ts";
import { type Leg, openAt, routeAsk, type Station, stationKey, stationsOf } from "./route-ask.ts";
import type { Notice } from "../task/notice.ts";
import type { JsonState } from "../tool/tool.ts";

/** Whom an ask is for. */
type Whom = { readonly person: PersonRecord | null; readonly conversations: readonly Station[] };

/** The deliveries of an ask, a reminder for each place without an answer, and the replacements of dead places. */
export async function planAsk(tenant: string, notice: Notice, told: AskTold, whom: Whom): Promise<Delivery[]> {
  const { waits, ask } = told;
  const expiresAt = ask.expiresAt === null ? null : Date.parse(ask.expiresAt);
  const askedAt = Date.parse(notice.at);
  const legs = routeAsk({ ...whom, waits, expiresAt, askedAt });
  const make = makeDeliveries(tenant, notice, ask.id);
  const asks = legs.filter(({ kind }) => kind === "ask");
  const reminders = legs.filter(({ kind }) => kind === "reminder");
  // In the order of attempts. Places with too little time left still replace dead ones.
  const stations = [...new Map([...asks.map(({ station }) => station), ...stationsOf(whom)].map(toEntry)).values()];
  const deliveries: Delivery[] = [];
  for (const [index, leg] of asks.entries()) {
    const inStead = await planReplacements(make, told, { ...leg, at: askedAt }, stations.slice(index + 1));
    deliveries.push({ ...(await make(told, leg)), otherwise: inStead });
  }
  for (const [index, leg] of reminders.entries()) {
    const others = stations.filter((station) => stationKey(station) !== stationKey(leg.station));
    const inStead = await planReplacements(make, told, leg, others, index + 1);
    deliveries.push({ ...(await make(told, leg, index + 1)), otherwise: inStead });
  }
  return deliveries;
}

function toEntry(station: Station): [string, Station] {
  return [stationKey(station), station];
}

type MakeDelivery = (told: AskTold, leg: Leg, number?: number) => Promise<Delivery>;

/** What leaves at once when the place of a leg is dead: for the next one, and for those after it when that is dead too. */
async function planReplacements(
  make: MakeDelivery,
  told: AskTold,
  leg: Leg,
  rest: readonly Station[],
  number?: number,
): Promise<Delivery[]> {
  const [station, ...others] = rest;
  if (station === undefined) return [];
  const delivery = await make(told, { ...leg, station, at: openAt(station, leg.at) }, number);
  return [{ ...delivery, otherwise: await planReplacements(make, told, leg, others, number) }];
}

/** Makes the delivery of a leg. A fallback is the later scheduled delivery, sent early. */
function makeDeliveries(tenant: string, notice: Notice, ask: string): MakeDelivery {
  return async (told, { kind, station, at }, number = 0) => {
    const isAsk = kind === "ask";
    const purpose = `${kind} ${number}`;
    return await makeDelivery(tenant, notice, ask, {
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

/** What changes the cards of one place; nothing where none was kept. */
export async function planSettlement(
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
  return [await makeDelivery(tenant, notice, end.id, { ...rest, station, message, refs })];
}

interface AskDelivery {
  readonly station: Pick<Delivery, "channel" | "to">;
  readonly kind: DeliveryKind;
  /** Tells apart what one notice sends to one place. */
  readonly purpose: string;
  readonly message: OutMessage;
  readonly keepAs: string | null;
  readonly refs: readonly string[];
  readonly notBefore: number;
}

async function makeDelivery(
  tenant: string,
  { facts, seq, at }: Notice,
  ask: string,
  planned: AskDelivery,
): Promise<Delivery> {
  const { station, purpose, message, ...rest } = planned;
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

/**
 * The outboxes that an ask can have gone to: those of the places that it would go to now (true), whose deliveries may still be on
 * their way there, and of all others of the tenant where people are asked, since addresses change. `teams`: its workspaces of Slack.
 */
export function candidateOutboxes(tenant: string, whom: Whom, teams: readonly string[]): ReadonlyMap<string, boolean> {
  const others = [
    { channel: "email", to: "" } as const,
    ...teams.map((team) => ({ channel: "slack", to: team }) as const),
  ];
  return new Map([
    ...others.map((place) => [outboxOf({ tenant, ...place }), false] as const),
    ...stationsOf(whom).map((place) => [outboxOf({ tenant, ...place }), true] as const),
  ]);
}

/**
 * Plans the deliveries of a question or an approval: the message and the reminders for each destination, with fallbacks
 * that are sent when one is dead, and the update of the cards when it has ended. Ids are derived from the notice, so a
 * repeat plans the same deliveries.
 */
import { makeId } from "../base/ids.ts";
import { seededIds } from "../base/seeded-ids.ts";
import { type DeliveryPlace, type Delivery, type DeliveryKind, getOutboxName } from "../channels/outbox/delivery.ts";
import type { OutMessage } from "../channels/outbox/message.ts";
import {
  type AskEnd,
  createAskMessage,
  type RenderedAsk,
  createReminderMessage,
  createSettledMessage,
} from "./ask-message.ts";
import type { PersonRecord } from "./person.ts";
import {
  type AskStep,
  getOpenTime,
  routeAsk,
  type AskDestination,
  getDestinationKey,
  listDestinations,
} from "./route-ask.ts";
import type { Notice } from "../task/notice.ts";
import type { JsonState } from "../tool/tool.ts";

/** The recipients of a question. */
type Whom = { readonly person: PersonRecord | null; readonly conversations: readonly AskDestination[] };

/** The deliveries of an ask, a reminder for each place without an answer, and the replacements of dead places. */
export async function planAsk(tenant: string, notice: Notice, rendered: RenderedAsk, whom: Whom): Promise<Delivery[]> {
  const { waits, ask } = rendered;
  const expiresAt = ask.expiresAt === null ? null : Date.parse(ask.expiresAt);
  const askedAt = Date.parse(notice.at);
  const steps = routeAsk({ ...whom, waits, expiresAt, askedAt });
  const make = makeDeliveries(tenant, notice, ask.id);
  const asks = steps.filter(({ kind }) => kind === "ask");
  const reminders = steps.filter(({ kind }) => kind === "reminder");
  // In order of preference. Destinations whose own message would be too late still serve as fallbacks.
  const destinations = [
    ...new Map([...asks.map(({ destination }) => destination), ...listDestinations(whom)].map(toEntry)).values(),
  ];
  const deliveries: Delivery[] = [];
  for (const [index, step] of asks.entries()) {
    const fallbacks = await planFallbacks(make, rendered, { ...step, at: askedAt }, destinations.slice(index + 1));
    deliveries.push({ ...(await make(rendered, step)), otherwise: fallbacks });
  }
  for (const [index, step] of reminders.entries()) {
    const others = destinations.filter(
      (destination) => getDestinationKey(destination) !== getDestinationKey(step.destination),
    );
    const fallbacks = await planFallbacks(make, rendered, step, others, index + 1);
    deliveries.push({ ...(await make(rendered, step, index + 1)), otherwise: fallbacks });
  }
  return deliveries;
}

function toEntry(destination: AskDestination): [string, AskDestination] {
  return [getDestinationKey(destination), destination];
}

type MakeDelivery = (rendered: RenderedAsk, step: AskStep, number?: number) => Promise<Delivery>;

/** The fallbacks when a destination is dead: the next destination, with the following ones as its own fallbacks. */
async function planFallbacks(
  make: MakeDelivery,
  rendered: RenderedAsk,
  step: AskStep,
  rest: readonly AskDestination[],
  number?: number,
): Promise<Delivery[]> {
  const [destination, ...others] = rest;
  if (destination === undefined) return [];
  const delivery = await make(rendered, { ...step, destination, at: getOpenTime(destination, step.at) }, number);
  return [{ ...delivery, otherwise: await planFallbacks(make, rendered, step, others, number) }];
}

/** Creates the delivery of a step. A fallback is the later scheduled delivery, sent early. */
function makeDeliveries(tenant: string, notice: Notice, ask: string): MakeDelivery {
  return async (rendered, { kind, destination, at }, number = 0) => {
    const isAsk = kind === "ask";
    const purpose = `${kind} ${number}`;
    return await makeDelivery(tenant, notice, ask, {
      destination,
      kind: isAsk ? askKind(rendered) : "reminder",
      purpose,
      message: isAsk ? createAskMessage(rendered) : createReminderMessage(rendered),
      keepAs: rendered.waits ? `${ask} ${destination.to} ${purpose}` : null,
      refs: [],
      notBefore: at,
    });
  };
}

function askKind({ waits, ask }: RenderedAsk): DeliveryKind {
  return waits ? ask.kind : "notification";
}

/** Plans the update of one destination's cards; nothing when none was stored. */
export async function planSettlement(
  tenant: string,
  notice: Notice,
  end: AskEnd,
  cards: readonly DeliveryPlace[],
): Promise<readonly Delivery[]> {
  const [destination] = cards;
  const refs = [...new Set(cards.flatMap(({ keepAs }) => keepAs ?? []))];
  if (destination === undefined || refs.length === 0) return [];
  const message = createSettledMessage(notice.facts.task, end);
  const rest = { kind: "settled", purpose: `settled ${end.id}`, keepAs: null, notBefore: 0 } as const;
  return [await makeDelivery(tenant, notice, end.id, { ...rest, destination, message, refs })];
}

interface AskDelivery {
  readonly destination: Pick<Delivery, "channel" | "to">;
  readonly kind: DeliveryKind;
  /** Distinguishes the deliveries of one notice to one destination. */
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
  const { destination, purpose, message, ...rest } = planned;
  const { channel, to } = destination;
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
 * The outboxes that may have sent this question: true for its present destinations, whose deliveries may still be on
 * their way, false for the tenant's other ones with people, since addresses change. `teams`: the tenant's Slack
 * workspaces.
 */
export function listCandidateOutboxes(
  tenant: string,
  whom: Whom,
  teams: readonly string[],
): ReadonlyMap<string, boolean> {
  const others = [
    { channel: "email", to: "" } as const,
    ...teams.map((team) => ({ channel: "slack", to: team }) as const),
  ];
  return new Map([
    ...others.map((place) => [getOutboxName({ tenant, ...place }), false] as const),
    ...listDestinations(whom).map((place) => [getOutboxName({ tenant, ...place }), true] as const),
  ]);
}

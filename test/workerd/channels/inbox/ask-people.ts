/** People of a tenant, tasks that ask them, and what the outboxes keep of it. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { databaseFromEnv } from "../../../../adapters/env/database.ts";
import type { Delivery } from "../../../../core/channels/outbox/delivery.ts";
import type { PersonRecord } from "../../../../core/people/person.ts";
import type { TaskView } from "../../../../core/task/view.ts";
import { answerAsk, type Reply } from "../../../../workers/channels/inbox/answer.ts";
import { type Caller, makeCaller } from "../../http/entry.ts";
import { takeSendingsOf } from "../outbox/test-sender.ts";

export const SOON = { timeout: 20_000, interval: 25 };
const waits = ({ status }: TaskView) => status.startsWith("waiting");
export const ended = ({ ended_at }: TaskView) => ended_at !== null;

/** Of a tenant whose channels take everything, and call what they took by the delivery's id. */
export async function newCaller(): Promise<Caller> {
  const caller = await makeCaller();
  takeSendingsOf(caller.tenant);
  return caller;
}

export async function person(caller: Caller, name: string, more: object = {}): Promise<PersonRecord> {
  const user = `U${name.toUpperCase()}`;
  const addresses = [
    { kind: "slack", team: "T1", user },
    { kind: "email", address: `${name.toLowerCase()}@acme.example` },
  ];
  const made = await caller.send("POST", "/v1/people", { name, addresses, ...more });
  expect(made.status, made.text).toBe(201);
  const found = await databaseFromEnv(env).people.get(caller.tenant, made.json.id);
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}

/** A task that asks, and where its question is. */
export async function asking(caller: Caller, given: object, more: object = {}) {
  const ask = { name: "ask_human", arguments: { query: "Which region?", ...given } };
  const { id } = await caller.makeTask([{ calls: [ask] }, { text: "Done." }], { ...more });
  const { pending } = await caller.until(id, waits);
  const [question] = pending;
  if (question?.kind !== "question") throw new Error(`no question: ${JSON.stringify(pending)}`);
  return { id, question };
}

let sent = 0;

export function saying(caller: Caller, ask: string) {
  return async (by: PersonRecord, given: Reply, request?: string) => {
    sent += 1;
    return await answerAsk(env, { tenant: caller.tenant, ask, reply: given, by, request: request ?? `said ${sent}` });
  };
}

interface StoredDelivery {
  readonly state: string;
  readonly delivery: Delivery;
}

/** What an outbox keeps, in the order in which it was put. */
export async function readDeliveries(outbox: string): Promise<readonly StoredDelivery[]> {
  const stub = env.OUTBOXES.get(env.OUTBOXES.idFromName(outbox));
  return await runInDurableObject(stub, (_, { storage }) => {
    const isMade = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'deliveries'").toArray().length > 0;
    if (!isMade) return [];
    return storage.sql
      .exec<{ state: string; delivery: string }>("SELECT state, delivery FROM deliveries ORDER BY place")
      .toArray()
      .map(({ state, delivery }) => ({ state, delivery: JSON.parse(delivery) as Delivery }));
  });
}

export const getKinds = (all: readonly StoredDelivery[]) => all.map(({ delivery }) => delivery.kind);

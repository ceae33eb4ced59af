import { describe, expect, test } from "vitest";
import { createPlainMessage } from "../../../core/channels/outbox/message-delivery.ts";
import type { Connection } from "../../../core/connections/connection.ts";
import { type ConnectionNotice, planConnectionMessage } from "../../../core/people/connection-deliveries.ts";
import type { PersonAddress, PersonRecord } from "../../../core/people/person.ts";
import { createConnection } from "../../fakes/connection.ts";

/** A Wednesday, at noon. */
const NOON = Date.UTC(2026, 5, 3, 12);
const HOUR_MS = 3_600_000;
const SLACK: PersonAddress = { kind: "slack", team: "T1", user: "UANA" };
const MAIL: PersonAddress = { kind: "email", address: "ana@acme.example" };

function person(change: Partial<PersonRecord> = {}): PersonRecord {
  const may = { mayAnswer: true, mayApprove: false, timeZone: "UTC", workingHours: null, preferred: null };
  const stored = { version: 1, createdAt: 0, updatedAt: 0 };
  return { id: "per_ana", name: "Ana", aliases: [], addresses: [SLACK, MAIL], ...may, ...stored, ...change };
}

const down = createConnection({ status: "expired", outage: 3 });

const plan = async (connection: Connection, change: Partial<ConnectionNotice> = {}) => {
  const message = createPlainMessage("t", "t");
  const usual = { reason: "expired", person: person(), message, task: "task_1", at: NOON } as const;
  return await planConnectionMessage({ connection, ...usual, ...change });
};

const idOf = async (...given: Parameters<typeof plan>) => (await plan(...given))?.id;

describe("the message of an outage", () => {
  test("is the same delivery for every task, reason and time", async () => {
    const id = await idOf(down);
    expect(id).toEqual(expect.any(String));
    expect(await idOf(down, { task: "task_2", at: NOON + HOUR_MS, reason: "revoked" })).toBe(id);
    expect(await idOf({ ...down, updatedAt: NOON, alias: "other", status: "failed" })).toBe(id);
  });

  test("is another one for another outage, connection or person's destination", async () => {
    const ids = await Promise.all([
      idOf(down),
      idOf({ ...down, outage: 4 }),
      idOf({ ...down, id: "con_2" }),
      idOf(down, { person: person({ preferred: "email" }) }),
    ]);
    expect(new Set(ids).size).toBe(4);
  });

  test("is one per reason and consent while the connection works", async () => {
    const active = { ...down, status: "active" as const };
    const ids = await Promise.all([
      idOf(down),
      idOf(active, { reason: "scopes" }),
      idOf(active, { reason: "unattended" }),
      idOf({ ...active, consent: 2 }, { reason: "scopes" }),
    ]);
    expect(new Set(ids).size).toBe(4);
    expect(await idOf({ ...active, updatedAt: NOON }, { reason: "scopes", task: "task_2" })).toBe(ids[1]);
  });

  test("goes to one destination, with the other as its fallback", async () => {
    const first = await plan(down);
    expect(first).toMatchObject({ channel: "slack", to: "T1/UANA", kind: "notification", notBefore: NOON });
    expect(first?.otherwise).toMatchObject([{ channel: "email", to: "ana@acme.example", otherwise: [] }]);
    expect(await plan(down, { person: person({ addresses: [] }) })).toBeNull();
  });

  test("waits for working hours where only Slack is known", async () => {
    const workingHours = { days: [1, 2, 3, 4, 5], from: "13:00", to: "17:00" };
    const waiting = await plan(down, { person: person({ addresses: [SLACK], workingHours }) });
    expect(waiting).toMatchObject({ channel: "slack", notBefore: NOON + HOUR_MS });
    expect(await plan(down, { person: person({ workingHours }) })).toMatchObject({ channel: "email", notBefore: NOON });
  });
});

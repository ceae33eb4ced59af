/** Objects whose stored state cannot be read: their alarm costs little, and they continue once it is readable. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { outboxesFromEnv } from "../../../adapters/env/channels.ts";
import { deliveryOf } from "../channels/outbox/delivery-of.ts";
import { answerSendings, sent } from "../channels/outbox/test-sender.ts";
import { type Caller, makeCaller } from "../http/entry.ts";
import { config } from "../schedules/client.ts";

const HOUR = 3_600_000;
const DELAYS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300];

/** An object, the statement that damages what it stores, and the one that undoes it. */
interface Damaged {
  readonly stub: () => DurableObjectStub;
  readonly damage: string;
  readonly repair: string;
  /** Adds work that is due, where the object ended what it had. */
  readonly addWork?: () => Promise<void>;
}

async function makeSchedule(caller: Caller): Promise<Damaged> {
  const made = await caller.send("POST", "/v1/schedules", config());
  expect(made.status, made.text).toBe(201);
  return {
    stub: () => env.SCHEDULES.get(env.SCHEDULES.idFromName(`${caller.tenant}/${made.json.id}`)),
    damage: "UPDATE schedule SET state = '!' || state",
    repair: "UPDATE schedule SET state = substr(state, 2)",
  };
}

async function makeTask(caller: Caller): Promise<Damaged> {
  const made = await caller.send("POST", "/v1/tasks", { input: "hi", hold: true }, { "idempotency-key": "one" });
  expect(made.status, made.text).toBe(201);
  return {
    stub: () => env.TASKS.get(env.TASKS.idFromName(`${caller.tenant}/${made.json.id}`)),
    damage: "UPDATE task SET value = '!' || value",
    repair: "UPDATE task SET value = substr(value, 2)",
  };
}

async function makeOutbox({ tenant }: Caller): Promise<Damaged> {
  const name = `${tenant}/email`;
  const putAnother = () => outboxesFromEnv(env)(name).put([deliveryOf(tenant)]);
  await putAnother();
  return {
    addWork: putAnother,
    stub: () => env.OUTBOXES.get(env.OUTBOXES.idFromName(name)),
    damage: "UPDATE deliveries SET queued = '!' || queued",
    repair: "UPDATE deliveries SET queued = substr(queued, 2)",
  };
}

async function makeTenant(caller: Caller): Promise<Damaged> {
  await makeTask(caller);
  return {
    stub: () => env.TENANTS.get(env.TENANTS.idFromName(caller.tenant)),
    damage: "ALTER TABLE repeats RENAME COLUMN started_at TO damaged",
    repair: "ALTER TABLE repeats RENAME COLUMN damaged TO started_at",
  };
}

async function exec(stub: DurableObjectStub, statement: string): Promise<void> {
  await runInDurableObject(stub, async (_, { storage }) => {
    storage.sql.exec(statement);
    await storage.setAlarm(Date.now());
  });
  await abortAllDurableObjects();
}

async function getAlarm(stub: DurableObjectStub): Promise<number | null> {
  return await runInDurableObject(stub, async (_, { storage }) => await storage.getAlarm());
}

/** The seconds to the next alarm after each failure. The object is evicted now and then, as during a long delay. */
async function runAlarms(stub: () => DurableObjectStub, count: number): Promise<number[]> {
  const delays: number[] = [];
  for (let i = 1; i <= count; i += 1) {
    expect(await runDurableObjectAlarm(stub())).toBe(true);
    const at = (await getAlarm(stub())) ?? 0;
    delays.push((at - Date.now()) / 1000);
    vi.setSystemTime(at);
    if (i % 3 === 0) await abortAllDurableObjects();
  }
  return delays;
}

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  answerSendings(sent);
  // Only the test moves this clock, an hour ahead of the alarms' own: none fires unasked.
  vi.setSystemTime(Date.now() + HOUR);
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ["a schedule", makeSchedule],
  ["a task", makeTask],
  ["an outbox", makeOutbox],
  ["a tenant", makeTenant],
])("%s retries its alarm ever later, and continues once it is readable", async (_, make) => {
  const { stub, damage, repair, addWork } = await make(await makeCaller());
  await exec(stub(), damage);
  expect(await runAlarms(stub, DELAYS.length)).toEqual(DELAYS);
  await exec(stub(), repair);
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  log.mockClear();
  expect(await runDurableObjectAlarm(stub())).toBe(true);
  expect(log).not.toHaveBeenCalled();
  // The failures are counted from the start again.
  vi.setSystemTime(Date.now() + HOUR);
  await addWork?.();
  await exec(stub(), damage);
  expect(await runAlarms(stub, 2)).toEqual([1, 2]);
});

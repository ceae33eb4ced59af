/** An outbox as its callers and a crash meet it, on a real object. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { databaseFromEnv } from "../../../../adapters/env/database.ts";
import { outboxesFromEnv } from "../../../../adapters/env/channels.ts";
import { type Delivery, getOutboxName, type SendResult } from "../../../../core/channels/outbox/delivery.ts";
import { deliveryOf, newDeliveryId } from "./delivery-of.ts";
import { newTenant } from "../../tenant/client.ts";
import { answerSendings, hangs, sendingsOf, sent } from "./test-sender.ts";

const SOON = { timeout: 20_000, interval: 20 };

function outboxFor(tenant: string) {
  const name = `${tenant}/email`;
  const stub = () => env.OUTBOXES.get(env.OUTBOXES.idFromName(name));
  const delivery = (more: Partial<Delivery> = {}) => deliveryOf(tenant, more);
  return {
    delivery,
    /** A new stub for every call: one from before a crash is broken. */
    rpc: {
      put: (deliveries: readonly Delivery[]) => outboxesFromEnv(env)(name).put(deliveries),
      callOff: (about: string) => outboxesFromEnv(env)(name).callOff(about),
      replay: (id: string) => outboxesFromEnv(env)(name).replay(id),
      look: (id: string) => outboxesFromEnv(env)(name).look(id),
      poke: () => outboxesFromEnv(env)(name).poke(),
      erase: () => outboxesFromEnv(env)(name).erase(),
    },
    ids: () => sendingsOf(tenant).map(({ delivery: { id } }) => id),
    attempts: () => sendingsOf(tenant).map(({ attempt }) => attempt),
    state: async (id: string) =>
      await runInDurableObject(stub(), (_, { storage }) =>
        storage.sql
          .exec<{ state: string }>("SELECT state FROM deliveries WHERE id = ?", id)
          .toArray()
          .map(({ state }) => state)
          .join(),
      ),
    alarmAt: async () => await runInDurableObject(stub(), async (_, { storage }) => await storage.getAlarm()),
    tables: async () =>
      await runInDurableObject(stub(), (_, { storage }) =>
        storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'deliveries'").toArray(),
      ),
  };
}

async function newOutbox() {
  const tenant = await newTenant();
  return { tenant: tenant.id, ...outboxFor(tenant.id) };
}

const later = (ms: number): SendResult => ({ kind: "later", why: "busy", afterMs: ms });

beforeEach(() => {
  answerSendings(sent);
});

describe("an outbox", () => {
  test("sends a delivery once, however often it is put", async () => {
    const { rpc, delivery, ids, attempts, state } = await newOutbox();
    const one = delivery();
    await rpc.put([one]);
    await vi.waitFor(async () => expect(await state(one.id)).toBe("sent"), SOON);
    await rpc.put([one, { ...one, content: { test: true, text: "other" } }]);
    await rpc.poke();
    expect(ids()).toEqual([one.id]);
    expect(attempts()).toEqual([{ number: 1, mayHaveLeft: false, refs: {} }]);
  });

  test("sends eight lanes side by side, and each in its order", async () => {
    const { rpc, delivery, ids } = await newOutbox();
    const gate = Promise.withResolvers<void>();
    answerSendings(async () => {
      await gate.promise;
      return sent();
    });
    const lanes = Array.from({ length: 10 }, (_, lane) => [0, 1].map(() => delivery({ lane: `lane ${lane}` })));
    await rpc.put(lanes.flat());
    await vi.waitFor(() => expect(ids()).toHaveLength(8), SOON);
    expect(ids()).toEqual(lanes.slice(0, 8).map(([first]) => first?.id));
    gate.resolve();
    await vi.waitFor(() => expect(ids()).toHaveLength(20), SOON);
    for (const [first, second] of lanes) {
      expect(ids().indexOf(first?.id ?? "")).toBeLessThan(ids().indexOf(second?.id ?? ""));
    }
  });

  test("tries again what was put off, by its alarm, and holds up its lane alone meanwhile", async () => {
    const { rpc, delivery, ids, attempts } = await newOutbox();
    const [first, second, other] = [delivery({ lane: "a" }), delivery({ lane: "a" }), delivery({ lane: "b" })];
    answerSendings(({ delivery: { id }, attempt }) => (id === first.id && attempt.number === 1 ? later(1) : sent()));
    await rpc.put([first, second, other]);
    await vi.waitFor(() => expect(ids()).toHaveLength(4), SOON);
    expect(ids()).toEqual([first.id, other.id, first.id, second.id]);
    expect(attempts()[2]).toEqual({ number: 2, mayHaveLeft: false, refs: {} });
  });

  test("holds everything up when a provider asks for that, also over a crash", async () => {
    const { rpc, delivery, ids } = await newOutbox();
    const [first, second] = [delivery(), delivery()];
    let pausedAt = 0;
    answerSendings(() => {
      pausedAt = Date.now();
      return { ...later(1500), pausesAllMs: 1500 } as SendResult;
    });
    await rpc.put([first]);
    await vi.waitFor(() => expect(ids()).toEqual([first.id]), SOON);
    answerSendings(sent);
    await abortAllDurableObjects();
    await rpc.put([second]);
    await vi.waitFor(() => expect(ids()).toHaveLength(3), SOON);
    expect(Date.now() - pausedAt).toBeGreaterThan(1000);
  });

  test("sends again what a crash cut off, and says that it may have left", async () => {
    const { rpc, delivery, ids, attempts, state } = await newOutbox();
    const one = delivery();
    answerSendings(hangs);
    await rpc.put([one]);
    await vi.waitFor(() => expect(ids()).toEqual([one.id]), SOON);
    answerSendings(sent);
    await abortAllDurableObjects();
    // Nobody calls it: its alarm finds what was cut off.
    await vi.waitFor(() => expect(ids()).toEqual([one.id, one.id]), SOON);
    expect(attempts()[1]).toEqual({ number: 2, mayHaveLeft: true, mayHaveLeftSince: expect.any(Number), refs: {} });
    await vi.waitFor(async () => expect(await state(one.id)).toBe("sent"), SOON);
    expect((await rpc.look(one.id))?.attempts.map(({ outcome }) => outcome)).toEqual(["cut_off", "sent"]);
  });

  test("takes a sender that throws for one that was cut off", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { rpc, delivery, attempts } = await newOutbox();
    answerSendings(({ attempt }) => {
      if (attempt.number === 1) throw new Error("no");
      return sent();
    });
    await rpc.put([delivery()]);
    await vi.waitFor(() => expect(attempts()).toHaveLength(2), SOON);
    expect(attempts()[1]).toMatchObject({ number: 2, mayHaveLeft: true });
  });

  test("gives a later delivery what the channel answered to an earlier one", async () => {
    const { rpc, delivery, attempts } = await newOutbox();
    answerSendings(() => ({ kind: "sent", ref: { ts: "1.2" } }));
    const [card, change] = [delivery({ keepAs: "card", lane: "a" }), delivery({ refs: ["card", "none"], lane: "a" })];
    await rpc.put([card, change]);
    await vi.waitFor(() => expect(attempts()).toHaveLength(2), SOON);
    expect(attempts()[1]?.refs).toEqual({ card: { ts: "1.2" } });
  });

  test("stores dead and unknown deliveries until they are replayed under the same id", async () => {
    const { rpc, delivery, ids, attempts, state } = await newOutbox();
    const [dead, unknown] = [delivery(), delivery()];
    answerSendings(({ delivery: { id } }) => ({ kind: id === dead.id ? "dead" : "unknown", why: "gone" }));
    await rpc.put([dead, unknown]);
    await vi.waitFor(async () => expect(await state(dead.id)).toBe("dead"), SOON);
    await vi.waitFor(async () => expect(await state(unknown.id)).toBe("unknown"), SOON);
    answerSendings(sent);
    expect(await rpc.replay(dead.id)).toBe(true);
    await vi.waitFor(async () => expect(await state(dead.id)).toBe("sent"), SOON);
    expect(await rpc.replay(dead.id)).toBe(false);
    expect(await rpc.replay(newDeliveryId())).toBe(false);
    expect(ids()).toEqual([dead.id, unknown.id, dead.id]);
    expect(attempts().at(-1)).toMatchObject({ number: 2 });
  });

  test("puts the fallback of a dead delivery into the fallback's own outbox", async () => {
    const { rpc, delivery, ids, tenant } = await newOutbox();
    const instead = delivery({ channel: "slack", to: "T1/C1" });
    const dead = delivery({ otherwise: [instead] });
    answerSendings(({ delivery: { id } }) => (id === dead.id ? { kind: "dead", why: "no such mailbox" } : sent()));
    await rpc.put([dead]);
    await vi.waitFor(() => expect(ids()).toEqual([dead.id, instead.id]), SOON);
    const look = await outboxesFromEnv(env)(getOutboxName(instead)).look(instead.id);
    expect(look?.content).toEqual(instead.content);
    expect(getOutboxName(instead)).toBe(`${tenant}/slack/T1`);
  });

  test("sends no cancelled delivery, even if it arrives after its cancellation", async () => {
    const { rpc, delivery, ids, state } = await newOutbox();
    const at = Date.now();
    const reminder = delivery({ about: "qst_1", notBefore: at + 3_600_000, createdAt: at - 10 });
    await rpc.put([reminder]);
    await rpc.callOff("qst_1");
    const late = delivery({ about: "qst_1", createdAt: at - 5 });
    const settled = delivery({ about: "qst_1", kind: "settled", createdAt: at - 5 });
    await rpc.put([late, settled]);
    await vi.waitFor(async () => expect(await state(settled.id)).toBe("sent"), SOON);
    expect(await Promise.all([reminder, late].map(({ id }) => state(id)))).toEqual(["called_off", "called_off"]);
    expect(ids()).toEqual([settled.id]);
  });

  test("reports the state of deliveries to Postgres, and sends while Postgres is unavailable", async () => {
    const { rpc, delivery, state, tenant } = await newOutbox();
    const upsert = vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("refused"));
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const one = delivery();
    await rpc.put([one]);
    await vi.waitFor(async () => expect(await state(one.id)).toBe("sent"), SOON);
    await vi.waitFor(() => expect(log).toHaveBeenCalled(), SOON);
    upsert.mockRestore();
    await vi.waitFor(
      async () =>
        expect(await databaseFromEnv(env).deliveries.get(tenant, one.id)).toMatchObject({
          ok: true,
          value: { state: "sent", attempts: 1, outbox: `${tenant}/email`, dueAt: null },
        }),
      SOON,
    );
  });

  test("has no alarm once nothing is left, and no tables while nothing was put into it", async () => {
    const { rpc, delivery, alarmAt, tables, state } = await newOutbox();
    await rpc.callOff("nothing");
    await rpc.erase();
    await rpc.poke();
    expect(await rpc.look(newDeliveryId())).toBeNull();
    expect(await tables()).toEqual([]);
    const one = delivery();
    await rpc.put([one]);
    await vi.waitFor(async () => expect(await state(one.id)).toBe("sent"), SOON);
    // What is left is that the delivery is forgotten after thirty days.
    await vi.waitFor(async () => expect((await alarmAt()) ?? 0).toBeGreaterThan(Date.now() + 86_400_000), SOON);
    await rpc.erase();
    expect(await tables()).toEqual([]);
    expect(await alarmAt()).toBeNull();
  });
});

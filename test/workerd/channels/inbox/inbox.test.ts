/** An inbox as its callers and a crash meet it, on a real object. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { inboxesFromEnv } from "../../../../adapters/env/channels.ts";
import {
  ITEM_LIFETIME_MS,
  MAX_FAILURES,
  MAX_ENDED,
  MAX_CONCURRENT_RETRIES,
  MIN_FAILING_MS,
  RECEIVE_TIMEOUT_MS,
} from "../../../../core/channels/inbox/queue.ts";
import type { InboxItem } from "../../../../core/channels/inbox/inbox.ts";
import { answerWith, done, getReceived, hang } from "./test-receiver.ts";

const SOON = { timeout: 20_000, interval: 20 };

function newInbox() {
  const name = `test/${crypto.randomUUID()}`;
  const stub = env.INBOXES.get(env.INBOXES.idFromName(name));
  return {
    name,
    stub,
    rpc: inboxesFromEnv(env)(name),
    given: () => getReceived(name).map(({ item }) => item.id),
    states: async () => {
      const { items } = await inboxesFromEnv(env)(name).received({ after: null, limit: 200, since: 0 });
      return Object.fromEntries(items.map(({ id, state }) => [id, state]));
    },
    sql: async (query: string) =>
      await runInDurableObject(env.INBOXES.get(env.INBOXES.idFromName(name)), (_, { storage }) =>
        storage.sql.exec(query).toArray(),
      ),
    alarmAt: async () =>
      await runInDurableObject(
        env.INBOXES.get(env.INBOXES.idFromName(name)),
        async (_, { storage }) => await storage.getAlarm(),
      ),
    fireAlarm: async () => await runDurableObjectAlarm(env.INBOXES.get(env.INBOXES.idFromName(name))),
  };
}

function item(id: string, more: Partial<InboxItem> = {}): InboxItem {
  return { id, lane: id, kind: "event", body: { says: id }, receivedAt: 1_700_000_000_000, ...more };
}

beforeEach(() => {
  answerWith(done);
});

describe("an inbox", () => {
  test("processes its items, and lists their outcomes, the latest first, in pages", async () => {
    const { rpc, states, given, name } = newInbox();
    for (const id of ["a", "b", "c"]) expect(await rpc.take(item(id))).toEqual({ isNew: true });
    await vi.waitFor(async () => expect(await states()).toEqual({ a: "done", b: "done", c: "done" }), SOON);
    expect(given()).toEqual(["a", "b", "c"]);
    expect(getReceived(name)[0]).toMatchObject({ item: item("a"), lane: null });
    const first = await rpc.received({ after: null, limit: 2, since: 0 });
    expect(first.items.map(({ id }) => id)).toEqual(["c", "b"]);
    expect(first.items[0]).toEqual({
      id: "c",
      kind: "event",
      receivedAt: 1_700_000_000_000,
      state: "done",
      note: "seen",
      attempts: 1,
      head: null,
    });
    const second = await rpc.received({ after: first.next, limit: 2, since: 0 });
    expect(second).toMatchObject({ items: [{ id: "a" }], next: null });
  });

  test("accepts an id once, for any content of a repeat, while it waits and after it ended", async () => {
    const { rpc, states, given } = newInbox();
    const { promise, resolve } = Promise.withResolvers<void>();
    answerWith(async () => {
      await promise;
      return done();
    });
    await rpc.take(item("a"));
    expect(await rpc.take(item("a", { body: { says: "other" } }))).toEqual({ isNew: false, isOver: false });
    resolve();
    await vi.waitFor(async () => expect(await states()).toEqual({ a: "done" }), SOON);
    expect(await rpc.take(item("a"))).toEqual({ isNew: false, isOver: true });
    expect(given()).toEqual(["a"]);
  });

  test("works a lane in the order of arrival, and gives each item what the one before left", async () => {
    const { rpc, states, name } = newInbox();
    answerWith(({ item: { id }, lane }) => ({
      kind: "done",
      note: "seen",
      ...(id === "b" ? {} : { lane: { seen: [...((lane?.["seen"] as string[] | undefined) ?? []), id] } }),
    }));
    await Promise.all(["a", "b", "c"].map(async (id) => await rpc.take(item(id, { lane: "one" }))));
    await vi.waitFor(async () => expect(await states()).toEqual({ a: "done", b: "done", c: "done" }), SOON);
    expect(getReceived(name).map(({ item: { id }, lane }) => [id, lane])).toEqual([
      ["a", null],
      ["b", { seen: ["a"] }],
      ["c", { seen: ["a"] }],
    ]);
  });

  test("retries deferred and throwing items, while other queue keys continue", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { rpc, states, given } = newInbox();
    const { promise: others, resolve: goOn } = Promise.withResolvers<void>();
    let tries = 0;
    answerWith(async ({ item: { id } }) => {
      if (id !== "slow") return done();
      tries += 1;
      if (tries === 1) throw new Error("away");
      await others;
      return tries === 2 ? { kind: "later", afterMs: 1, why: "not yet" } : done();
    });
    await rpc.take(item("slow", { lane: "one" }));
    await rpc.take(item("after", { lane: "one" }));
    await rpc.take(item("other", { lane: "two" }));
    await vi.waitFor(async () => expect((await states())["other"]).toBe("done"), SOON);
    expect(await states()).toMatchObject({ slow: "waiting", after: "waiting" });
    goOn();
    await vi.waitFor(async () => expect((await states())["after"]).toBe("done"), SOON);
    expect(given().filter((id) => id !== "other")).toEqual(["slow", "slow", "slow", "after"]);
  });

  test("accepts at once while its runner hangs, processes at most ten queue keys at once, and continues after a crash", async () => {
    const { rpc, states, given, name } = newInbox();
    answerWith(hang);
    const ids = Array.from({ length: 60 }, (_, i) => `item ${i}`);
    for (const id of ids) expect(await rpc.take(item(id))).toEqual({ isNew: true });
    await vi.waitFor(() => expect(given().length).toBe(10), SOON);
    answerWith(done);
    await abortAllDurableObjects();
    await vi.waitFor(
      async () => expect(Object.values(await states()).filter((state) => state === "done").length).toBe(60),
      SOON,
    );
    for (const id of ids) expect(await inboxesFromEnv(env)(name).take(item(id))).toMatchObject({ isNew: false });
  });

  test("has an alarm set while an item is worked, which works it again after a crash", async () => {
    const { rpc, states, alarmAt, given } = newInbox();
    answerWith(hang);
    await rpc.take(item("a"));
    await vi.waitFor(() => expect(given()).toEqual(["a"]), SOON);
    await vi.waitFor(async () => expect(await alarmAt()).not.toBeNull(), SOON);
    await abortAllDurableObjects();
    answerWith(done);
    await vi.waitFor(async () => expect(await states()).toEqual({ a: "done" }), SOON);
    expect(given()).toEqual(["a", "a"]);
  });

  test("stores an item in full or not at all if it crashes before it answers, and processes it once when it is resent", async () => {
    const { rpc, name, states, given } = newInbox();
    const ids = Array.from({ length: 20 }, (_, i) => `item ${i}`);
    const cut = ids.map(async (id) => await rpc.take(item(id)).catch(() => null));
    await abortAllDurableObjects();
    const first = await Promise.all(cut);
    const again = await Promise.all(ids.map(async (id) => await inboxesFromEnv(env)(name).take(item(id))));
    again.forEach(({ isNew }, index) => expect(first[index] === null || !isNew).toBe(true));
    await vi.waitFor(
      async () => expect(Object.values(await states())).toEqual(Array.from({ length: 20 }, () => "done")),
      SOON,
    );
    expect(new Set(given())).toEqual(new Set(ids));
  });

  test("waits a minute for its runner and no longer", async () => {
    const wait = globalThis.setTimeout;
    const shorter = (work: () => void, ms?: number) => wait(work, ms === RECEIVE_TIMEOUT_MS ? 1000 : ms);
    vi.spyOn(globalThis, "setTimeout").mockImplementation(shorter as typeof setTimeout);
    const { rpc, name, states, given } = newInbox();
    answerWith(hang);
    await rpc.take(item("a"));
    await vi.waitFor(async () => {
      const [received] = (await inboxesFromEnv(env)(name).received({ after: null, limit: 1, since: 0 })).items;
      expect(received).toMatchObject({ state: "waiting", note: "Nobody answered within 60 seconds." });
    }, SOON);
    answerWith(done);
    await vi.waitFor(async () => expect(await states()).toEqual({ a: "done" }), SOON);
    expect(given().length).toBeGreaterThan(1);
  });

  test("gives up after a week, stores the dead item, and continues with the queue key", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { rpc, states, sql, fireAlarm } = newInbox();
    answerWith(({ item: { id } }) => (id === "a" ? { kind: "later", afterMs: 0, why: "away" } : done()));
    await rpc.take(item("a", { lane: "one" }));
    await rpc.take(item("b", { lane: "one" }));
    await sql(`UPDATE items SET taken_at = taken_at - ${ITEM_LIFETIME_MS}`);
    await vi.waitFor(async () => {
      await fireAlarm();
      expect(await states()).toEqual({ a: "dead", b: "done" });
    }, SOON);
    expect(await sql("SELECT id, body FROM items ORDER BY seq")).toEqual([
      { id: "a", body: JSON.stringify({ says: "a" }) },
      { id: "b", body: null },
    ]);
    expect(log.mock.calls.flat()).toContain("an inbox item is a dead letter");
  });

  test("gives up on an item that always throws, continues with its queue key in order, and processes it on request", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { rpc, states, sql, given, fireAlarm } = newInbox();
    answerWith(({ item: { id } }) => {
      if (id === "poisoned") throw new Error("always");
      return done();
    });
    const lane = "one";
    for (const id of ["poisoned", "b", "c"]) await rpc.take(item(id, { lane }));
    for (const id of ["x", "y", "z"]) await rpc.take(item(id));
    await vi.waitFor(async () => expect(await states()).toMatchObject({ x: "done", y: "done", z: "done" }), SOON);
    expect(await states()).toMatchObject({ poisoned: "waiting", b: "waiting", c: "waiting" });
    await sql(`UPDATE items SET failures = ${MAX_FAILURES - 1}, taken_at = taken_at - ${MIN_FAILING_MS}`);
    await vi.waitFor(async () => {
      await fireAlarm();
      expect(await states()).toMatchObject({ poisoned: "dead", b: "done", c: "done" });
    }, SOON);
    expect(given().filter((id) => ["b", "c"].includes(id))).toEqual(["b", "c"]);
    const received = (await rpc.received({ after: null, limit: 10, since: 0 })).items.find(
      ({ id }) => id === "poisoned",
    );
    expect(received?.note).toMatch(/^It failed 20 times\. /);
    expect(log.mock.calls.flat()).toContain("an inbox item is a dead letter");
    answerWith(done);
    expect(await rpc.take(item("poisoned", { lane }))).toEqual({ isNew: false, isOver: false });
    expect(await rpc.stateOf("poisoned", 0)).toBe("dead");
    await rpc.again("poisoned");
    await vi.waitFor(async () => expect((await states())["poisoned"]).toBe("done"), SOON);
    await rpc.again("poisoned");
    expect(await rpc.stateOf("poisoned", 0)).toBe("done");
    for (const [id, since] of [
      ["nobody", 0],
      ["poisoned", Date.now() + 1],
    ] as const)
      expect(await rpc.stateOf(id, since)).toBeNull();
    expect((await rpc.received({ after: null, limit: 10, since: Date.now() + 1 })).items).toEqual([]);
  });

  test("reserves capacity for new items while others hang repeatedly", async () => {
    const { rpc, states, sql, given, name } = newInbox();
    answerWith(hang);
    const stuck = Array.from({ length: 12 }, (_, i) => `stuck ${i}`);
    for (const id of stuck) await rpc.take(item(id));
    await vi.waitFor(() => expect(given().length).toBe(10), SOON);
    await sql("UPDATE lanes SET used_at = -used_at");
    await sql("UPDATE items SET attempts = 1");
    await abortAllDurableObjects();
    await vi.waitFor(() => expect(given().length).toBe(10 + MAX_CONCURRENT_RETRIES), SOON);
    answerWith(done);
    for (const id of ["a", "b", "c"]) await inboxesFromEnv(env)(name).take(item(id));
    await vi.waitFor(async () => expect(await states()).toMatchObject({ a: "done", b: "done", c: "done" }), SOON);
    expect(await states()).toMatchObject({ "stuck 0": "waiting", "stuck 11": "waiting" });
  });

  test("deletes the oldest ended items beyond its limit, and no waiting or dead one", async () => {
    const { rpc, states, sql } = newInbox();
    answerWith(({ item: { id } }) => (id === "waits" ? { kind: "later", afterMs: 60_000, why: "away" } : done()));
    for (const id of ["old", "waits", "late"]) await rpc.take(item(id));
    await vi.waitFor(async () => expect(await states()).toMatchObject({ old: "done", late: "done" }), SOON);
    await sql(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MAX_ENDED})
       INSERT INTO items (id, lane, kind, received_at, taken_at, attempts, state, ended_at)
         SELECT 'more ' || i, 'more', 'event', 1, 1, 1, 'done', ${Date.now()} FROM n;
       UPDATE sqlite_sequence SET seq = ${MAX_ENDED + 999} WHERE name = 'items'`,
    );
    await rpc.take(item("new"));
    const left = "SELECT id, state FROM items WHERE lane <> 'more' ORDER BY seq";
    const wanted = [
      { id: "waits", state: "waiting" },
      { id: "new", state: "done" },
    ];
    await vi.waitFor(async () => expect(await sql(left)).toEqual(wanted), SOON);
  });

  test("takes over what an earlier release stored", async () => {
    const { rpc, states, sql, name } = newInbox();
    await rpc.keepRecord({ version: 1, checkedAt: 1, perMinute: 9, facts: {} });
    await sql("DROP TABLE items; DROP TABLE lanes");
    await sql(
      `CREATE TABLE items (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, lane TEXT NOT NULL,
         kind TEXT NOT NULL, body TEXT, received_at INTEGER NOT NULL, taken_at INTEGER NOT NULL,
         attempts INTEGER NOT NULL, state TEXT NOT NULL, note TEXT, ended_at INTEGER);
       CREATE TABLE lanes (lane TEXT PRIMARY KEY, knows TEXT, due_at INTEGER, used_at INTEGER NOT NULL) WITHOUT ROWID;
       INSERT INTO items VALUES (1, 'a', 'one', 'event', '{}', 1, ${Date.now()}, 0, 'waiting', NULL, NULL);
       INSERT INTO lanes VALUES ('one', NULL, 1, 1)`,
    );
    await abortAllDurableObjects();
    await inboxesFromEnv(env)(name).poke();
    await vi.waitFor(async () => expect(await states()).toEqual({ a: "done" }), SOON);
  });

  test("can be continued by an earlier release, and continues what that wrote", async () => {
    const { rpc, states, sql, fireAlarm } = newInbox();
    answerWith(({ item: { id } }) => (id === "a" ? { kind: "later", afterMs: 60_000, why: "away" } : done()));
    await rpc.take(item("a", { lane: "one" }));
    await vi.waitFor(async () => expect(await sql("SELECT attempts FROM items")).toEqual([{ attempts: 1 }]), SOON);
    for (const [id, lane] of [
      ["b", "one"],
      ["c", "two"],
    ] as const)
      await sql(
        `INSERT INTO items (id, lane, kind, body, received_at, taken_at, attempts, state)
           VALUES ('${id}', '${lane}', 'event', '{}', 1, ${Date.now()}, 0, 'waiting');
         INSERT INTO lanes VALUES ('${lane}', NULL, 1, 1)
           ON CONFLICT (lane) DO UPDATE SET due_at = COALESCE(due_at, excluded.due_at), used_at = excluded.used_at`,
      );
    await rpc.poke();
    await vi.waitFor(async () => expect(await states()).toEqual({ a: "waiting", b: "waiting", c: "done" }), SOON);
    answerWith(done);
    await sql("UPDATE lanes SET due_at = 1");
    await fireAlarm();
    await vi.waitFor(async () => expect(await states()).toEqual({ a: "done", b: "done", c: "done" }), SOON);
  });

  test("forgets ids after 30 days and lanes after 90, and has no alarm when nothing is left", async () => {
    const { rpc, states, sql, fireAlarm, alarmAt } = newInbox();
    answerWith(() => ({ kind: "done", note: "seen", lane: { knows: 1 } }));
    await rpc.take(item("a"));
    await vi.waitFor(async () => expect(await states()).toEqual({ a: "done" }), SOON);
    await sql(`UPDATE items SET ended_at = ended_at - ${31 * 86_400_000}`);
    await fireAlarm();
    expect(await sql("SELECT id FROM items")).toEqual([]);
    expect(await sql("SELECT lane, knows FROM lanes")).toEqual([{ lane: "a", knows: '{"knows":1}' }]);
    await sql(`UPDATE lanes SET used_at = used_at - ${91 * 86_400_000}`);
    await fireAlarm();
    expect(await sql("SELECT lane FROM lanes")).toEqual([]);
    expect(await alarmAt()).toBeNull();
  });

  test("takes in a minute what its record lets it, and says when there is room again", async () => {
    const { rpc } = newInbox();
    const record = { version: 2, checkedAt: 1, perMinute: 2, facts: { a: 1 } };
    await rpc.keepRecord(record);
    await rpc.keepRecord({ ...record, version: 1 });
    expect(await rpc.record()).toEqual(record);
    await rpc.take(item("a"));
    await rpc.take(item("b"));
    const refused = await rpc.take(item("c"));
    expect(refused.isNew).toBe(false);
    expect(refused.retryAfterMs).toBeGreaterThan(0);
    expect(await rpc.take(item("a"))).toMatchObject({ isNew: false });
  });

  test("forgets everything when it is erased, also what is worked meanwhile", async () => {
    const { rpc, states, alarmAt, sql } = newInbox();
    const { promise, resolve } = Promise.withResolvers<void>();
    answerWith(async () => {
      await promise;
      return done();
    });
    await rpc.take(item("a"));
    await rpc.erase();
    resolve();
    await scheduler.wait(200);
    await rpc.poke();
    expect(await sql("SELECT name FROM sqlite_master WHERE name = 'items'")).toEqual([]);
    expect(await states()).toEqual({});
    expect(await alarmAt()).toBeNull();
  });
});

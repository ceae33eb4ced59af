import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { databaseFromEnv, tenantsFromEnv } from "../../adapters/from-env.ts";
import { makeId } from "../../core/ids.ts";
import type { StoredReply } from "../../core/idempotency.ts";
import type { KeyRecord, TenantRpc } from "../../core/objects.ts";
import { report } from "../contracts/database-rows.ts";
import { newTenant, tenantStub, watchDatabase } from "./tenant-client.ts";

const HASH = "a".repeat(64);
let tenant: string;
let key: KeyRecord;

beforeEach(() => {
  tenant = makeId("tenant", Date.now(), crypto.getRandomValues(new Uint8Array(10)));
  key = {
    id: makeId("key", 1, crypto.getRandomValues(new Uint8Array(10))),
    tenant,
    name: "k",
    scopes: ["admin"],
    expiresAt: null,
  };
});

/** A stub anew each time: one whose object was reset stays broken. */
const object = () => tenantsFromEnv(env)(tenant);

const admit = (change: Partial<Parameters<TenantRpc["admit"]>[0]> = {}) =>
  object().admit({ keyHash: HASH, keyRecord: null, idempotency: null, ...change });

/** Admits a request with an Idempotency-Key. */
const repeat = async (fingerprint = "body") => {
  const admission = await admit({ keyRecord: key, idempotency: { key: "POST /v1/tasks once", fingerprint } });
  if (admission.kind !== "admitted" || admission.idempotency === null)
    throw new Error(`not admitted: ${admission.kind}`);
  return admission.idempotency;
};

const begun = async () => {
  const state = await repeat();
  if (state.kind !== "fresh") throw new Error(`not fresh: ${state.kind}`);
  return state;
};

function reply(text: string, size = 0): StoredReply {
  const bytes = new Uint8Array(Math.max(size, text.length));
  bytes.set(new TextEncoder().encode(text));
  return { status: 201, headers: [["content-type", "application/json"]], sealed: bytes };
}

const tablesOf = async (name: string) =>
  await runInDurableObject(tenantStub(name), (_, state) =>
    state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
  );

describe("a key", () => {
  test("is unknown until its record is shown, and then known without the database", async () => {
    expect(await admit()).toEqual({ kind: "unknown_key" });
    expect(await admit({ keyRecord: key })).toMatchObject({ kind: "admitted", key });
    expect(await admit()).toMatchObject({ kind: "admitted", key });
    await abortAllDurableObjects();
    expect(await admit()).toMatchObject({ kind: "admitted", key });
  });

  test("that names a tenant which does not exist leaves nothing behind", async () => {
    await admit();
    expect(await tablesOf(tenant)).toEqual([]);
    expect(await runInDurableObject(tenantStub(tenant), (_, state) => state.storage.getAlarm())).toBeNull();
  });

  test("is dead from the moment it is revoked, also when its record is shown again and after a crash", async () => {
    await admit({ keyRecord: key });
    await object().revoke(key.id);
    expect(await admit()).toEqual({ kind: "dead_key" });
    await abortAllDurableObjects();
    expect(await admit({ keyRecord: key })).toEqual({ kind: "dead_key" });
  });

  test("that was revoked before the object ever saw it is dead too", async () => {
    await object().revoke(key.id);
    expect(await admit({ keyRecord: key })).toEqual({ kind: "dead_key" });
    expect(await admit()).toEqual({ kind: "unknown_key" });
  });

  test("is dead once it has expired", async () => {
    const expiresAt = Date.now() + 60_000;
    expect(await admit({ keyRecord: { ...key, expiresAt } })).toMatchObject({ kind: "admitted" });
    vi.setSystemTime(expiresAt);
    expect(await admit()).toEqual({ kind: "dead_key" });
    vi.useRealTimers();
  });

  test("lets 6,000 requests a minute in, and the next ones only later; another key has a limit of its own", async () => {
    await runInDurableObject(tenantStub(tenant), async (instance) => {
      const rpc = instance as unknown as TenantRpc;
      for (let index = 0; index < 6000; index += 1) {
        const admission = await rpc.admit({ keyHash: HASH, keyRecord: index === 0 ? key : null, idempotency: null });
        if (admission.kind !== "admitted") throw new Error(`request ${index} was not admitted`);
      }
    });
    expect(await admit()).toEqual({
      kind: "limited",
      rate: { limit: 6000, remaining: 0, resetSeconds: expect.any(Number) },
      retryAfterMs: expect.any(Number),
    });
    const other = { ...key, id: makeId("key", 2, new Uint8Array(10)) };
    expect(await admit({ keyHash: "b".repeat(64), keyRecord: other })).toMatchObject({
      kind: "admitted",
      rate: { remaining: 5999 },
    });
  });
});

describe("a request with an Idempotency-Key", () => {
  test("gives its reply to every repeat, those that waited for it and those that come later", async () => {
    const first = await begun();
    const waiting = Array.from({ length: 20 }, () => repeat());
    expect(await object().settle(first.ticket, reply("one"))).toBeNull();
    for (const state of [...(await Promise.all(waiting)), await repeat()]) {
      expect(state).toEqual({ kind: "replay", reply: reply("one") });
    }
  });

  test("keeps a reply that is larger than a row", async () => {
    const large = reply("large", 2_500_000);
    await object().settle((await begun()).ticket, large);
    const state = await repeat();
    if (state.kind !== "replay") throw new Error(state.kind);
    expect(state.reply.sealed.length).toBe(2_500_000);
    expect(state.reply.sealed).toEqual(large.sealed);
  });

  test("keeps its reply through a crash", async () => {
    await object().settle((await begun()).ticket, reply("kept"));
    await abortAllDurableObjects();
    expect(await repeat()).toEqual({ kind: "replay", reply: reply("kept") });
  });

  test("is refused with another body, before and after the first one's end", async () => {
    const first = await begun();
    expect(await repeat("another body")).toEqual({ kind: "mismatch" });
    await object().settle(first.ticket, reply("one"));
    expect(await repeat("another body")).toEqual({ kind: "mismatch" });
  });

  test("that a crash cut off is run again with the same seed and moment", async () => {
    const first = await begun();
    await abortAllDurableObjects();
    expect(await repeat()).toEqual(first);
  });

  test("that failed is run again by one of those that waited, and the others get that one's reply", async () => {
    const first = await begun();
    const waiting = Array.from({ length: 5 }, () => repeat());
    await object().settle(first.ticket, null);
    const next = await Promise.race(waiting);
    expect(next).toEqual(first);
    await object().settle(first.ticket, reply("second try"));
    const states = await Promise.all(waiting);
    expect(states.filter(({ kind }) => kind === "fresh")).toHaveLength(1);
    expect(states.filter(({ kind }) => kind === "replay")).toHaveLength(4);
  });

  test("has one reply when two tries of it ended: the first one's", async () => {
    const first = await begun();
    await abortAllDurableObjects();
    const second = await begun();
    expect(await object().settle(second.ticket, reply("second"))).toBeNull();
    expect(await object().settle(first.ticket, reply("first"))).toEqual(reply("second"));
    expect(await object().settle(first.ticket, null)).toEqual(reply("second"));
  });

  test("belongs to the API key that sent it", async () => {
    await object().settle((await begun()).ticket, reply("mine"));
    const other = { ...key, id: makeId("key", 2, new Uint8Array(10)) };
    const idempotency = { key: "POST /v1/tasks once", fingerprint: "body" };
    const admission = await admit({ keyHash: "b".repeat(64), keyRecord: other, idempotency });
    expect(admission).toMatchObject({ kind: "admitted", idempotency: { kind: "fresh" } });
  });

  test("is forgotten by the object's alarm when its day is over", async () => {
    await object().settle((await begun()).ticket, reply("old"));
    const alarm = await runInDurableObject(tenantStub(tenant), (_, state) => state.storage.getAlarm());
    expect(alarm).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    vi.setSystemTime(Date.now() + 24 * 3_600_000 + 1000);
    await runDurableObjectAlarm(tenantStub(tenant));
    vi.useRealTimers();
    const rows = await runInDurableObject(tenantStub(tenant), (_, state) => [
      ...state.storage.sql.exec("SELECT * FROM repeats"),
      ...state.storage.sql.exec("SELECT * FROM replies"),
    ]);
    expect(rows).toEqual([]);
  });
});

describe("the index of tasks", () => {
  const all = { status: null, project: null, parent: null };
  const page = { after: null, limit: 100 };
  const listed = async (of: string) => {
    const read = await databaseFromEnv(env).tasks.page(of, all, page);
    return read.ok ? read.value.items : [];
  };
  const outbox = async (of: string) =>
    await runInDurableObject(tenantStub(of), (_, state) =>
      state.storage.sql.exec("SELECT task, version FROM outbox").toArray(),
    );

  test("follows by the object's alarm, by itself", async () => {
    const { id } = await newTenant();
    const row = report();
    await tenantsFromEnv(env)(id).report(row);
    await vi.waitFor(async () => expect(await listed(id)).toEqual([row.view]), { timeout: 10_000, interval: 50 });
    await vi.waitFor(async () => expect(await outbox(id)).toEqual([]), { timeout: 5_000, interval: 50 });
  });

  test("gets the latest of many reports, in whatever order they come", async () => {
    const { id } = await newTenant();
    const rpc = tenantsFromEnv(env)(id);
    const { task } = report();
    await rpc.report(report({ task, version: 2, status: "completed" }));
    await rpc.report(report({ task, version: 1, status: "queued" }));
    expect(await rpc.flush()).toBe(true);
    expect((await listed(id)).map(({ status }) => status)).toEqual(["completed"]);
    await rpc.report(report({ task, version: 1, status: "queued" }));
    expect(await rpc.flush()).toBe(true);
    expect((await listed(id)).map(({ status }) => status)).toEqual(["completed"]);
  });

  test("loses nothing while the database is away and the object crashes, and catches up when it is back", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await newTenant();
    const rows = Array.from({ length: 130 }, () => report());
    const watch = watchDatabase();
    watch.isAway = true;
    for (const row of rows) await tenantsFromEnv(env)(id).report(row);
    expect(await tenantsFromEnv(env)(id).flush()).toBe(false);
    await abortAllDurableObjects();
    expect(await outbox(id)).toHaveLength(130);
    expect(await runInDurableObject(tenantStub(id), (_, state) => state.storage.getAlarm())).not.toBeNull();
    watch.isAway = false;
    await vi.waitFor(async () => expect(await outbox(id)).toEqual([]), { timeout: 15_000, interval: 100 });
    const some = await databaseFromEnv(env).tasks.some(id, 1000);
    expect(some.ok && some.value.map(({ task }) => task).toSorted()).toEqual(rows.map(({ task }) => task).toSorted());
    expect(log).toHaveBeenCalled();
  });

  test("is not stopped for the others by a row that the database refuses", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await newTenant();
    const rpc = tenantsFromEnv(env)(id);
    const [good, bad, alsoGood] = [report(), report(), report()];
    await rpc.report(good);
    await rpc.report({ ...bad, view: { ...bad.view, created_at: "no time at all" } });
    await rpc.report(alsoGood);
    expect(await rpc.flush()).toBe(false);
    expect((await listed(id)).map((view) => view.id).toSorted()).toEqual([good.task, alsoGood.task].toSorted());
    expect(await outbox(id)).toEqual([{ task: bad.task, version: 1 }]);
  });

  test("forgets a task, whatever is still reported of it", async () => {
    const { id } = await newTenant();
    const rpc = tenantsFromEnv(env)(id);
    const row = report();
    await rpc.report(row);
    await rpc.flush();
    await rpc.forget(row.task);
    expect(await listed(id)).toEqual([]);
  });

  test("forgets a task also when the database was away for it", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await newTenant();
    const rpc = tenantsFromEnv(env)(id);
    const row = report();
    await rpc.report(row);
    await rpc.flush();
    const watch = watchDatabase();
    watch.isAway = true;
    await rpc.forget(row.task);
    await rpc.report({ ...row, version: 7 });
    watch.isAway = false;
    expect(await rpc.flush()).toBe(true);
    expect(await listed(id)).toEqual([]);
  });
});

test("an erased tenant's object has nothing left", async () => {
  await admit({ keyRecord: key });
  await object().settle((await begun()).ticket, reply("secret"));
  await object().report(report());
  await object().erase();
  expect(await tablesOf(tenant)).toEqual([]);
  expect(await runInDurableObject(tenantStub(tenant), (_, state) => state.storage.getAlarm())).toBeNull();
  expect(await admit()).toEqual({ kind: "unknown_key" });
});

import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { makeId } from "../../../core/base/ids.ts";
import type { StoredReply } from "../../../core/tenant/idempotency.ts";
import type { KeyRecord, TenantRpc } from "../../../core/tenant/rpc.ts";
import { report } from "../../contracts/database/rows.ts";
import { newKey, newTenant, tenantStub, watchDatabase } from "./client.ts";

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
    person: null,
  };
});

/** A new stub each time: one whose object was reset stays broken. */
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
  test("is unknown until its record is presented, and then known without the database", async () => {
    expect(await admit()).toMatchObject({ kind: "unknown_key" });
    expect(await admit({ keyRecord: key })).toMatchObject({ kind: "admitted", key });
    expect(await admit()).toMatchObject({ kind: "admitted", key });
    await abortAllDurableObjects();
    expect(await admit()).toMatchObject({ kind: "admitted", key });
  });

  test("that names an unknown tenant stores nothing", async () => {
    await admit();
    expect(await tablesOf(tenant)).toEqual([]);
    expect(await runInDurableObject(tenantStub(tenant), (_, state) => state.storage.getAlarm())).toBeNull();
  });

  test("is revoked at once, even if its record is presented again and after a crash", async () => {
    await admit({ keyRecord: key });
    await object().revoke(key.id);
    expect(await admit()).toEqual({ kind: "dead_key" });
    await abortAllDurableObjects();
    expect(await admit({ keyRecord: key })).toEqual({ kind: "dead_key" });
  });

  test("that was revoked before the object first saw it is revoked too", async () => {
    const made = await newTenant();
    const { id } = await newKey(made, ["admin"]);
    const rpc = tenantsFromEnv(env)(made.id);
    await rpc.revoke(id);
    const record = { ...key, id, tenant: made.id };
    expect(await rpc.admit({ keyHash: HASH, keyRecord: record, idempotency: null })).toEqual({ kind: "dead_key" });
    expect(await rpc.admit({ keyHash: HASH, keyRecord: null, idempotency: null })).toMatchObject({
      kind: "unknown_key",
    });
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

  test("stores a reply that is larger than a row", async () => {
    const large = reply("large", 2_500_000);
    await object().settle((await begun()).ticket, large);
    const state = await repeat();
    if (state.kind !== "replay") throw new Error(state.kind);
    expect(state.reply.sealed.length).toBe(2_500_000);
    expect(state.reply.sealed).toEqual(large.sealed);
  });

  test("survives a crash with its reply", async () => {
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

  test("is forgotten together with the others of its minute, by one alarm", async () => {
    const start = Math.ceil(Date.now() / 60_000) * 60_000;
    const alarmAt = async () => await runInDurableObject(tenantStub(tenant), (_, state) => state.storage.getAlarm());
    for (const afterMs of [0, 1, 20_000, 59_000]) {
      vi.setSystemTime(start + afterMs);
      const idempotency = { key: `POST /v1/tasks ${afterMs}`, fingerprint: "body" };
      const admission = await admit({ keyRecord: key, idempotency });
      if (admission.kind !== "admitted" || admission.idempotency?.kind !== "fresh") throw new Error(admission.kind);
      await object().settle(admission.idempotency.ticket, reply("old"));
    }
    const dayAfter = start + 24 * 3_600_000;
    expect(await alarmAt()).toBe(dayAfter);
    vi.setSystemTime(dayAfter);
    await runDurableObjectAlarm(tenantStub(tenant));
    expect(await alarmAt()).toBe(dayAfter + 60_000);
    vi.setSystemTime(dayAfter + 60_000);
    await runDurableObjectAlarm(tenantStub(tenant));
    vi.useRealTimers();
    expect(await alarmAt()).toBeNull();
  });

  test("is deleted by the object's alarm after a day", async () => {
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

describe("an erased tenant", () => {
  const erased = async () => {
    await admit({ keyRecord: key });
    await object().settle((await begun()).ticket, reply("secret"));
    await object().revoke(key.id);
    await object().report(report({ input: "secret" }));
    await object().erase();
  };
  const rowsOf = async () =>
    await runInDurableObject(tenantStub(tenant), (_, state) =>
      Object.fromEntries(
        state.storage.sql
          .exec<{ name: string }>(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
          )
          .toArray()
          .map(({ name }) => [name, state.storage.sql.exec(`SELECT * FROM ${name}`).toArray()]),
      ),
    );

  test("retains only the erasure mark and the list of tasks to erase", async () => {
    await erased();
    const { tenant: marks, outbox, ...rest } = await rowsOf();
    expect(marks).toEqual([{ one: 1, id: tenant, erased_at: expect.any(Number) }]);
    expect(outbox).toHaveLength(1);
    expect(Object.values(rest).flat()).toEqual([]);
    expect(await runInDurableObject(tenantStub(tenant), (_, state) => state.storage.getAlarm())).toBeNull();
  });

  test("has only dead keys from then on, also ones that the object never saw and after a crash", async () => {
    await erased();
    const never = { ...key, id: makeId("key", 2, new Uint8Array(10)) };
    for (let life = 1; life <= 2; life += 1) {
      expect(await admit()).toEqual({ kind: "dead_key" });
      expect(await admit({ keyHash: "b".repeat(64), keyRecord: never })).toEqual({ kind: "dead_key" });
      expect(await object().isRevoked(never.id)).toBe(true);
      await abortAllDurableObjects();
    }
  });

  test("sends its repeats away that wait for a reply which will not come", async () => {
    await begun();
    const waiting = repeat();
    await object().erase();
    expect(await waiting).toMatchObject({ kind: "busy" });
    expect((await rowsOf())["repeats"]).toEqual([]);
  });

  test("reports its erasure to every task that reports, and lists the task until it is forgotten", async () => {
    const [unsent, late] = [report(), report()];
    expect(await object().report(unsent)).toEqual({ erased: false });
    expect(await object().erase()).toEqual([unsent.task]);
    await abortAllDurableObjects();
    for (const row of [late, unsent]) expect(await object().report({ ...row, version: 9 })).toEqual({ erased: true });
    expect([...(await object().erase())].toSorted()).toEqual([unsent.task, late.task].toSorted());
    for (const row of [late, unsent]) await object().forget(row.task);
    expect(await object().erase()).toEqual([]);
  });
});

describe("isRevoked", () => {
  test("distinguishes a revoked key from a valid one", async () => {
    expect(await object().isRevoked(key.id)).toBe(false);
    await admit({ keyRecord: key });
    expect(await object().isRevoked(key.id)).toBe(false);
    await object().revoke(key.id);
    expect(await object().isRevoked(key.id)).toBe(true);
    await abortAllDurableObjects();
    expect(await object().isRevoked(key.id)).toBe(true);
  });
});

describe("the revoking of a key that never was", () => {
  const revokedRows = async (of: string) =>
    await runInDurableObject(tenantStub(of), (_, state) => state.storage.sql.exec("SELECT key FROM revoked").toArray());
  const unknown = makeId("key", 3, new Uint8Array(10));

  test("retains nothing, while a key in the database stays revoked", async () => {
    const made = await newTenant();
    const other = await newKey(made, ["admin"]);
    const rpc = tenantsFromEnv(env)(made.id);
    await rpc.revoke(unknown);
    await rpc.revoke(other.id);
    expect(await revokedRows(made.id)).toEqual([{ key: other.id }]);
  });

  test("is retained while its absence from the database is unconfirmed", async () => {
    const made = await newTenant();
    watchDatabase().isAway = true;
    await tenantsFromEnv(env)(made.id).revoke(unknown);
    expect(await revokedRows(made.id)).toEqual([{ key: unknown }]);
    expect(await tenantsFromEnv(env)(made.id).isRevoked(unknown)).toBe(true);
  });
});

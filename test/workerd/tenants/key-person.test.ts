/** Whose a key is: who may set it, who is notified, and how soon every request acts for that person. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { accessFromEnv, tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { makeId } from "../../../core/base/ids.ts";
import { ACCESS_MS } from "../../../core/tenant/access-cache.ts";
import type { KeyRecord, TenantRpc } from "../../../core/tenant/rpc.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { as, ask, signIn } from "../sessions/client.ts";
import { tenantStub, watchDatabase } from "../tenant/client.ts";

interface Person {
  readonly id: string;
  readonly name: string;
}

async function addPerson(caller: Caller, name: string, more: object = {}): Promise<Person> {
  const made = await caller.send("POST", "/v1/people", { name, ...more });
  expect(made.status, made.text).toBe(201);
  return { id: made.json.id, name: made.json.name };
}

async function ownKey(caller: Caller): Promise<string> {
  return (await caller.send("GET", "/v1/keys")).json.data.at(-1).id;
}

async function bind(caller: Caller, person: string | null) {
  return await caller.send("PATCH", `/v1/keys/${await ownKey(caller)}`, { person });
}

/** For whom a task acts that the caller creates now. */
async function actsFor(caller: Caller) {
  const made = await caller.send("POST", "/v1/tasks", { input: "x", hold: true });
  expect(made.status, made.text).toBe(201);
  return made.json.acts_for;
}

/** Changes what the tenant's object stores of its only key. */
async function changeRecord(tenant: string, change: (record: KeyRecord) => KeyRecord): Promise<void> {
  await runInDurableObject(tenantStub(tenant), (_, state) => {
    const [row] = state.storage.sql.exec<{ record: string }>("SELECT record FROM keys").toArray();
    const record = change(JSON.parse(row?.record ?? "{}") as KeyRecord);
    state.storage.sql.exec("UPDATE keys SET record = ?", JSON.stringify(record));
  });
  await abortAllDurableObjects();
}

describe("binding", () => {
  test("makes the next request act for the person, and the audit log says who it was before", async () => {
    const caller = await makeCaller();
    const [ana, ben] = [await addPerson(caller, "Ana"), await addPerson(caller, "Ben")];
    expect(await actsFor(caller)).toBeNull();
    const bound = await bind(caller, ana.id);
    expect([bound.status, bound.json.person]).toEqual([200, ana]);
    expect(await actsFor(caller)).toEqual({ person_id: ana.id, name: "Ana" });
    await bind(caller, ben.id);
    expect(await actsFor(caller)).toEqual({ person_id: ben.id, name: "Ben" });
    expect((await bind(caller, null)).json.person).toBeNull();
    expect(await actsFor(caller)).toBeNull();
    const { data } = (await caller.send("GET", "/v1/audit?action=key.bind")).json;
    expect(data.map(({ details }: { details: object }) => details)).toEqual([
      { person: null, before: ben.id },
      { person: ben.id, before: ana.id },
      { person: ana.id, before: null },
    ]);
    expect((await caller.send("GET", "/v1/keys")).json.data[0].person).toBeNull();
  });

  test("is refused to a key without admin, for an unknown key or person, and for a revoked key", async () => {
    const [caller, other] = [await makeCaller(), await makeCaller()];
    const narrow = await makeCaller(["tasks:read", "tasks:write", "people:act"]);
    const id = await ownKey(caller);
    const stranger = await addPerson(other, "Ana");
    expectProblem(await narrow.send("PATCH", `/v1/keys/${id}`, { person: null }), 403);
    expectProblem(await other.send("PATCH", `/v1/keys/${id}`, { person: stranger.id }), 404);
    expectProblem(await caller.send("PATCH", "/v1/keys/key_no", { person: null }), 404);
    for (const person of [stranger.id, "per_1"]) {
      expectProblem(await bind(caller, person), 422, "person");
      expectProblem(
        await caller.send("POST", "/v1/keys", { name: "k", scopes: ["tasks:read"], person }),
        422,
        "person",
      );
    }
    for (const body of [{}, { person: 1 }, { person: null, name: "x" }])
      expect((await caller.send("PATCH", `/v1/keys/${id}`, body)).status).toBe(422);
    const doomed = await caller.send("POST", "/v1/keys", { name: "doomed", scopes: ["tasks:read"] });
    await caller.send("DELETE", `/v1/keys/${doomed.json.id}`);
    expectProblem(await caller.send("PATCH", `/v1/keys/${doomed.json.id}`, { person: null }), 409);
  });

  test("notifies the person once, also when it is repeated, and not the one who did it", async () => {
    const caller = await makeCaller();
    const addresses = [{ kind: "email", address: "ana@example.com" }];
    const ana = await addPerson(caller, "Ana", { addresses });
    const created = await caller.send("POST", "/v1/keys", {
      name: "*nightly*",
      scopes: ["tasks:read"],
      person: ana.id,
    });
    expect([created.status, created.json.person]).toEqual([201, ana]);
    for (let round = 0; round < 2; round += 1) expect((await bind(caller, ana.id)).status).toBe(200);
    // Her own key: she does not notify herself.
    await caller.send("POST", "/v1/keys", { name: "mine", scopes: ["tasks:read"], person: ana.id });
    const sent = await vi.waitFor(
      async () => {
        const { data } = (await caller.send("GET", "/v1/deliveries")).json;
        expect(data).toHaveLength(2);
        return data;
      },
      { timeout: 20_000, interval: 50 },
    );
    expect(sent).toMatchObject(Array.from({ length: 2 }, () => ({ kind: "notification", to: "ana@example.com" })));
    const texts = await Promise.all(
      sent.map(async ({ id }: { id: string }) => (await caller.send("GET", `/v1/deliveries/${id}`)).text),
    );
    expect(texts.filter((text) => text.includes(String.raw`The key \\*nightly\\* now acts for you.`))).toHaveLength(1);
    expect(texts.filter((text) => text.includes("The key test now acts for you."))).toHaveLength(1);
  });
});

describe("the person of a key", () => {
  test("is renamed and ends with its record, at once in this isolate", async () => {
    const caller = await makeCaller();
    const ana = await addPerson(caller, "Ana");
    await bind(caller, ana.id);
    const { cookie } = await signIn({ key: caller.key });
    const session = async () => (await ask({ headers: as({ cookie }) })).json.person;
    expect(await session()).toEqual(ana);
    await caller.send("PUT", `/v1/people/${ana.id}`, { name: "Ana Lima" });
    expect(await session()).toEqual({ id: ana.id, name: "Ana Lima" });
    expect(await actsFor(caller)).toEqual({ person_id: ana.id, name: "Ana Lima" });
    await caller.send("DELETE", `/v1/people/${ana.id}`);
    expect(await session()).toBeNull();
    expect(await actsFor(caller)).toBeNull();
    expect((await caller.send("GET", "/v1/keys")).json.data[0].person).toBeNull();
  });

  test("has changed within three seconds in an isolate that nobody told", async () => {
    const caller = await makeCaller();
    const ana = await addPerson(caller, "Ana");
    await bind(caller, ana.id);
    const { cookie } = await signIn({ key: caller.key });
    const session = async () => (await ask({ headers: as({ cookie }) })).json.person;
    expect(await session()).toEqual(ana);
    vi.spyOn(accessFromEnv(env), "forgetTenant").mockImplementation(() => undefined);
    await caller.send("DELETE", `/v1/people/${ana.id}`);
    vi.setSystemTime(Date.now() + ACCESS_MS);
    expect(await session()).toBeNull();
  });

  test("is known without the database, also to the object's next instance", async () => {
    const caller = await makeCaller();
    const ana = await addPerson(caller, "Ana");
    await bind(caller, ana.id);
    // A person that was read within a minute of the change is not stored.
    vi.setSystemTime(Date.now() + 61_000);
    await actsFor(caller);
    await abortAllDurableObjects();
    watchDatabase().isAway = true;
    expect(await actsFor(caller)).toEqual({ person_id: ana.id, name: "Ana" });
  });

  test("is read once for the record of an earlier release, and for its session", async () => {
    const caller = await makeCaller();
    const ana = await addPerson(caller, "Ana");
    await bind(caller, ana.id);
    const { cookie } = await signIn({ key: caller.key });
    await changeRecord(caller.tenant, ({ person: _, ...record }) => record);
    accessFromEnv(env).clear();
    expect((await ask({ headers: as({ cookie }) })).json.person).toEqual(ana);
    accessFromEnv(env).clear();
    const watch = watchDatabase();
    expect((await ask({ headers: as({ cookie }) })).json.person).toEqual(ana);
    expect(watch.queries).toBe(0);
  });

  test("is nobody while it cannot be read, and the key works", async () => {
    const caller = await makeCaller();
    await bind(caller, (await addPerson(caller, "Ana")).id);
    await changeRecord(caller.tenant, ({ person: _, ...record }) => record);
    watchDatabase().isAway = true;
    expect(await actsFor(caller)).toBeNull();
  });

  test("does not stay the earlier one when the change is written and its Worker ends before it says so", async () => {
    const caller = await makeCaller();
    const ana = await addPerson(caller, "Ana");
    await bind(caller, ana.id);
    vi.setSystemTime(Date.now() + 61_000);
    await tenantsFromEnv(env)(caller.tenant).personChanged({ person: ana.id });
    expect(await actsFor(caller)).toEqual({ person_id: ana.id, name: "Ana" });
    const act = { id: makeId("audit", Date.now(), crypto.getRandomValues(new Uint8Array(10))), at: Date.now() };
    const removal = { ...act, actor: "otto", action: "person.delete", target: ana.id, requestId: "req_1" } as const;
    expect(await databaseFromEnv(env).people.remove(caller.tenant, ana.id, removal)).toMatchObject({ ok: true });
    vi.setSystemTime(Date.now() + 1_000);
    expect(await actsFor(caller)).toBeNull();
  });

  test("does not come back by a record that was read before it changed", async () => {
    const caller = await makeCaller();
    const ana = await addPerson(caller, "Ana");
    await bind(caller, ana.id);
    const made = await caller.send("POST", "/v1/keys", { name: "unused", scopes: ["tasks:write"], person: ana.id });
    const stale: KeyRecord = {
      id: made.json.id,
      tenant: caller.tenant,
      name: "unused",
      scopes: ["tasks:write"],
      expiresAt: null,
      person: { ...ana, timeZone: "UTC" },
    };
    const rpc = tenantStub(caller.tenant) as unknown as TenantRpc;
    const asked = { keyHash: "late", idempotency: null };
    const unknown = await rpc.admit({ ...asked, keyRecord: null });
    if (unknown.kind !== "unknown_key") throw new Error(unknown.kind);
    await caller.send("DELETE", `/v1/people/${ana.id}`);
    const admitted = await rpc.admit({ ...asked, keyRecord: stale, ...unknown });
    expect(admitted).toMatchObject({ kind: "admitted", key: { id: stale.id, person: null } });
    expect(await rpc.admit({ ...asked, keyRecord: null })).toMatchObject({ key: { person: null } });
  });
});

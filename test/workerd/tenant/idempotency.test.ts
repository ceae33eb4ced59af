import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import {
  type Agent,
  config,
  makeAgent,
  newKey,
  newTenant,
  operatorKey,
  type Problem,
  readAll,
  send,
  sendJson,
  tenantStub,
  watchDatabase,
} from "./client.ts";

describe("an Idempotency-Key", () => {
  const once = { "idempotency-key": "once" };
  const makingKey = (key: string) => ({
    method: "POST",
    path: "/v1/keys",
    key,
    body: { name: "k", scopes: ["admin"] },
    headers: once,
  });

  test("makes one thing of 50 requests at once, with replies that are equal to the byte", async () => {
    const tenant = await newTenant();
    const call = { method: "POST", path: "/v1/agents", key: tenant.key, body: config("only"), headers: once };
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(call)));
    const bodies = new Set(await Promise.all(answers.map((answer) => answer.text())));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(bodies.size).toBe(1);
    expect(new Set(answers.map(({ headers }) => `${headers.get("etag")} ${headers.get("location")}`)).size).toBe(1);
    const later = await send(call);
    expect(bodies).toContain(await later.text());
    expect(later.headers.get("idempotency-replayed")).toBe("true");
    expect(await readAll<Agent>("/v1/agents", tenant.key, 100)).toHaveLength(2);
  });

  test("answers a repeat after a crash with the same bytes, an API key among them, which is stored nowhere in the clear", async () => {
    const tenant = await newTenant();
    const call = makingKey(tenant.key);
    const first = await (await send(call)).text();
    await abortAllDurableObjects();
    expect(await (await send(call)).text()).toBe(first);
    const { key } = JSON.parse(first) as { key: string };
    const stored = await runInDurableObject(tenantStub(tenant.id), (_, state) =>
      state.storage.sql.exec<{ bytes: ArrayBuffer }>("SELECT bytes FROM replies").toArray(),
    );
    const bytes = stored.map((part) => new TextDecoder("latin1").decode(part.bytes)).join("");
    expect(bytes.length).toBeGreaterThan(0);
    expect(bytes).not.toContain(key.slice(-38));
  });

  test("finds what a try made whose reply was never stored", async () => {
    const tenant = await newTenant();
    const call = makingKey(tenant.key);
    const first = await (await send(call)).text();
    // The crash: the reply is lost, and so is the instance that let the try in.
    await runInDurableObject(tenantStub(tenant.id), (_, state) => {
      state.storage.sql.exec("UPDATE repeats SET done_at = NULL, status = NULL, headers = NULL");
      state.storage.sql.exec("DELETE FROM replies");
    });
    await abortAllDurableObjects();
    expect(await (await send(call)).text()).toBe(first);
    expect(await readAll("/v1/keys", tenant.key, 100)).toHaveLength(2);
    expect((await readAll<{ action: string }>("/v1/audit", tenant.key, 100)).map(({ action }) => action)).toEqual([
      "key.create",
      "person.create",
    ]);
  });

  test("is refused with another body or another query, and taken by another path, key or tenant", async () => {
    const [a, b] = [await newTenant(), await newTenant()];
    const other = await newKey(a, ["admin"]);
    const made = await makeAgent(a, "mine", once);
    const clash = await sendJson<Problem>({
      method: "POST",
      path: "/v1/agents",
      key: a.key,
      body: config("else"),
      headers: once,
    });
    expect([clash.status, clash.body.code, clash.body.errors?.[0]?.field]).toEqual([
      422,
      "invalid_input",
      "Idempotency-Key",
    ]);
    expect(clash.headers.get("ratelimit")).not.toBeNull();
    const keyCall = {
      method: "POST",
      path: "/v1/keys",
      key: a.key,
      body: { name: "k", scopes: ["admin"] },
      headers: once,
    };
    expect((await send(keyCall)).status).toBe(201);
    expect((await makeAgent({ ...a, key: other.key }, "third", once)).status).toBe(201);
    const theirs = await makeAgent(b, "mine", once);
    expect([theirs.status, theirs.body.id === made.body.id]).toEqual([201, false]);
  });

  test("stores a rejection too, but not a failure of Otto", async () => {
    const tenant = await newTenant();
    const bad = { method: "POST", path: "/v1/agents", key: tenant.key, body: config("not a name"), headers: once };
    const [first, second] = [await send(bad), await send(bad)];
    expect([first.status, second.status]).toEqual([422, 422]);
    expect(await second.text()).toBe(await first.text());

    const good = { ...bad, body: config("good"), headers: { "idempotency-key": "twice" } };
    const watch = watchDatabase();
    watch.isAway = true;
    expect((await send(good)).status).toBe(503);
    watch.isAway = false;
    expect((await send(good)).status).toBe(201);
  });

  test("is no matter to a tenant's switch: what was sent before is carried out again", async () => {
    const tenant = await newTenant();
    const readKey = async () =>
      (await sendJson<{ stopped: boolean }>({ path: "/v1/kill-switch", key: tenant.key })).body.stopped;
    for (const [key, path] of [
      [tenant.key, "/v1/kill-switch"],
      [operatorKey(), `/v1/tenants/${tenant.id}`],
    ] as const) {
      const post = async (act: string) =>
        await sendJson<{ stopped: boolean }>({ method: "POST", path: `${path}/${act}`, key, body: {}, headers: once });
      for (const [act, stopped] of [
        ["stop", true],
        ["release", false],
        ["stop", true],
        ["release", false],
      ] as const) {
        const answer = await post(act);
        expect([answer.status, answer.body.stopped, await readKey()]).toEqual([200, stopped, stopped]);
        expect(answer.headers.get("idempotency-replayed")).toBeNull();
      }
    }
  });

  test("of the operator makes one tenant", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const call = { method: "POST", path: "/v1/tenants", key: operatorKey(), body: { name: "Once" }, headers };
    const bodies = await Promise.all(
      (await Promise.all([send(call), send(call), send(call)])).map((answer) => answer.text()),
    );
    expect(new Set(bodies).size).toBe(1);
  });

  test.each(["", "x".repeat(257), "é", "a\tb"])("of the form %j is refused by name", async (key) => {
    const tenant = await newTenant();
    const answer = await makeAgent(tenant, "never", { "idempotency-key": key }).catch(() => null);
    // A header that no client can send needs no answer.
    if (answer === null) return;
    expect([answer.status, (answer.body as unknown as Problem).errors?.[0]?.field]).toEqual([422, "Idempotency-Key"]);
  });
});

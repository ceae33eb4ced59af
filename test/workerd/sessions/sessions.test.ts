import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { MAX_SESSIONS, createSessionToken } from "../../../core/tenant/session.ts";
import { actions, as, ask, HTTP, HTTPS, newLink, ours, signIn, withKey } from "./client.ts";
import { newKey, newTenant, operatorKey, tenantStub, watchDatabase } from "../tenant/client.ts";

describe("signing in", () => {
  test("by a key gives a session that acts as that key, and a cookie that is not the key", async () => {
    const tenant = await newTenant("Acme");
    const reader = await newKey(tenant, ["tasks:read"]);
    const browser = await signIn({ key: ` ${reader.key}\n` });
    expect(browser.cookie).not.toContain(reader.key.slice(-20));
    expect(browser.body).toEqual({
      tenant: { id: tenant.id, name: "Acme" },
      key: { id: reader.id, name: "another" },
      person: null,
      scopes: ["tasks:read"],
      expires_at: expect.any(String),
    });
    const session = await ask({ headers: as(browser) });
    expect(session).toMatchObject({ status: 200, json: browser.body as object });
    expect(session.headers.get("cache-control")).toBe("no-store");
    expect((await ask({ path: "/v1/tasks", headers: as(browser) })).status).toBe(200);
    const refused = await ask({ method: "POST", path: "/v1/tasks", headers: as(browser), body: { input: "x" } });
    expect(refused.json).toMatchObject({ status: 403, code: "forbidden" });
    expect(await actions(tenant)).toContain("session.begin");
  });

  test("acts for the person of the key, by a key and by its link", async () => {
    const tenant = await newTenant("Acme");
    const person = { id: expect.stringMatching(/^per_/), name: "Owner" };
    expect((await signIn({ key: tenant.key })).body).toMatchObject({ person });
    const browser = await signIn({ link: await newLink(tenant) });
    expect(browser.body).toMatchObject({ person });
    expect((await ask({ headers: as(browser) })).json).toMatchObject({ person });
  });

  test("sets a cookie that scripts cannot read and other sites cannot use; over https no other host can set it", async () => {
    const tenant = await newTenant();
    const hosted = await signIn({ key: tenant.key });
    expect(hosted.cookie).toMatch(/^__Host-otto_session=ottos_/);
    const parts = hosted.attributes.split("; ").slice(1).toSorted();
    expect(parts).toEqual(["HttpOnly", "Max-Age=43200", "Path=/", "SameSite=Strict", "Secure"]);
    const local = await signIn({ key: tenant.key }, HTTP);
    expect(local.cookie).toMatch(/^otto_session_8787=ottos_/);
    expect(local.attributes.split("; ").slice(1).toSorted()).toEqual([
      "HttpOnly",
      "Max-Age=43200",
      "Path=/",
      "SameSite=Strict",
    ]);
    expect((await ask({ origin: HTTP, headers: as(local) })).status).toBe(200);
    // Over https, a cookie that any site could have set is ignored.
    const planted = local.cookie.replace(/^[^=]+/, "otto_session");
    expect((await ask({ headers: { cookie: planted } })).status).toBe(401);
  });

  test("takes no token that a browser brings along", async () => {
    const tenant = await newTenant();
    const planted = `__Host-otto_session=${createSessionToken(tenant.id, crypto.getRandomValues(new Uint8Array(96)))}`;
    const answer = await ask({ method: "POST", body: { key: tenant.key }, headers: { cookie: planted, ...ours } });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("set-cookie")).not.toContain(planted);
    expect((await ask({ headers: as({ cookie: planted }) })).status).toBe(401);
  });

  test.each([
    ["a key with a typo", (key: string) => ({ key: `${key.slice(0, -1)}!` }), 401, "unauthenticated"],
    ["no key at all", () => ({ key: "hello" }), 401, "unauthenticated"],
    ["the operator key", () => ({ key: operatorKey() }), 403, "forbidden"],
    ["a link with a typo", () => ({ link: "ottol_x" }), 401, "unauthenticated"],
    ["a key in the place of a link", (key: string) => ({ link: key }), 401, "unauthenticated"],
    ["both", (key: string) => ({ key, link: key }), 422, "invalid_input"],
    ["neither", () => ({}), 422, "invalid_input"],
    ["another field", (key: string) => ({ key, keep: true }), 422, "invalid_input"],
    ["a number", () => ({ key: 7 }), 422, "invalid_input"],
  ])("is refused for %s", async (_, body, status, code) => {
    const tenant = await newTenant();
    const answer = await ask({ method: "POST", body: body(tenant.key) });
    expect(answer.json).toMatchObject({ status, code });
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  test("is refused for a revoked key and for one that has expired", async () => {
    const tenant = await newTenant();
    const dead = await newKey(tenant, ["tasks:read"]);
    await ask({ method: "DELETE", path: `/v1/keys/${dead.id}`, headers: withKey(tenant.key) });
    const short = await newKey(tenant, ["tasks:read"], new Date(Date.now() + 2000).toISOString());
    await vi.waitFor(async () => expect((await ask({ method: "POST", body: { key: short.key } })).status).toBe(401), {
      timeout: 20_000,
      interval: 100,
    });
    expect((await ask({ method: "POST", body: { key: dead.key } })).status).toBe(401);
  });

  test("is counted by address, and refused for a minute after sixty tries", async () => {
    const headers = { "cf-connecting-ip": "198.51.100.7" };
    const statuses: number[] = [];
    // The platform's minutes begin by the clock: one may begin between two tries.
    for (let status = 0; status !== 429 && statuses.length < 200; statuses.push(status))
      status = (await ask({ method: "POST", headers, body: { key: "hello" } })).status;
    expect(statuses.length).toBeGreaterThan(60);
    expect(statuses.length).toBeLessThan(123);
    const refused = await ask({ method: "POST", headers, body: { key: "hello" } });
    expect(refused.json).toMatchObject({ code: "rate_limited" });
    expect(refused.headers.get("retry-after")).toBe("60");
    expect((await ask({ method: "POST", body: { key: "hello" } })).status).toBe(401);
  });

  test("counts a try before its body is read, which is at most 4 KB", async () => {
    const headers = { "cf-connecting-ip": "198.51.100.8" };
    const large = { key: "x".repeat(5_000) };
    const first = await ask({ method: "POST", headers, body: large });
    expect(first.json).toMatchObject({ code: "too_large" });
    let status = 0;
    for (let tries = 0; status !== 429 && tries < 200; tries += 1)
      status = (await ask({ method: "POST", headers, body: large })).status;
    expect(status).toBe(429);
  });

  test("is refused to another site's page", async () => {
    const { key } = await newTenant();
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.test" }, { origin: "null" }])
      expect((await ask({ method: "POST", body: { key }, headers })).json).toMatchObject({ code: "forbidden" });
    expect((await ask({ method: "POST", body: { key }, headers: { origin: HTTPS } })).status).toBe(201);
  });

  test("leaves a link valid while the database is unavailable", async () => {
    const tenant = await newTenant();
    const link = await newLink(tenant);
    const watch = watchDatabase();
    watch.isAway = true;
    expect((await ask({ method: "POST", body: { link } })).status).toBe(503);
    watch.isAway = false;
    await signIn({ link });
  });
});

describe("a session", () => {
  test("is known without the database", async () => {
    const browser = await signIn({ key: (await newTenant()).key });
    const watch = watchDatabase();
    watch.isAway = true;
    expect((await ask({ headers: as(browser) })).status).toBe(200);
  });

  test("ends with its key, at once", async () => {
    const tenant = await newTenant();
    const one = await newKey(tenant, ["tasks:read"]);
    const browser = await signIn({ key: one.key });
    await ask({ method: "DELETE", path: `/v1/keys/${one.id}`, headers: withKey(tenant.key) });
    expect((await ask({ headers: as(browser) })).json).toMatchObject({ status: 401, code: "unauthenticated" });
  });

  test("lasts no longer than its key", async () => {
    const tenant = await newTenant();
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const browser = await signIn({ key: (await newKey(tenant, ["tasks:read"], end)).key });
    expect(browser.body).toMatchObject({ expires_at: end });
  });

  test("expires after its time", async () => {
    const tenant = await newTenant();
    const browser = await signIn({ key: tenant.key });
    await runInDurableObject(tenantStub(tenant.id), (_, state) =>
      state.storage.sql.exec("UPDATE sessions SET expires_at = ?", Date.now()).toArray(),
    );
    expect((await ask({ headers: as(browser) })).status).toBe(401);
  });

  test("that is ended also ends for its copies, and invalidates its links", async () => {
    const tenant = await newTenant();
    const browser = await signIn({ key: tenant.key });
    const another = await signIn({ key: tenant.key });
    const made = await ask({ method: "POST", path: "/v1/session/links", headers: as(browser), body: {} });
    const ended = await ask({ method: "DELETE", headers: as(browser) });
    expect(ended.status).toBe(204);
    expect(ended.headers.get("set-cookie")).toMatch(/^__Host-otto_session=; Max-Age=0; Path=\/;/);
    expect((await ask({ headers: as(browser) })).status).toBe(401);
    const link = new URL(made.json.url).hash.slice(1);
    expect((await ask({ method: "POST", body: { link } })).json).toMatchObject({ status: 410, code: "gone" });
    expect((await ask({ headers: as(another) })).status).toBe(200);
    expect(await actions(tenant)).toEqual(expect.arrayContaining(["session.begin", "session.link", "session.end"]));
  });

  test("is not looked at when a key is there, good or bad", async () => {
    const browser = await signIn({ key: (await newTenant()).key });
    const other = await newTenant();
    const byKey = await ask({ path: "/v1/keys", headers: { ...as(browser), ...withKey(other.key) } });
    expect(byKey.json.data).toHaveLength(1);
    expect((await ask({ headers: { ...as(browser), ...withKey(other.key) } })).status).toBe(404);
    expect((await ask({ method: "DELETE", headers: withKey(other.key) })).status).toBe(404);
    expect((await ask({ headers: { ...as(browser), authorization: "Bearer x" } })).status).toBe(401);
  });

  test("cannot create or list tenants", async () => {
    const tenant = await newTenant();
    const browser = await signIn({ key: tenant.key });
    expect((await ask({ path: "/v1/tenants", headers: as(browser) })).status).toBe(403);
    expect((await ask({ path: `/v1/tenants/${tenant.id}`, headers: as(browser) })).status).toBe(404);
  });

  test("counts as its key: by the key's limit, and in the key's name", async () => {
    const tenant = await newTenant();
    const browser = await signIn({ key: tenant.key });
    const first = await ask({ headers: as(browser) });
    const second = await ask({ path: "/v1/tasks", headers: withKey(tenant.key) });
    const left = (answer: { headers: Headers }) => Number(/r=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1]);
    expect(left(second)).toBe(left(first) - 1);
    const headers = { "idempotency-key": "once" };
    const body = { input: "x", hold: true };
    const one = await ask({ method: "POST", path: "/v1/tasks", headers: as(browser, { ...ours, ...headers }), body });
    const two = await ask({ method: "POST", path: "/v1/tasks", headers: { ...withKey(tenant.key), ...headers }, body });
    expect(two.json.id).toBe(one.json.id);
  });

  test("of an erased tenant ends, and nothing of it is retained", async () => {
    const tenant = await newTenant();
    const browser = await signIn({ key: tenant.key });
    const link = await newLink(tenant);
    await ask({ method: "DELETE", path: `/v1/tenants/${tenant.id}`, headers: withKey(operatorKey()) });
    expect((await ask({ headers: as(browser) })).status).toBe(401);
    expect((await ask({ method: "POST", body: { link } })).status).toBe(410);
    const stored = await runInDurableObject(tenantStub(tenant.id), (_, state) =>
      state.storage.sql
        .exec("SELECT id FROM sessions UNION SELECT id FROM links UNION SELECT hash FROM visits")
        .toArray(),
    );
    expect(stored).toEqual([]);
  });

  test("is one of at most a thousand of its key: a new one ends the oldest of that key only", async () => {
    const tenant = await newTenant();
    const other = await newKey(tenant, ["tasks:read"]);
    const stays = await signIn({ key: other.key });
    const keyHash = await sha256Hex(tenant.key);
    const [oldest, next] = [await signIn({ key: tenant.key }), await signIn({ key: tenant.key })];
    const first = await sha256Hex(oldest.cookie.split("=")[1] ?? "");
    await runInDurableObject(tenantStub(tenant.id), (_, state) => {
      const { sql } = state.storage;
      sql.exec("UPDATE sessions SET begun_at = 1 WHERE hash = ?", first);
      sql.exec("UPDATE sessions SET begun_at = 0 WHERE key_hash <> ?", keyHash);
      for (let index = 2; index < MAX_SESSIONS; index += 1)
        sql.exec("INSERT INTO sessions VALUES (?, 'ses', ?, 'Acme', 9e15, 9e15)", String(index), keyHash);
    });
    await signIn({ key: tenant.key });
    expect((await ask({ headers: as(oldest) })).status).toBe(401);
    for (const browser of [next, stays]) expect((await ask({ headers: as(browser) })).status).toBe(200);
  });

  test("ends its open stream soon after it ended", async () => {
    const tenant = await newTenant();
    const browser = await signIn({ key: tenant.key });
    const stub = tenantsFromEnv(env)(tenant.id);
    const hash = await sha256Hex(browser.cookie.split("=")[1] ?? "");
    const { key } = browser.body as { key: { id: string } };
    expect(await stub.isRevoked(key.id, hash)).toBe(false);
    await ask({ method: "DELETE", headers: as(browser) });
    expect(await stub.isRevoked(key.id, hash)).toBe(true);
    expect(await stub.isRevoked(key.id)).toBe(false);
  });
});

/**
 * Callers that an isolate has cached, after something was revoked elsewhere: by the tenant's object, as another isolate does.
 * Nothing tells this one.
 */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { accessFromEnv, tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { ACCESS_MS } from "../../../core/tenant/access-cache.ts";
import { createKey } from "../../../core/tenant/keys.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { as, ask, signIn, withKey } from "../sessions/client.ts";
import { newKey, newTenant, send, type TestTenant } from "../tenant/client.ts";

/** The rule: what was revoked is refused everywhere within five seconds. */
const RULE_MS = 5_000;

afterEach(() => {
  vi.useRealTimers();
});

const object = ({ id }: TestTenant) => tenantsFromEnv(env)(id);
const read = async (headers: Record<string, string>) => (await ask({ path: "/v1/tasks/x", headers })).status;
const write = async (headers: Record<string, string>) =>
  (await ask({ method: "POST", path: "/v1/tasks", body: { input: "x", hold: true }, headers })).status;

/** Expects reads until the access expires, and no writes, and after it neither. */
async function expectRefusedInTime(headers: Record<string, string>, status = 401): Promise<void> {
  expect(await read(headers)).toBe(404);
  vi.setSystemTime(Date.now() + ACCESS_MS);
  expect(await read(headers)).toBe(status);
  expect(ACCESS_MS).toBeLessThan(RULE_MS);
}

describe("what was revoked elsewhere is refused here within three seconds", () => {
  test("when it is a key", async () => {
    const tenant = await newTenant();
    const other = await newKey(tenant, ["tasks:read", "tasks:write"]);
    expect(await read(withKey(other.key))).toBe(404);
    await object(tenant).revoke(other.id);
    await expectRefusedInTime(withKey(other.key));
    expect(await write(withKey(other.key))).toBe(401);
    expect(await read(withKey(tenant.key))).toBe(404);
  });

  test("when it is a session", async () => {
    const tenant = await newTenant();
    const browser = await signIn({ key: tenant.key });
    expect(await read(as(browser))).toBe(404);
    await object(tenant).endSessions({ hash: await sha256Hex(browser.cookie.split("=")[1] ?? "") });
    await expectRefusedInTime(as(browser));
    expect(await read(withKey(tenant.key))).toBe(404);
  });

  test("when it is the key of a session", async () => {
    const tenant = await newTenant();
    const other = await newKey(tenant, ["tasks:read"]);
    const browser = await signIn({ key: other.key });
    expect(await read(as(browser))).toBe(404);
    await object(tenant).revoke(other.id);
    await expectRefusedInTime(as(browser));
  });

  test("when it is the tenant, which is erased", async () => {
    const tenant = await newTenant();
    expect(await read(withKey(tenant.key))).toBe(404);
    await object(tenant).erase();
    expect((await send({ path: "/v1/tools", key: tenant.key })).status).toBe(401);
    await expectRefusedInTime(withKey(tenant.key));
  });
});

describe("a write is refused at once, also if this isolate has cached its caller", () => {
  test("after its key was revoked, with and without an Idempotency-Key", async () => {
    const tenant = await newTenant();
    for (const more of [{}, { "idempotency-key": "1" }]) {
      const other = await newKey(tenant, ["tasks:read", "tasks:write"]);
      const headers = { ...withKey(other.key), ...more };
      expect(await write(headers)).toBe(201);
      await object(tenant).revoke(other.id);
      expect(await write(headers)).toBe(401);
      // The refusal ends the cached reads too.
      expect(await read(headers)).toBe(401);
    }
  });

  test("after its tenant was stopped; reads go on", async () => {
    const tenant = await newTenant();
    expect(await write(withKey(tenant.key))).toBe(201);
    await object(tenant).stop({ by: "key_x", byOperator: false, reason: null, at: Date.now() });
    expect(await write(withKey(tenant.key))).toBe(409);
    expect(await read(withKey(tenant.key))).toBe(404);
    await object(tenant).release(false);
    expect(await write(withKey(tenant.key))).toBe(201);
  });
});

test("invalid keys and sessions leave nothing in memory", async () => {
  const tenant = await newTenant();
  accessFromEnv(env).clear();
  for (let index = 0; index < 20; index += 1) {
    const bytes = crypto.getRandomValues(new Uint8Array(96));
    expect(await read(withKey(createKey(tenant.id, bytes)))).toBe(401);
  }
  expect(accessFromEnv(env).size).toBe(0);
  expect(await read(withKey(tenant.key))).toBe(404);
  expect(accessFromEnv(env).size).toBe(1);
});

test("a bad body under an Idempotency-Key counts, and a revoked key is refused before it", async () => {
  const tenant = await newTenant();
  const other = await newKey(tenant, ["tasks:write"]);
  const headers = { ...withKey(other.key), "idempotency-key": "é" };
  const left = (answer: { headers: Headers }) => Number(/r=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1]);
  const body = { input: "x", hold: true };
  const before = left(await ask({ method: "POST", path: "/v1/tasks", body, headers: withKey(other.key) }));
  expect(await write(headers)).toBe(422);
  expect(left(await ask({ method: "POST", path: "/v1/tasks", body, headers: withKey(other.key) }))).toBe(before - 2);
  await object(tenant).revoke(other.id);
  expect(await write(headers)).toBe(401);
});

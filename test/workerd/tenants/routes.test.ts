import { abortAllDurableObjects, listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { makeId } from "../../../core/base/ids.ts";
import { ACCESS_MS } from "../../../core/tenant/access-cache.ts";
import { createKey } from "../../../core/tenant/keys.ts";
import type { TenantRpc } from "../../../core/tenant/rpc.ts";
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
} from "../tenant/client.ts";

describe("the entry point", () => {
  test.each([
    ["no key", undefined],
    ["another scheme", "Basic b3R0bzpvdHRv"],
    ["a text that is no key", "Bearer hello"],
    [
      "a key of a tenant that never was",
      `Bearer ${createKey(makeId("tenant", 1, new Uint8Array(10).fill(9)), new Uint8Array(64).fill(3))}`,
    ],
    ["an operator key that is not this one's", `Bearer ${createKey("operator", new Uint8Array(64).fill(3))}`],
    ["a key of 10,000 characters", `Bearer otto_${"a".repeat(10_000)}`],
  ])("answers 401 to %s", async (_, authorization) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const answer = await sendJson<Problem>({ path: "/v1/agents", headers });
    expect([answer.status, answer.body.code]).toEqual([401, "unauthenticated"]);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
  });

  test("takes a key that the database knows and the tenant's object does not yet", async () => {
    const tenant = await newTenant();
    expect((await send({ path: "/v1/agents", key: tenant.key })).status).toBe(200);
  });

  test("takes one call and no database for a key that the object has seen", async () => {
    const tenant = await newTenant();
    await send({ path: "/v1/agents/agent_default", key: tenant.key });
    const watch = watchDatabase();
    watch.isAway = true;
    expect((await send({ path: "/v1/agents/agent_default", key: tenant.key })).status).toBe(200);
    expect(watch.queries).toBe(0);
  });

  test("answers 503 with Retry-After to a key that is not yet cached while the database is unavailable", async () => {
    const tenant = await newTenant();
    const watch = watchDatabase();
    watch.isAway = true;
    const answer = await sendJson<Problem>({ path: "/v1/agents", key: tenant.key });
    expect([answer.status, answer.body.code]).toEqual([503, "upstream_failed"]);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("says on every answer what is left of the key's requests, and 429 when nothing is", async () => {
    const tenant = await newTenant();
    const first = await send({ path: "/v1/agents/agent_default", key: tenant.key });
    expect(first.headers.get("ratelimit-policy")).toBe('"default";q=6000;w=60');
    expect(first.headers.get("ratelimit")).toBe('"default";r=5999;t=60');
    const missing = await send({ path: "/v1/agents/agent_nothing", key: tenant.key });
    expect([missing.status, missing.headers.get("ratelimit")]).toEqual([404, expect.stringContaining("r=5998")]);
    await runInDurableObject(tenantStub(tenant.id), async (instance, state) => {
      const [row] = state.storage.sql.exec<{ hash: string }>("SELECT hash FROM keys").toArray();
      const rpc = instance as unknown as TenantRpc;
      for (let left = 5998; left > 0; left -= 1)
        await rpc.admit({ keyHash: row?.hash ?? "", keyRecord: null, idempotency: null });
    });
    // The isolate asks the object again, and reports the read that it served.
    vi.setSystemTime(Date.now() + ACCESS_MS);
    const over = await sendJson<Problem>({ path: "/v1/agents/agent_default", key: tenant.key });
    expect([over.status, over.body.code]).toEqual([429, "rate_limited"]);
    vi.useRealTimers();
    expect(over.headers.get("ratelimit")).toMatch(/^"default";r=0;t=\d+$/);
    expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("tenants", () => {
  test("are created, listed and read with the operator key", async () => {
    const tenant = await newTenant("Zebra & söhne 🦓");
    const read = await sendJson<object>({ path: `/v1/tenants/${tenant.id}`, key: operatorKey() });
    expect(read.body).toMatchObject({ id: tenant.id, name: "Zebra & söhne 🦓" });
    const all = await readAll<{ id: string }>("/v1/tenants", operatorKey(), 3);
    expect(all.filter(({ id }) => id === tenant.id)).toHaveLength(1);
  });

  test("cannot be made, listed or seen with a tenant's key, and its own is not found with it either", async () => {
    const [a, b] = [await newTenant(), await newTenant()];
    expect((await send({ method: "POST", path: "/v1/tenants", key: a.key, body: { name: "x" } })).status).toBe(403);
    expect((await send({ path: "/v1/tenants", key: a.key })).status).toBe(403);
    for (const id of [a.id, b.id, "operator", "ten_nothing"]) {
      expect((await send({ path: `/v1/tenants/${id}`, key: a.key })).status).toBe(404);
      expect((await send({ method: "DELETE", path: `/v1/tenants/${id}`, key: a.key })).status).toBe(404);
    }
    expect((await send({ path: "/v1/agents", key: b.key })).status).toBe(200);
  });

  test("lose their keys at once when they are erased", async () => {
    const tenant = await newTenant();
    const other = await newKey(tenant, ["admin"]);
    expect((await send({ path: "/v1/agents", key: other.key })).status).toBe(200);
    expect((await send({ method: "DELETE", path: `/v1/tenants/${tenant.id}`, key: operatorKey() })).status).toBe(200);
    for (const key of [tenant.key, other.key]) expect((await send({ path: "/v1/agents", key })).status).toBe(401);
    expect((await send({ path: `/v1/tenants/${tenant.id}`, key: operatorKey() })).status).toBe(404);
    expect((await send({ method: "DELETE", path: `/v1/tenants/${tenant.id}`, key: operatorKey() })).status).toBe(404);
  });

  test("are not the operator's to work in", async () => {
    for (const path of ["/v1/agents", "/v1/keys"]) expect((await send({ path, key: operatorKey() })).status).toBe(403);
  });
});

describe("keys", () => {
  test("are revealed once, work, and are listed without their value", async () => {
    const tenant = await newTenant();
    const made = await newKey(tenant, ["admin", "tasks:read"]);
    expect((await send({ path: "/v1/agents", key: made.key })).status).toBe(200);
    const listed = await send({ path: "/v1/keys", key: tenant.key });
    const text = await listed.text();
    expect(text).toContain(made.id);
    expect(text).not.toContain(made.key);
    expect(text).not.toMatch(/[0-9a-f]{64}/);
  });

  test("may do what their scopes say and nothing else", async () => {
    const tenant = await newTenant();
    const reader = await newKey(tenant, ["tasks:read"]);
    const answer = await sendJson<Problem>({ path: "/v1/agents", key: reader.key });
    expect([answer.status, answer.body.code]).toEqual([403, "forbidden"]);
  });

  test("give no scope that they lack", async () => {
    const tenant = await newTenant();
    const admin = await newKey(tenant, ["admin"]);
    const body = { name: "more", scopes: ["admin", "tools:call"] };
    const answer = await sendJson<Problem>({ method: "POST", path: "/v1/keys", key: admin.key, body });
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([403, "scopes"]);
    expect(
      (await send({ method: "POST", path: "/v1/keys", key: admin.key, body: { ...body, scopes: ["admin"] } })).status,
    ).toBe(201);
  });

  test("are dead as soon as they are revoked", async () => {
    const tenant = await newTenant();
    const made = await newKey(tenant, ["admin"]);
    expect((await send({ path: "/v1/agents", key: made.key })).status).toBe(200);
    const revoked = await sendJson<object>({ method: "DELETE", path: `/v1/keys/${made.id}`, key: tenant.key });
    expect([revoked.status, revoked.body]).toEqual([
      200,
      expect.objectContaining({ id: made.id, revoked_at: expect.any(String) }),
    ]);
    expect((await send({ path: "/v1/agents", key: made.key })).status).toBe(401);
    await abortAllDurableObjects();
    expect((await send({ path: "/v1/agents", key: made.key })).status).toBe(401);
  });

  test("are dead at once also when they are revoked while the database is away", async () => {
    const tenant = await newTenant();
    const made = await newKey(tenant, ["admin"]);
    await send({ path: "/v1/agents/agent_default", key: made.key });
    await send({ path: "/v1/agents/agent_default", key: tenant.key });
    const watch = watchDatabase();
    watch.isAway = true;
    expect((await send({ method: "DELETE", path: `/v1/keys/${made.id}`, key: tenant.key })).status).toBe(503);
    expect((await send({ path: "/v1/agents/agent_default", key: made.key })).status).toBe(401);
    watch.isAway = false;
    expect((await send({ path: "/v1/agents/agent_default", key: made.key })).status).toBe(401);
    expect((await send({ method: "DELETE", path: `/v1/keys/${made.id}`, key: tenant.key })).status).toBe(200);
  });

  test("expire at their time, which must be in the future", async () => {
    const tenant = await newTenant();
    const soon = new Date(Date.now() + 60_000).toISOString();
    const made = await newKey(tenant, ["admin"], soon);
    expect((await send({ path: "/v1/agents/agent_default", key: made.key })).status).toBe(200);
    vi.setSystemTime(Date.now() + 60_001);
    expect((await send({ path: "/v1/agents/agent_default", key: made.key })).status).toBe(401);
    const body = { name: "late", scopes: ["admin"], expires_at: soon };
    const late = await sendJson<Problem>({ method: "POST", path: "/v1/keys", key: tenant.key, body });
    vi.useRealTimers();
    expect([late.status, late.body.errors?.[0]?.field]).toEqual([422, "expires_at"]);
  });
});

describe("agents", () => {
  test("are created at version 1 with a configuration that is returned unchanged", async () => {
    const tenant = await newTenant();
    const body = config("worker", {
      model: "gpt-5",
      fallbacks: ["gpt-4.1"],
      approval: { dangerous: "ask", rules: [{ tool: "http_*", decision: "deny" }], expires_s: 3600 },
      budget: { max_steps: 20 },
      on_unknown: "ask",
      tool_config: { files: { allow_write: false, extensions: [".md", "*"] } },
    });
    const made = await sendJson<Agent>({ method: "POST", path: "/v1/agents", key: tenant.key, body });
    expect([made.status, made.headers.get("etag"), made.headers.get("location")]).toEqual([
      201,
      '"1"',
      `/v1/agents/${made.body.id}`,
    ]);
    expect(made.body).toMatchObject({ ...body, version: 1 });
    const read = await sendJson<Agent>({ path: `/v1/agents/${made.body.id}`, key: tenant.key });
    expect(read.body).toEqual(made.body);
  });

  test("get a next version by PUT, and retain the earlier ones", async () => {
    const tenant = await newTenant();
    const { body: made } = await makeAgent(tenant, "first");
    const put = { method: "PUT", path: `/v1/agents/${made.id}`, key: tenant.key, body: config("second") };
    const changed = await sendJson<Agent>(put);
    expect([changed.status, changed.body.version, changed.headers.get("etag")]).toEqual([200, 2, '"2"']);
    const versions = await readAll<Agent>(`/v1/agents/${made.id}/versions`, tenant.key, 1);
    expect(versions.map(({ version, name }) => [version, name])).toEqual([
      [2, "second"],
      [1, "first"],
    ]);
    expect((await send({ ...put, headers: { "if-match": '"1"' } })).status).toBe(409);
    expect((await send({ ...put, headers: { "if-match": '"2"' } })).status).toBe(200);
    expect((await send({ ...put, headers: { "if-match": "3" } })).status).toBe(422);
  });

  test("are listed page by page, each once, with the built-in one at the end", async () => {
    const tenant = await newTenant();
    for (const name of ["one", "two", "three", "four"]) await makeAgent(tenant, name);
    for (const limit of [1, 2, 4, 5, 100]) {
      const all = await readAll<Agent>("/v1/agents", tenant.key, limit);
      expect(all.map(({ name }) => name)).toEqual(["four", "three", "two", "one", "default"]);
    }
  });

  test("are read by their names too, and get no version by a PUT that changes nothing", async () => {
    const tenant = await newTenant();
    const { body: made } = await makeAgent(tenant, "named");
    expect((await sendJson<Agent>({ path: "/v1/agents/named", key: tenant.key })).body).toEqual(made);
    expect((await send({ path: "/v1/agents/named/versions", key: tenant.key })).status).toBe(200);
    expect((await sendJson<Agent>({ path: "/v1/agents/default", key: tenant.key })).body.id).toBe("agent_default");
    const put = { method: "PUT", path: "/v1/agents/named", key: tenant.key, body: config("named") };
    const same = await sendJson<Agent>(put);
    expect([same.status, same.body, same.headers.get("etag")]).toEqual([200, made, '"1"']);
    const other = await sendJson<Agent>({ ...put, body: config("named", { instructions: "Other." }) });
    expect(other.body.version).toBe(2);
  });

  test("include a built-in one that can be read and never changes", async () => {
    const tenant = await newTenant();
    const read = await sendJson<Agent>({ path: "/v1/agents/agent_default", key: tenant.key });
    expect(read.body).toMatchObject({ id: "agent_default", version: 1, created_at: null });
    expect((await send({ path: "/v1/agents/agent_default/versions", key: tenant.key })).status).toBe(200);
    const put = await send({ method: "PUT", path: "/v1/agents/agent_default", key: tenant.key, body: config("mine") });
    expect(put.status).toBe(409);
  });

  test("do not take the name of the built-in one", async () => {
    const tenant = await newTenant();
    const { body: made } = await makeAgent(tenant, "mine");
    for (const [method, path] of [
      ["POST", "/v1/agents"],
      ["PUT", `/v1/agents/${made.id}`],
    ] as const) {
      const answer = await sendJson<Problem>({ method, path, key: tenant.key, body: config("default") });
      expect([answer.status, answer.body.code, answer.body.errors?.[0]?.field]).toEqual([409, "conflict", "name"]);
    }
  });

  test("are refused with the field at fault", async () => {
    const tenant = await newTenant();
    const refusal = async (body: object) => {
      const answer = await sendJson<Problem>({ method: "POST", path: "/v1/agents", key: tenant.key, body });
      return [answer.status, answer.body.code, answer.body.errors?.[0]?.field];
    };
    expect(await refusal(config("no spaces"))).toEqual([422, "invalid_input", "name"]);
    expect(await refusal(config("a", { surprise: 1 }))).toEqual([422, "invalid_input", "surprise"]);
    expect(await refusal(config("a", { on_unknown: "guess" }))).toEqual([422, "invalid_input", "on_unknown"]);
    await makeAgent(tenant, "taken");
    expect(await refusal(config("taken"))).toEqual([409, "conflict", "name"]);
  });

  test.each(["!", "x".repeat(400), "AAAA", "bnVsbA"])("are not listed from the cursor %j", async (cursor) => {
    const tenant = await newTenant();
    const answer = await sendJson<Problem>({ path: `/v1/agents?cursor=${cursor}`, key: tenant.key });
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([422, "cursor"]);
  });
});

test("what one tenant has, another does not find: by id, with and without a body that would fit", async () => {
  const [a, b] = [await newTenant(), await newTenant()];
  const { body: agent } = await makeAgent(a, "mine");
  const made = await newKey(a, ["admin"]);
  const tries = [
    { path: `/v1/agents/${agent.id}` },
    { path: `/v1/agents/${agent.id}/versions` },
    { method: "PUT", path: `/v1/agents/${agent.id}`, body: config("theirs") },
    { method: "PUT", path: `/v1/agents/${agent.id}`, body: {} },
    { method: "DELETE", path: `/v1/keys/${made.id}` },
    { path: `/v1/tenants/${a.id}` },
    { method: "DELETE", path: `/v1/tenants/${a.id}` },
  ];
  for (const call of tries) {
    const answer = await sendJson<Problem>({ ...call, key: b.key });
    expect([call, answer.status, answer.body.code]).toEqual([call, 404, "not_found"]);
  }
  expect((await send({ path: `/v1/agents/${agent.id}`, key: made.key })).status).toBe(200);
  expect((await readAll<Agent>("/v1/agents", b.key, 10)).map(({ id }) => id)).toEqual(["agent_default"]);
});

test("every administrative act writes an audit row, for the tenant or for the operator", async () => {
  const tenant = await newTenant();
  const made = await newKey(tenant, ["admin"]);
  const { body: agent } = await makeAgent(tenant, "audited");
  const put = {
    method: "PUT",
    path: `/v1/agents/${agent.id}`,
    key: made.key,
    body: config("audited", { instructions: "Other." }),
  };
  const changed = await send(put);
  await send({ method: "DELETE", path: `/v1/keys/${made.id}`, key: tenant.key });
  const acts = await readAll<{ action: string; target: string; actor: string; request_id: string }>(
    "/v1/audit",
    tenant.key,
    2,
  );
  expect(acts.map(({ action, target }) => [action, target])).toEqual([
    ["key.revoke", made.id],
    ["agent.update", agent.id],
    ["agent.create", agent.id],
    ["key.create", made.id],
    ["person.create", expect.stringMatching(/^per_/)],
  ]);
  expect(acts[1]).toMatchObject({ actor: made.id, request_id: changed.headers.get("x-request-id") });
  const operators = await readAll<{ action: string; target: string; actor: string }>("/v1/audit", operatorKey(), 100);
  expect(operators.filter(({ target }) => target === tenant.id)).toMatchObject([
    { action: "tenant.create", actor: "operator" },
  ]);
});

test("a forged key that names a tenant makes no object that stores anything", async () => {
  const ghost = makeId("tenant", 7, new Uint8Array(10).fill(1));
  expect((await send({ path: "/v1/agents", key: createKey(ghost, new Uint8Array(64).fill(5)) })).status).toBe(401);
  const tables = await runInDurableObject(tenantStub(ghost), (_, state) =>
    state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
  );
  expect(tables).toEqual([]);
  expect((await listDurableObjectIds(env.TENANTS)).length).toBeGreaterThan(0);
});

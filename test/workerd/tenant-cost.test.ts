import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { costFromEnv, tenantsFromEnv } from "../../adapters/from-env.ts";
import { newId } from "../contracts/database-rows.ts";
import { newTenant, type Problem, send, sendJson, tenantStub, type TestTenant } from "./tenant-client.ts";

/** Has both tenants of this process cost something, and the first one most of ten seconds. */
function makeCostly(costly: string, other: string): void {
  const cost = costFromEnv(env);
  cost.charge(costly, 8000, Date.now());
  cost.charge(other, 10, Date.now());
}

describe("a tenant that costs more than its part of the process", () => {
  test("gets 429 with Retry-After, its body unread, while others are served and it can stop itself", async () => {
    const [costly, other] = [await newTenant(), await newTenant()];
    makeCostly(costly.id, other.id);
    const refused = await sendJson<Problem>({
      method: "POST",
      path: "/v1/tasks",
      key: costly.key,
      body: "not even JSON",
      headers: { "idempotency-key": "once" },
    });
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(10);
    expect((await send({ path: "/v1/tasks", key: other.key })).status).toBe(200);
    const stopped = await send({ method: "POST", path: "/v1/kill-switch/stop", key: costly.key, body: {} });
    expect(stopped.status).toBe(200);
  });

  test("is served again when its cost has expired, and is never refused while it is alone", async () => {
    const [costly, other] = [await newTenant(), await newTenant()];
    makeCostly(costly.id, other.id);
    expect((await send({ path: "/v1/tasks", key: costly.key })).status).toBe(429);
    vi.setSystemTime(Date.now() + 10_000);
    expect((await send({ path: "/v1/tasks", key: costly.key })).status).toBe(200);
    costFromEnv(env).charge(costly.id, 9000, Date.now());
    expect((await send({ path: "/v1/tasks", key: costly.key })).status).toBe(200);
  });

  test("runs two tasks at once at most", async () => {
    const [costly, other] = [newId("tenant"), newId("tenant")];
    const none = { tokens: 0, costMicros: 0 };
    const enter = async () => {
      const asked = {
        task: newId("task"),
        version: 1,
        key: null,
        agent: "agent_a",
        used: none,
        need: none,
        want: none,
      };
      return (await tenantsFromEnv(env)(costly).enter({ ...asked, isPriced: true }, null)).kind;
    };
    makeCostly(costly, other);
    expect([await enter(), await enter(), await enter()]).toEqual(["admitted", "admitted", "queued"]);
    costFromEnv(env).clear();
    expect(await enter()).toBe("admitted");
    await runInDurableObject(tenantStub(costly), async (_, state) => await state.storage.deleteAlarm());
  });
});

describe("a tenant's pace", () => {
  /** Milliseconds within the tenant's part, but further ahead of its pace than any request waits. */
  const AHEAD_MS = 4000;

  test("refuses a request that would wait too long, while others are served and the tenant can stop itself", async () => {
    const [ahead, other] = [await newTenant(), await newTenant()];
    costFromEnv(env).charge(other.id, 10, Date.now());
    costFromEnv(env).charge(ahead.id, AHEAD_MS, Date.now());
    expect(costFromEnv(env).refusedForMs(ahead.id, Date.now())).toBeNull();
    const post = { method: "POST", path: "/v1/tasks", body: { input: "x", hold: true } };
    const refused = await sendJson<Problem>({ ...post, key: ahead.key });
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await send({ path: "/v1/tasks", key: ahead.key })).status).toBe(200);
    expect((await send({ path: "/v1/tasks", key: other.key })).status).toBe(200);
    const stopped = await send({ method: "POST", path: "/v1/kill-switch/stop", key: ahead.key, body: {} });
    expect(stopped.status).toBe(200);
  });

  test("is asked before each request and each step, and paid in turns of long work", async () => {
    const tenant = await newTenant();
    const pace = vi.spyOn(costFromEnv(env), "paceMs");
    const ahead = vi.spyOn(costFromEnv(env), "aheadMs");
    const made = await sendJson<{ id: string }>({
      method: "POST",
      path: "/v1/tasks?wait=10",
      key: tenant.key,
      body: { input: "Say hello." },
    });
    expect(made.status).toBe(201);
    expect(pace.mock.calls.filter(([id]) => id === tenant.id).length).toBeGreaterThanOrEqual(2);
    const solved = await send({
      method: "POST",
      path: "/v1/tools/solve_equation/call",
      key: tenant.key,
      body: { arguments: { equation: "x**36 - 3*x**11 + sin(x)*exp(x) = 0.5" } },
    });
    expect(solved.status).toBe(200);
    expect(ahead.mock.calls.filter(([id]) => id === tenant.id).length).toBeGreaterThanOrEqual(1);
    pace.mockRestore();
    ahead.mockRestore();
  });
});

describe("the charge of a tenant", () => {
  /** Milliseconds that `work` was charged to the tenant. */
  async function costOfWork(tenant: TestTenant, work: () => Promise<unknown>): Promise<number> {
    const charge = vi.spyOn(costFromEnv(env), "charge");
    await work();
    const own = charge.mock.calls.filter(([id]) => id === tenant.id).reduce((sum, [, ms]) => sum + ms, 0);
    charge.mockRestore();
    return own;
  }

  test("counts each request, more for a large body, and most for a compiled one", async () => {
    const tenant = await newTenant();
    const junk = { junk: "x".repeat(500_000) };
    const post = async (path: string, body: unknown) => await send({ method: "POST", path, key: tenant.key, body });
    const read = await costOfWork(tenant, async () => await send({ path: "/v1/tasks", key: tenant.key }));
    expect(read).toBeGreaterThanOrEqual(0.5);
    const large = await costOfWork(tenant, async () => await post("/v1/tasks", junk));
    expect(large).toBeGreaterThanOrEqual(0.5 + 7);
    const compiled = await costOfWork(tenant, async () => await post("/v1/tools/import", junk));
    expect(compiled).toBeGreaterThanOrEqual(140);
  });

  test("counts each tool call, also by the API, and no request with an invalid key", async () => {
    const tenant = await newTenant();
    const call = async () =>
      await send({
        method: "POST",
        path: "/v1/tools/evaluate_expression/call",
        key: tenant.key,
        body: { arguments: { expression: "2 + 2" } },
      });
    const cost = await costOfWork(tenant, async () => expect((await call()).status).toBe(200));
    expect(cost).toBeGreaterThanOrEqual(1.5);
    const stranger = await costOfWork(tenant, async () => await send({ path: "/v1/tasks", key: `${tenant.key}x` }));
    expect(stranger).toBe(0);
  });
});

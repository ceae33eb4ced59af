import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { costFromEnv, tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { meterWork, paceIncoming, paceRequest } from "../../../workers/http/charge-cost.ts";
import { newId } from "../../contracts/database/rows.ts";
import { makeCaller } from "../http/entry.ts";
import { call, hmac, makeHook, signed } from "../channels/webhooks/hooks-client.ts";
import { newTenant, type Problem, send, sendJson, tenantStub } from "./client.ts";

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
    expect(costFromEnv(env).findRefusalMs(ahead.id, Date.now())).toBeNull();
    const post = { method: "POST", path: "/v1/tasks", body: { input: "x", hold: true } };
    const refused = await sendJson<Problem>({ ...post, key: ahead.key });
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await send({ path: "/v1/tasks", key: ahead.key })).status).toBe(200);
    expect((await send({ path: "/v1/tasks", key: other.key })).status).toBe(200);
    const stopped = await send({ method: "POST", path: "/v1/kill-switch/stop", key: ahead.key, body: {} });
    expect(stopped.status).toBe(200);
  });

  test("is requested before each request, and charged in steps for long work", async () => {
    const tenant = await newTenant();
    const book = vi.spyOn(costFromEnv(env), "book");
    const turn = vi.spyOn(costFromEnv(env), "findTurnWaitMs");
    const post = { method: "POST", path: "/v1/tasks", body: { input: "x", hold: true } };
    expect((await send({ ...post, key: tenant.key })).status).toBe(201);
    expect(book.mock.calls.filter(([id]) => id === tenant.id).length).toBeGreaterThanOrEqual(1);
    const solved = await send({
      method: "POST",
      path: "/v1/tools/solve_equation/call",
      key: tenant.key,
      body: { arguments: { equation: "x**36 - 3*x**11 + sin(x)*exp(x) = 0.5" } },
    });
    expect(solved.status).toBe(200);
    expect(turn.mock.calls.filter(([id]) => id === tenant.id).length).toBeGreaterThanOrEqual(1);
    book.mockRestore();
    turn.mockRestore();
  });

  test.each([
    ["POST", "/v1/tasks", 700],
    ["GET", "/v1/tasks", 700],
    ["POST", "/v1/kill-switch/stop", 0],
    ["POST", "/v1/tasks/task_1/cancel", 0],
    ["POST", "/v1/tasks/task_1/approvals/appr_1", 0],
    ["POST", "/v1/tasks/task_1/questions/q_1/answer", 0],
  ])("makes %s %s wait", async (method, path, waitMs) => {
    const wait = vi.spyOn(scheduler, "wait").mockResolvedValue(undefined);
    const book = vi.spyOn(costFromEnv(env), "book").mockReturnValue(700);
    expect(await paceRequest(env, "tenant_a", { method, path })).toBe(waitMs > 0);
    expect(wait.mock.calls.map(([ms]) => ms)).toEqual(waitMs > 0 ? [waitMs] : []);
    wait.mockRestore();
    book.mockRestore();
  });

  test.each([
    ["700 ms", 700, undefined, 700],
    ["five seconds", 9000, undefined, 5000],
    ["as long as it may", 9000, 1000, 1000],
  ])("makes what comes in wait %s, by its inbox and not by its tenant", async (_, dueMs, mostMs, waitMs) => {
    const wait = vi.spyOn(scheduler, "wait").mockResolvedValue(undefined);
    const book = vi.spyOn(costFromEnv(env), "book").mockReturnValue(dueMs);
    const charge = vi.spyOn(costFromEnv(env), "charge");
    const account = { inbox: "email/tenant_a", owner: "tenant_a" };
    await paceIncoming(env, account, { costMs: 8, ...(mostMs === undefined ? {} : { mostMs }) });
    expect(wait.mock.calls.map(([ms]) => ms)).toEqual([waitMs]);
    expect([...book.mock.calls, ...charge.mock.calls].map(([charged]) => charged)).toEqual([account, account]);
    for (const spy of [wait, book, charge]) spy.mockRestore();
  });

  test("delays a turn of long work for three seconds in total, then for twice its own time, and ends with its signal", async () => {
    const wait = vi.spyOn(scheduler, "wait").mockResolvedValue(undefined);
    const due = vi.spyOn(costFromEnv(env), "findTurnWaitMs").mockReturnValue(1500);
    const ended = new AbortController();
    const work = meterWork(env, "tenant_a", { signal: ended.signal });
    for (let turn = 0; turn < 5; turn += 1) await work.giveWay();
    expect(wait.mock.calls.map(([ms]) => ms).slice(0, 3)).toEqual([1000, 1000, 1000]);
    for (const [ms] of wait.mock.calls.slice(3)) expect(ms).toBeLessThanOrEqual(200);
    ended.abort(new Error("its time is up"));
    await expect(work.giveWay()).rejects.toThrow("its time is up");
    wait.mockRestore();
    due.mockRestore();
  });

  test("checks the key again after a request waited", async () => {
    const tenant = await newTenant();
    const made = await sendJson<{ id: string; key: string }>({
      method: "POST",
      path: "/v1/keys",
      key: tenant.key,
      body: { name: "revoked", scopes: ["tasks:write", "tasks:read"] },
    });
    const book = vi.spyOn(costFromEnv(env), "book").mockImplementation(() => 700);
    const wait = vi.spyOn(scheduler, "wait").mockImplementation(async () => {
      book.mockReturnValue(0);
      wait.mockRestore();
      await send({ method: "DELETE", path: `/v1/keys/${made.body.id}`, key: tenant.key });
    });
    const answered = await send({ path: "/v1/tasks", key: made.body.key });
    expect(answered.status).toBe(401);
    book.mockRestore();
  });
});

describe("the charge of a tenant", () => {
  /** Milliseconds that `work` was charged to the tenant. */
  async function costOfWork(tenant: string, work: () => Promise<unknown>): Promise<number> {
    const charge = vi.spyOn(costFromEnv(env), "charge");
    await work();
    const own = charge.mock.calls.filter(([id]) => id === tenant).reduce((sum, [, ms]) => sum + ms, 0);
    charge.mockRestore();
    return own;
  }

  test("counts each request, more for a large body, and most for a compiled one", async () => {
    const tenant = await newTenant();
    const junk = { junk: "x".repeat(500_000) };
    const post = async (path: string, body: unknown) => await send({ method: "POST", path, key: tenant.key, body });
    const read = await costOfWork(tenant.id, async () => await send({ path: "/v1/tasks", key: tenant.key }));
    expect(read).toBeGreaterThanOrEqual(2);
    const tools = await costOfWork(
      tenant.id,
      async () => await send({ path: "/v1/tools?query=mail", key: tenant.key }),
    );
    expect(tools).toBeGreaterThanOrEqual(2 + 10);
    const large = await costOfWork(tenant.id, async () => await post("/v1/tasks", junk));
    expect(large).toBeGreaterThanOrEqual(2 + 7);
    const compiled = await costOfWork(tenant.id, async () => await post("/v1/tools/import", junk));
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
    const cost = await costOfWork(tenant.id, async () => expect((await call()).status).toBe(200));
    expect(cost).toBeGreaterThanOrEqual(2 + 6 + 6);
    const stranger = await costOfWork(tenant.id, async () => await send({ path: "/v1/tasks", key: `${tenant.key}x` }));
    expect(stranger).toBe(0);
  });

  test("charges a signed hook call by its bytes, and an unsigned one nothing", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller);
    const body = JSON.stringify({ text: "x".repeat(500_000) });
    const cost = await costOfWork(caller.tenant, async () => expect((await signed(hook, body)).status).toBe(200));
    expect(cost).toBeGreaterThanOrEqual(2 + 7);
    const forged = { "x-otto-signature": `sha256=${await hmac(body, "another")}` };
    expect(await costOfWork(caller.tenant, async () => expect((await call(hook, body, forged)).status).toBe(401))).toBe(
      0,
    );
  });

  test("charges a turn up to a tenth of a second, and no waiting time before it starts", async () => {
    const tenant = await newTenant();
    const work = meterWork(env, tenant.id, { countedMs: 6 });
    const costOfTurn = async (turn: () => void) => await costOfWork(tenant.id, async () => turn());
    const later = (ms: number) => void vi.setSystemTime(Date.now() + ms);
    expect(await costOfTurn(() => (later(5000), work.begin(), later(20), work.charge()))).toBeCloseTo(14, -1);
    expect(await costOfTurn(() => (later(5000), work.charge()))).toBe(100);
  });
});

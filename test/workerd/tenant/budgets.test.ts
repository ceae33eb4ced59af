import { describe, expect, test, vi } from "vitest";
import { env } from "cloudflare:workers";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { newId, report as reportOf } from "../../contracts/database/rows.ts";
import {
  makeAgent,
  newKey,
  newTenant,
  type Problem,
  readAll,
  send,
  sendJson,
  type TestTenant,
  watchDatabase,
} from "./client.ts";

interface Budget {
  readonly account: string;
  readonly limit: object | null;
  readonly used: object;
  readonly reserved: object;
}

const put = <T = Budget>(tenant: TestTenant, account: string, body: unknown) =>
  sendJson<T>({ method: "PUT", path: `/v1/budgets/${account}`, key: tenant.key, body });
const list = async (tenant: TestTenant) =>
  (await sendJson<{ data: Budget[] }>({ path: "/v1/budgets", key: tenant.key })).body.data;
const daily = { max_tokens: 1000, max_cost_usd: 1.5, period: "day" };
const nothing = { tokens: 0, cost_usd: 0 };

describe("the budgets of a tenant", () => {
  test("are set, listed, changed and removed, for the tenant, its keys and its agents", async () => {
    const tenant = await newTenant();
    expect(await list(tenant)).toEqual([]);
    const key = await newKey(tenant, ["tasks:read"]);
    const { body: agent } = await makeAgent(tenant, "spender");
    const limit = { max_tokens: 1000, max_cost_usd: 1.5, period: "day" };
    for (const account of ["tenant", key.id, agent.id, "agent_default"]) {
      const made = await put(tenant, account, daily);
      expect([made.status, made.body]).toEqual([200, { account, limit, used: nothing, reserved: nothing }]);
    }
    expect((await list(tenant)).map(({ account }) => account).toSorted()).toEqual(
      ["tenant", key.id, agent.id, "agent_default"].toSorted(),
    );
    const changed = await put(tenant, "tenant", { max_cost_usd: 0.000001, period: "total" });
    expect(changed.body.limit).toEqual({ max_tokens: null, max_cost_usd: 0.000001, period: "total" });
    for (const account of ["tenant", key.id]) {
      const gone = await sendJson<Budget>({ method: "DELETE", path: `/v1/budgets/${account}`, key: tenant.key });
      expect([gone.status, gone.body.limit]).toEqual([200, null]);
    }
    expect((await list(tenant)).map(({ account }) => account).toSorted()).toEqual(
      [agent.id, "agent_default"].toSorted(),
    );
  });

  test("show what was used and what is leased, in dollars", async () => {
    const tenant = await newTenant();
    await put(tenant, "tenant", { max_tokens: 10_000, max_cost_usd: 10, period: "month" });
    const rpc = tenantsFromEnv(env)(tenant.id);
    const amount = (tokens: number, costMicros: number) => ({ tokens, costMicros });
    const admission = { task: newId("task"), version: 1, key: null, agent: "agent_default", used: amount(30, 250_000) };
    await rpc.enter({ ...admission, isPriced: true, need: amount(1, 1), want: amount(10, 10_000) }, null);
    const [own] = (await list(tenant)).filter(({ account }) => account === "tenant");
    expect(own).toMatchObject({ used: { tokens: 30, cost_usd: 0.25 }, reserved: { tokens: 20, cost_usd: 0.02 } });
  });

  test.each(["tenant", "key", "agent"] as const)(
    "warn in the stream of a task, once, when those of the %s are nearly used up",
    async (which) => {
      const tenant = await newTenant();
      const key = await newKey(tenant, ["tasks:read", "tasks:write"]);
      const { body: agent } = await makeAgent(tenant, "spender");
      const account = { tenant: "tenant", key: key.id, agent: agent.id }[which];
      await put(tenant, account, { max_tokens: 50_000, period: "day" });
      const run = async (replies: readonly unknown[]) => {
        const body = { input: JSON.stringify({ replies }), agent: agent.id };
        const { body: task } = await sendJson<TaskView>({ method: "POST", path: "/v1/tasks", key: key.key, body });
        return await (await send({ path: `/v1/tasks/${task.id}/events`, key: key.key })).text();
      };
      const first = await run([{ text: "Done.", usage: { input: 42_000, output: 500 } }]);
      expect(first).toContain("event: task.completed");
      expect(first).not.toContain("budget.warning");
      await vi.waitFor(
        async () => {
          const used = (await list(tenant)).find((one) => one.account === account)?.used;
          expect(used).toMatchObject({ tokens: 42_500 });
        },
        { timeout: 20_000 },
      );
      const call = { calls: [{ name: "get_current_datetime", arguments: {} }] };
      const second = await run([call, { text: "Done." }]);
      expect(second).toContain("event: task.completed");
      const warnings = second.split("\n\n").filter((message) => message.includes("event: budget.warning"));
      expect(warnings).toHaveLength(1);
      const data = JSON.parse(/^data: (.*)$/m.exec(warnings[0] ?? "")?.[1] ?? "null");
      expect(data).toMatchObject({ account, kind: "tokens", used: 42_500, limit: 50_000 });
    },
  );

  test("write audit rows", async () => {
    const tenant = await newTenant();
    await put(tenant, "tenant", daily);
    await send({ method: "DELETE", path: "/v1/budgets/tenant", key: tenant.key });
    const acts = await readAll<{ action: string; target: string }>("/v1/audit", tenant.key, 10);
    expect(acts.map(({ action, target }) => [action, target])).toEqual([
      ["budget.delete", "tenant"],
      ["budget.set", "tenant"],
      ["person.create", expect.stringMatching(/^per_/)],
    ]);
  });

  test.each([
    ["without a limit", { period: "day" }, "max_tokens"],
    ["with only limits of null", { max_tokens: null, max_cost_usd: null, period: "day" }, "max_tokens"],
    ["without a period", { max_tokens: 5 }, "period"],
    ["for another period", { max_tokens: 5, period: "week" }, "period"],
    ["of no tokens", { max_tokens: 0, period: "day" }, "max_tokens"],
    ["of half a token", { max_tokens: 0.5, period: "day" }, "max_tokens"],
    ["of less than a millionth of a dollar", { max_cost_usd: 0.000_000_4, period: "day" }, "max_cost_usd"],
    ["with a field that there is not", { max_tokens: 5, period: "day", max_steps: 3 }, "max_steps"],
  ])("are refused %s", async (_what, body, field) => {
    const tenant = await newTenant();
    const answer = await put<Problem>(tenant, "tenant", body);
    expect([answer.status, answer.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
    expect(await list(tenant)).toEqual([]);
  });

  test("are not found for what is no account of this tenant", async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const key = await newKey(other, ["admin"]);
    const { body: agent } = await makeAgent(other, "theirs");
    for (const account of [key.id, agent.id, newId("key"), newId("agent"), newId("task"), "spender", "key_a", "%00"]) {
      const answer = await put<Problem>(tenant, account, daily);
      expect([account, answer.status, answer.body.code]).toEqual([account, 404, "not_found"]);
      expect((await send({ method: "DELETE", path: `/v1/budgets/${account}`, key: tenant.key })).status).toBe(404);
    }
    expect([await list(tenant), await list(other)]).toEqual([[], []]);
  });

  test("take an administrator's key", async () => {
    const tenant = await newTenant();
    const worker = await newKey(tenant, ["tasks:read", "tasks:write", "tools:call"]);
    expect((await send({ path: "/v1/budgets", key: worker.key })).status).toBe(403);
    expect((await put({ ...tenant, key: worker.key }, "tenant", daily)).status).toBe(403);
  });

  test("of the tenant hold at once also when the database is away for their audit row, those of a key are not set", async () => {
    const tenant = await newTenant();
    const key = await newKey(tenant, ["admin"]);
    await list(tenant);
    const watch = watchDatabase();
    watch.isAway = true;
    expect((await put(tenant, key.id, daily)).status).toBe(503);
    expect(await list(tenant)).toEqual([]);
    expect((await put(tenant, "tenant", daily)).status).toBe(503);
    expect(await list(tenant)).toHaveLength(1);
  });

  test("count what a task reported before there was a limit", async () => {
    const tenant = await newTenant();
    const row = reportOf({ status: "completed" });
    await tenantsFromEnv(env)(tenant.id).report({ ...row, used: { tokens: 70, costMicros: 0.4 } });
    expect((await put(tenant, "agent_default", daily)).body.used).toEqual({ tokens: 70, cost_usd: 0.000001 });
  });
});

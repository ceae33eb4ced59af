import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { costFromEnv, tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import type { BudgetLimit } from "../../../core/tenant/budget-tree.ts";
import { FairShare } from "../../../core/tenant/fair-share.ts";
import type { PermitReply, PermitRequest } from "../../../core/tenant/rpc.ts";
import type { TaskReport } from "../../../core/task/rpc.ts";
import type { TaskStatus } from "../../../core/task/status.ts";
import { newId, report as reportOf } from "../../contracts/database/rows.ts";
import { tenantStub } from "./client.ts";

const tokens = (count: number) => ({ tokens: count, costMicros: 0 });
let tenant: string;

beforeEach(() => {
  tenant = newId("tenant");
});
afterEach(() => {
  vi.useRealTimers();
});

/** A new stub each time: one whose object was reset stays broken. */
const object = () => tenantsFromEnv(env)(tenant);

const enter = (task: string, version: number, more: Partial<PermitRequest> = {}) =>
  object().enter(
    {
      task,
      version,
      key: "key_a",
      agent: "agent_a",
      used: tokens(0),
      need: tokens(1),
      want: tokens(10),
      isPriced: true,
      ...more,
    },
    null,
  );

const taskReport = (task: string, version: number, status: TaskStatus, used = 0): TaskReport => {
  const row = reportOf({ task, version, status });
  return {
    ...row,
    view: { ...row.view, agent: { id: "agent_a", version: 1 } },
    key: "key_a",
    used: tokens(used),
  };
};

const kindOf = (reply: PermitReply) => (reply.kind === "queued" ? reply.why : reply.kind);
const limitOf = (most: number, period: BudgetLimit["period"] = "total") => ({ tokens: most, costMicros: null, period });
const accountOf = async (account: string) => (await object().budgets()).find((one) => one.account === account);
const tasks = (count: number) => Array.from({ length: count }, () => newId("task"));

/** Lets this tenant's object, which does not live yet, run so many tasks at once. */
async function limitSlots(most: number): Promise<void> {
  await runInDurableObject(tenantStub(tenant), (instance) => {
    const holder = instance as unknown as { jobs: { slots: { env: object } } };
    holder.jobs.slots.env = { ...holder.jobs.slots.env, OTTO_MAX_RUNNING_TASKS: String(most) };
  });
}

/** Makes a tenant's object share 64 slots with the other tenants of `tenants` only, not with others of this process. */
async function share(id: string, tenants: FairShare): Promise<void> {
  await runInDurableObject(tenantStub(id), (instance) => {
    const { slots } = (instance as unknown as { jobs: { slots: { env: object; tenants: FairShare } } }).jobs;
    slots.env = { ...slots.env, OTTO_SHARED_RUNNING_TASKS: "64" };
    slots.tenants = tenants;
  });
}

describe("the slots of a tenant", () => {
  test("are taken up to the limit, in order of request", async () => {
    await limitSlots(3);
    const kinds = [];
    for (const task of tasks(5)) kinds.push(kindOf(await enter(task, 1)));
    expect(kinds).toEqual(["admitted", "admitted", "admitted", "queue", "queue"]);
  });

  test("are offered to the keys in turn, and reserved for the task that was woken", async () => {
    // A woken task has two seconds to request its slot; only the set time passes here.
    vi.setSystemTime(Date.now());
    await limitSlots(2);
    const [a, b, a1, a2, b1] = tasks(5) as [string, string, string, string, string];
    for (const task of [a, b]) await enter(task, 1);
    for (const [task, key] of [
      [a1, "key_a"],
      [a2, "key_a"],
      [b1, "key_b"],
    ] as const)
      expect(kindOf(await enter(task, 1, { key }))).toBe("queue");
    for (const task of [a, b]) await object().report(taskReport(task, 2, "completed"));
    expect(kindOf(await enter(a2, 1))).toBe("queue");
    expect(kindOf(await enter(b1, 1, { key: "key_b" }))).toBe("admitted");
    expect(kindOf(await enter(a1, 1))).toBe("admitted");
    expect(kindOf(await enter(a2, 1))).toBe("queue");
  });

  test("are offered to the next key when the woken task does not respond", async () => {
    const now = Date.now();
    vi.setSystemTime(now);
    await limitSlots(1);
    const [a, gone, next] = tasks(3) as [string, string, string];
    for (const task of [a, gone, next]) await enter(task, 1);
    await object().report(taskReport(a, 2, "failed"));
    expect(kindOf(await enter(next, 1))).toBe("queue");
    vi.setSystemTime(now + 2001);
    expect(kindOf(await enter(next, 1))).toBe("admitted");
    expect(kindOf(await enter(gone, 1))).toBe("queue");
  });

  test("survive a crash of the object, even if the reply was lost", async () => {
    await limitSlots(1);
    const [a, b] = tasks(2) as [string, string];
    await enter(a, 1);
    await abortAllDurableObjects();
    await limitSlots(1);
    expect(kindOf(await enter(b, 1))).toBe("queue");
    expect(kindOf(await enter(a, 1))).toBe("admitted");
    expect(kindOf(await enter(b, 1))).toBe("queue");
  });

  test.each<TaskStatus>(["waiting_input", "sleeping", "completed", "cancelled"])(
    "are released by a task that is %s, and not by a report from before its request",
    async (status) => {
      await limitSlots(1);
      const [a, b] = tasks(2) as [string, string];
      await enter(a, 3);
      for (const version of [1, 3])
        await object().report(taskReport(a, version, status === "sleeping" ? status : "sleeping"));
      expect(kindOf(await enter(b, 1))).toBe("queue");
      await object().report(taskReport(a, 4, status));
      expect(kindOf(await enter(b, 1))).toBe("admitted");
    },
  );

  test("are released by an erased task, which can get no new one", async () => {
    await limitSlots(1);
    const [a, b] = tasks(2) as [string, string];
    await enter(a, 1);
    await object().forget(a);
    expect(kindOf(await enter(b, 1))).toBe("admitted");
    expect(kindOf(await enter(a, 9))).toBe("stopped");
    await object().report(taskReport(a, 9, "running", 50));
    expect((await accountOf("tenant"))?.usedTokens ?? 0).toBe(0);
  });

  test("are yielded by long-running tasks to a key that holds no slot, also after a crash of the object", async () => {
    await limitSlots(2);
    const [a1, a2, b] = tasks(3) as [string, string, string];
    for (const task of [a1, a2]) await enter(task, 1);
    await abortAllDurableObjects();
    await limitSlots(2);
    expect(kindOf(await enter(b, 1, { key: "key_b" }))).toBe("queue");
    expect(kindOf(await enter(a1, 2))).toBe("queue");
    expect(kindOf(await enter(b, 1, { key: "key_b" }))).toBe("admitted");
    expect(kindOf(await enter(a2, 2))).toBe("admitted");
  });

  test("are shared with the other tenants of the process that have tasks, and never fewer than two", async () => {
    const tenants = new FairShare();
    await share(tenant, tenants);
    const mine = tasks(40);
    for (const task of mine) expect(kindOf(await enter(task, 1))).toBe("admitted");
    const others = Array.from({ length: 9 }, () => ({ id: newId("tenant"), task: newId("task") }));
    for (const { id, task } of others) {
      await share(id, tenants);
      const none = tokens(0);
      const admission = { task, version: 1, key: null, agent: "agent_a", used: none, need: none, want: none };
      await tenantsFromEnv(env)(id).enter({ ...admission, isPriced: true }, null);
    }
    const granted = async (version: number): Promise<number> => {
      let count = 0;
      for (const task of mine) if (kindOf(await enter(task, version)) === "admitted") count += 1;
      return count;
    };
    expect(await granted(2)).toBe(6);
    // A tenant takes no slots from the moment when its last task ended, or when it was erased.
    for (const { id, task } of others.slice(0, 7))
      await tenantsFromEnv(env)(id).report({ ...taskReport(task, 2, "completed"), key: null });
    await tenantsFromEnv(env)(others[7]?.id ?? "").erase();
    expect(await granted(3)).toBe(32);
  });
});

describe("tasks that wait for their models", () => {
  /** Three tasks of a tenant with two slots: two of them wait for their models. */
  async function enterWaiting(): Promise<string> {
    const tenants = new FairShare();
    await share(tenant, tenants);
    await limitSlots(2);
    const [a, b, c] = tasks(3) as [string, string, string];
    for (const task of [a, b]) {
      expect(kindOf(await enter(task, 1))).toBe("admitted");
      tenants.beginWait(tenant, task, Date.now() - 1000);
    }
    return c;
  }

  test("leave their places to others, and keep their leases", async () => {
    await object().setBudget("tenant", limitOf(1000));
    const next = await enterWaiting();
    const leased = (await accountOf("tenant"))?.leasedTokens ?? 0;
    expect(leased).toBeGreaterThan(0);
    expect(kindOf(await enter(next, 1))).toBe("admitted");
    expect((await accountOf("tenant"))?.leasedTokens).toBeGreaterThan(leased);
  });

  test("are halted with the tenant, and the one that took a place too", async () => {
    const next = await enterWaiting();
    await enter(next, 1);
    await object().stop({ by: "key_a", byOperator: false, reason: null, at: 1 });
    const marked = await runInDurableObject(tenantStub(tenant), (_, { storage }) =>
      storage.sql.exec("SELECT task FROM tasks WHERE holds_place = 1").toArray(),
    );
    expect(marked).toHaveLength(3);
  });

  test("count in full while the tenant is above its rate", async () => {
    const next = await enterWaiting();
    const costs = costFromEnv(env);
    costs.charge(newId("tenant"), 500, Date.now());
    costs.charge(tenant, 9000, Date.now());
    expect(kindOf(await enter(next, 1))).toBe("queue");
    costs.clear();
    expect(kindOf(await enter(next, 2))).toBe("admitted");
  });
});

describe("the budgets of a tenant", () => {
  test("are leased in slices and settled by what was used, at each account", async () => {
    await object().setBudget("tenant", limitOf(1000));
    await object().setBudget("key_a", limitOf(500, "month"));
    const [a] = tasks(1) as [string];
    const reply = await enter(a, 1, { used: tokens(20) });
    expect(reply).toMatchObject({ kind: "admitted", grant: { tokens: 20 + 20, costMicros: null } });
    expect(await accountOf("key_a")).toMatchObject({ usedTokens: 20, leasedTokens: 20 });
    await object().report(taskReport(a, 2, "completed", 70));
    for (const account of ["tenant", "key_a", "agent_a"])
      expect(await accountOf(account)).toMatchObject({ usedTokens: 70, leasedTokens: 0 });
  });

  test("include what running tasks had used when a limit was set, also after a crash", async () => {
    const [a, b] = tasks(2) as [string, string];
    await enter(a, 1);
    await enter(a, 2, { used: tokens(60) });
    await object().setBudget("tenant", limitOf(100));
    await abortAllDurableObjects();
    expect(await accountOf("tenant")).toMatchObject({ usedTokens: 60 });
    expect(await enter(b, 1, { want: tokens(60) })).toMatchObject({ kind: "admitted", grant: { tokens: 40 } });
  });

  test("are the same after every crash of the object as before it", async () => {
    await object().setBudget("tenant", limitOf(100));
    const [a, b] = tasks(2) as [string, string];
    const asking = { want: tokens(60) };
    expect(kindOf(await enter(a, 1, asking))).toBe("admitted");
    await abortAllDurableObjects();
    expect(await accountOf("tenant")).toMatchObject({ leasedTokens: 60, usedTokens: 0 });
    expect(kindOf(await enter(b, 1, asking))).toBe("budget");
    await object().report(taskReport(a, 2, "running", 50));
    await abortAllDurableObjects();
    expect(await accountOf("tenant")).toMatchObject({ leasedTokens: 10, usedTokens: 50 });
    await object().report(taskReport(a, 2, "running", 50));
    await object().report(taskReport(a, 3, "completed", 50));
    await abortAllDurableObjects();
    expect(await accountOf("tenant")).toMatchObject({ leasedTokens: 0, usedTokens: 50 });
    expect(await enter(b, 1, asking)).toMatchObject({ kind: "admitted", grant: { tokens: 50 } });
  });

  test("refuse a call that they cannot cover, and say which one and what to do", async () => {
    await object().setBudget("agent_a", limitOf(100, "day"));
    const [a] = tasks(1) as [string];
    const reply = await enter(a, 1, { used: tokens(95), need: tokens(10), want: tokens(20) });
    expect(reply).toEqual({ kind: "exceeded", message: expect.stringContaining("PUT /v1/budgets/agent_a") });
    expect(kindOf(await enter(a, 2, { used: tokens(95), need: tokens(0), want: tokens(0) }))).toBe("admitted");
  });

  test("of ten that spend at once are never passed, in whatever way the object dies", async () => {
    await object().setBudget("tenant", limitOf(2000));
    const spenders = tasks(10).map((task) => ({ task, version: 0, used: 0, ended: false }));
    let [round, over] = [0, 0];
    while (spenders.some(({ ended }) => !ended) && round < 500) {
      round += 1;
      for (const one of spenders.filter(({ ended }) => !ended)) {
        one.version += 1;
        const reply = await enter(one.task, one.version, {
          used: tokens(one.used),
          need: tokens(20),
          want: tokens(100),
        });
        if (reply.kind === "admitted") {
          const left = (reply.grant.tokens ?? Infinity) - one.used;
          one.used += Math.min(90, left);
          over = Math.max(over, spenders.reduce((sum, { used }) => sum + used, 0) - 2000);
        }
        if (reply.kind === "exceeded") {
          one.ended = true;
          await object().report(taskReport(one.task, one.version + 1, "failed", one.used));
        }
      }
      if (round % 3 === 0) await abortAllDurableObjects();
    }
    expect([over, spenders.every(({ ended }) => ended)]).toEqual([0, true]);
    const used = spenders.reduce((sum, one) => sum + one.used, 0);
    expect(used).toBeGreaterThan(1980);
    expect(await accountOf("tenant")).toMatchObject({ usedTokens: used, leasedTokens: 0 });
  });

  test("forget the days before this month in the alarm, and nothing that a limit counts", async () => {
    const start = Date.UTC(2027, 0, 31, 12);
    vi.setSystemTime(start);
    const [a, b] = tasks(2) as [string, string];
    await object().report(taskReport(a, 1, "completed", 30));
    vi.setSystemTime(start + 3_600_000 * 24);
    await object().report(taskReport(b, 1, "completed", 50));
    await runDurableObjectAlarm(tenantStub(tenant));
    const days = await runInDurableObject(tenantStub(tenant), (_, state) =>
      state.storage.sql.exec("SELECT DISTINCT day FROM spent").toArray(),
    );
    expect(days).toEqual([{ day: "2027-02-01" }]);
    await abortAllDurableObjects();
    expect(await object().setBudget("tenant", limitOf(100, "month"))).toMatchObject({ usedTokens: 50 });
    expect(await object().setBudget("tenant", limitOf(100, "total"))).toMatchObject({ usedTokens: 80 });
  });

  test("restart with their period, and a limit set later counts earlier use", async () => {
    const start = Date.UTC(2027, 0, 31, 12);
    vi.setSystemTime(start);
    const [a, b] = tasks(2) as [string, string];
    await object().report(taskReport(a, 1, "completed", 30));
    vi.setSystemTime(start + 3_600_000 * 20);
    await object().report(taskReport(b, 1, "completed", 50));
    expect(await object().setBudget("tenant", limitOf(100, "day"))).toMatchObject({ usedTokens: 50 });
    expect(await object().setBudget("tenant", limitOf(100, "month"))).toMatchObject({ usedTokens: 50 });
    expect(await object().setBudget("tenant", limitOf(100, "total"))).toMatchObject({ usedTokens: 80 });
    await abortAllDurableObjects();
    expect(await accountOf("tenant")).toMatchObject({ usedTokens: 80 });
    expect(await object().setBudget("tenant", null)).toMatchObject({ limit: null, usedTokens: 50 });
  });
});

test("the object of an earlier release gets the tables that it lacks, and retains its data", async () => {
  const key = { id: newId("key"), tenant, name: "k", scopes: ["admin"] as const, expiresAt: null };
  const entry = { keyHash: "a".repeat(64), keyRecord: key, idempotency: null };
  await object().admit(entry);
  await object().revoke(key.id);
  await runInDurableObject(tenantStub(tenant), (_, state) => {
    for (const table of [
      "revoked",
      "tasks",
      "accounts",
      "spent",
      "stop",
      "summaries",
      "interests",
      "notices",
      "sessions",
      "links",
      "visits",
      "schedules",
      "reindex",
      "counter",
      "kept_summaries",
      "retention",
      "connection_waits",
    ]) {
      if (table === "revoked") state.storage.sql.exec("INSERT OR IGNORE INTO revoked VALUES (?, 1)", key.id);
      else state.storage.sql.exec(`DROP TABLE ${table}`);
    }
  });
  await abortAllDurableObjects();
  expect(await object().admit(entry)).toEqual({ kind: "dead_key" });
  const [task] = tasks(1) as [string];
  expect(kindOf(await enter(task, 1))).toBe("admitted");
  await object().report(taskReport(task, 2, "completed", 5));
  expect(await accountOf("tenant")).toMatchObject({ usedTokens: 5 });
});

test("an erased tenant admits no task and retains no budget data", async () => {
  await object().setBudget("tenant", limitOf(100));
  const [task] = tasks(1) as [string];
  await enter(task, 1, { used: tokens(5) });
  await object().stop({ by: "operator", byOperator: true, reason: null, at: 1 });
  await object().erase();
  expect(kindOf(await enter(task, 2))).toBe("stopped");
  expect(await object().erase()).toEqual([task]);
  expect([await object().budgets(), await object().stopped()]).toEqual([[], null]);
  const rows = await runInDurableObject(tenantStub(tenant), (_, state) =>
    ["tasks", "accounts", "spent", "stop"].flatMap((table) =>
      state.storage.sql.exec(`SELECT * FROM ${table}`).toArray(),
    ),
  );
  expect(rows).toEqual([]);
});

/** The tasks and steps whose cost is counted. Each counts with a tenant of its own. */
import { runInDurableObject } from "cloudflare:test";
import { expect, inject, vi } from "vitest";
import { type Caller, makeCaller } from "../http/entry.ts";
import { tenantStub } from "../tenant/client.ts";
import { Counter, MARK } from "./counter.ts";
import type { Counts } from "./measures.ts";
import { VirtualTime } from "./virtual-time.ts";

const MODEL_MS = 7_000;
const QUICK_MODEL_MS = 50;
const DAY_MS = 86_400_000;
/** Half of the virtual time that a scenario with the sidecar takes. */
const SIDECAR_BEHIND_MS = 25_000;

const usage = { input: 2_000, output: 100 };
const done = { text: "Done.", usage };
const look = { calls: [{ name: "get_current_datetime", arguments: { timezone: "UTC" } }], usage };
const ask = { calls: [{ name: "ask_human", arguments: { query: "Which city?" } }], usage };

/** Returns a step that writes a file of its own: a keyed call. */
function makeWriter(): () => unknown {
  let count = 0;
  return () => {
    count += 1;
    return { calls: [{ name: "write_file", arguments: { filename: `${count}.md`, content: "A line." } }], usage };
  };
}

const readFivePages = () => ({
  calls: [1, 2, 3, 4, 5].map((page) => ({
    name: "http.get",
    arguments: { url: `${inject("servers").recorderUrl}/page/${page}` },
  })),
  usage,
});

/** The input that scripts the model. Nothing in it is random: what is derived from it has the same size each time. */
function toInput(replies: readonly unknown[]): string {
  return `${MARK}\n${JSON.stringify({ replies })}`;
}

const fanOut = {
  calls: Array.from({ length: 10 }, () => ({
    name: "dispatch_subagent",
    arguments: { task_description: toInput([done]) },
  })),
  usage,
};

interface Run {
  readonly caller: Caller;
  readonly counter: Counter;
  readonly agent: string | null;
}

interface CountedTask {
  readonly id: string;
  readonly counts: Counts;
  readonly pending: readonly { readonly id: string }[];
}

/** The costs of a task from its request until it has ended or waits. */
async function countTask(run: Run, replies: readonly unknown[], status = "completed"): Promise<CountedTask> {
  const { caller, counter, agent } = run;
  const input = toInput(replies);
  let id = "";
  const counts = await counter.count(async () => {
    const created = await caller.send("POST", "/v1/tasks", { input, ...(agent === null ? {} : { agent }) });
    expect(created.status, created.text).toBe(201);
    id = (created.json as { id: string }).id;
  });
  const { json } = await caller.send("GET", `/v1/tasks/${id}`);
  expect(json).toMatchObject({ status });
  return { id, counts, pending: json.pending as CountedTask["pending"] };
}

/** A step is the difference between a task with two of it and one with one, so it has no part of a beginning or an end. */
async function countStep(run: Run, step: () => unknown): Promise<Counts> {
  // What a tenant's first step of this kind creates is not counted, and the agent is read.
  await countTask(run, [step(), done]);
  const one = await countTask(run, [step(), done]);
  await countTask(run, [done]);
  const two = await countTask(run, [step(), step(), done]);
  const names = new Set([...one.counts.keys(), ...two.counts.keys()]);
  return new Map([...names].map((name) => [name, (two.counts.get(name) ?? 0) - (one.counts.get(name) ?? 0)]));
}

async function countWholeTask(run: Run, first: unknown, status = "completed"): Promise<CountedTask> {
  await countTask(run, [look, done]);
  return await countTask(run, [first, done], status);
}

/** A task of `steps` steps that call a tool, and a last one that replies. */
async function countTaskOfSteps(run: Run, steps: number): Promise<Counts> {
  await countTask(run, [look, done]);
  return (await countTask(run, [...Array.from({ length: steps }, () => look), done])).counts;
}

async function countResume(run: Run, unload: (task: string) => Promise<void>): Promise<Counts> {
  const { caller, counter } = run;
  const { id, pending } = await countWholeTask(run, ask, "waiting_input");
  await unload(id);
  const counts = await counter.count(async () => {
    const path = `/v1/tasks/${id}/questions/${pending[0]?.id ?? ""}/answer`;
    expect((await caller.send("POST", path, { text: "Oslo" })).status).toBe(200);
  });
  expect((await caller.send("GET", `/v1/tasks/${id}`)).json).toMatchObject({ status: "completed" });
  return counts;
}

/** Gives the tenant an agent, and returns its name. */
async function createAgent({ send }: Caller, more: Readonly<Record<string, unknown>>): Promise<string> {
  const config = { name: "counted", instructions: "Work.", tools: ["*"], ...more };
  const created = await send("POST", "/v1/agents", { permissions: ["read", "network"], ...config });
  expect(created.status, created.text).toBe(201);
  return config.name;
}

async function createPricedAgent(caller: Caller): Promise<string> {
  const limit = { max_cost_usd: 100, period: "month" };
  const set = await caller.send("PUT", "/v1/budgets/tenant", limit);
  expect(set.status, set.text).toBe(200);
  return await createAgent(caller, { model: "gpt-4.1-mini" });
}

interface Scenario {
  readonly usesSidecar?: boolean;
  readonly modelMs?: number;
  readonly createAgent?: (caller: Caller) => Promise<string>;
  readonly count: (run: Run) => Promise<Counts>;
}

const SCENARIOS: ReadonlyMap<string, Scenario> = new Map([
  ["task of one model call", { count: async (run) => (await countWholeTask(run, done)).counts }],
  ["task of 5 `none` steps", { count: async (run) => await countTaskOfSteps(run, 5) }],
  ["`none` step", { count: async (run) => await countStep(run, () => look) }],
  ["`none` step, model of 50 ms", { modelMs: QUICK_MODEL_MS, count: async (run) => await countStep(run, () => look) }],
  ["`none` step, priced", { createAgent: createPricedAgent, count: async (run) => await countStep(run, () => look) }],
  ["`keyed` step", { count: async (run) => await countStep(run, makeWriter()) }],
  [
    "step of 5 HTTP tools",
    {
      usesSidecar: true,
      createAgent: async (caller) => await createAgent(caller, { allowed_domains: ["*"] }),
      count: async (run) => await countStep(run, readFivePages),
    },
  ],
  ["fan-out of 10", { count: async (run) => (await countWholeTask(run, fanOut)).counts }],
  ["question", { count: async (run) => (await countWholeTask(run, ask, "waiting_input")).counts }],
  ["resume", { count: async (run) => await countResume(run, async () => undefined) }],
  ["cold resume", { count: async (run) => await countResume(run, async (task) => await run.counter.unload(task)) }],
] satisfies [string, Scenario][]);

export const SCENARIO_NAMES = [...SCENARIOS.keys()];

/** The counts of a scenario, for a tenant with this number of tasks that completed. */
export async function countScenario(name: string, ended: number): Promise<Counts> {
  const scenario = SCENARIOS.get(name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  const time = new VirtualTime(findStart(scenario, Date.now()));
  time.start();
  try {
    return await countInTime(scenario, ended, time);
  } finally {
    time.end();
    vi.restoreAllMocks();
  }
}

/**
 * A time from which a scenario takes place in one day and has the same digits. The sidecar has the real time, and accepts
 * tokens of half a minute before and after it.
 */
function findStart({ usesSidecar = false }: Scenario, now: number): number {
  if (usesSidecar) return Math.floor(now / 1_000) * 1_000 - SIDECAR_BEHIND_MS;
  return Math.floor(now / DAY_MS) * DAY_MS + DAY_MS / 2;
}

async function countInTime(scenario: Scenario, ended: number, time: VirtualTime): Promise<Counts> {
  const caller = await makeCaller();
  // The first request creates the tables of the tenant's object.
  expect((await caller.send("GET", "/v1/agents")).status).toBe(200);
  const agent = (await scenario.createAgent?.(caller)) ?? null;
  if (ended > 0) await addEnded(caller.tenant, ended);
  const counter = new Counter(caller.tenant, scenario.modelMs ?? MODEL_MS, time);
  await counter.start();
  return await scenario.count({ caller, counter, agent });
}

/** Gives the tenant's object a number of tasks that completed, as its own reports would have. */
async function addEnded(tenant: string, count: number): Promise<void> {
  await runInDurableObject(tenantStub(tenant), (_, { storage }) => {
    const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)";
    storage.sql.exec(
      `${numbers} INSERT INTO tasks (task, version, agent, status, holds_place, used_tokens, used_micros, summary)
        SELECT 'task_' || i, 9, 'agent_default', 'completed', 0, 0, 0, 'stored' FROM n`,
      count,
    );
  });
}

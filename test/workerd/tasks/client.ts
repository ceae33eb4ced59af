/** Tasks as the tests of their object make them: straight to the object, with a model that answers as the input says. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import { type AgentConfig, DEFAULT_AGENT, type PinnedAgent } from "../../../core/agents/agent.ts";
import { makeId } from "../../../core/base/ids.ts";
import type { LedgerRow } from "../../../core/task/decision.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { PRINCIPAL } from "../../../core/provenance/label.ts";

export const TENANT = makeId("tenant", 1, new Uint8Array(10));

/** A task whose model answers as the mock server reads it from the input: one reply a step. */
export function factsOf(replies: readonly unknown[], change: Partial<TaskFacts> = {}): TaskFacts {
  const id = makeId("task", Date.now(), crypto.getRandomValues(new Uint8Array(10)));
  return {
    id,
    tenant: TENANT,
    key: null,
    via: { channel: "api", id: null },
    actsFor: null,
    label: PRINCIPAL,
    deliver: [],
    rootId: id,
    parentId: null,
    depth: 0,
    kind: "agent",
    input: inputOf(replies),
    agent: DEFAULT_AGENT,
    tools: [],
    skills: [],
    sources: [],
    project: null,
    models: [{ name: "mock-model", price: null, windowTokens: 128_000 }],
    limits: { maxSteps: 10, maxTokens: null, maxCostMicros: null, maxDurationMs: null },
    metadata: {},
    createdAt: Date.now(),
    ...change,
  };
}

/** The text that makes the mock server answer so; a subtask's words may be that too. */
export function inputOf(replies: readonly unknown[]): string {
  return JSON.stringify({ replies });
}

/** The built-in agent with something else in its configuration. */
export function agentOf(config: Partial<AgentConfig>): PinnedAgent {
  return { ...DEFAULT_AGENT, config: { ...DEFAULT_AGENT.config, ...config } };
}

export const taskOf = (facts: Pick<TaskFacts, "tenant" | "id">) => tasksFromEnv(env)(facts.tenant, facts.id);

export const ask = { calls: [{ name: "ask_human", arguments: { query: "Which city?" } }] };

/** Makes the task and gives its object. */
export async function start(facts: TaskFacts) {
  const made = await taskOf(facts).create({ facts, hold: false, call: null });
  if (!made.ok) throw new Error(made.error.message);
  return taskOf(facts);
}

/** The task as soon as it is as wanted. */
export async function until(
  facts: Pick<TaskFacts, "tenant" | "id">,
  wanted: (view: TaskView) => boolean,
  timeout = 25_000,
): Promise<TaskView> {
  return await vi.waitFor(
    async () => {
      const view = await taskOf(facts).view();
      if (!view.ok || !wanted(view.value)) throw new Error(`not yet: ${JSON.stringify(view)}`);
      return view.value;
    },
    { timeout, interval: 25 },
  );
}

/** Waits until the task has begun so many steps, each try counted. */
export async function untilBegun(facts: Pick<TaskFacts, "tenant" | "id">, steps: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const page = await taskOf(facts).events(0, 500);
      const begun = page.ok ? page.value.events.filter(({ type }) => type === "step.started") : [];
      expect(begun).toHaveLength(steps);
    },
    { timeout: 20_000, interval: 25 },
  );
}

/** Every call of a task, in order. */
export async function ledgerOf(facts: Pick<TaskFacts, "tenant" | "id">): Promise<readonly LedgerRow[]> {
  const page = await taskOf(facts).ledger({ after: null, limit: 500, withResults: true });
  if (!page.ok) throw new Error(page.error.message);
  return page.value.rows;
}

export const stubOf = (facts: Pick<TaskFacts, "tenant" | "id">) =>
  env.TASKS.get(env.TASKS.idFromName(`${facts.tenant}/${facts.id}`));

export const alarmOf = async (facts: Pick<TaskFacts, "tenant" | "id">) =>
  await runInDurableObject(stubOf(facts), async (_object, state) => await state.storage.getAlarm());

/** The id of the first question or approval that a task waits for. */
export function waitIdOf({ pending }: TaskView): string {
  const [first] = pending;
  if (first === undefined || first.kind === "unknown") throw new Error("the task waits for no answer");
  return first.id;
}

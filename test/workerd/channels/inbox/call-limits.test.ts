/**
 * What a run of a task calls: runners, the tenant, tasks below and above. Tasks of 30 steps with each kind of tool, dispatches
 * of many subtasks, and a task that a request makes.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, inject, test, vi } from "vitest";
import {
  MAX_BEGIN_DEPTH,
  MAX_NESTED_RUN_CALLS,
  MAX_RUN_CALLS,
  REQUEST_DEPTH,
} from "../../../../core/base/call-budget.ts";
import { callsByRun, type NotedCall, recordCalls } from "../../call-notes.ts";
import type { OutboxRpc } from "../../../../core/channels/outbox/delivery.ts";
import { createTaskFromOrder } from "../../../../workers/tasks/create.ts";
import type { InboxRpc } from "../../../../core/channels/inbox/inbox.ts";
import { deliveryOf } from "../outbox/delivery-of.ts";
import { agentOf, ask, factsOf, inputOf, start, taskOf, until } from "../../tasks/client.ts";
import { newTenant, sendJson } from "../../tenant/client.ts";
import { getReceived } from "./test-receiver.ts";
import { sendingsOf } from "../outbox/test-sender.ts";

const url = inject("servers").recorderUrl;
const limits = { maxSteps: 100, maxTokens: null, maxCostMicros: null, maxDurationMs: null };
const agent = agentOf({
  approval: { safe: "allow", cautious: "allow", dangerous: "allow", critical: "allow", rules: [] },
});

/** The tool calls of step `n`, by what they do outside. */
const KINDS: Readonly<Record<string, (step: number) => object[]>> = {
  "without an effect": () => [{ name: "get_current_datetime", arguments: { timezone: "UTC" } }],
  "that write a file": (n) => [{ name: "write_file", arguments: { filename: `${n}.md`, content: "x" } }],
  "that read and write files in one step": (n) => [
    { name: "write_file", arguments: { filename: "a.md", content: `${n}` } },
    { name: "read_file", arguments: { filename: "a.md" } },
  ],
  "that cannot be looked up": (n) => [{ name: "test_post", arguments: { url, before_ms: 0, after_ms: 0, number: n } }],
  "that can be looked up": (n) => [{ name: "test_send", arguments: { url, before_ms: 0, after_ms: n % 2 } }],
  "that save a memory": (n) => [{ name: "memory_save", arguments: { content: `Fact ${n}.` } }],
  "that the sidecar makes": (n) => [{ name: "http.post", arguments: { url: `${url}/sent/${n}`, body: { n } } }],
};

function worstRun(notes: readonly NotedCall[], task: string): number {
  return Math.max(...callsByRun(notes, task).map((calls) => calls.length));
}

describe("a task of 30 steps", () => {
  test.each(Object.keys(KINDS))("makes at most 16 calls for each alarm: calls %s", async (kind) => {
    const replies = Array.from({ length: 30 }, (_, step) => ({ calls: KINDS[kind]?.(step) ?? [] }));
    const facts = factsOf([...replies, { text: "Done." }], { limits, agent });
    const notes = await recordCalls(async () => {
      await start(facts);
      const view = await until(facts, ({ status }) => status === "completed", 60_000);
      expect(view.usage.steps).toBe(31);
    });
    const runs = callsByRun(notes, facts.id);
    console.log(`${kind}: ${runs.map((calls) => calls.length).join(" ")} calls by run`);
    expect(worstRun(notes, facts.id)).toBeLessThanOrEqual(MAX_RUN_CALLS);
    // More than one run's worth: the limit was met and the alarm continued. Steps without an effect call nobody.
    if (kind !== "without an effect") expect(runs.flat().length).toBeGreaterThan(MAX_RUN_CALLS);
  });
});

test("a step that dispatches 40 subtasks makes them in several runs, each once", async () => {
  const calls = Array.from({ length: 40 }, (_, part) => ({
    name: "dispatch_subagent",
    arguments: { task_description: inputOf([{ text: `Part ${part}.` }]) },
  }));
  const facts = factsOf([{ calls }, { text: "All done." }], { limits, agent });
  const notes = await recordCalls(async () => {
    await start(facts);
    await until(facts, ({ status }) => status === "completed", 60_000);
  });
  // The end of the last subtask begins a run without an alarm, so only what one run makes is counted: two calls are reserved.
  const made = callsByRun(notes, facts.id).map((run) => run.filter((what) => what === "subtask made").length);
  expect(Math.max(...made)).toBeLessThanOrEqual(MAX_RUN_CALLS - 2);
  expect(notes.filter(({ task, what }) => task === facts.id && what === "subtask made")).toHaveLength(40);
});

test("each of 20 subtasks makes few calls in the chain of the run that makes it, be it of a request or an alarm", async () => {
  const steps = Array.from({ length: 5 }, (_, step) => ({ calls: KINDS["that write a file"]?.(step) ?? [] }));
  const task_description = inputOf([...steps, { text: "Done." }]);
  const calls = Array.from({ length: 20 }, () => ({ name: "dispatch_subagent", arguments: { task_description } }));
  const facts = factsOf([{ calls }, { text: "All done." }], { limits, agent });
  const notes = await recordCalls(async () => {
    await start(facts);
    await until(facts, ({ status }) => status === "completed", 60_000);
  });
  const subtasks = await taskOf(facts).subtasks();
  const first = (subtasks.ok ? subtasks.value : []).map((id) => callsByRun(notes, id)[0]?.length ?? 0);
  expect(first).toHaveLength(20);
  expect(Math.max(...first)).toBeLessThanOrEqual(MAX_NESTED_RUN_CALLS);
});

test("a request that makes a task begins its run, which makes few calls", async () => {
  const tenant = await newTenant();
  const notes = await recordCalls(async () => {
    const made = await sendJson<{ id: string }>({
      method: "POST",
      path: "/v1/tasks?wait=20",
      key: tenant.key,
      body: { input: JSON.stringify({ replies: [{ calls: KINDS["without an effect"]?.(1) }, { text: "Done." }] }) },
    });
    expect(made.status).toBe(201);
  });
  const [task] = notes;
  const [first] = callsByRun(notes, task?.task ?? "");
  expect(first).toEqual(["report to the tenant", "report to the tenant"]);
});

test("sixteen tasks that a channel makes begin their runs by their alarms, each in a chain of its own", async () => {
  const { id: tenant } = await newTenant();
  const request = {
    input: JSON.stringify({ replies: [{ calls: KINDS["without an effect"]?.(1) }, { text: "Done." }] }),
  };
  const ids: string[] = [];
  const notes = await recordCalls(async () => {
    const orders = Array.from({ length: 16 }, async (_, item) => {
      const via = { channel: "hook", id: "hook_1" } as const;
      const made = await createTaskFromOrder(env, { tenant, request, via, seed: `hook_1/${item}`, at: Date.now() });
      if (made.ok) ids.push(made.value.id);
    });
    await Promise.all(orders);
    for (const id of ids) await until({ tenant, id }, ({ status }) => status === "completed", 60_000);
  });
  expect(ids).toHaveLength(16);
  for (const id of ids) expect(callsByRun(notes, id)[0]).toEqual([]);
});

test("a task that dispatches a subtask in each of its steps begins no chain of calls that grows", async () => {
  const dispatch = (part: number) => ({
    calls: [{ name: "dispatch_subagent", arguments: { task_description: inputOf([{ text: `Part ${part}.` }]) } }],
  });
  const facts = factsOf([...[1, 2, 3, 4, 5, 6, 7, 8].map(dispatch), { text: "All done." }], { limits, agent });
  const notes = await recordCalls(async () => {
    await start(facts);
    await until(facts, ({ status }) => status === "completed", 60_000);
  });
  const depths = notes.flatMap(({ depth }) => (depth === null ? [] : [depth]));
  // The first subtask is made and ends in the chain of the request; then an alarm begins another chain.
  expect(depths.slice(0, 2)).toEqual([REQUEST_DEPTH + 1, REQUEST_DEPTH + 2]);
  expect(depths).toHaveLength(16);
  expect(Math.max(...depths)).toBeLessThanOrEqual(MAX_BEGIN_DEPTH + 1);
});

test("a cancelled tree of three levels is cancelled by few calls of each task in one chain, and the rest by alarms", async () => {
  const dispatch = (input: string) => ({ name: "dispatch_subagent", arguments: { task_description: input } });
  const waiting = inputOf([ask]);
  const middle = inputOf([{ calls: Array.from({ length: 4 }, () => dispatch(waiting)) }]);
  const facts = factsOf([{ calls: [dispatch(middle)] }], { limits, agent });
  await start(facts);
  await until(facts, ({ pending }) => pending.length === 4, 60_000);
  const listBelow = async (id: string) => {
    const listed = await taskOf({ ...facts, id }).subtasks();
    return listed.ok ? listed.value : [];
  };
  const [middleId = ""] = await listBelow(facts.id);
  const deepest = await listBelow(middleId);
  expect(deepest).toHaveLength(4);
  const notes = await recordCalls(async () => {
    expect(await taskOf(facts).cancel("a test")).toMatchObject({ ok: true });
    for (const id of deepest) await until({ ...facts, id }, ({ status }) => status === "cancelled", 60_000);
  });
  const cancelled = notes.filter(({ what }) => what === "subtask cancelled");
  expect(cancelled.map(({ depth }) => depth).slice(0, 2)).toEqual([REQUEST_DEPTH + 1, REQUEST_DEPTH + 2]);
  const [first] = callsByRun(notes, middleId);
  expect(first?.length).toBeLessThanOrEqual(MAX_NESTED_RUN_CALLS);
});

/** Runs work in an object whose alarm fires only when the test says so. */
async function within<Rpc>(
  stub: DurableObjectStub,
  work: (object: Rpc & { readonly alarm: () => Promise<void> }) => Promise<void>,
): Promise<void> {
  await runInDurableObject(stub, async (object, { storage }) => {
    if (!vi.isMockFunction(storage.setAlarm)) vi.spyOn(storage, "setAlarm").mockImplementation(async () => undefined);
    await work(object as unknown as Rpc & { readonly alarm: () => Promise<void> });
  });
}

/** Sees that `fire` makes so many of `made` each time, and that nothing was made before the first. */
async function expectBatches(made: () => number, batches: readonly number[], fire: () => Promise<void>): Promise<void> {
  await scheduler.wait(200);
  expect(made()).toBe(0);
  for (const sum of batches) {
    await fire();
    await vi.waitFor(() => expect(made()).toBe(sum), { timeout: 20_000, interval: 10 });
    await scheduler.wait(100);
    expect(made()).toBe(sum);
  }
}

test("an outbox sends nothing in the request that puts it, and sixteen deliveries at most for each alarm", async () => {
  const { id: tenant } = await newTenant();
  const stub = env.OUTBOXES.get(env.OUTBOXES.idFromName(`${tenant}/email`));
  const deliveries = Array.from({ length: 40 }, (_, lane) => deliveryOf(tenant, { lane: `lane ${lane}` }));
  await within<OutboxRpc>(stub, async (outbox) => await outbox.put(deliveries));
  const fire = () => within<OutboxRpc>(stub, async (outbox) => await outbox.alarm());
  await expectBatches(() => sendingsOf(tenant).length, [16, 32, 40], fire);
});

test("an inbox works nothing in the request that brings it, and sixteen items at most for each alarm", async () => {
  const name = `test/${crypto.randomUUID()}`;
  const stub = env.INBOXES.get(env.INBOXES.idFromName(name));
  await within<InboxRpc>(stub, async (inbox) => {
    for (let item = 0; item < 40; item += 1) {
      await inbox.take({ id: `item ${item}`, lane: `lane ${item}`, kind: "test", body: {}, receivedAt: Date.now() });
    }
  });
  const fire = () => within<InboxRpc>(stub, async (inbox) => await inbox.alarm());
  await expectBatches(() => getReceived(name).length, [16, 32, 40], fire);
});

import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { tasksFromEnv } from "../../adapters/from-env.ts";
import { DEFAULT_AGENT } from "../../core/agent.ts";
import { makeId } from "../../core/ids.ts";
import type { TaskFacts } from "../../core/task-state.ts";
import type { TaskView } from "../../core/task-view.ts";

const TENANT = makeId("tenant", 1, new Uint8Array(10));

/** A task whose model answers as the stand-in reads it from the input: one reply a step. */
function factsOf(replies: readonly unknown[], change: Partial<TaskFacts> = {}): TaskFacts {
  const id = makeId("task", Date.now(), crypto.getRandomValues(new Uint8Array(10)));
  return {
    id,
    tenant: TENANT,
    rootId: id,
    parentId: null,
    kind: "agent",
    input: JSON.stringify({ replies }),
    agent: DEFAULT_AGENT,
    tools: null,
    project: null,
    model: "stand-in",
    price: null,
    limits: { maxSteps: 10, maxTokens: null, maxCostMicros: null, maxDurationMs: null },
    metadata: {},
    createdAt: Date.now(),
    ...change,
  };
}

const taskOf = (facts: TaskFacts) => tasksFromEnv(env)(facts.tenant, facts.id);
const ask = { calls: [{ name: "ask_human", arguments: { query: "Which city?" } }] };

async function start(facts: TaskFacts) {
  const made = await taskOf(facts).create({ facts, hold: false, call: null });
  if (!made.ok) throw new Error(made.error.message);
  return taskOf(facts);
}

async function until(facts: TaskFacts, wanted: (view: TaskView) => boolean): Promise<TaskView> {
  return await vi.waitFor(
    async () => {
      const view = await taskOf(facts).view();
      if (!view.ok || !wanted(view.value)) throw new Error(`not yet: ${JSON.stringify(view)}`);
      return view.value;
    },
    { timeout: 15_000, interval: 25 },
  );
}

const alarmOf = async (facts: TaskFacts) =>
  await runInDurableObject(
    env.TASKS.get(env.TASKS.idFromName(`${facts.tenant}/${facts.id}`)),
    async (_object, state) => await state.storage.getAlarm(),
  );

describe("a task object", () => {
  test("runs a task to its end through the step runner, with real tools", async () => {
    const facts = factsOf([
      { calls: [{ name: "write_file", arguments: { filename: "a.md", content: "hello" } }] },
      { calls: [{ name: "read_file", arguments: { filename: "a.md" } }] },
      { text: "It says hello." },
    ]);
    const task = await start(facts);
    const view = await until(facts, ({ status }) => status === "completed");
    expect(view).toMatchObject({ output: { text: "It says hello." }, usage: { steps: 3, tool_calls: 2 } });
    const ledger = await task.ledger();
    expect(ledger.ok && ledger.value.map((row) => [row.tool, row.effect, row.state])).toEqual([
      ["write_file", "keyed", "confirmed"],
      ["read_file", "none", "confirmed"],
    ]);
    expect(await alarmOf(facts)).toBeNull();
  });

  test("arms no alarm while it waits for an answer, and takes the first answer only", async () => {
    const facts = factsOf([ask, { text: "Thank you." }]);
    const task = await start(facts);
    const waiting = await until(facts, ({ status }) => status === "waiting_input");
    await vi.waitFor(async () => expect(await alarmOf(facts)).toBeNull(), { timeout: 5000 });
    const [question] = waiting.pending;
    const answers = await Promise.all(
      ["Lisbon", "Porto"].map(
        async (text) => await task.answer(question?.id ?? "", { text, isChoice: false, by: "ana" }),
      ),
    );
    expect(answers.map((answer) => (answer.ok ? "ok" : answer.error.code)).sort()).toEqual(["conflict", "ok"]);
    await until(facts, ({ status }) => status === "completed");
  });

  test("takes up a step that was cut off, under a new attempt and with nothing done twice", async () => {
    const facts = factsOf([
      { calls: [{ name: "write_file", arguments: { filename: "a.md", content: "once" } }] },
      { text: "late", delayMs: 400 },
    ]);
    await start(facts);
    await until(facts, ({ usage }) => usage.steps === 1);
    await abortAllDurableObjects();
    const view = await until(facts, ({ status }) => status === "completed");
    expect(view).toMatchObject({ output: { text: "late" }, usage: { steps: 2, tool_calls: 1, estimated: true } });
    const page = await taskOf(facts).events(0, 500);
    const started = page.ok
      ? page.value.events
          .filter(({ type }) => type === "step.started")
          .map(({ data }) => [data["step"], data["attempt"]])
      : [];
    expect(started).toEqual([
      [1, 1],
      [2, 1],
      [2, 2],
    ]);
  });

  test("keeps its question over a crash", async () => {
    const facts = factsOf([ask, { text: "Thank you." }]);
    await start(facts);
    const before = await until(facts, ({ status }) => status === "waiting_input");
    await abortAllDurableObjects();
    const after = await until(facts, ({ status }) => status === "waiting_input");
    expect(after.pending).toEqual(before.pending);
    await taskOf(facts).answer(after.pending[0]?.id ?? "", { text: "Lisbon", isChoice: false, by: "ana" });
    await until(facts, ({ status }) => status === "completed");
  });

  test("stops a model call in the middle when it is cancelled", async () => {
    const facts = factsOf([{ text: "too late", delayMs: 20_000 }]);
    const task = await start(facts);
    await until(facts, ({ status }) => status === "running");
    expect(await task.cancel("ana")).toMatchObject({ ok: true, value: { status: "cancelled", reason: "cancelled" } });
    expect(await task.message("hello?")).toMatchObject({ ok: false, error: { code: "conflict" } });
    await vi.waitFor(async () => expect(await alarmOf(facts)).toBeNull(), { timeout: 5000 });
  });

  test("numbers its events without a gap and ends the log with the end", async () => {
    const facts = factsOf([{ text: "Done." }]);
    await start(facts);
    await until(facts, ({ status }) => status === "completed");
    const page = await taskOf(facts).events(0, 500);
    if (!page.ok) throw new Error(page.error.message);
    expect(page.value.events.map(({ seq }) => seq)).toEqual(page.value.events.map((_, index) => index + 1));
    expect(page.value.done).toBe(true);
    expect(page.value.events.at(-1)?.type).toBe("task.completed");
  });

  test("is made once, however often it is asked for", async () => {
    const facts = factsOf([ask]);
    await start(facts);
    await start(facts);
    const page = await taskOf(facts).events(0, 500);
    expect(page.ok && page.value.events.filter(({ type }) => type === "task.created")).toHaveLength(1);
  });

  test("is erased only when it has ended, and then is not found", async () => {
    const facts = factsOf([ask]);
    const task = await start(facts);
    await until(facts, ({ status }) => status === "waiting_input");
    expect(await task.erase()).toMatchObject({ ok: false, error: { code: "conflict" } });
    await task.cancel("ana");
    expect(await task.erase()).toMatchObject({ ok: true });
    expect(await task.view()).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await task.erase()).toMatchObject({ ok: false, error: { code: "not_found" } });
  });
});

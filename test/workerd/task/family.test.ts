import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import type { LedgerRow } from "../../../core/task/decision.ts";
import type { TaskView } from "../../../core/task/view.ts";
import {
  agentOf,
  alarmOf,
  ask,
  factsOf,
  inputOf,
  ledgerOf,
  start,
  stubOf,
  TENANT,
  taskOf,
  until,
} from "../tasks/client.ts";

const dispatch = (replies: readonly unknown[], more: Record<string, unknown> = {}) => ({
  name: "dispatch_subagent",
  arguments: { task_description: inputOf(replies), ...more },
});
const hasEnded = ({ status }: TaskView) => ["completed", "failed", "cancelled"].includes(status);
const errorOf = (row: LedgerRow | undefined) => (row?.result?.ok === false ? row.result.error.code : null);

/** What a test replaces: how a task reports, and how it cancels its subtasks. */
interface Patched {
  report(stored: unknown, view: TaskView, notices: unknown): Promise<boolean>;
  cancel(...given: unknown[]): AsyncGenerator<unknown>;
}

async function subtasksOf(facts: { tenant: string; id: string }): Promise<TaskView[]> {
  const ids = await taskOf(facts).subtasks();
  if (!ids.ok) throw new Error(ids.error.message);
  return await Promise.all(ids.value.map(async (id) => await until({ tenant: facts.tenant, id }, () => true)));
}

describe("a task with subtasks", () => {
  test("continues once, with every result in the order of its calls, when all have ended", async () => {
    const facts = factsOf([
      {
        calls: [
          dispatch([{ text: "slow one", delayMs: 300 }]),
          dispatch([{ fault: { kind: "status", status: 400, body: '{"error":{"message":"no"}}' } }]),
          dispatch([{ text: "quick one" }]),
          { name: "get_current_datetime", arguments: { timezone: "UTC" } },
        ],
      },
      { text: "All back." },
    ]);
    await start(facts);
    const view = await until(facts, hasEnded);
    expect(view).toMatchObject({
      status: "completed",
      output: { text: "All back." },
      usage: { steps: 2, tool_calls: 4 },
    });
    const rows = await ledgerOf(facts);
    expect(rows.map(({ state }) => state)).toEqual(["confirmed", "failed", "confirmed", "confirmed"]);
    expect(rows[0]?.content).toBe("slow one");
    expect(rows[2]?.content).toBe("quick one");
    const children = await subtasksOf(facts);
    expect(children.map(({ status }) => status)).toEqual(["completed", "failed", "completed"]);
    expect(children.every(({ parent_id }) => parent_id === facts.id)).toBe(true);
    const page = await taskOf(facts).events(0, 500);
    const types = page.ok ? page.value.events.map(({ type }) => type) : [];
    expect(types.filter((type) => type === "task.resumed")).toHaveLength(1);
    expect(types.filter((type) => type === "subtask.created")).toHaveLength(3);
    expect(types.filter((type) => type === "subtask.ended")).toHaveLength(3);
  });

  test("comes through crashes of every object while its subtasks work, each made once", async () => {
    const children = Array.from({ length: 8 }, (_, i) =>
      dispatch([
        { calls: [{ name: "write_file", arguments: { filename: `n/${i}.md`, content: `${i}` } }], delayMs: 40 * i },
        { text: `result ${i}`, delayMs: 60 },
      ]),
    );
    const facts = factsOf([{ calls: children }, { text: "All back." }]);
    await start(facts);
    for (let kills = 0; kills < 3; kills += 1) {
      await scheduler.wait(150);
      await abortAllDurableObjects();
    }
    await until(facts, hasEnded, 40_000);
    const rows = await ledgerOf(facts);
    expect(rows.map(({ content }) => content)).toEqual(children.map((_, i) => `result ${i}`));
    expect(await subtasksOf(facts)).toHaveLength(8);
  }, 60_000);

  test("lists the question of a task two levels below at the root, where it can be answered, and pauses every clock until then", async () => {
    const facts = factsOf([
      { calls: [dispatch([{ calls: [dispatch([ask, { text: "It was told." }])] }, { text: "Mid." }])] },
    ]);
    await start(facts);
    const waiting = await until(facts, ({ pending }) => pending.length === 1);
    expect(waiting.status).toBe("waiting_subagents");
    const [question] = waiting.pending;
    if (question?.kind !== "question") throw new Error("a question is missing");
    expect(question).toMatchObject({ query: "Which city?" });
    const asker = { tenant: TENANT, id: question.task_id ?? "" };
    expect((await until(asker, () => true)).pending[0]).toMatchObject({ id: question.id });
    await vi.waitFor(async () => expect(await alarmOf(facts)).toBeNull(), { timeout: 20_000 });
    await taskOf(asker).answer(question.id, { text: "Lisbon", isChoice: false, by: "ana" }, null);
    expect((await until(facts, hasEnded)).pending).toEqual([]);
  });

  test("cancels its whole tree, even across a crash", async () => {
    const facts = factsOf([
      { calls: [dispatch([{ calls: [dispatch([ask])] }]), dispatch([{ text: "late", delayMs: 20_000 }])] },
    ]);
    const task = await start(facts);
    await until(facts, ({ pending }) => pending.length === 1);
    const children = await subtasksOf(facts);
    await task.cancel("ana");
    await abortAllDurableObjects();
    for (const child of children) {
      await until({ tenant: TENANT, id: child.id }, ({ status }) => status === "cancelled");
      for (const grandchild of await subtasksOf({ tenant: TENANT, id: child.id }))
        await until({ tenant: TENANT, id: grandchild.id }, ({ status }) => status === "cancelled");
    }
    await vi.waitFor(async () => expect(await alarmOf(facts)).toBeNull(), { timeout: 20_000 });
    expect(await taskOf(facts).erase()).toMatchObject({ ok: true });
    for (const { id } of children) expect(await taskOf({ tenant: TENANT, id }).view()).toMatchObject({ ok: false });
  });

  test("retains no data when it is cancelled and erased while it creates its subtasks", async () => {
    const facts = factsOf([{ calls: Array.from({ length: 30 }, () => dispatch([{ text: "late", delayMs: 20_000 }])) }]);
    const task = await start(facts);
    const ids = await vi.waitFor(
      async () => {
        const made = await task.subtasks();
        if (!made.ok || made.value.length < 30) throw new Error("not yet");
        return made.value;
      },
      { timeout: 20_000, interval: 1 },
    );
    await task.cancel("ana");
    expect(await task.erase()).toMatchObject({ ok: true });
    await scheduler.wait(500);
    for (const id of [facts.id, ...ids]) {
      expect(await taskOf({ tenant: TENANT, id }).view()).toMatchObject({ ok: false, error: { code: "not_found" } });
    }
  });

  test("is erased only after a subtask that is being made, which goes with it", async () => {
    const facts = factsOf([{ calls: [dispatch([ask])] }]);
    const task = taskOf(facts);
    await task.create({ facts, hold: true, call: null });
    let isMaking = false;
    await runInDurableObject(stubOf(facts), (object) => {
      const { relations } = (
        object as unknown as { engine: { relations: { createSubtask: (...given: unknown[]) => unknown } } }
      ).engine;
      const createSubtask = relations.createSubtask.bind(relations);
      relations.createSubtask = async (...given) => {
        isMaking = true;
        await scheduler.wait(1000);
        return await createSubtask(...given);
      };
    });
    await task.start(null);
    await vi.waitFor(() => expect(isMaking).toBe(true), { timeout: 20_000, interval: 10 });
    const ids = await task.subtasks();
    await task.cancel("ana");
    expect(await task.erase()).toMatchObject({ ok: true });
    await scheduler.wait(1200);
    expect(ids).toMatchObject({ ok: true, value: [expect.any(String)] });
    for (const id of ids.ok ? ids.value : [])
      expect(await taskOf({ tenant: TENANT, id }).view()).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test("is retained in full while a task below it cannot be erased, and erased with it later", async () => {
    const facts = factsOf([{ calls: [dispatch([{ text: "Part." }])] }, { text: "Done." }]);
    const task = await start(facts);
    await until(facts, hasEnded);
    const [child] = await subtasksOf(facts);
    const below = { tenant: TENANT, id: child?.id ?? "" };
    const away = async (isAway: boolean) =>
      await runInDurableObject(stubOf(below), (object) => {
        const { engine, store } = object as unknown as {
          engine: { relations: { report?: () => Promise<never> } };
          store: { markUnpublished(): void };
        };
        store.markUnpublished();
        if (isAway) engine.relations.report = () => Promise.reject(new Error("the tenant is away"));
        else delete engine.relations.report;
      });
    await away(true);
    expect(await task.erase()).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
    for (const one of [facts, below]) expect(await taskOf(one).view()).toMatchObject({ ok: true });
    await away(false);
    expect(await task.erase()).toMatchObject({ ok: true });
    for (const one of [facts, below]) expect(await taskOf(one).view()).toMatchObject({ error: { code: "not_found" } });
  });

  test("is erased with its subtask's use reported, when the subtask ends during the erasure", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const facts = factsOf([{ calls: [dispatch([ask])] }]);
    const task = await start(facts);
    await until(facts, ({ pending }) => pending.length === 1);
    const [child] = await subtasksOf(facts);
    if (child === undefined) throw new Error("the task has a subtask");
    const gate = Promise.withResolvers<void>();
    const reported: number[] = [];
    let isCancelling = false;
    await runInDurableObject(stubOf(facts), (object) => {
      const { relations } = (object as unknown as { engine: { relations: Patched } }).engine;
      const { report, cancel } = relations;
      relations.cancel = async function* held(...given) {
        isCancelling = true;
        await gate.promise;
        yield* cancel.apply(relations, given);
      };
      relations.report = async (...given) => {
        const [, view] = given;
        // The first report of the subtask's use fails.
        if (view.usage.input_tokens > 1000) reported.push(view.usage.input_tokens);
        if (reported.length === 1) throw new Error("the tenant is away");
        return await report.apply(relations, given);
      };
    });
    await task.cancel("ana");
    await vi.waitFor(() => expect(isCancelling).toBe(true), { timeout: 20_000, interval: 10 });
    // The end itself is reported before, so that the report that fails is not the one that the erasure waits for.
    const isReported = async () =>
      await runInDurableObject(stubOf(facts), (object) => {
        const { store } = object as unknown as { store: { hasUnpublished(): boolean } };
        return !store.hasUnpublished();
      });
    await vi.waitFor(async () => expect(await isReported()).toBe(true), { timeout: 20_000, interval: 10 });
    const erasing = task.erase();
    const usage = { ...child.usage, input_tokens: 4321, output_tokens: 1 };
    await task.subtaskEnded({ ...child, status: "cancelled", usage });
    gate.resolve();
    expect(await erasing).toMatchObject({ ok: true });
    expect(reported).toEqual([expect.any(Number), expect.any(Number)]);
    for (const id of [facts.id, child.id])
      expect(await taskOf({ tenant: TENANT, id }).view()).toMatchObject({ error: { code: "not_found" } });
  });

  test("stores the text of a subtask once, also when its end is reported again", async () => {
    const facts = factsOf([{ calls: [dispatch([{ text: "x".repeat(5000) }])] }, { text: "Done." }]);
    await start(facts);
    await until(facts, hasEnded);
    const readStored = async () =>
      (await env.FILES.list({ prefix: `${TENANT}/tree/${facts.id}/` })).objects.map(({ key }) => key);
    const [row] = await ledgerOf(facts);
    const once = [expect.stringContaining(`${row?.callId}.txt`)];
    expect(await readStored()).toEqual(once);
    const [child] = await subtasksOf(facts);
    await taskOf({ tenant: TENANT, id: child?.id ?? "" }).poke();
    expect(await readStored()).toEqual(once);
  });

  test("is refused the fifty-first subtask of a tree and the fourth level, each in the ledger", async () => {
    const leaf = dispatch([{ text: "leaf" }]);
    const deep = dispatch([
      { calls: [dispatch([{ calls: [dispatch([{ calls: [leaf] }, { text: "three deep" }])] }, { text: "two deep" }])] },
      { text: "one deep" },
    ]);
    const facts = factsOf([{ calls: [deep] }, { calls: Array.from({ length: 48 }, () => leaf) }, { text: "Done." }]);
    await start(facts);
    await until(facts, hasEnded, 60_000);
    const rows = await ledgerOf(facts);
    expect(rows.filter(({ state }) => state === "confirmed")).toHaveLength(48);
    expect(rows.filter((row) => row.state === "refused").map(errorOf)).toEqual(["quota_exceeded"]);
    const [one] = await subtasksOf(facts);
    const [two] = await subtasksOf({ tenant: TENANT, id: one?.id ?? "" });
    const [three] = await subtasksOf({ tenant: TENANT, id: two?.id ?? "" });
    const [fourth] = await ledgerOf({ tenant: TENANT, id: three?.id ?? "" });
    expect([fourth?.state, errorOf(fourth)]).toEqual(["refused", "quota_exceeded"]);
  }, 90_000);

  test("cannot give a subtask tools, permissions or tokens that it has not itself", async () => {
    const facts = factsOf(
      [
        {
          calls: [
            dispatch([{ text: "?" }], { tools: ["*"] }),
            dispatch([{ text: "?" }], { permissions: ["exec"] }),
            dispatch([{ text: "?" }], { token_budget: 90_000 }),
            dispatch([{ calls: [{ name: "http_request", arguments: { url: "http://127.0.0.1/" } }] }, { text: "no." }]),
          ],
        },
        { text: "Done." },
      ],
      {
        tools: [["dispatch_subagent", "read_file"]],
        limits: { maxSteps: 10, maxTokens: 80_000, maxCostMicros: null, maxDurationMs: null },
      },
    );
    await start(facts);
    await until(facts, hasEnded);
    const rows = await ledgerOf(facts);
    expect(rows.map((row) => [row.state, errorOf(row)])).toEqual([
      ["refused", "invalid_input"],
      ["refused", "invalid_input"],
      ["refused", "budget_exceeded"],
      ["confirmed", null],
    ]);
    const [child] = await subtasksOf(facts);
    const [call] = await ledgerOf({ tenant: TENANT, id: child?.id ?? "" });
    expect([call?.state, errorOf(call)]).toEqual(["refused", "permission_denied"]);
  });
});

describe("a task whose policy asks", () => {
  const agent = agentOf({ approval: { rules: [{ tool: "write_file", decision: "ask" }] } });
  const write = (path: string, content: string) => ({ name: "write_file", arguments: { path, content } });

  test("waits with each call by its own id, over a crash, and makes exactly what was approved", async () => {
    const facts = factsOf(
      [{ calls: [write("a.md", "one"), write("b.md", "two"), write("c.md", "three")] }, { text: "Done." }],
      { agent },
    );
    const task = await start(facts);
    const before = await until(facts, ({ pending }) => pending.length === 3);
    expect(before.status).toBe("waiting_approval");
    await abortAllDurableObjects();
    const after = await until(facts, () => true);
    expect(after.pending).toEqual(before.pending);
    const ids = after.pending.map((entry) => (entry.kind === "approval" ? entry.id : ""));
    const [first = "", second = "", third = ""] = ids;
    const plain = { arguments: null, reason: null, by: "ana" };
    expect(await task.decideApproval(first, { ...plain, decision: "approve" }, null)).toMatchObject({ ok: true });
    expect(await task.decideApproval(first, { ...plain, decision: "refuse" }, null)).toMatchObject({
      ok: false,
      error: { code: "conflict" },
    });
    const edited = { path: "b.md", content: "edited" };
    expect(
      await task.decideApproval(second, { ...plain, decision: "approve", arguments: { path: 7 } }, null),
    ).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    expect(await task.decideApproval(second, { ...plain, decision: "approve", arguments: edited }, null)).toMatchObject(
      { ok: true },
    );
    expect(
      await task.decideApproval(third, { ...plain, decision: "refuse", reason: "not that one" }, null),
    ).toMatchObject({ ok: true });
    await until(facts, hasEnded);
    const rows = await ledgerOf(facts);
    expect(rows.map(({ state, attempts }) => [state, attempts])).toEqual([
      ["confirmed", 1],
      ["confirmed", 1],
      ["refused", 0],
    ]);
    expect(rows[1]?.arguments).toEqual(edited);
    expect(rows[1]?.content).toMatch(/A person approved this with other arguments/);
    expect(rows[2]?.content).toMatch(/not that one/);
    const [approval] = before.pending.slice(1);
    expect(approval?.kind === "approval" && approval.arguments_hash).not.toBe(rows[1]?.argumentsHash);
  });

  test("is refused by the end of its time, and then it is too late", async () => {
    const soon = agentOf({ approval: { rules: [{ tool: "write_file", decision: "ask" }], expires_s: 4 } });
    const facts = factsOf([{ calls: [write("a.md", "x")] }, { text: "Done." }], { agent: soon });
    const task = await start(facts);
    const { pending } = await until(facts, ({ pending: items }) => items.length === 1);
    const id = pending[0]?.kind === "approval" ? pending[0].id : "";
    await until(facts, hasEnded);
    const [row] = await ledgerOf(facts);
    expect([row?.state, errorOf(row)]).toEqual(["refused", "gone"]);
    const late = await task.decideApproval(id, { decision: "approve", arguments: null, reason: null, by: "ana" }, null);
    expect(late).toMatchObject({ ok: false, error: { code: "gone" } });
  });
});

describe("a stopped task", () => {
  test("aborts its model call, starts nothing, and continues when it is woken", async () => {
    const facts = factsOf([{ text: "Done.", delayMs: 2000 }]);
    const task = await start(facts);
    await until(facts, ({ status }) => status === "running");
    await task.halt("Stopped by ana.");
    expect((await until(facts, () => true)).status).toBe("sleeping");
    await scheduler.wait(3000);
    expect((await until(facts, () => true)).status).toBe("sleeping");
    await task.called();
    expect(await until(facts, hasEnded)).toMatchObject({ status: "completed", usage: { estimated: true } });
  });
});

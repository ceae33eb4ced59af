import { describe, expect, test } from "vitest";
import type { TaskView } from "../../../core/task/view.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { config } from "../tenant/client.ts";

const completed = ({ status }: TaskView) => status === "completed";

async function held(caller: Caller, input: string, more: Record<string, unknown> = {}): Promise<string> {
  const made = await caller.send("POST", "/v1/tasks", { input, hold: true, ...more });
  expect(made.status, made.text).toBe(201);
  return made.json.id;
}

async function listed(caller: Caller, query: string): Promise<string[]> {
  const answer = await caller.send("GET", `/v1/tasks?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.map(({ id }: TaskView) => id);
}

describe("the list of tasks", () => {
  test("is searched in the text of inputs as it is written, in any case, and by a part of an id", async () => {
    const caller = await makeCaller();
    const plain = await held(caller, "Write the REPORT of\n  the Ünal visit, 100% sure");
    const other = await held(caller, "Nothing like it_x");
    for (const text of ["report of the ünal", "100%", "ÜNAL", plain, plain.slice(-8)])
      expect([text, await listed(caller, `query=${encodeURIComponent(text)}`)]).toEqual([text, [plain]]);
    expect(await listed(caller, "query=it_x")).toEqual([other]);
    for (const text of ["it%25x", "rep.rt", "task_"]) expect(await listed(caller, `query=${text}`)).toEqual([]);
  });

  test("is narrowed to any of several statuses, to an agent by id or name, and to a time", async () => {
    const caller = await makeCaller();
    const agent = await caller.send("POST", "/v1/agents", config("scout", {}));
    const queued = await held(caller, "one", { agent: "scout" });
    const { id: done } = await caller.makeTask([{ text: "Done." }]);
    const { created_at } = await caller.until(done, completed);
    expect(await listed(caller, "status=queued,completed")).toEqual([done, queued]);
    expect(await listed(caller, "status=queued")).toEqual([queued]);
    for (const name of [agent.json.id, "scout"]) expect(await listed(caller, `agent=${name}`)).toEqual([queued]);
    for (const name of ["agent_default", "default"]) expect(await listed(caller, `agent=${name}`)).toEqual([done]);
    expect(await listed(caller, "agent=nobody")).toEqual([]);
    const day = created_at.slice(0, 10);
    expect(await listed(caller, `from=${day}&to=${day}`)).toEqual([done, queued]);
    expect(await listed(caller, `from=${created_at}&status=completed`)).toEqual([done]);
    expect(await listed(caller, `to=${created_at}&status=completed`)).toEqual([]);
    expect(await listed(caller, "from=0001-01-01&to=9999-12-31")).toEqual([done, queued]);
  });

  test("is narrowed to tasks without a parent, and to the subtasks of one, in pages", async () => {
    const caller = await makeCaller();
    const part = JSON.stringify({ replies: [{ text: "Part." }] });
    const calls = Array.from({ length: 3 }, () => ({
      name: "dispatch_subagent",
      arguments: { task_description: part },
    }));
    const { id } = await caller.makeTask([{ calls }, { text: "Done." }]);
    await caller.until(id, completed);
    expect(await listed(caller, "parent=none")).toEqual([id]);
    const first = await caller.send("GET", `/v1/tasks?parent=${id}&limit=2`);
    const rest = await caller.send("GET", `/v1/tasks?parent=${id}&limit=2&cursor=${first.json.next_cursor}`);
    const all = [...first.json.data, ...rest.json.data] as TaskView[];
    expect(new Set(all.map((view) => view.id)).size).toBe(3);
    for (const { parent_id } of all) expect(parent_id).toBe(id);
    expect(rest.json.next_cursor).toBeNull();
  });

  test("has a short form, which cuts a long text, and is full by default", async () => {
    const caller = await makeCaller();
    const input = `${"y".repeat(499)}😀${"x".repeat(100_000)}`;
    const long = await held(caller, input);
    const brief = await held(caller, "Say hello");
    const tasks = async (query: string): Promise<unknown> => (await caller.send("GET", `/v1/tasks${query}`)).json.data;
    const full = (await Promise.all(
      [brief, long].map(async (id) => (await caller.send("GET", `/v1/tasks/${id}`)).json),
    )) as [TaskView, TaskView];
    expect(await tasks("")).toEqual(full);
    expect(await tasks("?view=whole")).toEqual(full);
    expect(await tasks("?view=short")).toEqual([
      { ...full[0], cut: [] },
      { ...full[1], input: "y".repeat(499), cut: ["input"] },
    ]);
  });

  test.each([
    ["view=tiny", "view"],
    ["status=queued,gone", "status"],
    ["status=queued,", "status"],
    ["parent=somebody", "parent"],
    ["from=yesterday", "from"],
    ["from=0000-12-31", "from"],
    ["to=0000-12-31T23:59:59Z", "to"],
    ["from=2026-11-22&to=2026-11-20", "to"],
    [`query=${"x".repeat(201)}`, "query"],
  ])("refuses %s", async (query, field) => {
    const caller = await makeCaller();
    const answer = await caller.send("GET", `/v1/tasks?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.json.errors.map((error: { field: string }) => error.field.split(".")[0])).toEqual([field]);
  });
});

describe("the tree of a task", () => {
  const usage = { input: 100, output: 10 };
  const dispatch = (...replies: readonly unknown[]) => ({
    name: "dispatch_subagent",
    arguments: { task_description: JSON.stringify({ replies }) },
  });

  test("is the same from each of its tasks: the root first, each node with its own use", async () => {
    const caller = await makeCaller();
    const leaf = dispatch({ text: "Leaf.", usage });
    const calls = [dispatch({ calls: [leaf], usage }, { text: "Part.", usage }), dispatch({ text: "Other.", usage })];
    const { id } = await caller.makeTask([
      { calls, usage },
      { text: "Done.", usage },
    ]);
    await caller.until(id, completed);
    const { json } = await caller.send("GET", `/v1/tasks/${id}/tree`);
    expect(json).toMatchObject({ root: id, truncated: false });
    expect(json.nodes).toHaveLength(4);
    const [root, first, second, third] = json.nodes;
    expect([root.parent_id, first.parent_id, second.parent_id]).toEqual([null, id, id]);
    const tokens = json.nodes.map((node: { usage: { tokens: number } }) => node.usage.tokens);
    // Both subtasks were made at the same moment.
    const [between, other] = third.parent_id === first.id ? [0, 1] : [1, 0];
    expect(third.parent_id).toBe([first, second][between].id);
    expect([tokens[0], tokens[1 + between], tokens[1 + other], tokens[3]]).toEqual([220, 220, 110, 110]);
    for (const node of json.nodes) {
      expect(node).toMatchObject({ status: "completed", agent: "agent_default", ended_at: expect.any(String) });
      expect((await caller.send("GET", `/v1/tasks/${node.id}/tree`)).json).toEqual(json);
    }
  });

  test("of another tenant's task is not there", async () => {
    const [one, other] = [await makeCaller(), await makeCaller()];
    const id = await held(one, "x");
    expectProblem(await other.send("GET", `/v1/tasks/${id}/tree`), 404);
    expectProblem(await one.send("GET", "/v1/tasks/no-task/tree"), 404);
  });
});

describe("the budget of a task", () => {
  test("lists its limits with the use of the task and of its subtasks", async () => {
    const caller = await makeCaller();
    const usage = { input: 100, output: 10 };
    const part = JSON.stringify({ replies: [{ text: "Part.", usage }] });
    const calls = [{ name: "dispatch_subagent", arguments: { task_description: part } }];
    const budget = { max_steps: 5, max_tokens: 50_000, max_duration_s: 600 };
    const { id, budget: before } = await caller.makeTask(
      [
        { calls, usage },
        { text: "Done.", usage },
      ],
      { budget },
    );
    expect(before).toMatchObject({ ...budget, max_cost_usd: null });
    const { budget: after } = await caller.until(id, completed);
    expect(after).toEqual({
      ...budget,
      max_cost_usd: null,
      used: { steps: 2, tokens: 330, cost_usd: 0, duration_s: expect.any(Number) },
      used_by_subtasks: { tokens: 110, cost_usd: 0 },
      held_for_subtasks: { tokens: 0, cost_usd: 0 },
      counting_since: null,
    });
  });

  test("shows what is held for a subtask that lives", async () => {
    const caller = await makeCaller();
    const part = JSON.stringify({ replies: [{ calls: [{ name: "ask_human", arguments: { query: "?" } }] }] });
    const calls = [{ name: "dispatch_subagent", arguments: { task_description: part, token_budget: 12_000 } }];
    const { id } = await caller.makeTask([{ calls }], { budget: { max_tokens: 50_000 } });
    const { budget } = await caller.until(id, ({ pending }) => pending.length > 0);
    expect(budget?.held_for_subtasks.tokens).toBe(12_000);
  });
});

import { describe, expect, test } from "vitest";
import type { PendingView, TaskView } from "../../../core/task/view.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { arrivedAt, loseAnswers, post, somewhere } from "../outside.ts";
import { config } from "../tenant/client.ts";

const completed = ({ status }: TaskView) => status === "completed";
const asks = ({ pending }: TaskView) => pending.length > 0;
const hasEnded = ({ status }: TaskView) => ["completed", "failed", "cancelled"].includes(status);
const ask = { calls: [{ name: "ask_human", arguments: { query: "Which city?" } }] };

/** A dispatch whose subtask's model answers by `replies`. */
const dispatch = (...replies: readonly unknown[]) => ({
  name: "dispatch_subagent",
  arguments: { task_description: JSON.stringify({ replies }) },
});

async function subtasks(caller: Caller, id: string, query = "") {
  const answer = await caller.send("GET", `/v1/tasks/${id}/subtasks${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as { data: (TaskView & { parent_id: string })[]; next_cursor: string | null };
}

/** The one thing that a task waits for, which a task below it asks. */
function below({ pending }: TaskView): PendingView & { readonly task_id: string } {
  const [open] = pending;
  if (open?.task_id === undefined) throw new Error(`no subtask asks: ${JSON.stringify(pending)}`);
  return { ...open, task_id: open.task_id };
}

describe("the subtasks of a task", () => {
  test("are listed in pages in the order of their dispatch, each with its current state", async () => {
    const caller = await makeCaller();
    const calls = Array.from({ length: 5 }, (_, index) =>
      dispatch({ text: `Part ${index}.`, delayMs: 50 * (5 - index) }),
    );
    const { id } = await caller.makeTask([{ calls }, { text: "All done." }]);
    await caller.until(id, completed);
    const complete = await subtasks(caller, id);
    expect((await subtasks(caller, id, "?view=short")).data).toEqual(
      complete.data.map((one: object) => ({ ...one, cut: [] })),
    );
    expect(complete.next_cursor).toBeNull();
    expect(complete.data.map(({ output }) => output?.text)).toEqual(calls.map((_, index) => `Part ${index}.`));
    for (const one of complete.data) {
      expect(one.parent_id).toBe(id);
      expect((await caller.send("GET", `/v1/tasks/${one.id}`)).json).toEqual(one);
    }
    for (const limit of [1, 2, 5, 100]) {
      const all: TaskView[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page = await subtasks(caller, id, `?limit=${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`);
        expect(page.data.length).toBeLessThanOrEqual(limit);
        all.push(...page.data);
        cursor = page.next_cursor;
      }
      expect(all).toEqual(complete.data);
    }
  });

  test("are listed while they work, and without one that was erased", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([{ calls: [dispatch({ text: "First." }), dispatch(ask)] }]);
    await caller.until(id, asks);
    const [first, second] = (await subtasks(caller, id)).data;
    await caller.until(first?.id ?? "", completed);
    expect((await subtasks(caller, id)).data.map(({ status }) => status)).toEqual(["completed", "waiting_input"]);
    const cursor = (await subtasks(caller, id, "?limit=1")).next_cursor;
    expect((await caller.send("DELETE", `/v1/tasks/${first?.id}`)).status).toBe(200);
    expect((await subtasks(caller, id)).data.map((one) => one.id)).toEqual([second?.id]);
    // The list can still be read on from where an erased subtask stood.
    expect((await subtasks(caller, id, `?cursor=${cursor}`)).data.map((one) => one.id)).toEqual([second?.id]);
  });

  test("are an empty list for a task without a dispatch, and unknown to other tenants", async () => {
    const [caller, stranger] = [await makeCaller(), await makeCaller()];
    const { id } = await caller.makeTask([], { hold: true });
    expect(await subtasks(caller, id)).toEqual({ data: [], next_cursor: null });
    expectProblem(await stranger.send("GET", `/v1/tasks/${id}/subtasks`), 404);
    expectProblem(await caller.send("GET", `/v1/tasks/${id}/subtasks?limit=101`), 422, "limit");
    for (const cursor of ["x", id, "task_00000000000000000000000000"]) {
      expectProblem(await caller.send("GET", `/v1/tasks/${id}/subtasks?cursor=${cursor}`), 422, "cursor");
    }
  });

  test("are cancelled with the task", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([{ calls: [dispatch(ask), dispatch({ calls: [dispatch(ask)] })] }]);
    await caller.until(id, ({ pending }) => pending.length === 2);
    const { data } = await subtasks(caller, id);
    const [, middle] = data;
    const { data: leaves } = await subtasks(caller, middle?.id ?? "");
    expect((await caller.send("POST", `/v1/tasks/${id}/cancel`)).status).toBe(202);
    for (const one of [...data, ...leaves]) expect((await caller.until(one.id, hasEnded)).status).toBe("cancelled");
  });
});

describe("what a subtask asks", () => {
  test("is listed at the root, and a question is answered there", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([{ calls: [dispatch(ask, { text: "Thanks." })] }, { text: "All done." }]);
    const view = await caller.until(id, asks);
    const question = below(view);
    expect([view.status, question.kind]).toEqual(["waiting_subagents", "question"]);
    if (question.kind !== "question") return;
    const own = (await caller.send("GET", `/v1/tasks/${question.task_id}`)).json;
    expect(own.pending[0]).not.toHaveProperty("task_id");
    expect(own.pending[0].id).toBe(question.id);
    const path = `/v1/tasks/${id}/questions/${question.id}/answer`;
    const answer = await caller.send("POST", path, { text: "Oslo" });
    expect([answer.status, answer.json.id]).toEqual([200, id]);
    expectProblem(await caller.send("POST", path, { text: "Bergen" }), 409);
    expect((await caller.until(id, completed)).pending).toEqual([]);
    const [row] = (await caller.send("GET", `/v1/tasks/${question.task_id}/ledger`)).json.data;
    expect(row.result).toMatchObject({ result: { answer: "Oslo" } });
  });

  test("is decided at its own task and at every task above it, and at no other", async () => {
    const caller = await makeCaller();
    const urls = [somewhere(), somewhere(), somewhere()];
    const leaf = { calls: urls.map((url) => post(url)) };
    const middleOf = { calls: [dispatch(leaf), dispatch({ calls: [post(somewhere())] })] };
    const { id } = await caller.makeTask([{ calls: [dispatch(middleOf)] }, { text: "All done." }]);
    const view = await caller.until(id, ({ pending }) => pending.length === 4);
    const middle = (await subtasks(caller, id)).data[0]?.id ?? "";
    const [leafId = "", sibling = ""] = (await subtasks(caller, middle)).data.map((task) => task.id);
    const requests = view.pending.map((entry) => entry as PendingView & { id: string });
    const [first, second, third] = requests.filter(({ task_id }) => task_id === leafId);
    const beside = requests.find(({ task_id }) => task_id === sibling);
    const decide = async (task: string, approval: string | undefined, decision = "approve") =>
      await caller.send("POST", `/v1/tasks/${task}/approvals/${approval}`, { decision });
    const other = await caller.makeTask([], { hold: true });
    for (const task of [sibling, other.id]) expectProblem(await decide(task, first?.id), 404);
    expectProblem(await decide(leafId, beside?.id), 404);
    expect(await Promise.all(urls.map(arrivedAt))).toEqual([[], [], []]);
    for (const [task, approval] of [
      [id, first],
      [middle, second],
      [leafId, third],
    ] as const) {
      const decided = await decide(task, approval?.id);
      expect([decided.status, decided.json.id]).toEqual([200, task]);
    }
    await decide(sibling, beside?.id, "refuse");
    await caller.until(id, completed);
    expect(await Promise.all(urls.map(arrivedAt))).toEqual([["POST hello"], ["POST hello"], ["POST hello"]]);
  });

  test("is decided at the root when the outcome of its call is unknown", async () => {
    const caller = await makeCaller();
    const url = somewhere();
    const more = {
      permissions: ["read", "network"],
      allowed_domains: ["*"],
      approval: { dangerous: "allow" },
      on_unknown: "ask",
    };
    const agent = (await caller.send("POST", "/v1/agents", config("asking", more))).json.id;
    loseAnswers(1);
    const { id } = await caller.makeTask([{ calls: [dispatch({ calls: [post(url)] })] }], { agent });
    const open = below(await caller.until(id, asks));
    if (open.kind !== "unknown") throw new Error(`nothing is unknown: ${JSON.stringify(open)}`);
    expect(open.arguments).toMatchObject({ url });
    const decided = await caller.send("POST", `/v1/tasks/${id}/ledger/${open.call_id}`, { decision: "done" });
    expect([decided.status, decided.json.call_id, decided.json.state]).toEqual([200, open.call_id, "confirmed"]);
    await caller.until(id, completed);
    expect(await arrivedAt(url)).toHaveLength(1);
  });

  test("is not found by another tenant, by whatever task of its own it asks", async () => {
    const [caller, stranger] = [await makeCaller(), await makeCaller()];
    const { id } = await caller.makeTask([{ calls: [dispatch(ask)] }]);
    const question = below(await caller.until(id, asks));
    if (question.kind !== "question") throw new Error("no question");
    const own = await stranger.makeTask([], { hold: true });
    for (const task of [id, question.task_id, own.id]) {
      const path = `/v1/tasks/${task}/questions/${question.id}/answer`;
      expectProblem(await stranger.send("POST", path, { text: "Oslo" }), 404);
    }
    expect((await caller.send("GET", `/v1/tasks/${id}`)).json.pending).toHaveLength(1);
  });
});

describe("?wait=", () => {
  const make = async (caller: Caller, replies: readonly unknown[], wait: number) =>
    await caller.send("POST", `/v1/tasks?wait=${wait}`, { input: JSON.stringify({ replies }) });

  test("continues while its subtasks work", async () => {
    const caller = await makeCaller();
    const calls = [dispatch({ text: "One.", delayMs: 300 }), dispatch({ text: "Two.", delayMs: 600 })];
    const { status, json } = await make(caller, [{ calls }, { text: "All done." }], 20);
    expect([status, json.status, json.output?.text]).toEqual([201, "completed", "All done."]);
  });

  test("ends when a subtask asks a person", async () => {
    const caller = await makeCaller();
    // Longer than this test may take.
    const { json } = await make(caller, [{ calls: [dispatch({ ...ask, delayMs: 200 })] }], 60);
    expect([json.status, json.pending.length]).toEqual(["waiting_subagents", 1]);
  });

  test("ends when the seconds are up, whatever its subtasks do", async () => {
    const caller = await makeCaller();
    const { json } = await make(caller, [{ calls: [dispatch({ text: "Late.", delayMs: 5000 })] }], 1);
    expect(["running", "waiting_subagents"]).toContain(json.status);
    await caller.send("POST", `/v1/tasks/${json.id}/cancel`);
  });
});

test("a call over the API dispatches no subagent, with a task or without", async () => {
  const caller = await makeCaller();
  const task = await caller.makeTask([], { hold: true });
  for (const more of [{}, { task_id: task.id }]) {
    const body = { arguments: dispatch({ text: "x" }).arguments, ...more };
    const answer = await caller.send("POST", "/v1/tools/dispatch_subagent/call", body);
    expectProblem(answer, 422, "name");
    expect(answer.json.detail).toContain("only a task's own model dispatches subagents");
  }
  expect(await subtasks(caller, task.id)).toEqual({ data: [], next_cursor: null });
});

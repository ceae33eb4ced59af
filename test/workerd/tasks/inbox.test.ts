import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { person } from "../channels/inbox/ask-people.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { loseAnswers, post, somewhere } from "../outside.ts";
import { config } from "../tenant/client.ts";
import { takeSendingsOf } from "../channels/outbox/test-sender.ts";

interface Entry {
  readonly task: { readonly id: string; readonly parent_id: string | null; readonly title: string };
  readonly pending: { readonly kind: string; readonly id: string; readonly call_id: string; readonly query: string };
  readonly since: string;
}

const asks = ({ pending }: TaskView) => pending.length > 0;
const ask = (query: string) => ({ name: "ask_human", arguments: { query } });

async function inbox(caller: Caller, query = "") {
  const answer = await caller.send("GET", `/v1/inbox${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as { data: Entry[]; next_cursor: string | null; total: number };
}

async function waiting(caller: Caller, ...calls: readonly unknown[]): Promise<TaskView> {
  const { id } = await caller.makeTask([{ calls }, { text: "Done." }]);
  return await caller.until(id, asks);
}

const kinds = ({ data }: { data: Entry[] }) => data.map(({ pending }) => pending.kind);

describe("the inbox", () => {
  test("is empty where nothing waits", async () => {
    expect(await inbox(await makeCaller())).toEqual({ data: [], next_cursor: null, total: 0 });
  });

  test("shows each open wait as its task has it, the oldest first, with the task that asks", async () => {
    const caller = await makeCaller();
    const question = await waiting(caller, ask("Which city?"));
    const approval = await waiting(caller, post(somewhere()));
    const found = await inbox(caller);
    expect(found.total).toBe(2);
    expect(found.data.map(({ pending }) => pending)).toEqual([...question.pending, ...approval.pending]);
    expect(found.data.map(({ task }) => task.id)).toEqual([question.id, approval.id]);
    for (const { task, since } of found.data) {
      expect(task.parent_id).toBeNull();
      expect(task.title).not.toBe("");
      expect(Date.parse(since)).not.toBeNaN();
    }
  });

  test("shows every wait of a task, and what a subtask asks once, at the subtask", async () => {
    const caller = await makeCaller();
    const both = await waiting(caller, ask("One?"), ask("Two?"));
    const below = JSON.stringify({ replies: [{ calls: [ask("From below?")] }, { text: "Part." }] });
    const parent = await waiting(caller, { name: "dispatch_subagent", arguments: { task_description: below } });
    const { data, total } = await inbox(caller);
    expect(total).toBe(3);
    expect(data.map(({ pending }) => pending.query)).toEqual(["One?", "Two?", "From below?"]);
    expect(data.map(({ task }) => task.parent_id)).toEqual([null, null, parent.id]);
    expect(data.map(({ task }) => task.id).slice(0, 2)).toEqual([both.id, both.id]);
    expect(data[2]?.pending).not.toHaveProperty("task_id");
  });

  test("shows a call over the API that waits for an approval, which is in no list of tasks", async () => {
    const caller = await makeCaller();
    const answer = await caller.send("POST", "/v1/tools/http_request/call", { arguments: post(somewhere()).arguments });
    const { task_id, approval_id } = answer.json.error.details;
    const { data } = await inbox(caller);
    expect(data.map(({ task, pending }) => [task.id, pending.id])).toEqual([[task_id, approval_id]]);
  });

  test("shows a call of unknown outcome", async () => {
    const caller = await makeCaller();
    const more = { permissions: ["read", "network"], allowed_domains: ["*"], approval: { dangerous: "allow" } };
    const made = await caller.send("POST", "/v1/agents", config("asking", { ...more, on_unknown: "ask" }));
    loseAnswers(1);
    const { id } = await caller.makeTask([{ calls: [post(somewhere())] }, { text: "Done." }], { agent: made.json.id });
    const { pending } = await caller.until(id, asks);
    const found = await inbox(caller, "?kind=unknown");
    expect(found.data.map((entry) => entry.pending)).toEqual(pending);
  });

  test("no longer shows what was decided, as soon as the decision was answered", async () => {
    const caller = await makeCaller();
    const { id, pending } = await waiting(caller, ask("Which city?"));
    const [question] = pending;
    if (question?.kind !== "question") throw new Error("no question");
    const decided = await caller.send("POST", `/v1/tasks/${id}/questions/${question.id}/answer`, { text: "Rome" });
    expect(decided.status).toBe(200);
    expect((await inbox(caller)).data).toEqual([]);
    await caller.until(id, ({ status }) => status === "completed");
    expect((await inbox(caller)).total).toBe(0);
  });

  test("omits a stale entry of the index, and a deleted task", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([{ text: "Done." }]);
    const view = await caller.until(id, ({ status }) => status === "completed");
    const wait = { id: "qst_1", kind: "question", person: null, person_id: null, since: 1 } as const;
    const rest = { version: 1e9, hidden: false, wakeAt: null, key: null, used: { tokens: 0, costMicros: 0 } };
    const gone = "task_00000000000000000000000000";
    const asking = { ...view, status: "waiting_input" as const };
    const rows = [id, gone].map((task) => ({ task, view: { ...asking, id: task }, waits: [wait], ...rest }));
    const written = await databaseFromEnv(env).tasks.upsert(caller.tenant, rows);
    expect(written.ok).toBe(true);
    expect(await inbox(caller)).toEqual({ data: [], next_cursor: null, total: 2 });
  });

  test("counts nothing of a task that ended, although its row still lists what it waited for", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([{ text: "Done." }]);
    const view = await caller.until(id, ({ status }) => status === "completed");
    const wait = { id: "qst_1", kind: "question", person: null, person_id: null, since: 1 } as const;
    const rest = { version: 1e9, hidden: false, wakeAt: null, key: null, used: { tokens: 0, costMicros: 0 } };
    const written = await databaseFromEnv(env).tasks.upsert(caller.tenant, [
      { task: id, view, waits: [wait], ...rest },
    ]);
    expect(written.ok).toBe(true);
    expect((await inbox(caller)).total).toBe(0);
  });

  test("is read in pages that contain each entry once and state the total", async () => {
    const caller = await makeCaller();
    await waiting(caller, ask("One?"), ask("Two?"), ask("Three?"));
    await waiting(caller, ask("Four?"), ask("Five?"));
    const queries: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = await inbox(caller, `?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
      expect([page.data.length <= 2, page.total]).toEqual([true, 5]);
      queries.push(...page.data.map(({ pending }) => pending.query));
      cursor = page.next_cursor;
    }
    expect(queries).toEqual(["One?", "Two?", "Three?", "Four?", "Five?"]);
  });

  test("is listed the newest first too, and short: what kind waits, where and since when", async () => {
    const caller = await makeCaller();
    const first = await waiting(caller, ask("One?"));
    await waiting(caller, post(somewhere()));
    const { data } = await inbox(caller);
    expect((await inbox(caller, "?order=newest")).data).toEqual(data.toReversed());
    const newest = await inbox(caller, "?order=newest&limit=1");
    expect((await inbox(caller, `?order=newest&cursor=${newest.next_cursor}`)).data).toEqual(data.slice(0, 1));
    const short = await caller.send("GET", "/v1/inbox?view=short&limit=1");
    const [question] = data;
    expect(short.json).toMatchObject({ total: 2 });
    expect(short.json.data).toEqual([
      {
        task: { ...question?.task, status: first.status },
        pending: { kind: "question", id: question?.pending.id, person: null, person_id: null },
        since: question?.since,
      },
    ]);
  });

  test("is narrowed to a kind and to a person", async () => {
    const caller = await makeCaller();
    takeSendingsOf(caller.tenant);
    const ana = await person(caller, "Ana");
    await waiting(caller, { name: "ask_human", arguments: { query: "For Ana?", human_name: "Ana" } });
    await waiting(caller, ask("For any person?"));
    await waiting(caller, post(somewhere()));
    expect(kinds(await inbox(caller, "?kind=approval"))).toEqual(["approval"]);
    expect(kinds(await inbox(caller, "?kind=question"))).toEqual(["question", "question"]);
    for (const name of [ana.id, "ana"]) {
      const { data, total } = await inbox(caller, `?person=${name}`);
      expect([total, data.map(({ pending }) => pending.query)]).toEqual([1, ["For Ana?"]]);
    }
    expect((await inbox(caller, "?person=nobody")).total).toBe(0);
  });

  test("of another tenant holds nothing of it", async () => {
    const [one, other] = [await makeCaller(), await makeCaller()];
    await waiting(one, ask("Which city?"));
    expect(await inbox(other)).toEqual({ data: [], next_cursor: null, total: 0 });
  });

  test("refuses what is no filter and no cursor of it, and a key that may not read tasks", async () => {
    const caller = await makeCaller();
    expectProblem(await caller.send("GET", "/v1/inbox?kind=letter"), 422, "kind");
    expectProblem(await caller.send("GET", "/v1/inbox?cursor=no"), 422, "cursor");
    expectProblem(await caller.send("GET", "/v1/inbox?order=best"), 422, "order");
    expectProblem(await (await makeCaller(["tools:call"])).send("GET", "/v1/inbox"), 403);
  });
});

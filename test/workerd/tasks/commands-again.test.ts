import { describe, expect, test } from "vitest";
import { type Answer, type Caller, makeCaller } from "../http/entry.ts";
import { loseReplies } from "../tenant/client.ts";

const ask = { calls: [{ name: "ask_human", arguments: { query: "Which city?" } }] };

/** Sends a command, loses its reply, and sends it again under the same key. */
async function twice(caller: Caller, path: string, body: unknown): Promise<[Answer, Answer]> {
  const headers = { "idempotency-key": "once" };
  const first = await caller.send("POST", path, body, headers);
  await loseReplies(caller.tenant);
  const second = await caller.send("POST", path, body, headers);
  expect(second.headers.get("idempotency-replayed")).toBeNull();
  return [first, second];
}

async function events(caller: Caller, id: string, type: string): Promise<{ data: Record<string, unknown> }[]> {
  const path = `/v1/tasks/${id}/events?limit=500`;
  const page = await caller.send("GET", path, undefined, { accept: "application/json" });
  return page.json.data.filter((event: { type: string }) => event.type === type);
}

describe("a command whose reply was lost is not applied again, and is answered as before", () => {
  test("when it is a message", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([{ text: "Done." }], { hold: true });
    const path = `/v1/tasks/${id}/messages`;
    const answers = await twice(caller, path, { text: "Mind the budget." });
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(await events(caller, id, "message.completed")).toHaveLength(1);
    // Without the key it is another message.
    expect((await caller.send("POST", path, { text: "Mind the budget." })).status).toBe(202);
    expect(await events(caller, id, "message.completed")).toHaveLength(2);
  });

  test("when it is an answer", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([ask, { text: "Thanks." }]);
    const { pending } = await caller.until(id, ({ status }) => status === "waiting_input");
    const question = (pending[0] as { id: string }).id;
    const answers = await twice(caller, `/v1/tasks/${id}/questions/${question}/answer`, { text: "Oslo" });
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await events(caller, id, "question.answered")).toHaveLength(1);
  });

  test("when it is a start", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([{ text: "Done." }], { hold: true });
    const answers = await twice(caller, `/v1/tasks/${id}/start`, undefined);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await caller.until(id, ({ status }) => status === "completed");
    expect(await events(caller, id, "task.started")).toHaveLength(1);
  });

  test("when it is a call of a tool for a task that has ended since", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([], { hold: true });
    const body = { arguments: { filename: "a.txt", content: "x" }, task_id: id };
    const headers = { "idempotency-key": "once" };
    const first = await caller.send("POST", "/v1/tools/write_file/call", body, headers);
    expect(first.json).toMatchObject({ ok: true });
    await loseReplies(caller.tenant);
    await caller.send("POST", `/v1/tasks/${id}/cancel`);
    const second = await caller.send("POST", "/v1/tools/write_file/call", body, headers);
    expect([second.status, second.text]).toEqual([200, first.text]);
  });
});

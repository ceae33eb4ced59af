import { describe, expect, test } from "vitest";
import { expectProblem, makeCaller } from "../http/entry.ts";

const ask = (extra: Record<string, unknown> = {}) => ({
  calls: [{ name: "ask_human", arguments: { query: "Which city?", ...extra } }],
});
const ended = (view: { status: string }) => ["completed", "failed", "cancelled"].includes(view.status);

describe("a task over the API", () => {
  test("is made, runs, and shows its output", async () => {
    const caller = await makeCaller();
    const metadata = { order: "№ 7 😀", nested: { list: [1, null, "x"] } };
    const task = await caller.makeTask([{ text: "All done." }], { metadata, project: "sales" });
    expect(task).toMatchObject({ status: "running", metadata, project: "sales", parent_id: null, output: null });
    const view = await caller.until(task.id, ended);
    expect(view).toMatchObject({ status: "completed", metadata, output: { text: "All done.", files: [] } });
    expect(view.usage.steps).toBe(1);
  });

  test("gives stored text back as it came", async () => {
    const caller = await makeCaller();
    const text = "a\u0301 \u00e1 \ufeff \u200b \u202e \ud83d\ude00 \\u0000 \u0001 </script> %00 \r\n\t";
    const task = (await caller.send("POST", "/v1/tasks", { input: text, hold: true, metadata: { [text]: text } })).json;
    const view = (await caller.send("GET", `/v1/tasks/${task.id}`)).json;
    expect([view.input, view.metadata]).toEqual([text, { [text]: text }]);
  });

  test("can be waited for until it ends", async () => {
    const caller = await makeCaller();
    const answer = await caller.send("POST", "/v1/tasks?wait=20", {
      input: JSON.stringify({ replies: [{ text: "Here." }] }),
    });
    expect([answer.status, answer.json.status, answer.json.output.text]).toEqual([201, "completed", "Here."]);
    expect(answer.headers.get("location")).toBe(`/v1/tasks/${answer.json.id}`);
  });

  test("is not taken to wait while its model is tried again", async () => {
    const caller = await makeCaller();
    const body = { input: JSON.stringify({ replies: [{ text: "" }] }) };
    const { status, json } = await caller.send("POST", "/v1/tasks?wait=15", body);
    expect([status, json.status]).toEqual([201, "completed"]);
  });

  test("can be waited for until it waits, and is then answered once", async () => {
    const caller = await makeCaller();
    const input = JSON.stringify({ replies: [ask({ choices: ["Oslo", "Bergen"] }), { text: "Thanks." }] });
    const task = (await caller.send("POST", "/v1/tasks?wait=20", { input })).json;
    expect(task.status).toBe("waiting_input");
    const [question] = task.pending;
    const path = `/v1/tasks/${task.id}/questions/${question.id}/answer`;
    expectProblem(await caller.send("POST", path, {}), 422, "text");
    expectProblem(await caller.send("POST", path, { text: "a", choice: "Oslo" }), 422);
    expectProblem(await caller.send("POST", path, { choice: "Paris" }), 422, "choice");
    const both = await Promise.all([
      caller.send("POST", path, { choice: "Oslo" }),
      caller.send("POST", path, { text: "Bergen" }),
    ]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect((await caller.until(task.id, ended)).status).toBe("completed");
    expectProblem(await caller.send("POST", path, { text: "again" }), 409);
  });

  test("is answered after the seconds are up when it does neither", async () => {
    const caller = await makeCaller();
    const answer = await caller.send("POST", "/v1/tasks?wait=0.2", { input: "x", hold: true });
    expect([answer.status, answer.json.status]).toEqual([201, "queued"]);
  });

  test("that is held starts once", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([{ text: "Started." }], { hold: true });
    expect((await caller.send("POST", `/v1/tasks/${task.id}/start`)).status).toBe(200);
    expectProblem(await caller.send("POST", `/v1/tasks/${task.id}/start`), 409);
    expect((await caller.until(task.id, ended)).status).toBe("completed");
  });

  test("reads messages until it ends", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([{ text: "Done." }], { hold: true });
    const path = `/v1/tasks/${task.id}/messages`;
    expect((await caller.send("POST", path, { text: "Mind the budget." })).status).toBe(202);
    expectProblem(await caller.send("POST", path, { text: "" }), 422, "text");
    expectProblem(await caller.send("POST", path, { text: "x".repeat(16_001) }), 422, "text");
    await caller.send("POST", `/v1/tasks/${task.id}/cancel`);
    expectProblem(await caller.send("POST", path, { text: "Too late." }), 409);
  });

  test("reads a pasted message as text from outside", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([{ text: "Done." }], { hold: true });
    const send = async (body: object) => await caller.send("POST", `/v1/tasks/${task.id}/messages`, body);
    for (const paste of [true, false]) expect((await send({ text: `paste: ${paste}`, paste })).status).toBe(202);
    expectProblem(await send({ text: "x", paste: "yes" }), 422, "paste");
    const path = `/v1/tasks/${task.id}/events`;
    const log = (await caller.send("GET", path, undefined, { accept: "application/json" })).json.data;
    const completed = log.filter(({ type }: { type: string }) => type === "message.completed");
    expect(completed.map(({ data }: { data: unknown }) => data)).toMatchObject([
      { text: "paste: true", label: "outside" },
      { text: "paste: false", label: "principal" },
    ]);
  });

  test("is cancelled, and only then erased, and then it is gone", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([ask()]);
    await caller.until(task.id, ({ status }) => status === "waiting_input");
    await caller.send("PUT", `/v1/tasks/${task.id}/files/notes/a.txt`, "text", { "content-type": "text/plain" });
    expectProblem(await caller.send("DELETE", `/v1/tasks/${task.id}`), 409);
    const cancelled = await caller.send("POST", `/v1/tasks/${task.id}/cancel`);
    expect([cancelled.status, cancelled.json.status]).toEqual([202, "cancelled"]);
    const erased = await caller.send("DELETE", `/v1/tasks/${task.id}`);
    expect([erased.status, erased.json.id]).toEqual([200, task.id]);
    for (const rest of ["", "/events", "/ledger", "/trace", "/files", "/files/notes/a.txt", "/subtasks"]) {
      expectProblem(await caller.send("GET", `/v1/tasks/${task.id}${rest}`), 404);
    }
    expectProblem(await caller.send("DELETE", `/v1/tasks/${task.id}`), 404);
  });

  test("shows its ledger and its trace", async () => {
    const caller = await makeCaller();
    const write = { calls: [{ name: "write_file", arguments: { filename: "a.txt", content: "x" } }] };
    const task = await caller.makeTask([write, { text: "Done." }]);
    await caller.until(task.id, ended);
    const ledger = (await caller.send("GET", `/v1/tasks/${task.id}/ledger`)).json;
    expect(ledger.data).toHaveLength(1);
    expect(ledger.data[0]).toMatchObject({
      step: 1,
      tool: "write_file",
      effect: "keyed",
      state: "confirmed",
      attempts: 1,
      label: "principal",
      result: { ok: true },
    });
    expect(Object.keys(ledger.data[0]).toSorted()).toEqual(
      [
        "call_id",
        "step",
        "tool",
        "effect",
        "state",
        "key",
        "arguments_hash",
        "attempts",
        "intended_at",
        "settled_at",
        "label",
        "account",
        "result",
      ].toSorted(),
    );
    const trace = (await caller.send("GET", `/v1/tasks/${task.id}/trace`)).json;
    expect(trace.steps.map(({ step, calls }: { step: number; calls: unknown[] }) => [step, calls.length])).toEqual([
      [1, 1],
      [2, 0],
    ]);
    const decide = `/v1/tasks/${task.id}/ledger/${ledger.data[0].call_id}`;
    expectProblem(await caller.send("POST", decide, { decision: "maybe" }), 422, "decision");
    expectProblem(await caller.send("POST", decide, { decision: "done" }), 409);
    expectProblem(await caller.send("POST", `/v1/tasks/${task.id}/ledger/call_x`, { decision: "done" }), 404);
  });

  test("returns its ledger in pages, and its trace in full", async () => {
    const caller = await makeCaller();
    const write = (name: string) => ({ name: "write_file", arguments: { filename: name, content: "x" } });
    const steps = [
      ["a.txt", "b.txt", "c.txt"],
      ["d.txt", "e.txt"],
    ];
    const task = await caller.makeTask([...steps.map((names) => ({ calls: names.map(write) })), { text: "Done." }]);
    await caller.until(task.id, ended);
    const read = async (query: string) => (await caller.send("GET", `/v1/tasks/${task.id}/ledger${query}`)).json;
    const full = await read("");
    expect([full.data.length, full.next_cursor]).toEqual([5, null]);
    for (const limit of [1, 2, 5]) {
      const rows: unknown[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const page = await read(`?limit=${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`);
        expect(page.data.length).toBeLessThanOrEqual(limit);
        rows.push(...page.data);
        cursor = page.next_cursor;
      }
      expect(rows).toEqual(full.data);
    }
    const { steps: traced } = (await caller.send("GET", `/v1/tasks/${task.id}/trace`)).json;
    expect(traced.map(({ calls }: { calls: { call_id: string }[] }) => calls.map(({ call_id }) => call_id))).toEqual([
      full.data.slice(0, 3).map(({ call_id }: { call_id: string }) => call_id),
      full.data.slice(3).map(({ call_id }: { call_id: string }) => call_id),
      [],
    ]);
    const other = await caller.makeTask([], { hold: true });
    for (const cursor of ["x", "call_x_NaN_NaN", full.data[0].call_id]) {
      expectProblem(await caller.send("GET", `/v1/tasks/${other.id}/ledger?cursor=${cursor}`), 422, "cursor");
    }
    expectProblem(await caller.send("GET", `/v1/tasks/${task.id}/ledger?limit=501`), 422, "limit");
  });

  test("is listed as soon as it is created", async () => {
    const caller = await makeCaller();
    for (let made = 1; made <= 10; made += 1) {
      const task = await caller.makeTask([], { hold: true });
      const { json } = await caller.send("GET", "/v1/tasks");
      expect(json.data.map(({ id }: { id: string }) => id)).toContain(task.id);
    }
  });

  test("is listed only in its own tenant, with pages and filters", async () => {
    const [caller, other] = [await makeCaller(), await makeCaller()];
    const made: string[] = [];
    for (let i = 0; i < 3; i += 1)
      made.push((await caller.makeTask([], { hold: true, project: i === 0 ? "one" : "two" })).id);
    const all = await waitForList(caller, 3);
    expect(all.toSorted()).toEqual(made.toSorted());
    const first = (await caller.send("GET", "/v1/tasks?limit=2")).json;
    const second = (await caller.send("GET", `/v1/tasks?limit=2&cursor=${first.next_cursor}`)).json;
    expect([first.data.length, second.data.length, second.next_cursor]).toEqual([2, 1, null]);
    expect((await caller.send("GET", "/v1/tasks?project=one")).json.data).toHaveLength(1);
    expect((await caller.send("GET", "/v1/tasks?status=completed")).json.data).toHaveLength(0);
    expect((await other.send("GET", "/v1/tasks")).json.data).toEqual([]);
    expectProblem(await other.send("GET", `/v1/tasks/${made[0]}`), 404);
  });
});

describe("a new task is refused", () => {
  test.each([
    [{ input: "x", skills: ["report"] }, "invalid_input", "skills"],
    [{ input: "x", deliver: [{ channel: "slack", to: "#a" }] }, "not_available", "deliver.0.to"],
    [{ input: "x", mode: "staged" }, "not_available", "mode"],
    [{ input: "x", budget: { max_steps: 101 } }, "invalid_input", "budget.max_steps"],
    [{ input: "x", budget: { max_cost_usd: 1 } }, "invalid_input", "budget.max_cost_usd"],
    [{ input: [{ role: "tool", content: "x" }] }, "invalid_input", "input.0.role"],
    [{ input: "x".repeat(200_001) }, "invalid_input", "input"],
  ])("for what it cannot have: %#", async (body, code, field) => {
    const caller = await makeCaller();
    const answer = await caller.send("POST", "/v1/tasks", body);
    expectProblem(answer, 422, field);
    expect(answer.json.code).toBe(code);
  });

  test("for an agent that there is not", async () => {
    const caller = await makeCaller();
    expectProblem(await caller.send("POST", "/v1/tasks", { input: "x", agent: "nobody" }), 404, "agent");
  });
});

test("a request that is repeated under its key finds the same task", async () => {
  const caller = await makeCaller();
  const headers = { "idempotency-key": "order-7" };
  const body = { input: "x", hold: true };
  const answers = await Promise.all(
    Array.from({ length: 10 }, async () => await caller.send("POST", "/v1/tasks", body, headers)),
  );
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.every(({ status }) => status === 201)).toBe(true);
  expect(await waitForList(caller, 1)).toEqual([answers[0]?.json.id]);
});

async function waitForList(caller: Awaited<ReturnType<typeof makeCaller>>, count: number): Promise<string[]> {
  for (let tries = 0; tries < 200; tries += 1) {
    const ids = (await caller.send("GET", "/v1/tasks")).json.data.map(({ id }: { id: string }) => id);
    if (ids.length >= count) return ids;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the list did not catch up");
}

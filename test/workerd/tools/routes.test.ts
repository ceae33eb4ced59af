import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { shippedTools } from "../../../core/tool/shipped-skills.ts";
import { TaskObject } from "../../../durable-objects/task/object.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { readStored } from "../task/stored-rows.ts";

describe("the catalogue over the API", () => {
  test("lists every tool, narrows by toolbox, and with a query gives those that fit, the best first", async () => {
    const caller = await makeCaller();
    const names = async (query: string) =>
      (await caller.send("GET", `/v1/tools${query}`)).json.data.map(({ name }: { name: string }) => name);
    expect(await names("")).toEqual([...catalogue, ...shippedTools].map(({ name }) => name));
    expect(await names("?toolbox=files")).toEqual(
      catalogue.filter(({ toolbox }) => toolbox === "files").map(({ name }) => name),
    );
    expect((await names("?query=READ%20a%20file"))[0]).toBe("read_file");
    expect((await names("?query=what%20time%20is%20it%20now"))[0]).toBe("get_current_datetime");
    expect(await names("?query=ask%20a%20person&toolbox=files")).not.toContain("ask_human");
    expect(await names("?query=zebra")).toEqual([]);
  });

  test("shows a tool with its schemas, and only what there is", async () => {
    const caller = await makeCaller();
    const tool = (await caller.send("GET", "/v1/tools/read_file")).json;
    expect(tool).toMatchObject({
      name: "read_file",
      permissions: ["read"],
      security: "safe",
      effect: "none",
      steers: false,
    });
    expect(tool.input_schema).toMatchObject({ type: "object", required: ["path"], additionalProperties: false });
    expect(tool.examples.length).toBeGreaterThan(0);
    expect((await caller.send("POST", "/v1/tools/read_file/reload")).json).toEqual(tool);
    expectProblem(await caller.send("GET", "/v1/tools/read_minds"), 404);
    expectProblem(await caller.send("POST", "/v1/tools/read_minds/reload"), 404);
    expectProblem(await caller.send("POST", "/v1/tools/read_minds/call", {}), 404);
  });

  test("exports what a model takes", async () => {
    const caller = await makeCaller();
    const functions = (await caller.send("GET", "/v1/tools.json")).json;
    expect(functions).toHaveLength(catalogue.length + shippedTools.length);
    for (const { type, function: listed } of functions) {
      expect([type, listed.parameters.type]).toEqual(["function", "object"]);
      expect(listed.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    }
  });
});

describe("a call over the API", () => {
  test("returns the tool's result, and adds no task to the list", async () => {
    const caller = await makeCaller();
    const answer = await caller.send("POST", "/v1/tools/get_current_datetime/call", {
      arguments: { timezone: "Europe/Oslo" },
    });
    expect([answer.status, answer.json.ok, answer.json.result.timezone]).toEqual([200, true, "Europe/Oslo"]);
    const { json: ledger } = await caller.send("GET", `${answer.headers.get("location")}/ledger`);
    expect(ledger.data).toMatchObject([{ tool: "get_current_datetime", state: "confirmed" }]);
    expect((await caller.send("GET", "/v1/tasks")).json.data).toEqual([]);
  });

  test("gives a tool's failure as an answer", async () => {
    const caller = await makeCaller();
    const answer = await caller.send("POST", "/v1/tools/read_file/call", { arguments: { filename: "none.txt" } });
    expect([answer.status, answer.json.ok, answer.json.error.code, answer.json.error.retry]).toEqual([
      200,
      false,
      "not_found",
      "never",
    ]);
  });

  test.each([
    [{ arguments: {} }, "arguments.path"],
    [{ arguments: { filename: 7 } }, "arguments.filename"],
    [{ arguments: { path: 7 } }, "arguments.path"],
    [{ arguments: { filename: "a.txt", colour: "red" } }, "arguments.colour"],
    [{ arguments: { path: "a.txt", filename: "b.txt" } }, "arguments.filename"],
    [{ arguments: [] }, "arguments"],
    [{ argument: {} }, "argument"],
    [{ arguments: { filename: "a.txt" }, project: "a b" }, "project"],
  ])("is refused for bad arguments, by the field as it was written: %j", async (body, field) => {
    const caller = await makeCaller();
    expectProblem(await caller.send("POST", "/v1/tools/read_file/call", body), 422, field);
  });

  test("works in the sandbox of the task that it is made for", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([], { hold: true });
    const call = async (name: string, given: unknown) =>
      (await caller.send("POST", `/v1/tools/${name}/call`, { arguments: given, task_id: task.id })).json;
    expect(await call("write_file", { filename: "plan.md", content: "# Plan" })).toMatchObject({
      ok: true,
      result: { size: 6 },
    });
    expect(await call("read_file", { path: "plan.md" })).toMatchObject({ ok: true, result: { content: "# Plan" } });
    expect((await caller.send("GET", `/v1/tasks/${task.id}/files/plan.md`)).text).toBe("# Plan");
    expect(await call("attach_file", { filename: "plan.md" })).toMatchObject({ ok: true });
    await caller.send("POST", `/v1/tasks/${task.id}/start`);
    const view = await caller.until(task.id, ({ status }) => status === "completed");
    expect(view.output?.files).toMatchObject([{ path: "plan.md", size: 6 }]);
  });

  test("is refused by a task that has ended, as a file is", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([], { hold: true });
    await caller.send("POST", `/v1/tasks/${task.id}/cancel`);
    const put = await caller.send("PUT", `/v1/tasks/${task.id}/files/a.txt`, "x");
    expectProblem(put, 409);
    for (const [name, given] of [
      ["write_file", { filename: "a.txt", content: "x" }],
      ["attach_file", { filename: "a.txt" }],
      ["get_current_datetime", {}],
    ] as const) {
      const body = { arguments: given, task_id: task.id };
      const answer = await caller.send("POST", `/v1/tools/${name}/call`, body);
      expectProblem(answer, 409);
      expect(answer.json.detail).toBe(put.json.detail);
    }
    expect((await caller.send("GET", `/v1/tasks/${task.id}/files`)).json.data).toEqual([]);
  });

  test("goes with the task that it was made for: cancelled with it, erased with it", async () => {
    const caller = await makeCaller();
    const [parent, hidden] = await askFor(caller);
    await caller.send("POST", `/v1/tasks/${parent}/cancel`);
    await caller.until(hidden, ({ status }) => status === "cancelled");
    expect((await caller.send("DELETE", `/v1/tasks/${parent}`)).status).toBe(200);
    expectProblem(await caller.send("GET", `/v1/tasks/${hidden}`), 404);
  });

  test("that has ended is no longer the task's", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([], { hold: true });
    const body = { arguments: {}, task_id: task.id };
    expect((await caller.send("POST", "/v1/tools/get_current_datetime/call", body)).json.ok).toBe(true);
    expect(await adoptedBy(caller, task.id)).toEqual([]);
    const [parent, hidden] = await askFor(caller);
    expect(await adoptedBy(caller, parent)).toEqual([hidden]);
  });

  test("never outlives a task that is cancelled while the call is made", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([], { hold: true });
    const create = TaskObject.prototype.create;
    let hidden = "";
    vi.spyOn(TaskObject.prototype, "create").mockImplementation(async function (this: TaskObject, made) {
      hidden = made.facts.id;
      await caller.send("POST", `/v1/tasks/${task.id}/cancel`);
      return await create.call(this, made);
    });
    const body = { arguments: { query: "Which?" }, task_id: task.id };
    expect((await caller.send("POST", "/v1/tools/ask_human/call", body)).json).toMatchObject({ ok: false });
    expect((await caller.send("GET", `/v1/tasks/${hidden}`)).json.status).toBe("cancelled");
  });

  test("returns a large result in full", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([], { hold: true });
    const content = "ä".repeat(300_000);
    await caller.send("PUT", `/v1/tasks/${task.id}/files/big.txt`, content, { "content-type": "text/plain" });
    const answer = await caller.send("POST", "/v1/tools/read_file/call", {
      arguments: { filename: "big.txt" },
      task_id: task.id,
    });
    expect(answer.json.result.content).toBe(content);
  });

  test("of a tool that steers needs a task", async () => {
    const caller = await makeCaller();
    expectProblem(
      await caller.send("POST", "/v1/tools/attach_file/call", { arguments: { filename: "a.txt" } }),
      422,
      "task_id",
    );
    const missing = { arguments: { filename: "a.txt" }, task_id: "task_00000000000000000000000000" };
    expectProblem(await caller.send("POST", "/v1/tools/attach_file/call", missing), 404, "task_id");
    expectProblem(await caller.send("POST", "/v1/tools/read_file/call", { ...missing, task_id: "x" }), 404, "task_id");
  });

  test("accepts no agent or project together with a task", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([], { hold: true });
    const body = { arguments: { filename: "a.txt" }, task_id: task.id, project: "sales" };
    expectProblem(await caller.send("POST", "/v1/tools/read_file/call", body), 422, "project");
  });

  test("that asks a person says where the question is, and holds its answer", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([], { hold: true });
    const question = await caller.send("POST", "/v1/tools/ask_human/call", {
      arguments: { query: "Which?" },
      task_id: task.id,
    });
    expect(question.json).toMatchObject({
      ok: false,
      error: { code: "timeout", details: { status: "waiting_input" } },
    });
    const { task_id: hidden, pending } = question.json.error.details;
    await caller.send("POST", `/v1/tasks/${hidden}/questions/${pending[0].id}/answer`, { text: "This." });
    await caller.until(hidden, ({ status }) => status === "completed");
    const [row] = (await caller.send("GET", `/v1/tasks/${hidden}/ledger`)).json.data;
    expect(row.result).toMatchObject({ ok: true, result: { answer: "This." } });
  });

  test("is made once under its key", async () => {
    const caller = await makeCaller();
    const headers = { "idempotency-key": "one" };
    const call = async () =>
      await caller.send("POST", "/v1/tools/get_current_datetime/call", { arguments: {} }, headers);
    expect((await call()).text).toBe((await call()).text);
  });
});

/** A task, and the hidden task of a call for it that waits for a person. */
async function askFor(caller: Caller): Promise<[parent: string, hidden: string]> {
  const { id } = await caller.makeTask([], { hold: true });
  const body = { arguments: { query: "Which?" }, task_id: id };
  const question = await caller.send("POST", "/v1/tools/ask_human/call", body);
  return [id, question.json.error.details.task_id];
}

/** The hidden tasks that a task holds, as its object stores them. */
async function adoptedBy(caller: Caller, id: string): Promise<readonly string[]> {
  const stub = env.TASKS.get(env.TASKS.idFromName(`${caller.tenant}/${id}`));
  return await runInDurableObject(stub, (_, state) => {
    return readStored(state.storage).state.adopted;
  });
}

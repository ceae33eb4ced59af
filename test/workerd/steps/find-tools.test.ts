import { describe, expect, test } from "vitest";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { arrivedAt, somewhere } from "../outside.ts";

/** Registers a tool of the tenant's own that reads from an address. */
async function register(caller: Caller, name: string, url: string, change: Record<string, unknown> = {}) {
  const made = await caller.send("POST", "/v1/tools", {
    name,
    summary: "Look up the tide at a harbour.",
    security: "safe",
    input: { type: "object", properties: { harbour: { type: "string" } }, required: ["harbour"] },
    request: { url: `${url}/{harbour}` },
    ...change,
  });
  expect(made.status, made.text).toBe(201);
}

const call = async (caller: Caller, name: string, given: unknown, more = {}) =>
  await caller.send("POST", `/v1/tools/${name}/call`, { arguments: given, ...more });
const found = ({ result }: { result: { tools: { name: string }[] } }) => result.tools.map(({ name }) => name);

describe("find_tools and call_tool", () => {
  test("find and call a tool of the tenant's own, for a model", async () => {
    const [caller, url] = [await makeCaller(), somewhere()];
    await register(caller, "harbour.tides", url);
    const task = await caller.makeTask([
      { calls: [{ name: "find_tools", arguments: { query: "when is high water in the harbour of Oslo" } }] },
      { calls: [{ name: "call_tool", arguments: { name: "harbour_tides", arguments: { harbour: "oslo" } } }] },
      { text: "At noon." },
    ]);
    const view = await caller.until(task.id, ({ status }) => status === "completed");
    expect(view.output?.text).toBe("At noon.");
    const { data: rows } = (await caller.send("GET", `/v1/tasks/${task.id}/ledger`)).json;
    expect(rows.map(({ tool, state }: { tool: string; state: string }) => [tool, state])).toEqual([
      ["find_tools", "confirmed"],
      ["harbour.tides", "confirmed"],
    ]);
    expect(rows[1]).toMatchObject({ effect: "none" });
    expect(await arrivedAt(`${url}/oslo`)).toEqual(["GET "]);
    const events = (await caller.send("GET", `/v1/tasks/${task.id}/events`, undefined, { accept: "application/json" }))
      .json;
    const started = events.data.filter(({ type }: { type: string }) => type === "call.started");
    expect(started.map(({ data }: { data: { tool: string } }) => data.tool)).toEqual(["find_tools", "harbour.tides"]);
  });

  test("wait for the approval that the inner tool needs, and are made once it is given", async () => {
    const [caller, url] = [await makeCaller(), somewhere()];
    await register(caller, "harbour.tides", url, { security: "dangerous" });
    const within = { name: "harbour.tides", arguments: { harbour: "bergen" } };
    const task = await caller.makeTask([{ calls: [{ name: "call_tool", arguments: within }] }, { text: "Done." }]);
    const waiting = await caller.until(task.id, ({ status }) => status === "waiting_approval");
    expect(waiting.pending).toMatchObject([
      { kind: "approval", tool: "harbour.tides", arguments: { harbour: "bergen" } },
    ]);
    expect(await arrivedAt(`${url}/bergen`)).toEqual([]);
    const [pending] = waiting.pending;
    if (pending?.kind !== "approval") throw new Error("nothing waits for an approval");
    await caller.send("POST", `/v1/tasks/${task.id}/approvals/${pending.id}`, { decision: "approve" });
    await caller.until(task.id, ({ status }) => status === "completed");
    expect(await arrivedAt(`${url}/bergen`)).toEqual(["GET "]);
  });

  test("reach nothing that the agent does not have", async () => {
    const [caller, url] = [await makeCaller(), somewhere()];
    await register(caller, "harbour.tides", url);
    const agent = {
      name: "narrow",
      instructions: "",
      tools: ["find_tools", "call_tool", "wait"],
      permissions: ["network"],
    };
    expect((await caller.send("POST", "/v1/agents", agent)).status).toBe(201);
    const within = { name: "harbour_tides", arguments: { harbour: "oslo" } };
    const task = await caller.makeTask(
      [
        { calls: [{ name: "find_tools", arguments: { query: "the tide at a harbour" } }] },
        { calls: [{ name: "call_tool", arguments: within }] },
        { text: "No." },
      ],
      { agent: "narrow" },
    );
    await caller.until(task.id, ({ status }) => status === "completed");
    const { data: rows } = (await caller.send("GET", `/v1/tasks/${task.id}/ledger`)).json;
    expect(rows.map(({ tool, state }: { tool: string; state: string }) => [tool, state])).toEqual([
      ["find_tools", "confirmed"],
      ["harbour.tides", "refused"],
    ]);
    expect(
      found((await call(caller, "find_tools", { query: "the tide at a harbour" }, { agent: "narrow" })).json),
    ).toEqual([]);
    const refused = await call(caller, "call_tool", within, { agent: "narrow" });
    expect(refused.json).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    expect(await arrivedAt(`${url}/oslo`)).toEqual([]);
  });

  test("work over the API, and name fields as they were written", async () => {
    const caller = await makeCaller();
    const answer = await call(caller, "find_tools", { query: "write a text file", limit: 3 });
    expect(found(answer.json)[0]).toBe("write_file");
    const clock = { name: "get_current_datetime", arguments: { timezone: "Europe/Oslo" } };
    expect((await call(caller, "call_tool", clock)).json).toMatchObject({
      ok: true,
      result: { timezone: "Europe/Oslo" },
    });
    expectProblem(
      await call(caller, "call_tool", { ...clock, arguments: { timezone: 7 } }),
      422,
      "arguments.arguments.timezone",
    );
    expectProblem(await call(caller, "call_tool", { arguments: {} }), 422, "arguments.name");
    expectProblem(await call(caller, "call_tool", { name: "call_tool", arguments: clock }), 422, "arguments.name");
    expectProblem(await call(caller, "call_tool", { name: "dispatch_subagent", arguments: {} }), 422, "name");
    expectProblem(await call(caller, "call_tool", { name: "wait", arguments: { seconds: 1 } }), 422, "task_id");
    expectProblem(await call(caller, "call_tool", { name: "read_minds", arguments: {} }), 404);
  });

  test("of one tenant find nothing of another's", async () => {
    const [caller, other, url] = [await makeCaller(), await makeCaller(), somewhere()];
    await register(caller, "harbour.tides", url);
    const query = { query: "the tide at a harbour" };
    expect(found((await call(caller, "find_tools", query)).json)[0]).toBe("harbour_tides");
    expect(found((await call(other, "find_tools", query)).json)).not.toContain("harbour_tides");
    const listed = (await other.send("GET", "/v1/tools?query=tide%20harbour")).json.data;
    expect(listed).toEqual([]);
  });
});

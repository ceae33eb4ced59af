/** A skill is an envelope: whatever a task's model tries, by whatever way, it gets no tool that the skill does not list. */
import { beforeEach, describe, expect, inject, test } from "vitest";
import type { TaskView } from "../../../core/task/view.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { arrivedAt, post, somewhere } from "../outside.ts";
import { reportFiles, skillText, uploadText, uploadZip } from "./client.ts";
import { callTool, definition, register } from "../tools/client.ts";

type Call = { readonly name: string; readonly arguments: unknown };
interface Row {
  readonly tool: string;
  readonly state: string;
  readonly result: { readonly ok: boolean; readonly error?: { readonly code: string } } | null;
}

const hasEnded = ({ status }: TaskView) => ["completed", "failed", "cancelled"].includes(status);
const write = (filename = "stolen.txt"): Call => ({ name: "write_file", arguments: { filename, content: "x" } });
const load = (name: string): Call => ({ name: "load_skill", arguments: { name } });
const steps = (...calls: readonly Call[]) => [...calls.map((call) => ({ calls: [call] })), { text: "Done." }];
const task = (...calls: readonly Call[]) => JSON.stringify({ replies: steps(...calls) });
const dispatch = (agent_type: string, description: string): Call => ({
  name: "dispatch_subagent",
  arguments: { task_description: description, agent_type },
});

let caller: Caller;
let agent: string;

/** Every call of a task and those below it, as its ledger has them. */
async function ledgerOf(id: string): Promise<Row[]> {
  const own: Row[] = (await caller.send("GET", `/v1/tasks/${id}/ledger?limit=100`)).json.data;
  const below: { id: string }[] = (await caller.send("GET", `/v1/tasks/${id}/subtasks`)).json.data;
  const theirs = await Promise.all(below.map((one) => ledgerOf(one.id)));
  return [...own, ...theirs.flat()];
}

async function filesOf(id: string): Promise<string[]> {
  const { json } = await caller.send("GET", `/v1/tasks/${id}/files`);
  return json.data.map(({ path }: { path: string }) => path);
}

/** Makes the task under these skills, and gives it with its ledger once it has ended. */
async function run(skills: readonly string[], replies: readonly unknown[], more: Record<string, unknown> = {}) {
  const { id } = await caller.makeTask(replies, { agent, skills, ...more });
  const view = await caller.until(id, hasEnded);
  return { id, view, rows: await ledgerOf(id) };
}

const codes = (rows: readonly Row[]) =>
  rows.map(({ tool, state, result }) => [tool, state, result?.error?.code ?? null]);

beforeEach(async () => {
  caller = await makeCaller();
  const made = await caller.send("POST", "/v1/agents", {
    name: "able",
    instructions: "Work.",
    tools: ["*", "finished"],
    permissions: ["read", "write", "exec", "network"],
    allowed_domains: ["*"],
    approval: { dangerous: "allow" },
    budget: { max_steps: 40 },
  });
  agent = made.json.id;
});

describe("an adversarial skill", () => {
  test("gets no tool outside its list, by no name and no way, and each attempt is in the ledger as refused", async () => {
    const url = somewhere();
    const server = `${inject("servers").mcpUrl}/mcp/${crypto.randomUUID()}`;
    await fetch(server.replace("/mcp/", "/set/"), {
      method: "PUT",
      body: JSON.stringify({
        tools: [
          {
            name: "echo",
            description: "Echoes.",
            inputSchema: { type: "object" },
            annotations: { readOnlyHint: true },
          },
        ],
        answers: { echo: [{ resultType: "complete", content: [{ type: "text", text: "heard" }] }] },
      }),
    });
    await caller.send("POST", "/v1/mcp-servers", { name: "notes", url: server, trusted: true });
    await register(caller, definition("weather", url));
    await uploadText(caller, skillText("other-skill"));
    await uploadText(caller, skillText("wide", ['allowed-tools: ["*"]']));
    await uploadZip(
      caller,
      reportFiles("hostile", ["allowed-tools: [read_file, dispatch_subagent, call_tool, find_tools]"]),
    );
    const attempts: Call[] = [
      write(),
      { name: "write_file", arguments: { path: "stolen.txt", content: "x" } },
      { name: "fs.write", arguments: { path: "stolen.txt", content: "x" } },
      { name: "fs_write", arguments: { path: "stolen.txt", content: "x" } },
      { name: "execute_command", arguments: { command: "id" } },
      { name: "run_command", arguments: { command: "id" } },
      post(url),
      { name: "http.get", arguments: { url } },
      { name: "http_get", arguments: { url } },
      { name: "weather", arguments: { city: "Lisbon" } },
      { name: "notes_echo", arguments: {} },
      { name: "other_skill", arguments: { task: task(write()) } },
      { name: "hostile", arguments: { task: task(write()) } },
      load("wide"),
      { name: "run_skill_script", arguments: { skill_name: "hostile", script_name: "report.py" } },
      { name: "run_skill_script", arguments: { skill_name: "other-skill", script_name: "report.py" } },
      { name: "finished", arguments: { summary: "x" } },
      { name: "call_tool", arguments: write() },
      { name: "call_tool", arguments: { name: "fs.write", arguments: { path: "stolen.txt", content: "x" } } },
    ];
    const below = [
      dispatch("general", task(write(), { name: "call_tool", arguments: write() }, load("wide"))),
      dispatch("tool-specialist", `${task(write())}`),
      dispatch("research", task(write(), { name: "http_get", arguments: { url } })),
    ];
    const { id, view, rows } = await run(["hostile"], steps(...attempts, ...below));
    expect(view).toMatchObject({ status: "completed", output: { text: "Done." } });
    const done = rows.filter(({ state }) => state !== "refused");
    expect(codes(done).filter(([tool]) => tool !== "dispatch_subagent")).toEqual([]);
    const refused = rows.filter(({ tool }) => tool !== "dispatch_subagent");
    expect(refused).toHaveLength(attempts.length + 5);
    for (const [tool, state, code] of codes(refused))
      expect([tool, state, code]).toEqual([tool, "refused", "permission_denied"]);
    expect(await filesOf(id)).toEqual([]);
    expect(await arrivedAt(url)).toEqual([]);
  });

  test("cannot get one over the API with the task's id, by any of its names", async () => {
    await uploadText(caller, skillText("narrow", ["allowed-tools: [read_file]"]));
    const { id } = await caller.makeTask([], { agent, skills: ["narrow"], hold: true });
    const names = ["write_file", "fs.write", "fs_write"];
    for (const name of names) {
      const path = name === "write_file" ? { filename: "a.txt" } : { path: "a.txt" };
      const answer = await callTool(caller, name, { ...path, content: "x" }, { task_id: id });
      expect(answer.json, answer.text).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    }
    const within = await callTool(caller, "call_tool", write("a.txt"), { task_id: id });
    expect(within.json).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    expectProblem(await callTool(caller, "narrow", { task: "x" }, { task_id: id }), 422, "name");
    expectProblem(await callTool(caller, "finished", { summary: "x" }, { task_id: id }), 422, "name");
    expect(await filesOf(id)).toEqual([]);
  });

  test("loses a call that was approved before a skill was loaded, also one that the API made for the task", async () => {
    const url = somewhere();
    await uploadText(caller, skillText("narrow", ["allowed-tools: [read_file, ask_human]"]));
    const careful = await caller.send("POST", "/v1/agents", {
      name: "careful",
      instructions: "",
      tools: ["*"],
      permissions: ["read", "network"],
      allowed_domains: ["*"],
    });
    const ask: Call = { name: "ask_human", arguments: { query: "Go on?" } };
    const replies = [{ calls: [ask] }, { calls: [load("narrow"), post(url)] }, { text: "Done." }];
    const { id } = await caller.makeTask(replies, { agent: careful.json.id, skills: [] });
    const asking = await caller.until(id, ({ status }) => status === "waiting_input");
    // A call from outside waits for its approval while the task continues.
    const outside = await callTool(caller, "http_request", post(url).arguments, { task_id: id });
    const { approval_id, task_id } = outside.json.error.details;
    const [question] = asking.pending;
    if (question?.kind !== "question") throw new Error("no question");
    await caller.send("POST", `/v1/tasks/${id}/questions/${question.id}/answer`, { text: "yes" });
    const waiting = await caller.until(id, ({ status }) => status === "waiting_approval");
    expect(waiting.skills).toMatchObject([{ name: "narrow", how: "load" }]);
    const [approval] = waiting.pending;
    if (approval?.kind !== "approval") throw new Error("no approval");
    for (const path of [`${id}/approvals/${approval.id}`, `${task_id}/approvals/${approval_id}`])
      expect((await caller.send("POST", `/v1/tasks/${path}`, { decision: "approve" })).status).toBe(200);
    await caller.until(id, hasEnded);
    await caller.until(task_id, hasEnded);
    const rows = [...(await ledgerOf(id)), ...(await ledgerOf(task_id))].filter(({ tool }) => tool === "http_request");
    expect(codes(rows)).toEqual([
      ["http_request", "refused", "permission_denied"],
      ["http_request", "refused", "permission_denied"],
    ]);
    expect(await arrivedAt(url)).toEqual([]);
  });
});

describe("a skill with a list", () => {
  const tried = [
    write("a.txt"),
    { name: "read_file", arguments: { filename: "a.txt" } },
    { name: "list_directory", arguments: {} },
  ];
  const stateOf = (rows: readonly Row[], name: string) => rows.find(({ tool }) => tool === name)?.state;

  test.each([
    ["one list", ["writes"], { write_file: "confirmed", read_file: "refused", list_directory: "refused" }],
    [
      "the union of two",
      ["writes", "reads"],
      { write_file: "confirmed", read_file: "confirmed", list_directory: "refused" },
    ],
    [
      "one without a list beside one",
      ["writes", "free"],
      { write_file: "confirmed", read_file: "refused", list_directory: "refused" },
    ],
    [
      "one without a list alone",
      ["free"],
      { write_file: "confirmed", read_file: "confirmed", list_directory: "confirmed" },
    ],
    ["everything", ["wild"], { write_file: "confirmed", read_file: "confirmed", list_directory: "confirmed" }],
    ["nothing", ["nothing"], { write_file: "refused", read_file: "refused", list_directory: "refused" }],
  ])("leaves what it lists: %s", async (_, skills, states) => {
    const lists = { writes: "[write_*]", reads: '["read_fil?"]', wild: '["*"]', nothing: "[]", free: null };
    for (const [name, list] of Object.entries(lists))
      await uploadText(caller, skillText(name, list === null ? [] : [`allowed-tools: ${list}`]));
    const { view, rows } = await run(skills, steps(...tried));
    expect(Object.fromEntries(Object.keys(states).map((name) => [name, stateOf(rows, name)]))).toEqual(states);
    expect(view.skills.map(({ name, how }) => [name, how])).toEqual(skills.map((name) => [name, "request"]));
  });

  test("never takes ask_human away", async () => {
    await uploadText(caller, skillText("nothing", ["allowed-tools: []"]));
    const ask = { name: "ask_human", arguments: { query: "Which city?", wait_for_answer: false } };
    const { rows } = await run(["nothing"], steps(ask, load("nothing")));
    expect(codes(rows)).toEqual([
      ["ask_human", "confirmed", null],
      ["load_skill", "refused", "permission_denied"],
    ]);
  });

  test("narrows what the request left, and opens nothing", async () => {
    await uploadText(caller, skillText("wild", ['allowed-tools: ["*"]']));
    const { rows } = await run(["wild"], steps(write("a.txt")), { tools: ["read_*"] });
    expect(codes(rows)).toEqual([["write_file", "refused", "permission_denied"]]);
  });

  test("is the one that the task began with, whatever is uploaded meanwhile", async () => {
    await uploadText(caller, skillText("narrow", ["allowed-tools: [load_skill, read_file]"], "The first words."));
    const { id } = await caller.makeTask(steps(load("narrow"), write("a.txt")), {
      agent,
      skills: ["narrow"],
      hold: true,
    });
    const before = (await caller.send("GET", `/v1/tasks/${id}`)).json.skills;
    await uploadText(caller, skillText("narrow", ['allowed-tools: ["*"]'], "Other words."));
    await caller.send("POST", `/v1/tasks/${id}/start`);
    const view = await caller.until(id, hasEnded);
    expect(view.skills).toEqual(before);
    const rows = await ledgerOf(id);
    expect(codes(rows)).toEqual([
      ["load_skill", "confirmed", null],
      ["write_file", "refused", "permission_denied"],
    ]);
    const { rows: later } = await run(["narrow"], steps(write("a.txt")));
    expect(codes(later)).toEqual([["write_file", "confirmed", null]]);
  });
});

describe("a skill that the model loads", () => {
  test("narrows the steps after it, its subtasks, and the calls that the API makes for the task", async () => {
    await uploadText(caller, skillText("narrow", ["allowed-tools: [dispatch_subagent, ask_human]"]));
    const ask: Call = { name: "ask_human", arguments: { query: "Go on?" } };
    const calls = [
      write("before.txt"),
      load("narrow"),
      write("after.txt"),
      dispatch("general", task(write("below.txt"))),
      ask,
    ];
    const { id } = await caller.makeTask(steps(...calls), { agent, skills: [] });
    const view = await caller.until(id, ({ status }) => status === "waiting_input");
    expect(view.skills).toMatchObject([
      { name: "narrow", how: "load", allowed_tools: ["dispatch_subagent", "ask_human"] },
    ]);
    const answer = await callTool(caller, "write_file", write("api.txt").arguments, { task_id: id });
    expect(answer.json).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    expect(await filesOf(id)).toEqual(["before.txt"]);
    const log = await caller.send("GET", `/v1/tasks/${id}/events?limit=500`, undefined, { accept: "application/json" });
    expect(log.json.data.map(({ type }: { type: string }) => type)).toContain("skill.loaded");
    const rows = await ledgerOf(id);
    expect(codes(rows).filter(([tool]) => tool === "write_file")).toEqual([
      ["write_file", "confirmed", null],
      ["write_file", "refused", "permission_denied"],
      ["write_file", "refused", "permission_denied"],
    ]);
  });

  test("cannot widen what was matched; among those that it loads the union holds", async () => {
    await uploadText(caller, skillText("given", ["allowed-tools: [load_skill, read_file, list_directory]"]));
    await uploadText(caller, skillText("wide", ['allowed-tools: ["*"]']));
    const under = await run(["given"], steps(load("wide"), write("a.txt"), { name: "list_directory", arguments: {} }));
    expect(codes(under.rows)).toEqual([
      ["load_skill", "confirmed", null],
      ["write_file", "refused", "permission_denied"],
      ["list_directory", "confirmed", null],
    ]);
    await uploadText(caller, skillText("one", ["allowed-tools: [load_skill]"]));
    await uploadText(caller, skillText("two", ["allowed-tools: [write_file]"]));
    const { rows } = await run([], steps(load("one"), write("a.txt"), load("two"), write("b.txt")));
    expect(codes(rows).map(([tool, state]) => [tool, state])).toEqual([
      ["load_skill", "confirmed"],
      ["write_file", "refused"],
      ["load_skill", "confirmed"],
      ["write_file", "confirmed"],
    ]);
  });
});

describe("the tool of a skill", () => {
  test("works under the skill's instructions and list, and gives result and skill_used", async () => {
    await uploadText(caller, skillText("helper", ["allowed-tools: [write_file]"], "You are the helper."));
    const call: Call = {
      name: "helper",
      arguments: { task: task(write("a.txt"), { name: "list_directory", arguments: {} }) },
    };
    const { id, rows } = await run([], steps(call));
    const row = rows.find(({ tool }) => tool === "helper");
    expect(row).toMatchObject({ state: "confirmed", result: { result: { result: "Done.", skill_used: "helper" } } });
    expect(codes(rows).slice(1)).toEqual([
      ["write_file", "confirmed", null],
      ["list_directory", "refused", "permission_denied"],
    ]);
    const [child] = (await caller.send("GET", `/v1/tasks/${id}/subtasks`)).json.data;
    expect(child.skills).toMatchObject([{ name: "helper", how: "tool" }]);
    expect(await filesOf(id)).toEqual(["a.txt"]);
  });

  test("carves its budget from the caller's, with the other subtasks of the step", async () => {
    await uploadText(caller, skillText("helper"));
    const calls: Call[] = [1, 2].map(() => ({
      name: "helper",
      arguments: { task: JSON.stringify({ replies: [{ text: "x" }] }) },
    }));
    const { id, view } = await run([], [{ calls }, { text: "Done." }], { budget: { max_tokens: 60_000 } });
    expect(view.status).toBe("completed");
    const children: TaskView[] = (await caller.send("GET", `/v1/tasks/${id}/subtasks`)).json.data;
    expect(children.map(({ status }) => status)).toEqual(["completed", "completed"]);
  });
});

describe("a task under skills", () => {
  test("is refused with the skills that there are when it names one that is not there", async () => {
    await uploadText(caller, skillText("here"));
    const answer = await caller.send("POST", "/v1/tasks", { input: "x", skills: ["gone"] });
    expectProblem(answer, 422, "skills");
    expect(answer.json.errors[0].message).toMatch(/here, meeting-notes/);
  });

  test("gets a skill by /name, by its agent, and by what it requests; not if the agent disables matching", async () => {
    await uploadText(caller, skillText("here"));
    const skillsOf = async (body: object) => {
      const made = await caller.send("POST", "/v1/tasks", { hold: true, ...body });
      expect(made.status, made.text).toBe(201);
      return made.json.skills.map(({ name, how }: { name: string; how: string }) => [name, how]);
    };
    const input = "Write the minutes of the meeting from transcript.txt, with decisions and action items";
    expect(await skillsOf({ input: "/here do it" })).toEqual([["here", "mention"]]);
    expect(await skillsOf({ input: input })).toEqual([["meeting-notes", "similarity"]]);
    expect(await skillsOf({ input: input, skills: [] })).toEqual([]);
    expect(await skillsOf({ input: "What time is it?" })).toEqual([]);
    const foreign = 'description: "Cuts hedges and lawns of gardens."';
    const cut = "Cut the hedges and the lawns of my gardens by gardening rules";
    await uploadText(caller, `---\nname: gardens\n${foreign}\nallowed-tools: Read, Bash(git add:*)\n---\nx\n`);
    expect(await skillsOf({ input: cut })).toEqual([]);
    expect(await skillsOf({ input: cut, skills: ["gardens"] })).toEqual([["gardens", "request"]]);
    await uploadText(caller, `---\nname: gardens\n${foreign}\nallowed-tools: Read, read_file\n---\nx\n`);
    expect(await skillsOf({ input: cut })).toEqual([["gardens", "similarity"]]);
    const base = { instructions: "", tools: ["*"], permissions: ["read"] };
    const explicit = await caller.send("POST", "/v1/agents", { name: "e", ...base, skills: { match: "explicit" } });
    expect(await skillsOf({ input: input, agent: explicit.json.id })).toEqual([]);
    const named = await caller.send("POST", "/v1/agents", { name: "n", ...base, skills: { names: ["here"] } });
    expect(await skillsOf({ input: input, agent: named.json.id })).toEqual([["here", "agent"]]);
  });

  test("sends the model their instructions with each request, and no others", async () => {
    await uploadText(caller, skillText("here", [], "Speak like a captain. ".repeat(400)));
    // The model tells no usage, so that Otto counts what it was sent.
    const tokensOf = async (skills: string[]) => {
      const { id } = await caller.makeTask([{ text: "Done.", usage: null }], { agent, skills });
      return (await caller.until(id, hasEnded)).usage.input_tokens;
    };
    const without = await tokensOf([]);
    expect((await tokensOf(["here"])) - without).toBeGreaterThan(1500);
    expect(await tokensOf([])).toBe(without);
  });
});

test("an agent's own skill restricts a call of its tools from the API", async () => {
  await uploadText(caller, skillText("narrow", ["allowed-tools: [read_file]"]));
  const made = await caller.send("POST", "/v1/agents", {
    name: "bound",
    instructions: "",
    tools: ["*"],
    permissions: ["read", "write"],
    skills: { names: ["narrow"] },
  });
  const answer = await callTool(caller, "write_file", write("a.txt").arguments, { agent: made.json.id });
  expect(answer.json).toMatchObject({ ok: false, error: { code: "permission_denied" } });
});

/** Every tool of the catalogue, by its own examples: called over the API, and by a model. */
import { describe, expect, test } from "vitest";
import type { Tool } from "../../../core/tool/tool.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { type Caller, makeCaller } from "../http/entry.ts";

/** What stops an example here, where nothing outside is reached and no earlier result is kept. */
const ELSEWHERE = new Map([
  ["expand_result", "not_found"],
  ["http.get", "upstream_failed"],
  ["http.post", "upstream_failed"],
  ["http_request", "upstream_failed"],
  // The task has no apps.
  ["request_connection", "permission_denied"],
  ["run_skill_script", "permission_denied"],
  // What a call of the API says goes nowhere.
  ["set_reminder", "not_available"],
  // The tenant has installed Otto in no workspace.
  // The tenant has no database.
  ["query_database", "not_found"],
  ["smart_query_database", "not_found"],
  ["slack.notify", "not_available"],
  // The tenant has added no codebase.
  ["read_source", "not_found"],
  ["search_codebase", "not_found"],
  // There is no project with tests among the files.
  ["test.run", "not_found"],
]);
/** Their calls wait for a person, for time, for others; or leave the task fewer tools, or none. */
const WAITS = new Set(["ask_human", "dispatch_subagent", "ssh_execute", "wait", "finished", "load_skill"]);
const AGENT = {
  name: "every-tool",
  instructions: "",
  tools: ["*", ...catalogue.flatMap(({ name, onlyByName }) => (onlyByName === true ? [name] : []))],
  permissions: ["read", "write", "exec", "network"],
  allowed_domains: ["*"],
  approval: { safe: "allow", cautious: "allow", dangerous: "allow" },
};

const called = catalogue.filter(({ name }) => !WAITS.has(name));

/** A task that is held, with the files that examples speak of. */
async function heldTask(caller: Caller, replies: readonly unknown[]): Promise<string> {
  const agent = await caller.send("POST", "/v1/agents", AGENT);
  const task = await caller.makeTask(replies, { hold: true, agent: agent.json.id, budget: { max_steps: 100 } });
  for (const path of ["notes/plan.md", "notes/old.md", "src/main.ts", "inbox/report.docx"])
    await caller.send("PUT", `/v1/tasks/${task.id}/files/${path}`, "# Plan\n", { "content-type": "text/markdown" });
  return task.id;
}

function firstExample(tool: Tool): unknown {
  return tool.examples[0]?.given;
}

describe.each(called.map((tool) => [tool.name, tool] as const))("%s", (name, tool) => {
  test("takes its example over the API, and refuses what it does not know", async () => {
    const caller = await makeCaller();
    const task_id = await heldTask(caller, [{ text: "done" }]);
    const path = `/v1/tools/${name}/call`;
    const answer = await caller.send("POST", path, { arguments: firstExample(tool), task_id });
    expect(answer.status, answer.text).toBe(200);
    expect(codeOf(answer.json), answer.text).toBe(ELSEWHERE.get(name) ?? null);
    const wrong = await caller.send("POST", path, { arguments: { no_such_argument: 1 }, task_id });
    expect([wrong.status, wrong.json.code], wrong.text).toEqual([422, "invalid_input"]);
  });
});

test("a model calls each of them, and reads its result", { timeout: 120_000 }, async () => {
  const caller = await makeCaller();
  const calls = called.map((tool) => ({ name: tool.name.replaceAll(".", "_"), arguments: firstExample(tool) }));
  const id = await heldTask(caller, [...calls.map((call) => ({ calls: [call] })), { text: "done" }]);
  await caller.send("POST", `/v1/tasks/${id}/start`);
  // Many of them start programs. Each tenth step is waited for on its own.
  for (let step = 10; step < calls.length; step += 10) await caller.until(id, ({ usage }) => usage.steps >= step);
  await caller.until(id, ({ status }) => status === "completed");
  const rows: { tool: string; result: unknown }[] = (await caller.send("GET", `/v1/tasks/${id}/ledger?limit=100`)).json
    .data;
  // The row of a tool that was called through `call_tool` is the inner tool's own.
  const inner = firstExample(called.find(({ name }) => name === "call_tool") as Tool) as { name: string };
  const expected = called.map(({ name }) => (name === "call_tool" ? inner.name : name));
  expect(rows.map(({ tool }) => tool)).toEqual(expected);
  expect(rows.map(({ tool, result }) => [tool, codeOf(result)])).toEqual(
    expected.map((name) => [name, ELSEWHERE.get(name) ?? null]),
  );
});

/** The code of a failed result; null: it did not fail. */
function codeOf(result: unknown): string | null {
  const { ok, error } = result as { readonly ok: boolean; readonly error?: { readonly code: string } };
  return ok ? null : (error?.code ?? "");
}

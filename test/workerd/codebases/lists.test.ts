/** What lists of a codebase leave out, reaches nothing of it: by a call of the API, by a task, and by a subtask. */
import { expect, test, vi } from "vitest";
import { makeZip } from "../../mock-servers/make-zip.ts";
import { type Caller, makeCaller } from "../http/entry.ts";

const LONG = { timeout: 120_000 } as const;
const CANARY = "canarySongbird4711";
const QUERY = { query: "canary songbird" };
const ASK = [{ calls: [{ name: "search_codebase", arguments: QUERY }] }, { text: "done" }];

async function addCodebase(caller: Caller, lists: object): Promise<void> {
  const bytes = await makeZip([{ path: "src/bird.ts", bytes: `export function ${CANARY}() {}\n` }]);
  const stored = await caller.send("POST", "/v1/codebases/archives", bytes, { "content-type": "application/zip" });
  const given = { name: "birds", source: { zip: stored.json.hash }, ...lists };
  const made = await caller.send("POST", "/v1/codebases", given);
  expect(made.status, made.text).toBe(202);
  await vi.waitFor(
    async () => {
      const { json } = await caller.send("GET", `/v1/codebases/${made.json.id}`);
      expect(json).toMatchObject({ status: "ready", embedder: "hashing", symbols: 1 });
    },
    { timeout: 60_000, interval: 100 },
  );
}

/** What the three ways of a search returned, as text. */
async function searchEveryWay(caller: Caller, more: { readonly project?: string } = {}): Promise<readonly string[]> {
  const called = await caller.send("POST", "/v1/tools/search_codebase/call", { arguments: QUERY, ...more });
  const { id } = await caller.makeTask(ASK, more);
  await caller.until(id, ({ status }) => status === "completed");
  const dispatch = { task_description: JSON.stringify({ replies: ASK }) };
  const parent = await caller.makeTask(
    [{ calls: [{ name: "dispatch_subagent", arguments: dispatch }] }, { text: "done" }],
    more,
  );
  await caller.until(parent.id, ({ status }) => status === "completed");
  const [row] = (await caller.send("GET", `/v1/tasks/${parent.id}/ledger`)).json.data;
  const ledgers = await Promise.all(
    [id, row.result.result.subtask_id].map(async (task) => await caller.send("GET", `/v1/tasks/${task}/ledger`)),
  );
  for (const { json } of ledgers) expect(json.data).toMatchObject([{ tool: "search_codebase" }]);
  return [called.text, ...ledgers.map(({ text }) => text)];
}

const byProject = () => ({ agents: ["default"], projects: ["shop"] });

async function byAnotherAgent(caller: Caller): Promise<object> {
  const made = await caller.send("POST", "/v1/agents", {
    name: "coder",
    instructions: "Write code.",
    tools: [],
    permissions: [],
  });
  expect(made.status, made.text).toBe(201);
  return { agents: ["coder"] };
}

async function byPerson(caller: Caller): Promise<object> {
  const { json } = await caller.send("POST", "/v1/people", { name: "Ana" });
  return { people: [json.id] };
}

test.each<[string, (caller: Caller) => object | Promise<object>, { readonly project?: string }]>([
  ["another agent", byAnotherAgent, {}],
  ["a task of another project", byProject, { project: "web" }],
  ["a task without a project", byProject, {}],
  ["a task that acts for nobody", byPerson, {}],
  ["anyone, by an empty list", () => ({ agents: [] }), {}],
])("reaches nothing: %s", LONG, async (_, lists, more) => {
  const caller = await makeCaller();
  await addCodebase(caller, await lists(caller));
  for (const text of await searchEveryWay(caller, more)) {
    expect(text).not.toContain(CANARY);
    expect(text).toContain("not_found");
  }
});

test("those whom every list names find it in each of the three ways", LONG, async () => {
  const caller = await makeCaller();
  await addCodebase(caller, { agents: ["default"], projects: ["shop"] });
  for (const text of await searchEveryWay(caller, { project: "shop" })) expect(text).toContain(CANARY);
});

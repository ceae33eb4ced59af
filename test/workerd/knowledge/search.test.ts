/** Documents as tasks and the API search them, and the citations of an answer. */
import { abortAllDurableObjects } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { hasEnded } from "../../../core/task/status.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { textPiece } from "../../contracts/database/rows.ts";
import { type Caller, expectProblem, knock, makeCaller } from "../http/entry.ts";
import { addPieces } from "./add-pieces.ts";

const LEASE = ["The notice period of the lease is three months.", "The rent is due on the first of each month."];

const addDocument = async (caller: Caller, texts: readonly string[], more: Parameters<typeof addPieces>[2] = {}) =>
  await addPieces(
    caller,
    texts.map((text, ordinal) => textPiece(ordinal, text)),
    { title: "Lease", ...more },
  );

/** Sends a request with another key of the same tenant. */
async function sendWith(key: string, method: string, path: string, body: unknown) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return await knock(method, path, { headers, body: JSON.stringify(body) });
}

const search = { calls: [{ name: "search_knowledge", arguments: { query: "notice period" } }] };

async function runTask(caller: Caller, replies: readonly unknown[], more = {}): Promise<TaskView> {
  const { id } = await caller.makeTask(replies, more);
  return await caller.until(id, ({ status }) => hasEnded(status));
}

describe("the search of documents over the API", () => {
  test("finds what the key may read, with where it stands", async () => {
    const caller = await makeCaller();
    const id = await addDocument(caller, LEASE);
    await addDocument(caller, ["The notice period of sales is a week."], { project: "sales" });
    await addDocument(caller, ["The notice period of legal is a year."], { project: "legal" });
    const find = async (who: Caller, body: object) => await who.send("POST", "/v1/knowledge/search", body);
    const query = "notice period";
    const all = await find(caller, { query });
    expect(all.status, all.text).toBe(200);
    expect(all.json).toMatchObject({ query, searched: { documents: 3, pieces: 4, embedder: "hashing" }, warnings: [] });
    const titles = (answer: typeof all) =>
      answer.json.results.map(({ project }: { project: string | null }) => project);
    expect(new Set(titles(all))).toEqual(new Set(["legal", null, "sales"]));
    const own = await find(caller, { query, scope: "tenant", limit: 1 });
    expect(own.json.results).toMatchObject([
      {
        document_id: id,
        version: 1,
        kind: "text",
        title: "Lease",
        heading: ["Manual", "Part"],
        text: LEASE[0],
        start: 0,
      },
    ]);
    expect(titles(await find(caller, { query, project: "sales" }))).toEqual(["sales"]);
    const key = await caller.send("POST", "/v1/keys", { name: "b", scopes: ["tasks:read"], projects: ["sales"] });
    const bound: Caller = { ...caller, send: (method, path, body) => sendWith(key.json.key, method, path, body) };
    expect(titles(await find(bound, { query }))).toEqual(["sales"]);
    expectProblem(await find(bound, { query, project: "legal" }), 404);
    expectProblem(await find(bound, { query, scope: "tenant" }), 403);
    expectProblem(await find(await makeCaller(["tasks:write"]), { query }), 403);
    const nothing = await find(await makeCaller(), { query });
    expect(nothing.json).toMatchObject({ total: 0, results: [], searched: { documents: 0 } });
    for (const body of [
      {},
      { query: "" },
      { query, kinds: ["video"] },
      { query, limit: 21 },
      { query, scope: "tenant", project: "p" },
    ])
      expectProblem(await find(caller, body), 422);
  });
});

describe("a piece that is read by its id", () => {
  test("comes with its neighbours, to keys of its tenant and project, until its version is replaced", async () => {
    const caller = await makeCaller();
    const id = await addDocument(caller, [...LEASE, "Pets are allowed."], { project: "sales" });
    const [found] = (await caller.send("POST", "/v1/knowledge/search", { query: "rent due" })).json.results;
    const path = `/v1/knowledge/pieces/${found.piece_id}`;
    const read = (await caller.send("GET", path)).json;
    expect(read).toMatchObject({ document_id: id, title: "Lease", version: 1, label: "tenant" });
    expect(read.pieces.map(({ text }: { text: string }) => text)).toEqual([...LEASE, "Pets are allowed."]);
    expect((await caller.send("GET", `${path}?before=0&after=0`)).json.pieces).toMatchObject([{ text: LEASE[1] }]);
    expectProblem(await caller.send("GET", `${path}?before=6`), 422);
    expectProblem(await (await makeCaller()).send("GET", path), 404);
    const key = await caller.send("POST", "/v1/keys", { name: "b", scopes: ["tasks:read"], projects: ["legal"] });
    const headers = { authorization: `Bearer ${key.json.key}` };
    expectProblem(await knock("GET", path, { headers }), 404);
    await addDocument(caller, ["Pets are not allowed."], { id });
    expectProblem(await caller.send("GET", path), 404);
  });
});

test("a table that is read by its id comes with its rows", async () => {
  const caller = await makeCaller();
  const rents = { columns: ["Room", "Rent"], rows: [["Second floor", "900"]] };
  const text = "Room: Second floor; Rent: 900";
  const data = { caption: null, ...rents, rowCount: 1, file: null };
  await addPieces(caller, [textPiece(0, LEASE[0]), { ...textPiece(1, text), kind: "table", data }]);
  const [found] = (await caller.send("POST", "/v1/knowledge/search", { query: "second floor" })).json.results;
  const { pieces } = (await caller.send("GET", `/v1/knowledge/pieces/${found.piece_id}`)).json;
  expect(pieces).toMatchObject([{ kind: "text" }, { kind: "table", table: { ...rents, caption: null, row_count: 1 } }]);
  expect(pieces[0]).not.toHaveProperty("table");
});

describe("a task that searches documents", () => {
  test("cites what it was given, and warns of what it was not", async () => {
    const caller = await makeCaller();
    const id = await addDocument(caller, LEASE);
    const text = "Three months [Source 1]. A year [Source 99].";
    const ended = await runTask(caller, [search, { text }]);
    const quote = LEASE[0] ?? "";
    const place = { document_id: id, version: 1, title: "Lease", page: null, start: 0, end: quote.length };
    const citations = [{ n: 1, piece_id: expect.stringMatching(/^pce_/), ...place, quote }];
    const warnings = ["The answer cites [Source 99], which this task was not given."];
    expect(ended).toMatchObject({ output: { text, citations }, warnings });
  });

  test("finds its sources again after its object died, and cites a document that was replaced since", async () => {
    const caller = await makeCaller();
    const id = await addDocument(caller, LEASE);
    const wait = { calls: [{ name: "ask_human", arguments: { query: "Shall I?" } }] };
    const read = { calls: [{ name: "read_source", arguments: { source: 1 } }] };
    const { id: task } = await caller.makeTask([
      search,
      wait,
      read,
      search,
      { text: "Three months [Source 1], new: [Source 2]." },
    ]);
    const waiting = await caller.until(task, ({ status }) => status === "waiting_input");
    await abortAllDurableObjects();
    await addDocument(caller, ["The notice period of the lease is now six months."], { id });
    const question = waiting.pending[0];
    const path = `/v1/tasks/${task}/questions/${question?.kind === "question" ? question.id : ""}/answer`;
    expect((await caller.send("POST", path, { text: "yes" })).status).toBe(200);
    const ended = await caller.until(task, ({ status }) => hasEnded(status));
    const [old, current] = ended.output?.citations ?? [];
    expect(old).toMatchObject({ n: 1, version: 1, quote: LEASE[0] });
    expect(current).toMatchObject({ n: 2, version: 2, quote: "The notice period of the lease is now six months." });
    const { json } = await caller.send("GET", `/v1/tasks/${task}/ledger`);
    const calls = json.data as { tool: string; result: { ok: boolean; error?: { code: string } } }[];
    const gone = calls.find(({ tool }) => tool === "read_source");
    expect(gone?.result).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test("searches through the API's call of a tool, in the project of the task alone", async () => {
    const caller = await makeCaller();
    await addDocument(caller, ["The notice period of legal is a year."], { project: "legal" });
    const ended = await runTask(caller, [search, { text: "Nothing [Source 1]." }], { project: "sales" });
    expect(ended.output).not.toHaveProperty("citations");
    const given = { arguments: { query: "notice period" } };
    const { json } = await caller.send("POST", "/v1/tools/search_knowledge/call", given);
    expect(json).toMatchObject({ ok: true, result: { total: 0, results: [] } });
  });
});

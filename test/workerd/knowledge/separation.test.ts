/**
 * Documents, code, databases and files of one project, asked for by every tool of knowledge: from another project of the
 * tenant, without one, and from another tenant, through tasks, their subtasks and the API.
 */
import { beforeAll, describe, expect, inject, test, vi } from "vitest";
import { hasEnded } from "../../../core/task/status.ts";
import type { Piece } from "../../../core/knowledge/piece.ts";
import { textPiece } from "../../contracts/database/rows.ts";
import { makeZip } from "../../mock-servers/make-zip.ts";
import { type Caller, callerOf, makeCaller } from "../http/entry.ts";
import { config } from "../tenant/client.ts";
import { addPieces } from "./add-pieces.ts";

/** A word of everything that the project has, and one of what its tenant shares. */
const CANARY = "heronry";
const SHARED = "kingfisher";
/** Of a row of the database, which every query of it returns. */
const ROW = "Ana";
const SECRETS = [CANARY, "canary.txt", ROW];
const FILE = `project/${CANARY}.md`;

let owner: Caller;
let other: Caller;
let piece: string;
let document: string;
let addedByTask: string;

/** A piece of every kind. */
function listPieces(word: string): Piece[] {
  const of = (ordinal: number) => textPiece(ordinal, `The ${word} of kind ${ordinal}.`);
  const table = { caption: word, columns: ["bird"], rows: [[word]], rowCount: 1, file: null };
  const image = { hash: "c".repeat(64), contentType: "image/png", size: 1, width: null, height: null };
  return [
    of(0),
    { ...of(1), kind: "table", data: table },
    { ...of(2), kind: "formula", data: { tex: `x_{${word}}`, context: word } },
    { ...of(3), kind: "image", data: { ...image, alt: word, caption: null, nearby: "" } },
  ];
}

const makeAgent = async (caller: Caller) => {
  const body = config("reader", { tools: ["*"], permissions: ["read", "write", "network"] });
  expect((await caller.send("POST", "/v1/agents", body)).status).toBe(201);
};

/** The calls of all tools of knowledge. `source`: the id of a piece of the project's document. */
function listCalls(source: string) {
  const searches = ["knowledge", "tables", "images", "formulas", "multimodal"].map((name) => `search_${name}`);
  return [
    ...[...searches, "semantic_search"].map((name) => ({ name, arguments: { query: `the ${CANARY} of kind` } })),
    { name: "read_source", arguments: { source } },
    { name: "read_source", arguments: { source: 1 } },
    { name: "search_codebase", arguments: { query: CANARY } },
    { name: "search_codebase", arguments: { query: CANARY, project_name: "birds" } },
    { name: "query_database", arguments: { query: "select customer from orders" } },
    { name: "query_database", arguments: { query: "select customer from orders", database_name: "books" } },
    { name: "add_to_knowledge", arguments: { filename: FILE } },
  ];
}

/** The results of the calls as a task's ledger has them, without the arguments, which name what was looked for. */
async function runTask(caller: Caller, project: string | null, viaSubtask = false): Promise<string[]> {
  const replies = [{ calls: listCalls(piece) }, { text: "Done." }];
  const part = { name: "dispatch_subagent", arguments: { task_description: JSON.stringify({ replies }) } };
  const { id } = await caller.makeTask(viaSubtask ? [{ calls: [part] }, { text: "Done." }] : replies, {
    agent: "reader",
    ...(project === null ? {} : { project }),
  });
  await caller.until(id, ({ status }) => hasEnded(status));
  const [subtask] = viaSubtask ? (await caller.send("GET", `/v1/tasks/${id}/subtasks`)).json.data : [{ id }];
  const { data } = (await caller.send("GET", `/v1/tasks/${subtask.id}/ledger?limit=100`)).json;
  expect(data).toHaveLength(replies[0]?.calls?.length ?? 0);
  return data.map(({ tool, result }: { tool: string; result: { result?: object } }) =>
    JSON.stringify({ tool, result: withoutQuery(result) }),
  );
}

async function callApi(caller: Caller, project: string | null): Promise<string[]> {
  const answers = [];
  for (const { name, arguments: given } of listCalls(piece)) {
    const body = { arguments: given, agent: "reader", ...(project === null ? {} : { project }) };
    const { json } = await caller.send("POST", `/v1/tools/${name}/call`, body);
    answers.push(JSON.stringify({ tool: name, result: withoutQuery(json) }));
  }
  return answers;
}

/** The result without what only repeats the call. */
function withoutQuery(result: { readonly result?: object }): string {
  const text = JSON.stringify({ ...result, result: { ...result.result, query: null } });
  return text.replaceAll(FILE, "").replaceAll(`the ${CANARY} of kind`, "");
}

const findLeaks = (answers: readonly string[], secrets: readonly string[] = SECRETS) =>
  answers.filter((answer) => secrets.some((secret) => answer.includes(secret)));

async function addCode(caller: Caller): Promise<void> {
  const zip = await makeZip([{ path: `${CANARY}.ts`, bytes: `export function ${CANARY}() {}\n` }]);
  const stored = await caller.send("POST", "/v1/codebases/archives", zip, { "content-type": "application/zip" });
  const body = { name: "birds", source: { zip: stored.json.hash }, projects: ["sales"] };
  const { id } = (await caller.send("POST", "/v1/codebases", body)).json;
  await vi.waitFor(
    async () => expect((await caller.send("GET", `/v1/codebases/${id}`)).json).toMatchObject({ status: "ready" }),
    { timeout: 60_000, interval: 100 },
  );
}

beforeAll(async () => {
  for (const method of ["log", "error"] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
  [owner, other] = await Promise.all([makeCaller(), makeCaller()]);
  await Promise.all([owner, other].map(makeAgent));
  document = await addPieces(owner, listPieces(CANARY), { project: "sales", title: `The ${CANARY}` });
  await addPieces(owner, listPieces(SHARED), { title: `The ${SHARED}` });
  await addCode(owner);
  const { reader: dsn } = inject("servers").postgres;
  await owner.send("POST", "/v1/databases", { name: "books", kind: "postgres", dsn, tls: "off", projects: ["sales"] });
  const checked = await owner.send("POST", "/v1/databases/books/check");
  if (checked.json.status !== "ready") throw new Error(checked.text);
  const { id } = (await owner.send("POST", "/v1/tasks", { input: "Wait.", project: "sales", hold: true })).json;
  await owner.send("PUT", `/v1/tasks/${id}/files/${FILE}`, `The ${CANARY}.`, { "content-type": "text/markdown" });
  const [found] = (await owner.send("POST", "/v1/knowledge/search", { query: CANARY })).json.results;
  piece = found.piece_id;
  const [added] = (await callApi(owner, "sales")).slice(-1);
  addedByTask = /doc_\w{26}/.exec(added ?? "")?.[0] ?? "";
  if (addedByTask === "") throw new Error(`no document was added: ${added}`);
}, 120_000);

describe("what a project has", { timeout: 120_000 }, () => {
  test("is found by every tool in a task of it, and by its subtasks", async () => {
    for (const viaSubtask of [false, true]) {
      const answers = await runTask(owner, "sales", viaSubtask);
      const found = new Set(findLeaks(answers).map((answer) => (JSON.parse(answer) as { tool: string }).tool));
      // It has no words of the document that it adds.
      expect([...found, "add_to_knowledge"].toSorted()).toEqual(
        [...new Set(listCalls(piece).map(({ name }) => name))].toSorted(),
      );
      expect(answers.at(-1)).toContain("doc_");
    }
  });

  test.each([
    ["a task of another project", () => runTask(owner, "legal")],
    ["its subtask", () => runTask(owner, "legal", true)],
    ["a task without a project", () => runTask(owner, null)],
    ["a task of another tenant's project of that name", () => runTask(other, "sales")],
    ["its subtask in another tenant", () => runTask(other, "sales", true)],
    ["the API in another project", () => callApi(owner, "legal")],
    ["the API without a project", () => callApi(owner, null)],
    ["the API of another tenant", () => callApi(other, "sales")],
  ])("is found by no tool in %s", async (_name, run) => {
    const answers = await run();
    expect(findLeaks(answers)).toEqual([]);
    expect(answers.filter((answer) => answer.includes("doc_") && answer.includes("add_to_knowledge"))).toEqual([]);
  });

  test("is in no answer of the API to another tenant, or to a key of another project", async () => {
    const body = { name: "legal", scopes: ["tasks:read", "knowledge:write"], projects: ["legal"] };
    const bound = callerOf(owner.tenant, (await owner.send("POST", "/v1/keys", body)).json.key);
    for (const caller of [other, bound]) {
      const answers = [await caller.send("POST", "/v1/knowledge/search", { query: "kind" })];
      answers.push(await caller.send("GET", "/v1/knowledge/documents"));
      answers.push(await caller.send("GET", `/v1/knowledge/pieces/${piece}`));
      for (const id of [document, addedByTask]) {
        answers.push(await caller.send("GET", `/v1/knowledge/documents/${id}`));
        answers.push(await caller.send("PUT", `/v1/knowledge/documents/${id}`, { text: "x" }));
        answers.push(await caller.send("POST", `/v1/knowledge/documents/${id}/reingest`));
        answers.push(await caller.send("DELETE", `/v1/knowledge/documents/${id}`));
      }
      const texts = answers.map(({ text }) => text);
      expect(findLeaks(texts, [CANARY, document, addedByTask])).toEqual([]);
      expect(answers.slice(2).map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 404));
    }
    expect((await owner.send("GET", `/v1/knowledge/documents/${document}`)).status).toBe(200);
  });
});

test("what a tenant shares is found in each of its projects, and in no other tenant", async () => {
  const find = async (caller: Caller, project: string | null) => {
    const more = project === null ? {} : { project };
    const given = { arguments: { query: SHARED }, agent: "reader", ...more };
    return (await caller.send("POST", "/v1/tools/search_knowledge/call", given)).json.result.results.length > 0;
  };
  expect([await find(owner, "sales"), await find(owner, "legal"), await find(owner, null)]).toEqual([true, true, true]);
  expect([await find(other, "sales"), await find(other, null)]).toEqual([false, false]);
});

/** The tools that make documents, over the API and by a model, through the gateway to a sidecar with its real engines. */
import { describe, expect, test } from "vitest";
import { type Caller, makeCaller } from "../http/entry.ts";

const AGENT = { instructions: "Follow the script.", tools: ["*"], permissions: ["read", "write"] };

async function makeAgent(caller: Caller, more: object = {}): Promise<string> {
  return (await caller.send("POST", "/v1/agents", { name: "writer", ...AGENT, ...more })).json.id;
}

/** The first bytes of a file, by the address that a tool told. */
async function beginningOf(caller: Caller, address: string): Promise<string> {
  const answer = await caller.send("GET", address);
  expect(answer.status, address).toBe(200);
  return answer.text.slice(0, 4);
}

describe("documents over the API", () => {
  test.each([
    ["create_pdf", { filename: "a b", content: "# Hi\n\n![x](gone.png)" }, "a%20b.pdf", "%PDF"],
    ["create_docx", { filename: "deep/a.docx", content: "# Hi" }, "deep/a.docx", "PK\u0003\u0004"],
    ["create_pptx", { filename: "a", slides: [{ title: "Hi" }] }, "a.pptx", "PK\u0003\u0004"],
    ["create_xlsx", { filename: "a", sheets: [{ name: "A", rows: [[1]] }] }, "a.xlsx", "PK\u0003\u0004"],
    ["convert_markdown_to_docx", { output_filename: "b", markdown_content: "# Hi" }, "b.docx", "PK\u0003\u0004"],
  ])("%s writes a file that can be downloaded", async (name, given, path, mark) => {
    const caller = await makeCaller();
    const agent = await makeAgent(caller);
    const task = await caller.makeTask([], { hold: true, agent });
    const answer = await caller.send("POST", `/v1/tools/${name}/call`, { arguments: given, task_id: task.id });
    expect(answer.json, answer.text).toMatchObject({
      ok: true,
      result: {
        filename: decodeURIComponent(path),
        download_url: `/v1/tasks/${task.id}/files/${path}`,
        size_kb: expect.any(Number),
      },
    });
    expect(await beginningOf(caller, answer.json.result.download_url)).toBe(mark);
    expect(answer.json.result.warnings).toHaveLength(JSON.stringify(given).includes("gone.png") ? 1 : 0);
  });

  test("names the argument at fault", async () => {
    const caller = await makeCaller();
    const send = async (name: string, given: object) =>
      await caller.send("POST", `/v1/tools/${name}/call`, { arguments: given });
    const wrong = await send("create_xlsx", { filename: "a", sheets: [{ name: "A", rows: [[{ formula: "1" }]] }] });
    expect([wrong.status, wrong.json.errors?.[0]?.field], wrong.text).toEqual([
      422,
      expect.stringContaining("arguments.sheets.0.rows.0.0"),
    ]);
    expect((await send("create_pdf", { filename: "a.docx", content: "x" })).json).toMatchObject({
      ok: false,
      error: { code: "invalid_input", field: "path" },
    });
  });
});

test("presentations of Markdown are made only for an agent that names the tool", async () => {
  const caller = await makeCaller();
  const given = { arguments: { markdown_content: "# Hi\n\n- one", output_filename: "p" } };
  const path = "/v1/tools/convert_markdown_to_pptx/call";
  const off = await caller.send("POST", path, { ...given, agent: await makeAgent(caller) });
  expect(off.json, off.text).toMatchObject({ ok: false, error: { code: "permission_denied" } });
  const named = await makeAgent(caller, { name: "named", tools: ["*", "convert_markdown_to_pptx"] });
  const on = await caller.send("POST", path, { ...given, agent: named });
  expect(on.json, on.text).toMatchObject({ ok: true, result: { filename: "p.pptx", format: "pptx" } });
});

test("a model makes a document by the template that is there", async () => {
  const caller = await makeCaller();
  const agent = await makeAgent(caller);
  const calls = [
    { name: "create_docx", arguments: { filename: "report", title: "Report", content: "## Hi\n\n**bold**" } },
  ];
  const task = await caller.makeTask([{ calls }, { text: "done" }], { hold: true, agent });
  const first = await caller.send("POST", "/v1/tools/create_docx/call", {
    arguments: { filename: "word.docx", content: "x" },
    task_id: task.id,
  });
  expect(first.json).toMatchObject({ ok: true });
  await caller.send("POST", `/v1/tasks/${task.id}/start`);
  await caller.until(task.id, ({ status }) => status === "completed");
  const rows = (await caller.send("GET", `/v1/tasks/${task.id}/ledger`)).json.data;
  expect(rows.map((row: { tool: string; result: unknown }) => [row.tool, row.result])).toMatchObject([
    ["create_docx", { ok: true, result: { filename: "report.docx", format: "docx", warnings: [] } }],
  ]);
  expect(await beginningOf(caller, rows[0].result.result.download_url)).toBe("PK\u0003\u0004");
});

/**
 * A day in an office: a task reads a PDF and a Word document, runs a skill's script on a CSV file, and delivers a Word
 * document and a workbook, which programs open that had no part in it.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openDocx, openXlsx } from "../sidecar/documents/opened.ts";
import { calling, joinSharedSystem, scriptedInput, untilTask } from "../setup/start-system.ts";

const SALES = "region,amount\nNorth,1200.50\nSouth,800\nNorth,99.5\nWest,\n";
const SUMMARY = `# Sales

North sold **1,300** of 2,100.

| Region | Amount |
| --- | ---: |
| North | 1300.00 |
| South | 800.00 |

![Amount by region](report/chart.svg)
`;

const system = joinSharedSystem();

function fixture(name: string): Uint8Array {
  return readFileSync(fileURLToPath(new URL(`../sidecar/__fixtures__/documents/${name}`, import.meta.url)));
}

test("a task reads a PDF and a DOCX, runs a skill's script on a CSV, and delivers a DOCX and an XLSX", async () => {
  const caller = await system.makeTenant("office");
  const agent = await caller.send("POST", "/v1/agents", {
    name: "clerk",
    instructions: "Do what is said.",
    tools: ["*"],
    permissions: ["read", "write", "exec"],
    approval: { dangerous: "allow" },
  });
  const input = scriptedInput(
    {
      calls: [
        { name: "read_document", arguments: { filename: "in/report.pdf" } },
        { name: "read_document", arguments: { filename: "in/report.docx" } },
      ],
    },
    calling("run_skill_script", {
      skill_name: "data-report",
      script_name: "report.py",
      args: "in/sales.csv --out report --group region --value amount",
    }),
    {
      calls: [
        { name: "create_docx", arguments: { filename: "out/sales.docx", content: SUMMARY } },
        { name: "create_xlsx", arguments: { filename: "out/sales.xlsx", content: SUMMARY } },
      ],
    },
    {
      calls: [
        { name: "attach_file", arguments: { filename: "out/sales.docx" } },
        { name: "attach_file", arguments: { filename: "out/sales.xlsx" } },
      ],
    },
    { text: "Both are attached." },
  );
  const request = { input, agent: agent.json.id, skills: ["data-report"], hold: true };
  const made = await caller.send("POST", "/v1/tasks", request);
  expect(made.status, made.text).toBe(201);
  const path = `/v1/tasks/${made.json.id}`;
  const files = {
    "in/report.pdf": fixture("report.pdf"),
    "in/report.docx": fixture("report.docx"),
    "in/sales.csv": SALES,
  };
  for (const [name, content] of Object.entries(files)) {
    const put = await caller.send("PUT", `${path}/files/${name}`, content, {
      "content-type": "application/octet-stream",
    });
    expect(put.status, put.text).toBeLessThan(300);
  }
  await caller.send("POST", `${path}/start`);
  const task = await untilTask(caller, made.json.id, ({ status }) => ["completed", "failed"].includes(status));
  const ledger = await caller.send("GET", `${path}/ledger`);
  expect(task.status, ledger.text).toBe("completed");
  expect(ledger.json.data.map((row: { tool: string; state: string }) => [row.tool, row.state])).toEqual([
    ["read_document", "confirmed"],
    ["read_document", "confirmed"],
    ["run_skill_script", "confirmed"],
    ["create_docx", "confirmed"],
    ["create_xlsx", "confirmed"],
    ["attach_file", "confirmed"],
    ["attach_file", "confirmed"],
  ]);
  const results = ledger.json.data.map((row: { result: { result: unknown } }) => row.result.result);
  expect(results[0].content).toContain("größer than ever");
  expect(results[1].content).toContain("größer than ever");
  expect(results[2]).toMatchObject({ exit_code: 0, success: true, refused: [] });
  expect(results[2].stdout).toContain("1,300");

  const fetched = async (name: string) =>
    new Uint8Array(await (await caller.open(`${path}/files/${name}`)).arrayBuffer());
  expect(task.output?.files.map((file) => file.path)).toEqual(["out/sales.docx", "out/sales.xlsx"]);
  const docx = await fetched("out/sales.docx");
  const word = openDocx(docx);
  expect(word.paragraphs).toContainEqual(["Heading 1", "Sales"]);
  expect(word.tables[0]).toEqual([
    ["Region", "Amount"],
    ["North", "1300.00"],
    ["South", "800.00"],
  ]);
  expect(word.pictures).toBe(1);
  const [sheet] = openXlsx(await fetched("out/sales.xlsx")).sheets;
  expect(JSON.stringify(sheet)).toContain("North");
});

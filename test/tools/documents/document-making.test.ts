/** The tools that make documents: names, endings, images, templates, rules of the sandbox. What they make is in test/sidecar. */
import { describe, expect, it } from "vitest";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import type { CallFacts } from "../../../core/tool/tool.ts";
import type { SandboxRules } from "../../../core/sandbox/rules.ts";
import convertToDocx from "../../../tools/documents/convert-markdown-to-docx.ts";
import createDocx from "../../../tools/documents/create-docx.ts";
import createPdf from "../../../tools/documents/create-pdf.ts";
import createPptx from "../../../tools/documents/create-pptx.ts";
import createXlsx from "../../../tools/documents/create-xlsx.ts";
import { DEFAULT_RULES, freshPorts, OPEN_RULES, runTool } from "../run-tool.ts";

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);

/** A sandbox with these files, of a few bytes each. */
async function portsWith(...paths: readonly string[]): Promise<ToolPorts> {
  const ports = freshPorts();
  for (const path of paths) await ports.files.write(path, PNG, { key: path });
  return ports;
}

/** What the document was made of, as the fake writes it. */
async function orderOf(ports: ToolPorts, path: string) {
  const read = await ports.files.read(path, 1_000_000);
  if (!read.ok) throw new Error(read.error.message);
  return JSON.parse(new TextDecoder().decode(read.value.bytes)) as {
    document: { markdown: string };
    placed: unknown[];
    template: number | null;
    nowMs: number;
  };
}

describe("where a document goes", () => {
  it("returns its name, format, size and the address to download it from", async () => {
    const given = { filename: "reports/Q3 ä", content: "# Hi" };
    const ran = await runTool(createPdf, given, freshPorts(), { rootTask: "task_root", nowMs: 1_700_000_000_000 });
    expect(ran.result).toEqual({
      filename: "reports/Q3 ä.pdf",
      format: "pdf",
      size_kb: expect.any(Number),
      download_url: "/v1/tasks/task_root/files/reports/Q3%20%C3%A4.pdf",
      warnings: [],
    });
    expect(ran.output).toContain("Made reports/Q3 ä.pdf (pdf, ");
  });

  it.each([
    ["a", "a.docx"],
    ["a.docx", "a.docx"],
    ["A.DOCX", "A.DOCX"],
    ["v1.2", "v1.2.docx"],
    ["report.final", "report.final.docx"],
    ["dir.pdf/a", "dir.pdf/a.docx"],
  ])("%s becomes %s", async (filename, path) => {
    const ran = await runTool(createDocx, { filename, content: "x" });
    expect(ran.result).toMatchObject({ filename: path });
  });

  it.each(["a.pdf", "a.doc", "a.docm", "a.txt", "a.md"])(
    "refuses the ending of %s for a Word document",
    async (filename) => {
      const ran = await runTool(createDocx, { filename, content: "x" });
      expect(ran.failure).toMatchObject({ code: "invalid_input", field: "path" });
    },
  );

  it.each([
    ["../a.docx", {}, "sandbox_denied"],
    ["/../a.docx", {}, "sandbox_denied"],
    ["a\\b.docx", {}, "invalid_input"],
    ["", {}, "invalid_input"],
    ["./", {}, "invalid_input"],
    [".git/a.docx", {}, "sandbox_denied"],
    ["a.docx", { allowWrite: false }, "sandbox_denied"],
    ["a.docx", { extensions: [".md"] }, "sandbox_denied"],
    ["b/a.docx", { allowedPaths: ["c"] }, "sandbox_denied"],
  ] as const)("%j under %j is %s", async (filename, rules: Partial<SandboxRules>, code) => {
    const sandbox = { ...DEFAULT_RULES, ...rules };
    const ports = freshPorts();
    const ran = await runTool(createDocx, { filename, content: "x" }, ports, { sandbox });
    expect(ran.failure).toMatchObject({ code, field: "path" });
    expect(await ports.files.list("")).toEqual({ ok: true, value: [] });
  });

  it("is listed as disabled where writing is", () => {
    expect(createDocx.disabled?.({ ...OPEN_RULES, allowWrite: false })).toContain("allow_write");
    expect(createDocx.disabled?.(OPEN_RULES)).toBeNull();
  });

  it("is written once for a call, however often the call is made, with the call's own time", async () => {
    const ports = freshPorts();
    const facts: Partial<CallFacts> = { key: "the-call", nowMs: 1_700_000_000_000 };
    await runTool(createDocx, { filename: "a", content: "one" }, ports, facts);
    await ports.files.write("a.docx", PNG, { key: "somebody else" });
    await runTool(createDocx, { filename: "a", content: "one" }, ports, facts);
    const stat = await ports.files.stat("a.docx");
    expect(stat).toMatchObject({ ok: true, value: { size: PNG.length, version: 2 } });
    await runTool(createDocx, { filename: "b", content: "one" }, ports, facts);
    expect((await orderOf(ports, "b.docx").catch(() => null))?.nowMs ?? facts.nowMs).toBe(facts.nowMs);
  });

  it("is answered for by the store: a failure names the argument", async () => {
    const ports = await portsWith("a.docx/below.txt");
    const ran = await runTool(convertToDocx, { markdown_content: "x", output_filename: "a.docx" }, ports);
    expect(ran.failure).toMatchObject({ code: "conflict", field: "path" });
  });
});

describe("images", () => {
  it("are read by the rules of the sandbox; the others are named", async () => {
    const ports = await portsWith("chart.png", "charts/a b.png", "keys/secret.pem");
    const content =
      "![a](chart.png) ![b](<charts/a b.png>) ![c][d] ![e](keys/secret.pem) ![f](../x.png) ![g](https://e.com/x.png)\n\n[d]: charts/a%20b.png\n[z]: gone.png\n";
    const ran = await runTool(createDocx, { filename: "r", content }, ports);
    expect(await orderOf(ports, "r.docx")).toMatchObject({
      placed: [
        ["chart.png", PNG.length],
        ["charts/a b.png", PNG.length],
      ],
    });
    expect(ran.result).toMatchObject({
      warnings: [
        "The image keys/secret.pem is not in the document: the sandbox does not allow its path.",
        "The image ../x.png is not in the document: the sandbox does not allow its path.",
        "The image gone.png is not in the document: there is no such file in the sandbox.",
      ],
    });
  });

  it("of a slide must be there", async () => {
    const ran = await runTool(createPptx, { filename: "p", slides: [{ title: "A", image: "gone.png" }] });
    expect(ran.failure).toMatchObject({
      code: "not_found",
      field: "slides",
      message: expect.stringContaining("gone.png"),
    });
    const denied = await runTool(createPptx, { filename: "p", slides: [{ title: "A", image: "../a.png" }] });
    expect(denied.failure).toMatchObject({ code: "sandbox_denied", field: "slides" });
  });

  it("are bounded in number", async () => {
    const paths = Array.from({ length: 51 }, (_, index) => `i${index}.png`);
    const ports = await portsWith(...paths);
    const content = paths.map((path) => `![](${path})`).join("\n");
    const ran = await runTool(createPdf, { filename: "p", content }, ports);
    expect(ran.failure).toMatchObject({ code: "too_large", field: "content" });
  });
});

describe("templates", () => {
  const make = async (ports: ToolPorts, given: object = {}, facts: Partial<CallFacts> = {}) => {
    const ran = await runTool(createDocx, { filename: "out", content: "x", ...given }, ports, facts);
    return ran.failure ?? (await orderOf(ports, "out.docx")).template;
  };

  it("are the one that the call names, the one of the agent's settings, or word.docx", async () => {
    const ports = freshPorts();
    for (const [path, size] of [
      ["a.docx", 1],
      ["set.docx", 2],
      ["project/word.docx", 4],
    ] as const)
      await ports.files.write(path, new Uint8Array(size), { key: path });
    const config = { template: "set.docx" };
    expect(await make(ports, { template: "a.docx" }, { config })).toBe(1);
    expect(await make(ports, {}, { config })).toBe(2);
    expect(await make(ports)).toBe(4);
    await ports.files.write("word.docx", new Uint8Array(3), { key: "word" });
    expect(await make(ports)).toBe(3);
    expect(await make(freshPorts())).toBeNull();
  });

  it("are rejected if the sandbox does not allow them, or if they are invalid", async () => {
    const ports = await portsWith("a.pdf", "word.docx");
    expect(await make(ports, { template: "a.pdf" })).toMatchObject({ code: "invalid_input", field: "template" });
    expect(await make(ports, { template: "gone.docx" })).toMatchObject({ code: "not_found", field: "template" });
    expect(await make(ports, { template: "../a.docx" })).toMatchObject({ code: "sandbox_denied", field: "template" });
    const sandbox = { ...OPEN_RULES, deniedPatterns: ["word.docx"] };
    expect(await make(ports, {}, { sandbox })).toBeNull();
  });

  it("of a presentation are presentations", async () => {
    const ports = await portsWith("word.docx");
    const given = { filename: "p", content: "# A" };
    expect((await runTool(createPptx, { ...given, template: "word.docx" }, ports)).failure).toMatchObject({
      field: "template",
    });
    await runTool(createPptx, given, ports);
    expect(await orderOf(ports, "p.pptx")).toMatchObject({ template: null });
  });
});

describe("what is made", () => {
  it.each([
    [createXlsx, { filename: "a" }],
    [createXlsx, { filename: "a", content: "x", sheets: [{ name: "A", rows: [] }] }],
    [createPptx, { filename: "a" }],
    [createPptx, { filename: "a", content: "x", slides: [{ title: "A" }] }],
  ])("is data or Markdown, one of the two", async (tool, given) => {
    expect((await runTool(tool, given)).failure).toMatchObject({ code: "invalid_input", field: "content" });
  });

  it.each([
    [[{ name: "A/B", rows: [] }], "sheets.0.name"],
    [
      [
        { name: "a", rows: [] },
        { name: "A", rows: [] },
      ],
      "sheets.1.name",
    ],
    [[{ name: "A", rows: [[{ value: 1, formula: "=1" }]] }], "sheets.0.rows.0.0"],
    [[{ name: "A", rows: [[{ date: "2026-02-30" }]] }], "sheets.0.rows.0.0"],
    [[{ name: "A", rows: [[{ formula: '=WEBSERVICE("https://example.com")' }]] }], "sheets.0.rows.0.0"],
    [[{ name: "A", rows: [[1], [{}]] }], "sheets.0.rows.1.0"],
    [[{ name: "A", rows: Array.from({ length: 201 }, () => Array.from({ length: 1_000 }, () => 1)) }], "sheets"],
    [[], "sheets"],
  ])("is refused by the place at fault: %#", async (sheets, field) => {
    const ran = await runTool(createXlsx, { filename: "a", sheets });
    expect(ran.failure?.code).toBe("invalid_input");
    expect(ran.failure?.field).toMatch(new RegExp(`^${field.replaceAll(".", "\\.")}`));
  });
});

import { describe, expect, test } from "vitest";
import { renderCatalogue } from "../../scripts/catalogue.ts";
import { show } from "./rules/source-tree.ts";
import { isTool, toolNameViolations } from "./rules/tools.ts";
import { tree } from "./tree.ts";

const tool = (name: string): string => `export default defineTool({ name: "${name}", summary: "…" });`;

describe("a tool's name", () => {
  test("equals its path, for every tool", () => {
    expect(tree.filter(isTool).length).toBeGreaterThan(0);
    expect(show(toolNameViolations(tree))).toEqual([]);
  });

  test.each([
    ["tools/files/read-file.ts", tool("read_file")],
    ["tools/fs/read.ts", tool("fs.read")],
    ["tools/files/paths.ts", "export const clean = 1;"],
    ["tools/define-tool.ts", "export function defineTool() {}"],
  ])("may be at %s: %s", (path, text) => {
    expect(show(toolNameViolations([{ path, text }]))).toEqual([]);
  });

  test.each([
    ["tools/files/read-file.ts", tool("write_file")],
    ["tools/files/read-file.ts", tool("read-file")],
    ["tools/files/deep/read-file.ts", tool("read_file")],
    ["tools/read-file.ts", tool("read_file")],
    ["tools/files/read-file.ts", "export default { name: 'read_file' };"],
    ["tools/files/read-file.ts", "export default defineTool({ name: NAME });"],
    ["tools/files/read-file.ts", "export default defineTool({"],
  ])("may not be at %s: %s", (path, text) => {
    expect(toolNameViolations([{ path, text }])).toHaveLength(1);
  });
});

describe("the catalogue", () => {
  test("lists tools by name, leaves helpers out and keeps equal file names apart", () => {
    const rendered = renderCatalogue([
      { path: "tools/files/write-file.ts", source: tool("write_file") },
      { path: "tools/files/paths.ts", source: "export const clean = 1;" },
      { path: "tools/fs/read.ts", source: tool("fs.read") },
      { path: "tools/mail/read.ts", source: tool("mail.read") },
    ]);
    expect(rendered).toContain('import fsRead from "./fs/read.ts";\nimport mailRead from "./mail/read.ts";');
    expect(rendered).toContain("[\n  fsRead,\n  mailRead,\n  filesWriteFile,\n];");
    expect(rendered).not.toContain("paths");
  });

  test("refuses two tools of one name and a default export that is no tool", () => {
    const twice = ["tools/files/read.ts", "tools/mail/read.ts"].map((path) => ({ path, source: tool("read") }));
    expect(() => renderCatalogue(twice)).toThrow("used twice");
    expect(() => renderCatalogue([{ path: "tools/a/b.ts", source: "export default 1;" }])).toThrow("tools/a/b.ts");
  });
});

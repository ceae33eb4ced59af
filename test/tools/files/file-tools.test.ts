import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { FilesPort } from "../../../core/ports/files.ts";
import type { SandboxRules } from "../../../core/sandbox/rules.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import attachFile from "../../../tools/files/attach-file.ts";
import createDirectory from "../../../tools/files/create-directory.ts";
import deleteFile from "../../../tools/files/delete-file.ts";
import findFiles from "../../../tools/files/find-files.ts";
import grep from "../../../tools/files/grep.ts";
import listDirectory from "../../../tools/files/list-directory.ts";
import readFile from "../../../tools/files/read-file.ts";
import searchInFiles from "../../../tools/files/search-in-files.ts";
import writeFile from "../../../tools/files/write-file.ts";
import fsRead from "../../../tools/fs/read.ts";
import fsWrite from "../../../tools/fs/write.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { LITERALS, SPELLINGS, TRAVERSALS } from "./hostile-paths.ts";
import { DEFAULT_RULES, OPEN_RULES, runTool } from "../run-tool.ts";

const MAX_TEXT_BYTES = 2_097_152;
let files: FilesPort;
let keys = 0;

beforeEach(() => {
  files = fakeFiles(() => Date.UTC(2026, 0, 2, 3, 4, 5));
});

async function put(path: string, content: string | Uint8Array): Promise<void> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const written = await files.write(path, bytes, { key: `put-${(keys += 1)}` });
  expect(written.ok).toBe(true);
}

const read = (given: unknown, sandbox: SandboxRules = DEFAULT_RULES) =>
  runTool(readFile, given, { files }, { sandbox });
const write = (given: unknown, sandbox: SandboxRules = DEFAULT_RULES, key?: string) =>
  runTool(writeFile, given, { files }, { sandbox, ...(key === undefined ? {} : { key }) });
const list = (given: unknown, sandbox: SandboxRules = DEFAULT_RULES) =>
  runTool(listDirectory, given, { files }, { sandbox });
const attach = (given: unknown, sandbox: SandboxRules = DEFAULT_RULES) =>
  runTool(attachFile, given, { files }, { sandbox });

describe("read_file", () => {
  it("gives content, path and size, and shows the content", async () => {
    await put("notes/plan.md", "# Plän\n");
    const expected = { content: "# Plän\n", path: "notes/plan.md", size: 8 };
    expect(await read({ filename: "notes/plan.md" })).toEqual({ result: expected, output: "# Plän\n" });
  });

  it.each(["filename", "path", "file_path"])("takes the file's name as %s", async (name) => {
    await put("a.txt", "a");
    expect((await read({ [name]: "a.txt" })).result).toMatchObject({ content: "a" });
  });

  it("retains a byte order mark and unusual line ends", async () => {
    await put("a.txt", "\uFEFFa\r\nb\u2028c");
    expect((await read({ filename: "a.txt" })).result).toMatchObject({ content: "\uFEFFa\r\nb\u2028c" });
  });

  it("says with the document's words that a file is not there, too large, or denied", async () => {
    expect((await read({ filename: "no.txt" })).failure).toMatchObject({
      code: "not_found",
      message: "File not found: no.txt",
      field: "path",
    });
    await put("big.txt", new Uint8Array(MAX_TEXT_BYTES + 1).fill(97));
    expect((await read({ filename: "big.txt" })).failure).toMatchObject({
      code: "too_large",
      message: `File too large: ${MAX_TEXT_BYTES + 1} bytes`,
    });
    expect((await read({ filename: "app/.env.json" })).failure).toMatchObject({
      code: "sandbox_denied",
      message: "File access denied by sandbox: app/.env.json",
      field: "path",
    });
  });

  it("reads a file of exactly 2 MB", async () => {
    await put("big.txt", new Uint8Array(MAX_TEXT_BYTES).fill(97));
    expect((await read({ filename: "big.txt" })).result).toMatchObject({ size: MAX_TEXT_BYTES });
  });

  it("refuses bytes that are no text", async () => {
    await put("a.txt", new Uint8Array([0xff, 0xfe, 0x00]));
    expect((await read({ filename: "a.txt" })).failure).toMatchObject({ code: "unsupported_media", field: "path" });
  });

  it("reads any type of text unless the agent lists types", async () => {
    await put("a.py", "x = 1");
    const narrowed = { ...OPEN_RULES, extensions: [".txt", ".md", ".json"] };
    expect((await read({ filename: "a.py" }, narrowed)).failure).toMatchObject({
      code: "sandbox_denied",
      message: "File access denied by sandbox: a.py (allowed file types: .txt, .md, .json)",
    });
    expect((await read({ filename: "a.py" })).result).toMatchObject({ content: "x = 1" });
  });

  it("finds a file by either form of its accents", async () => {
    await write({ filename: "cafe\u0301.txt", content: "x" });
    expect((await read({ filename: "caf\u00e9.txt" })).result).toMatchObject({ path: "caf\u00e9.txt" });
  });
});

describe("write_file", () => {
  it("writes, makes the directories, and says what it did", async () => {
    expect(await write({ filename: "a/b/c.txt", content: "höi" })).toEqual({
      result: { success: true, path: "a/b/c.txt", size: 4, message: "Wrote 4 bytes to a/b/c.txt" },
      output: "Wrote 4 bytes to a/b/c.txt",
    });
    expect((await read({ filename: "a/b/c.txt" })).result).toMatchObject({ content: "höi" });
  });

  it("gives any text back unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), async (content) => {
        expect((await write({ filename: "x.txt", content })).failure).toBeUndefined();
        expect((await read({ filename: "x.txt" })).result).toMatchObject({ content });
      }),
    );
  });

  it("applies one call once, however often it is run", async () => {
    await write({ filename: "a.txt", content: "one" }, DEFAULT_RULES, "call_1");
    await write({ filename: "a.txt", content: "two" }, DEFAULT_RULES, "call_2");
    expect((await write({ filename: "a.txt", content: "one" }, DEFAULT_RULES, "call_1")).result).toMatchObject({
      success: true,
    });
    expect((await read({ filename: "a.txt" })).result).toMatchObject({ content: "two" });
  });

  it("answers with the document's words where writing is off, and says so in lists", async () => {
    const closed = { ...DEFAULT_RULES, allowWrite: false };
    expect((await write({ filename: "a.txt", content: "x" }, closed)).failure).toMatchObject({
      code: "sandbox_denied",
      message: "Write access is disabled (allow_write=False).",
    });
    expect(writeFile.disabled?.(closed)).toBe("Write access is disabled (allow_write=False).");
    expect(writeFile.disabled?.(DEFAULT_RULES)).toBeNull();
  });

  it("refuses half of a surrogate pair, more than 2 MB, and types that the agent does not list", async () => {
    expect((await write({ filename: "a.txt", content: "a\ud800" })).failure).toMatchObject({
      code: "invalid_input",
      field: "content",
    });
    expect((await write({ filename: "a.txt", content: "a".repeat(MAX_TEXT_BYTES + 1) })).failure).toMatchObject({
      code: "too_large",
      field: "content",
    });
    const narrowed = { ...OPEN_RULES, extensions: [".md"] };
    expect((await write({ filename: "a.exe", content: "x" }, narrowed)).failure).toMatchObject({
      code: "sandbox_denied",
    });
    expect((await list({})).result).toMatchObject({ total: 0 });
  });

  it("does not turn a file into a directory or a directory into a file", async () => {
    await write({ filename: "a/b.txt", content: "x" });
    expect((await write({ filename: "a/b.txt/c.txt", content: "x" })).failure).toMatchObject({
      code: "conflict",
      field: "path",
    });
    await put("d.md/inner.txt", "x");
    expect((await write({ filename: "d.md", content: "x" })).failure).toMatchObject({ code: "conflict" });
  });
});

describe("list_directory", () => {
  it("lists names, kinds, sizes and times, sorted", async () => {
    await put("b.txt", "12345");
    await put("a/x.txt", "1");
    await put("a/y/z.txt", "22");
    expect(await list({})).toMatchObject({
      result: {
        path: "",
        entries: [
          { name: "a", kind: "directory", size: 3, modified: "2026-01-02T03:04:05.000Z" },
          { name: "b.txt", kind: "file", size: 5, modified: "2026-01-02T03:04:05.000Z" },
        ],
        total: 2,
        truncated: false,
      },
      output: "a/  (3 bytes inside)\nb.txt  5 bytes  2026-01-02T03:04:05.000Z",
    });
    expect((await list({ path: "a" })).result).toMatchObject({ entries: [{ name: "x.txt" }, { name: "y" }] });
  });

  it("takes a shell pattern for the names", async () => {
    for (const name of ["a.md", "b.txt", ".hidden.md", "c.MD"]) await put(name, "x");
    const names = async (pattern: string) =>
      ((await list({ pattern })).result as { entries: { name: string }[] }).entries.map(({ name }) => name);
    expect(await names("*.md")).toEqual([".hidden.md", "a.md"]);
    expect(await names("[!a.]*")).toEqual(["b.txt", "c.MD"]);
    expect(await names("[")).toEqual([]);
  });

  it("shows nothing that a rule denies", async () => {
    for (const path of [".env", "ok.txt", "repo/.git/config", "repo/a.txt", "id.pem", "private/x.txt"])
      await put(path, "x");
    const named = async (path: string, rules: SandboxRules) =>
      ((await list({ path }, rules)).result as { entries: { name: string }[] }).entries.map(({ name }) => name);
    expect(await named("", DEFAULT_RULES)).toEqual(["ok.txt", "private", "repo"]);
    expect(await named("repo", DEFAULT_RULES)).toEqual(["a.txt"]);
    expect(await named("", { ...DEFAULT_RULES, allowedPaths: ["repo"] })).toEqual(["repo"]);
    expect((await list({ path: "repo/.git" })).failure).toMatchObject({ code: "sandbox_denied", field: "path" });
    expect((await list({ path: "private" }, { ...DEFAULT_RULES, allowedPaths: ["repo"] })).failure).toMatchObject({
      code: "sandbox_denied",
    });
  });

  it("says that a directory is not there, and that the topmost one is empty", async () => {
    expect((await list({ path: "no" })).failure).toMatchObject({
      code: "not_found",
      message: "Directory not found: no",
      field: "path",
    });
    expect((await list({})).output).toBe("Nothing to show in the topmost directory.");
  });

  it("counts nothing that a rule hides into the size of a directory", async () => {
    await put("repo/a.txt", "1234");
    await put("repo/.env", "x".repeat(100));
    await put("repo/deep/.git/config", "x".repeat(100));
    const rules = { ...DEFAULT_RULES, allowedPaths: ["repo"] };
    await put("other/b.txt", "x");
    expect((await list({}, rules)).result).toMatchObject({ entries: [{ name: "repo", size: 4 }], total: 1 });
    expect((await list({ path: "repo" }, rules)).result).toMatchObject({
      entries: [
        { name: "a.txt", size: 4 },
        { name: "deep", size: 0 },
      ],
    });
  });

  it("shows 1,000 entries and counts the rest", async () => {
    for (let i = 0; i < 1_003; i += 1) await put(`f${String(i).padStart(4, "0")}`, "");
    const { result, output } = await list({});
    expect(result).toMatchObject({ total: 1_003, truncated: true });
    expect((result as { entries: unknown[] }).entries).toHaveLength(1_000);
    expect(output).toContain("3 more");
  });
});

describe("attach_file", () => {
  it("marks a file of any type for delivery", async () => {
    await put("out/report.pdf", "%PDF");
    expect(await attach({ path: "out/report.pdf" })).toEqual({
      control: {
        kind: "attach",
        path: "out/report.pdf",
        size: 4,
        contentType: "application/pdf",
        hash: await sha256Hex(new TextEncoder().encode("%PDF")),
      },
    });
  });

  it("refuses a file that is not there, and one that a rule denies", async () => {
    expect((await attach({ filename: "no.pdf" })).failure).toMatchObject({ code: "not_found", field: "path" });
    await put("id.pem", "x");
    expect((await attach({ filename: "id.pem" })).failure).toMatchObject({ code: "sandbox_denied" });
  });
});

describe("a path that a model makes up", () => {
  const at = (tool: Tool, given: object = {}) =>
    [tool.name, (path: string) => runTool(tool, { ...given, path }, { files }, { sandbox: OPEN_RULES })] as const;
  const TOOLS = [
    at(readFile),
    at(writeFile, { content: "x" }),
    at(attachFile),
    at(createDirectory),
    at(deleteFile),
    at(listDirectory),
    at(findFiles, { glob: "**/*" }),
    at(searchInFiles, { pattern: "." }),
    at(grep, { pattern: "." }),
    at(fsRead),
    at(fsWrite, { content: "x" }),
  ];

  it.each(TOOLS)("never leads %s out of the sandbox, and never into an internal error", async (_, run) => {
    for (const path of TRAVERSALS) {
      const { failure } = await run(path);
      expect([path, ["invalid_input", "sandbox_denied"].includes(failure?.code ?? "none")]).toEqual([path, true]);
      expect(failure?.field).toMatch(/^(?:filename|path)$/);
    }
    expect((await list({}, OPEN_RULES)).result).toMatchObject({ total: 0 });
  });

  it.each(SPELLINGS)("written %j is %j", async (path, canonical) => {
    expect((await write({ path, content: path }, OPEN_RULES)).result).toMatchObject({ path: canonical });
    expect((await read({ path }, OPEN_RULES)).result).toMatchObject({ path: canonical, content: path });
  });

  it("may hold what is special elsewhere: it names a file of exactly that name", async () => {
    for (const path of LITERALS) {
      const stored = path.normalize("NFC");
      expect((await write({ filename: path, content: path }, OPEN_RULES)).result).toMatchObject({ path: stored });
      expect((await read({ filename: path }, OPEN_RULES)).result).toMatchObject({ path: stored, content: path });
    }
    const found = (await runTool(findFiles, { glob: "**" }, { files }, { sandbox: OPEN_RULES })).result;
    expect(found).toMatchObject({ total: new Set(LITERALS.map((path) => path.normalize("NFC"))).size });
  });

  it("of any kind is answered with a result or a clear failure", async () => {
    const segment = fc.oneof(
      fc.constantFrom("..", ".", "", "\\", "\0", "a", "b.txt", ".env", "%2e%2e", "~", "\ud800", "\u202e"),
      fc.string({ unit: "binary", maxLength: 8 }),
    );
    const path = fc.array(segment, { maxLength: 8 }).map((segments) => segments.join("/"));
    await fc.assert(
      fc.asyncProperty(path, async (raw) => {
        for (const [, run] of TOOLS) {
          const { failure } = await run(raw);
          expect([undefined, "invalid_input", "sandbox_denied", "not_found", "conflict"]).toContain(failure?.code);
        }
      }),
      { numRuns: 500 },
    );
  }, 60_000);
});

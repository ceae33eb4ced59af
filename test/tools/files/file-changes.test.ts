import { beforeEach, describe, expect, it } from "vitest";
import type { FilesPort } from "../../../core/ports/files.ts";
import type { SandboxRules } from "../../../core/sandbox/rules.ts";
import createDirectory from "../../../tools/files/create-directory.ts";
import deleteFile from "../../../tools/files/delete-file.ts";
import listDirectory from "../../../tools/files/list-directory.ts";
import readFile from "../../../tools/files/read-file.ts";
import writeFile from "../../../tools/files/write-file.ts";
import fsRead from "../../../tools/fs/read.ts";
import fsWrite from "../../../tools/fs/write.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { DEFAULT_RULES, OPEN_RULES, runTool } from "../run-tool.ts";

const MAX_TEXT_BYTES = 2_097_152;
let files: FilesPort;

beforeEach(() => {
  files = fakeFiles();
});

const run = (tool: Parameters<typeof runTool>[0], given: object, rules: SandboxRules = DEFAULT_RULES, key?: string) =>
  runTool(tool, given, { files }, { sandbox: rules, ...(key === undefined ? {} : { key }) });
const write = (path: string, content: string, more: object = {}) => run(fsWrite, { path, content, ...more });
const textOf = async (path: string) => (await run(fsRead, { path })).result as { content: string };

describe("fs.read", () => {
  it("gives content, path and size of any type of file", async () => {
    await write("src/main.ex", "defmodule Ä\n");
    expect(await run(fsRead, { path: "src/main.ex" })).toEqual({
      result: { content: "defmodule Ä\n", path: "src/main.ex", size: 13 },
      output: "defmodule Ä\n",
    });
  });

  it.each(["path", "filename", "file_path"])("takes the path as %s", async (name) => {
    await write("a.ts", "a");
    expect((await run(fsRead, { [name]: "a.ts" })).result).toMatchObject({ content: "a" });
  });

  it("fails with the words of the document", async () => {
    await write("big.txt", "12345");
    await write("locked.txt", "x", { mode: "0200" });
    const failureOf = async (given: object) => (await run(fsRead, given)).failure;
    expect(await failureOf({ path: "no.txt" })).toMatchObject({
      code: "not_found",
      message: "File not found: no.txt",
      field: "path",
    });
    expect(await failureOf({ path: "big.txt", max_size: 4 })).toMatchObject({
      code: "too_large",
      message: "File too large: 5 bytes",
      field: "path",
    });
    await write("app/x.ts", "x");
    for (const path of ["app", "app/", "/app"])
      expect(await failureOf({ path })).toEqual({
        code: "invalid_input",
        message: "app is a directory; list it with list_directory, or name a file in it.",
        field: "path",
      });
    expect(await failureOf({ path: "locked.txt" })).toMatchObject({
      code: "permission_denied",
      message: "Permission denied: locked.txt",
      field: "path",
    });
    const rules = { ...DEFAULT_RULES, allowedPaths: ["/app/src"] };
    expect((await run(fsRead, { path: "/etc/passwd" }, rules)).failure).toMatchObject({
      code: "sandbox_denied",
      message: "File access denied by sandbox: /etc/passwd",
      field: "path",
    });
    expect(await failureOf({ path: "app/.env.local" })).toMatchObject({ code: "sandbox_denied" });
    expect((await run(readFile, { path: "locked.txt" })).failure).toMatchObject({ code: "permission_denied" });
  });

  it("reads up to max_size, which is 2 MB", async () => {
    await files.write("big.txt", new Uint8Array(MAX_TEXT_BYTES + 1).fill(97), { key: "big" });
    expect((await run(fsRead, { path: "big.txt" })).failure).toMatchObject({ code: "too_large" });
    expect((await run(fsRead, { path: "big.txt", max_size: MAX_TEXT_BYTES + 1 })).result).toBeDefined();
    for (const max_size of [0, -1, 1.5, 1e12]) {
      expect((await run(fsRead, { path: "big.txt", max_size })).failure).toMatchObject({ field: "max_size" });
    }
  });

  it("refuses what is no text", async () => {
    await files.write("a.bin", new Uint8Array([0xff, 0xfe, 0]), { key: "bin" });
    expect((await run(fsRead, { path: "a.bin" })).failure).toMatchObject({ code: "unsupported_media" });
  });

  it("changes only file types that an agent lists, and so does fs.write", async () => {
    await write("a.ts", "x");
    const rules = { ...DEFAULT_RULES, extensions: [".md"] };
    const denied = { code: "sandbox_denied", message: "File access denied by sandbox: a.ts (allowed file types: .md)" };
    expect((await run(fsRead, { path: "a.ts" }, rules)).failure).toMatchObject(denied);
    expect((await run(fsWrite, { path: "a.ts", content: "y" }, rules)).failure).toMatchObject(denied);
    expect((await run(fsWrite, { path: "a.md", content: "y" }, rules)).result).toBeDefined();
  });
});

describe("fs.write", () => {
  it("writes, and names the backup of the replaced file", async () => {
    expect(await write("src/a.ts", "one")).toEqual({
      result: { path: "src/a.ts", size: 3, backup_path: null },
      output: "Wrote 3 bytes to src/a.ts",
    });
    expect(await write("src/a.ts", "two!")).toEqual({
      result: { path: "src/a.ts", size: 4, backup_path: "src/a.ts.bak" },
      output: "Wrote 4 bytes to src/a.ts; the file that was there is now src/a.ts.bak",
    });
    expect([await textOf("src/a.ts"), await textOf("src/a.ts.bak")]).toMatchObject([
      { content: "two!" },
      { content: "one" },
    ]);
    expect((await write("src/a.ts", "three")).result).toMatchObject({ backup_path: "src/a.ts.bak" });
    expect(await textOf("src/a.ts.bak")).toMatchObject({ content: "two!" });
  });

  it("stores no backup on request", async () => {
    await write("a.ts", "one");
    expect((await write("a.ts", "two", { backup: false })).result).toMatchObject({ backup_path: null });
    expect((await run(fsRead, { path: "a.ts.bak" })).failure).toMatchObject({ code: "not_found" });
  });

  it("is applied once, however often it is run: the backup is not overwritten by a repeat", async () => {
    await write("a.ts", "one");
    const given = { path: "a.ts", content: "two" };
    const first = await run(fsWrite, given, DEFAULT_RULES, "call_7");
    expect(await run(fsWrite, given, DEFAULT_RULES, "call_7")).toEqual(first);
    expect(await textOf("a.ts.bak")).toMatchObject({ content: "one" });
  });

  it("changes nothing if the backup's path is not allowed", async () => {
    await write("a.ts", "one");
    const rules = { ...OPEN_RULES, deniedPatterns: ["*.bak"] };
    expect((await run(fsWrite, { path: "a.ts", content: "two" }, rules)).failure).toMatchObject({
      code: "sandbox_denied",
      message: "File access denied by sandbox: a.ts.bak",
      field: "backup",
    });
    expect((await run(fsWrite, { path: "a.ts", content: "two", backup: false }, rules)).result).toBeDefined();
    await run(createDirectory, { path: "b.ts.bak" });
    await write("b.ts", "one");
    expect((await write("b.ts", "two")).failure).toMatchObject({ code: "conflict", field: "path" });
    expect(await textOf("b.ts")).toMatchObject({ content: "one" });
    const long = "x".repeat(1_022);
    expect((await write(long, "two")).failure).toMatchObject({ code: "invalid_input", field: "backup" });
  });

  it.each([
    ["0644", 0o644],
    ["644", 0o644],
    ["0o755", 0o755],
    [600, 0o600],
    [undefined, 0o644],
  ])("keeps the mode %j", async (mode, bits) => {
    expect((await write("a.sh", "x", mode === undefined ? {} : { mode })).failure).toBeUndefined();
    expect(await files.stat("a.sh")).toMatchObject({ value: { mode: bits } });
  });

  it.each(["0888", "4755", "rw-r--r--", "", 493, -1, 6.44, null])("refuses the mode %j", async (mode) => {
    expect((await write("a.sh", "x", { mode })).failure).toMatchObject({ code: "invalid_input", field: "mode" });
  });

  it("refuses half of a surrogate pair and more than 2 MB", async () => {
    expect((await write("a.txt", "a\ud800")).failure).toMatchObject({ code: "invalid_input", field: "content" });
    expect((await write("a.txt", "a".repeat(MAX_TEXT_BYTES + 1))).failure).toMatchObject({ code: "too_large" });
  });
});

describe("create_directory", () => {
  it("makes a directory that is listed while it is empty, and those above it", async () => {
    expect(await run(createDirectory, { path: "a/b" })).toEqual({
      result: { success: true, path: "a/b", message: "Made the directory a/b" },
      output: "Made the directory a/b",
    });
    expect((await run(createDirectory, { path: "a/b" })).output).toBe("The directory a/b is there already");
    expect((await run(listDirectory, { path: "a" })).result).toMatchObject({
      entries: [{ name: "b", kind: "directory", size: 0 }],
    });
    expect((await run(listDirectory, { path: "a/b" })).result).toMatchObject({ entries: [], total: 0 });
  });

  it("rejects the path of a file, and a path that a rule denies", async () => {
    await write("a.txt", "x");
    expect((await run(createDirectory, { path: "a.txt" })).failure).toMatchObject({ code: "conflict", field: "path" });
    expect((await run(createDirectory, { path: "a.txt/b" })).failure).toMatchObject({ code: "conflict" });
    expect((await run(createDirectory, { path: "repo/.git" })).failure).toMatchObject({ code: "sandbox_denied" });
    const rules = { ...DEFAULT_RULES, allowedPaths: ["app"] };
    expect((await run(createDirectory, { path: "app-evil" }, rules)).failure).toMatchObject({ code: "sandbox_denied" });
    expect((await run(createDirectory, { path: "app/x" }, rules)).result).toBeDefined();
  });
});

describe("delete_file", () => {
  it("deletes a file of any type, or a directory that is empty", async () => {
    await write("a/b.exe", "x");
    expect((await run(deleteFile, { path: "a" })).failure).toMatchObject({
      code: "conflict",
      message: "a is a directory that is not empty.",
      field: "path",
    });
    expect(await run(deleteFile, { file_path: "a/b.exe" })).toEqual({
      result: { success: true, path: "a/b.exe", message: "Deleted a/b.exe" },
      output: "Deleted a/b.exe",
    });
    expect((await run(deleteFile, { path: "a" })).output).toBe("Deleted the empty directory a");
    expect((await run(deleteFile, { path: "a" })).failure).toMatchObject({
      code: "not_found",
      message: "File not found: a",
    });
  });

  it("deletes once, however often it is run", async () => {
    await write("a.txt", "one");
    await run(deleteFile, { path: "a.txt" }, DEFAULT_RULES, "call_9");
    await write("a.txt", "two");
    expect((await run(deleteFile, { path: "a.txt" }, DEFAULT_RULES, "call_9")).result).toMatchObject({ success: true });
    expect(await textOf("a.txt")).toMatchObject({ content: "two" });
  });

  it("does not delete what a rule denies", async () => {
    await files.write(".env", new Uint8Array(1), { key: "env" });
    expect((await run(deleteFile, { path: ".env" })).failure).toMatchObject({ code: "sandbox_denied" });
    expect((await files.stat(".env")).ok).toBe(true);
  });
});

describe("an agent that may not write", () => {
  const MESSAGE = "Write access is disabled (allow_write=False).";
  const closed = { ...DEFAULT_RULES, allowWrite: false };
  const TOOLS = [
    [writeFile, { filename: "a.txt", content: "x" }],
    [fsWrite, { path: "a.txt", content: "x" }],
    [createDirectory, { path: "a" }],
    [deleteFile, { path: "old.txt" }],
  ] as const;

  it.each(TOOLS.map(([tool, given]) => [tool.name, tool, given] as const))(
    "is enforced for %s, in lists and on every call",
    async (_, tool, given) => {
      await write("old.txt", "x");
      expect(tool.disabled?.(closed)).toBe(MESSAGE);
      expect(tool.disabled?.(DEFAULT_RULES)).toBeNull();
      expect((await run(tool, given, closed)).failure).toMatchObject({ code: "sandbox_denied", message: MESSAGE });
      expect(await files.list("")).toMatchObject({ value: [{ name: "old.txt" }] });
    },
  );
});

import { beforeEach, describe, expect, it } from "vitest";
import type { FilesPort } from "../../../core/ports/files.ts";
import type { SandboxRules } from "../../../core/sandbox/rules.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import findFiles from "../../../tools/files/find-files.ts";
import grep from "../../../tools/files/grep.ts";
import searchInFiles from "../../../tools/files/search-in-files.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { DEFAULT_RULES, OPEN_RULES, runTool } from "../run-tool.ts";

let files: FilesPort;
let keys = 0;

beforeEach(() => {
  files = fakeFiles();
});

async function put(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  expect((await files.write(path, bytes, { key: `put-${(keys += 1)}`, mode })).ok).toBe(true);
}

const run = (tool: Tool, given: object, sandbox: SandboxRules = DEFAULT_RULES) =>
  runTool(tool, given, { files }, { sandbox });

interface Grepped {
  readonly results: readonly { file: string; line: number; content: string; line_number: number }[];
  readonly total_matches: number;
  readonly truncated: boolean;
  readonly files_skipped: object;
}
const grepped = async (given: object, rules?: SandboxRules) => (await run(grep, given, rules)).result as Grepped;
const places = async (given: object, rules?: SandboxRules) =>
  (await grepped(given, rules)).results.map(({ file, line }) => `${file}:${line}`);
const found = async (given: object, rules?: SandboxRules) =>
  ((await run(findFiles, given, rules)).result as { files: string[] }).files;

describe("find_files", () => {
  beforeEach(async () => {
    for (const path of ["b.py", "a.md", "src/z.py", "src/lib/a.py", "src/lib/a.txt"]) await put(path, "x");
  });

  it("finds files below a path by a glob, sorted, and no directories", async () => {
    await files.makeDirectory("empty.py", { key: "dir" });
    expect((await run(findFiles, { glob: "**/*.py" })).result).toEqual({
      files: ["b.py", "src/lib/a.py", "src/z.py"],
      total: 3,
      truncated: false,
    });
    expect(await found({ glob: "*.py" })).toEqual(["b.py"]);
    expect(await found({ glob: "*.py", path: "src" })).toEqual(["src/z.py"]);
    expect(await found({ glob: "lib/*", path: "src/" })).toEqual(["src/lib/a.py", "src/lib/a.txt"]);
    expect(await found({ glob: "**/*", path: "." })).toHaveLength(5);
    expect(await found({ glob: "a.md", path: "a.md" })).toEqual(["a.md"]);
    expect((await run(findFiles, { glob: "*.exe" })).output).toBe("No file matches.");
  });

  it("says that there is nothing at the path, and what is wrong with a glob", async () => {
    expect((await run(findFiles, { glob: "*", path: "no" })).failure).toMatchObject({
      code: "not_found",
      message: "File not found: no",
      field: "path",
    });
    expect((await run(findFiles, { glob: "../*" })).failure).toMatchObject({ code: "sandbox_denied", field: "glob" });
    expect((await run(findFiles, { glob: "" })).failure).toMatchObject({ code: "invalid_input", field: "glob" });
  });

  it("gives 1,000 and counts the rest", async () => {
    for (let i = 0; i < 1_003; i += 1) await put(`many/f${String(i).padStart(4, "0")}`, "");
    const { result, output } = await run(findFiles, { glob: "*", path: "many" });
    expect(result).toMatchObject({ total: 1_003, truncated: true });
    expect((result as { files: string[] }).files).toHaveLength(1_000);
    expect(output).toContain("3 more");
  });
});

describe("the rules of an agent", () => {
  const HIDDEN = [".env", "app/.env.local", "repo/.git/config", "keys/id.pem", "a.secret", "deep/er/secrets.json"];

  beforeEach(async () => {
    for (const path of [...HIDDEN, "app/ok.txt", "app-evil/x.txt"]) await put(path, "needle\n");
  });

  it("hold for every file that a search finds: it is neither listed, matched nor read", async () => {
    const read: string[] = [];
    const watched: FilesPort = {
      ...files,
      readEntry: (entry) => {
        read.push(entry.path);
        return files.readEntry(entry);
      },
    };
    const on = async (tool: Tool, given: object, sandbox: SandboxRules) =>
      JSON.stringify(await runTool(tool, given, { files: watched }, { sandbox }));
    for (const [rules, visible] of [
      [DEFAULT_RULES, ["app-evil/x.txt", "app/ok.txt"]],
      [{ ...DEFAULT_RULES, allowedPaths: ["app"] }, ["app/ok.txt"]],
      [{ ...OPEN_RULES, allowedPaths: [] }, []],
    ] as const) {
      read.length = 0;
      const said = [
        await on(findFiles, { glob: "**/*" }, rules),
        await on(searchInFiles, { pattern: "needle" }, rules),
        await on(grep, { pattern: "needle" }, rules),
        await on(grep, { pattern: "." }, rules),
      ];
      for (const text of said) {
        for (const path of [...HIDDEN, "app-evil/x.txt"].filter(
          (one) => !(visible as readonly string[]).includes(one),
        )) {
          expect(text).not.toContain(path);
        }
      }
      expect(read.toSorted()).toEqual([...visible, ...visible, ...visible].toSorted());
    }
  });

  it("apply to the path that a search starts at", async () => {
    const rules = { ...DEFAULT_RULES, allowedPaths: ["app"] };
    for (const [tool, given] of [
      [findFiles, { glob: "*" }],
      [searchInFiles, { pattern: "." }],
      [grep, { pattern: "." }],
    ] as const) {
      for (const path of ["app-evil", "repo/.git", ".env", "keys"]) {
        const { failure } = await run(tool, { ...given, path }, rules);
        expect(failure).toMatchObject({ code: "sandbox_denied", field: "path" });
      }
    }
    expect((await run(grep, { pattern: ".", path: "keys/id.pem" })).failure).toMatchObject({ code: "sandbox_denied" });
  });

  it("limit a search to the file types that an agent lists", async () => {
    await put("a.py", "needle");
    await put("b.md", "needle");
    expect(await places({ pattern: "needle" }, { ...DEFAULT_RULES, extensions: [".md"] })).toEqual(["b.md:1"]);
    expect(await places({ pattern: "needle", path: "a.py" })).toEqual(["a.py:1"]);
  });
});

describe("grep", () => {
  it("gives every line that matches, by file and number", async () => {
    await put("b.txt", "one\ntwo needle\nthree\nneedle needle\n");
    await put("a/c.txt", "needle\r\nend");
    const { result, output } = await run(grep, { pattern: "needle$" });
    expect(result).toEqual({
      results: [
        { file: "a/c.txt", line: 1, content: "needle", line_number: 1 },
        { file: "b.txt", line: 2, content: "two needle", line_number: 2 },
        { file: "b.txt", line: 4, content: "needle needle", line_number: 4 },
      ],
      total_matches: 3,
      search_time_ms: expect.any(Number),
      truncated: false,
      files_searched: 2,
      files_skipped: { binary: 0, too_large: 0, unreadable: 0 },
    });
    expect(output).toBe("a/c.txt:1: needle\nb.txt:2: two needle\nb.txt:4: needle needle");
    expect((await run(grep, { pattern: "nothing" })).output).toBe("No line of 2 files matches.");
  });

  it("looks only below its path, or into the one file that it names", async () => {
    for (const path of ["lib/a.txt", "lib2/a.txt", "lib/deep/b.txt"]) await put(path, "x");
    expect(await places({ pattern: "x", path: "lib" })).toEqual(["lib/a.txt:1", "lib/deep/b.txt:1"]);
    expect(await places({ pattern: "x", path: "lib/" })).toEqual(["lib/a.txt:1", "lib/deep/b.txt:1"]);
    expect(await places({ pattern: "x", path: "lib2/a.txt" })).toEqual(["lib2/a.txt:1"]);
    expect((await run(grep, { pattern: "x", path: "no" })).failure).toMatchObject({ code: "not_found", field: "path" });
  });

  it("is case-sensitive by default", async () => {
    await put("a.txt", "Error\nerror\nÄRGER\n");
    expect(await places({ pattern: "error" })).toEqual(["a.txt:2"]);
    expect(await places({ pattern: "error", case_sensitive: false })).toEqual(["a.txt:1", "a.txt:2"]);
    expect(await places({ pattern: "ärger", case_sensitive: false })).toEqual(["a.txt:3"]);
  });

  it("stops when it has enough, in the order of paths, and says so", async () => {
    for (let i = 0; i < 40; i += 1) await put(`f${String(i).padStart(2, "0")}.txt`, "x\nx\n");
    const some = await grepped({ pattern: "x", max_results: 5 });
    expect([some.total_matches, some.truncated, some.results.at(-1)]).toMatchObject([
      5,
      true,
      { file: "f02.txt", line: 1 },
    ]);
    const all = await grepped({ pattern: "x", max_results: 80 });
    expect([all.total_matches, all.truncated]).toEqual([80, false]);
    expect((await run(grep, { pattern: "x", max_results: 5 })).output).toContain("The search ended early");
  });

  it("reads several files ahead, and no more than it needs", async () => {
    for (let i = 0; i < 200; i += 1) await put(`f${String(i).padStart(3, "0")}.txt`, "x\n");
    let atOnce = 0;
    let most = 0;
    let reads = 0;
    const slow: FilesPort = {
      ...files,
      async readEntry(entry) {
        reads += 1;
        atOnce += 1;
        most = Math.max(most, atOnce);
        await new Promise((resolve) => setTimeout(resolve, 1));
        atOnce -= 1;
        return await files.readEntry(entry);
      },
    };
    const { result } = await runTool(grep, { pattern: "x", max_results: 10 }, { files: slow });
    expect(result).toMatchObject({ total_matches: 10, truncated: true });
    expect(most).toBe(16);
    expect(reads).toBeLessThan(40);
  });

  it("omits binary, large and unreadable files, and counts them", async () => {
    await put("a.txt", "needle");
    await put("binary.bin", "needle\0");
    await put("late-nul.txt", `${"x".repeat(8_000)}\0\nneedle`);
    await put("latin1.txt", new Uint8Array([0xe4, 0x0a, ...new TextEncoder().encode("needle")]));
    await put("large.txt", "needle\n".repeat(300_000));
    await put("locked.txt", "needle", 0o200);
    const { results, files_skipped } = await grepped({ pattern: "needle" });
    expect(results.map(({ file }) => file)).toEqual(["a.txt", "late-nul.txt", "latin1.txt"]);
    expect(files_skipped).toEqual({ binary: 1, too_large: 1, unreadable: 1 });
    expect((await run(grep, { pattern: "none" })).output).toContain(
      "Files left out: 1 binary, 1 larger than 2 MB, 1 not readable.",
    );
  });

  it("gives the part of a long line around the match", async () => {
    await put("a.txt", `${"a".repeat(5_000)}needle${"b".repeat(5_000)}\n`);
    const [first] = (await grepped({ pattern: "needle" })).results;
    expect(first?.content).toMatch(/^…a{100}needleb{394}…$/);
  });

  it.each(["(", "a**b(", "[z-a]", "(?=x)", "\\1", "a{2000}", "((a{100}){100}){100}", "*"])(
    "says what is wrong with the pattern %j",
    async (pattern) => {
      await put("a.txt", "x");
      expect((await run(grep, { pattern })).failure).toMatchObject({ code: "invalid_input", field: "pattern" });
    },
  );

  it("gives up at its time limit with what it has", async () => {
    await put("a.txt", "needle\n");
    const slow: FilesPort = {
      ...files,
      async readEntry(entry) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return await files.readEntry(entry);
      },
    };
    for (let i = 0; i < 40; i += 1) await put(`b${i}.txt`, "needle\n");
    const { result } = await runTool(grep, { pattern: "needle", timeout_ms: 1 }, { files: slow });
    expect(result).toMatchObject({ truncated: true });
    const { total_matches: total } = result as Grepped;
    expect(total).toBeLessThan(41);
  });

  it("fails when the store does", async () => {
    await put("a.txt", "x");
    const error = { code: "upstream_failed", message: "The file store did not answer. Try again later." } as const;
    const away: FilesPort = { ...files, readEntry: async () => ({ ok: false, error }) };
    expect((await runTool(grep, { pattern: "x" }, { files: away })).failure).toMatchObject(error);
  });
});

describe("search_in_files", () => {
  it("gives matches with file, number and line, of the files that the glob selects", async () => {
    await put("a.md", "# Ana\nx\n");
    await put("notes/b.md", "Ana");
    await put("notes/c.txt", "Ana");
    expect(await run(searchInFiles, { pattern: "Ana", glob: "**/*.md" })).toEqual({
      result: {
        matches: [
          { file: "a.md", line_number: 1, line: "# Ana" },
          { file: "notes/b.md", line_number: 1, line: "Ana" },
        ],
        total: 2,
        truncated: false,
        files_skipped: { binary: 0, too_large: 0, unreadable: 0 },
        note: null,
      },
      output: "a.md:1: # Ana\nnotes/b.md:1: Ana",
    });
    const total = async (given: object) => ((await run(searchInFiles, given)).result as { total: number }).total;
    expect(await total({ pattern: "Ana" })).toBe(3);
    expect(await total({ pattern: "Ana", path: "notes", glob: "*.txt" })).toBe(1);
    expect(await total({ pattern: "Ana", glob: "*" })).toBe(1);
  });

  it.each([
    ["(", "RE2"],
    ["[", "RE2"],
    ["(?=x)", "RE2"],
    ["a{2000}", "too large"],
  ])("finds nothing by the bad pattern %j, and says why", async (pattern, why) => {
    await put("a.txt", "(");
    const { result, output } = await run(searchInFiles, { pattern });
    expect(result).toMatchObject({ matches: [], total: 0, note: expect.stringContaining(why) });
    expect(output).toContain("Nothing was found.");
  });

  it("stops at 1,000 matches", async () => {
    await put("a.txt", "x\n".repeat(1_500));
    expect((await run(searchInFiles, { pattern: "x" })).result).toMatchObject({ total: 1_000, truncated: true });
  });
});

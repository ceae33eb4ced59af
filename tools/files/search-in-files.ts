import { z } from "zod";
import { parseGlob } from "../../core/sandbox/glob.ts";
import { judgePath } from "../../core/sandbox/path.ts";
import { defineTool, failWith } from "../define-tool.ts";
import { searchFiles, searchNotes, toSearchRows } from "./file-search.ts";
import { compileLinePattern } from "./line-search.ts";
import { MAX_PATTERN_CHARACTERS } from "./re2-pattern.ts";

/** Matches of one answer, and the time that it may take. */
const MAX_MATCHES = 1_000;
const TIMEOUT_MS = 10_000;

const NOTHING_SKIPPED = { binary: 0, too_large: 0, unreadable: 0 };

export default defineTool({
  name: "search_in_files",
  aliasOf: "grep",
  summary:
    "Search the lines of the files that a glob selects for a regular expression (RE2). An invalid pattern finds nothing.",
  toolbox: "files",
  category: "file_ops",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["files", "patterns"],
  refersTo: { path: "directory" },
  input: z.object({
    pattern: z.string().max(MAX_PATTERN_CHARACTERS),
    path: z.string().default(".").describe("Directory or file; default: all"),
    glob: z.string().default("**/*").describe("e.g. **/*.md at any depth, *.md directly inside"),
  }),
  output: z.object({
    matches: z.array(z.object({ file: z.string(), line_number: z.int(), line: z.string() })),
    total: z.int().describe("Lines; those of the matches when the search ended early"),
    truncated: z.boolean().describe("True when the search ended early: enough matches, time or files"),
    files_skipped: z.object({ binary: z.int(), too_large: z.int(), unreadable: z.int() }),
    note: z.string().nullable().describe("What is wrong with the pattern"),
  }),
  async run({ pattern, path, glob: rawGlob }, { files, patterns, sandbox, signal, giveWay }) {
    const top = judgePath(path, sandbox, "list");
    if (!top.ok) return failWith(top.error);
    const glob = parseGlob(rawGlob);
    if (!glob.ok) return failWith(glob.error);
    const compiled = compileLinePattern(pattern, true, patterns);
    if (!compiled.ok) {
      const { message: note } = compiled.error;
      return { matches: [], total: 0, truncated: false, files_skipped: NOTHING_SKIPPED, note };
    }
    const search = { pattern: compiled.value, top: top.value, glob: glob.value, maxMatches: MAX_MATCHES };
    const found = await searchFiles({ ...search, timeoutMs: TIMEOUT_MS }, { files, sandbox, signal, giveWay });
    if (!found.ok) return failWith({ ...found.error, field: "path" });
    const { matches, truncated, skipped } = found.value;
    return {
      matches: matches.map(({ file, lineNumber, line }) => ({ file, line_number: lineNumber, line })),
      total: matches.length,
      truncated,
      files_skipped: skipped,
      note: null,
    };
  },
  show({ matches, truncated, files_skipped: skipped, note }) {
    if (note !== null) return `Nothing was found. ${note}`;
    const rows = matches.map(({ file, line_number: number, line }) => `${file}:${number}: ${line}`);
    return toSearchRows(rows.length === 0 ? ["No line matches."] : rows, searchNotes(truncated, skipped));
  },
  examples: [
    { note: "open tasks in every note", given: { pattern: "^- \\[ \\]", glob: "notes/**/*.md" } },
    { note: "everywhere", given: { pattern: "Ana" } },
  ],
});

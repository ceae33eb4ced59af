import { z } from "zod";
import { judgePath } from "../../core/sandbox/path.ts";
import { defineTool, failWith } from "../define-tool.ts";
import { searchFiles, searchNotes, toSearchRows } from "./file-search.ts";
import { compileLinePattern } from "./line-search.ts";
import { MAX_PATTERN_CHARACTERS } from "./re2-pattern.ts";

const MAX_RESULTS = 10_000;
const MAX_TIMEOUT_MS = 60_000;
/** What the gateway gives the call beyond its own limit, in which the reads that are under way end. */
const GRACE_MS = 5_000;

export default defineTool({
  name: "grep",
  summary: "Search the lines of text files of the sandbox for a regular expression (RE2).",
  toolbox: "files",
  category: "file_ops",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["files", "patterns"],
  refersTo: { path: "directory" },
  timeoutMs: ({ timeout_ms }) => timeout_ms + GRACE_MS,
  input: z.object({
    pattern: z.string().min(1).max(MAX_PATTERN_CHARACTERS),
    path: z.string().default(".").describe("Directory or file; default: all"),
    max_results: z.int().min(1).max(MAX_RESULTS).default(1_000),
    timeout_ms: z.int().min(1).max(MAX_TIMEOUT_MS).default(10_000),
    case_sensitive: z.boolean().default(true),
  }),
  output: z.object({
    results: z.array(
      z.object({ file: z.string(), line: z.int(), content: z.string(), line_number: z.int().describe("As line") }),
    ),
    total_matches: z.int().describe("Lines; those of the results when the search ended early"),
    search_time_ms: z.int(),
    truncated: z.boolean().describe("True when the search ended early: enough results, time or files"),
    files_searched: z.int(),
    files_skipped: z.object({ binary: z.int(), too_large: z.int(), unreadable: z.int() }),
  }),
  async run({ pattern, path, max_results, timeout_ms, case_sensitive }, { files, patterns, sandbox, signal, giveWay }) {
    const started = Date.now();
    const top = judgePath(path, sandbox, "list");
    if (!top.ok) return failWith(top.error);
    const compiled = compileLinePattern(pattern, case_sensitive, patterns);
    if (!compiled.ok) return failWith(compiled.error);
    const search = { pattern: compiled.value, top: top.value, glob: null, maxMatches: max_results };
    const found = await searchFiles({ ...search, timeoutMs: timeout_ms }, { files, sandbox, signal, giveWay });
    if (!found.ok) return failWith({ ...found.error, field: "path" });
    const { matches, truncated, filesSearched, skipped } = found.value;
    return {
      results: matches.map(({ file, lineNumber, line }) => {
        return { file, line: lineNumber, content: line, line_number: lineNumber };
      }),
      total_matches: matches.length,
      search_time_ms: Date.now() - started,
      truncated,
      files_searched: filesSearched,
      files_skipped: skipped,
    };
  },
  show({ results, truncated, files_searched: searched, files_skipped: skipped }) {
    const rows = results.map(({ file, line, content }) => `${file}:${line}: ${content}`);
    const none = [`No line of ${searched} files matches.`];
    return toSearchRows(rows.length === 0 ? none : rows, searchNotes(truncated, skipped));
  },
  examples: [
    { note: "where a name is used", given: { pattern: "\\bplan\\b", path: "notes" } },
    {
      note: "the first errors, in any case",
      given: { pattern: "error|failed", case_sensitive: false, max_results: 20 },
    },
  ],
});

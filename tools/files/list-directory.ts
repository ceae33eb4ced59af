import { z } from "zod";
import { compilePattern, matchesPattern } from "../../core/fnmatch.ts";
import { isVisibleDirectory, isVisibleFile, judgePath } from "../../core/sandbox/path.ts";
import { defineTool, failWith } from "../define-tool.ts";

/** Entries of one answer; `total` counts them all. */
const MAX_ENTRIES = 1_000;

export default defineTool({
  name: "list_directory",
  summary: "List the files and directories directly inside a directory of the sandbox, sorted by name.",
  toolbox: "files",
  category: "file_ops",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["files"],
  input: z.object({
    path: z.string().default("").describe("The directory; empty for the topmost one"),
    pattern: z.string().max(200).default("*").describe("Shell pattern for the names, e.g. *.md"),
  }),
  output: z.object({
    path: z.string(),
    entries: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(["file", "directory"]),
        size: z.int().describe("Bytes; of a directory, of all that it holds"),
        modified: z.iso.datetime(),
      }),
    ),
    total: z.int(),
    truncated: z.boolean(),
  }),
  async run({ path: raw, pattern }, { files, sandbox }) {
    const path = judgePath(raw, sandbox, "list");
    if (!path.ok) return failWith(path.error);
    const listed = await files.list(path.value);
    if (!listed.ok) return failWith({ ...listed.error, field: "path" });
    const compiled = compilePattern(pattern);
    const shown = listed.value
      .filter((entry) => matchesPattern(entry.name, compiled))
      .filter(({ kind, path: at }) => (kind === "file" ? isVisibleFile(at, sandbox) : isVisibleDirectory(at, sandbox)));
    const entries = shown.slice(0, MAX_ENTRIES).map(({ name, kind, size, modifiedAt }) => {
      return { name, kind, size, modified: new Date(modifiedAt).toISOString() };
    });
    return { path: path.value, entries, total: shown.length, truncated: shown.length > MAX_ENTRIES };
  },
  show({ path, entries, total, truncated }) {
    const where = path === "" ? "the topmost directory" : path;
    if (total === 0) return `Nothing to show in ${where}.`;
    const lines = entries.map(({ name, kind, size, modified }) =>
      kind === "directory" ? `${name}/  (${size} bytes inside)` : `${name}  ${size} bytes  ${modified}`,
    );
    return [...lines, ...(truncated ? [`… ${total - entries.length} more. Use a pattern.`] : [])].join("\n");
  },
  examples: [
    { note: "everything at the top", given: {} },
    { note: "the notes in Markdown", given: { path: "notes", pattern: "*.md" } },
  ],
});

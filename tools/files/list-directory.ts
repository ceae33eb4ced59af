import { z } from "zod";
import { compilePattern, matchesPattern } from "../../core/lib/fnmatch.ts";
import { isVisibleDirectory, isVisibleFile, judgePath } from "../../core/sandbox/path.ts";
import type { DirectoryEntry, FilesPort } from "../../core/ports/files.ts";
import type { SandboxRules } from "../../core/sandbox/rules.ts";
import { defineTool, failWith } from "../define-tool.ts";
import { visibleFiles } from "./visible-files.ts";

/** Entries of one answer; `total` counts them all. */
const MAX_ENTRIES = 1_000;

export default defineTool({
  name: "list_directory",
  summary: "List the files and directories directly inside a directory of the sandbox.",
  toolbox: "files",
  category: "file_ops",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["files"],
  refersTo: { path: "directory" },
  input: z.object({
    path: z.string().default("").describe("Default: the top"),
    pattern: z.string().max(200).default("*").describe("Of the names, e.g. *.md"),
  }),
  output: z.object({
    path: z.string(),
    entries: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(["file", "directory"]),
        size: z.int().describe("Bytes; of a directory, of all files in it that may be seen"),
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
    const sizes = await visibleSizes(files, path.value, shown, sandbox);
    const entries = shown.slice(0, MAX_ENTRIES).map(({ name, kind, size, modifiedAt }) => {
      const visible = kind === "file" ? size : (sizes.get(name) ?? 0);
      return { name, kind, size: visible, modified: new Date(modifiedAt).toISOString() };
    });
    return { path: path.value, entries, total: shown.length, truncated: shown.length > MAX_ENTRIES };
  },
  show({ path, entries, total, truncated }) {
    const where = path === "" ? "the topmost directory" : path;
    if (total === 0) return `Nothing to show in ${where}.`;
    const rows = entries.map(({ name, kind, size, modified }) =>
      kind === "directory" ? `${name}/  (${size} bytes inside)` : `${name}  ${size} bytes  ${modified}`,
    );
    return { rows, ...(truncated ? { tail: `… ${total - entries.length} more. Use a pattern.` } : {}) };
  },
  examples: [
    { note: "everything at the top", given: {} },
    { note: "the notes in Markdown", given: { path: "notes", pattern: "*.md" } },
  ],
});

/** The sizes of directories by their names. What a rule hides counts nowhere. */
async function visibleSizes(
  files: FilesPort,
  path: string,
  shown: readonly DirectoryEntry[],
  rules: SandboxRules,
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  if (!shown.some(({ kind }) => kind === "directory")) return sizes;
  for await (const file of visibleFiles(files, path, rules)) {
    if (!file.ok) break;
    const [name = ""] = file.value.segments;
    sizes.set(name, (sizes.get(name) ?? 0) + file.value.entry.size);
  }
  return sizes;
}

import { z } from "zod";
import { matchesGlob, parseGlob } from "../../core/sandbox/glob.ts";
import { judgePath } from "../../core/sandbox/path.ts";
import { defineTool, failWith } from "../define-tool.ts";
import { visibleFiles } from "./visible-files.ts";

/** Paths of one answer; `total` counts them all. */
const MAX_FILES = 1_000;

export default defineTool({
  name: "find_files",
  summary: "Find files by name: those of the sandbox whose path matches a glob, sorted.",
  toolbox: "files",
  category: "file_ops",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["files"],
  refersTo: { path: "directory" },
  input: z.object({
    glob: z.string().describe("e.g. **/*.py at any depth, *.py directly inside; case counts"),
    path: z.string().default(".").describe("Default: the top"),
  }),
  output: z.object({
    files: z.array(z.string()),
    total: z.int(),
    truncated: z.boolean().describe(`True when there are more than ${MAX_FILES}`),
  }),
  async run({ glob: rawGlob, path }, { files, sandbox }) {
    const top = judgePath(path, sandbox, "list");
    if (!top.ok) return failWith(top.error);
    const glob = parseGlob(rawGlob);
    if (!glob.ok) return failWith(glob.error);
    const found: string[] = [];
    let total = 0;
    for await (const file of visibleFiles(files, top.value, sandbox)) {
      if (!file.ok) return failWith({ ...file.error, field: "path" });
      if (!matchesGlob(file.value.segments, glob.value)) continue;
      total += 1;
      if (found.length < MAX_FILES) found.push(file.value.entry.path);
    }
    return { files: found, total, truncated: total > found.length };
  },
  show({ files, total, truncated }) {
    if (total === 0) return "No file matches.";
    const tail = `… ${total - files.length} more. Narrow the path or the glob.`;
    return { rows: files, ...(truncated ? { tail } : {}) };
  },
  examples: [
    { note: "every note in Markdown, at any depth", given: { glob: "**/*.md" } },
    { note: "the drafts of this year", given: { glob: "2026-*.md", path: "notes" } },
  ],
});

import { z } from "zod";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { judgePath, WRITE_DISABLED } from "../../core/sandbox/path.ts";
import { defineTool, failWith } from "../define-tool.ts";

export default defineTool({
  name: "create_directory",
  summary: "Create a directory of the sandbox, with its parents. Writing a file needs no directory first.",
  toolbox: "files",
  category: "file_ops",
  permissions: ["write"],
  security: "cautious",
  effect: "keyed",
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["files"],
  refersTo: { path: "write" },
  disabled: (rules) => (rules.allowWrite ? null : WRITE_DISABLED),
  input: z.object({ path: z.string().describe("e.g. notes/drafts") }),
  output: z.object({ success: z.boolean(), path: z.string(), message: z.string() }),
  async run({ path: raw }, { files, sandbox, key }) {
    const path = judgePath(raw, sandbox, "write");
    if (!path.ok) return failWith(path.error);
    const made = await files.makeDirectory(path.value, { key });
    if (!made.ok) return failWith({ ...made.error, field: "path" });
    const message = made.value.made
      ? `Made the directory ${path.value}`
      : `The directory ${path.value} is there already`;
    return { success: true, path: path.value, message };
  },
  show: (result) => result.message,
  examples: [{ note: "a place for drafts", given: { path: "notes/drafts" } }],
});

import { z } from "zod";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { judgePath, WRITE_DISABLED } from "../../core/sandbox/path.ts";
import { defineTool, failWith } from "../define-tool.ts";
import { filePath } from "./paths.ts";

export default defineTool({
  name: "delete_file",
  summary: "Delete a file, or an empty directory, of the sandbox.",
  toolbox: "files",
  category: "file_ops",
  permissions: ["write"],
  security: "dangerous",
  effect: "keyed",
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["files"],
  refersTo: { path: "write" },
  disabled: (rules) => (rules.allowWrite ? null : WRITE_DISABLED),
  input: z.object({ path: filePath }),
  output: z.object({ success: z.boolean(), path: z.string(), message: z.string() }),
  async run({ path: raw }, { files, sandbox, key }) {
    const path = judgePath(raw, sandbox, "write");
    if (!path.ok) return failWith(path.error);
    const removed = await files.remove(path.value, { key });
    if (!removed.ok) return failWith({ ...removed.error, field: "path" });
    const what = removed.value.kind === "file" ? "" : "the empty directory ";
    return { success: true, path: path.value, message: `Deleted ${what}${path.value}` };
  },
  show: (result) => result.message,
  examples: [{ note: "a draft that is of no more use", given: { path: "notes/old.md" } }],
});

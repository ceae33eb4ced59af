import { z } from "zod";
import { judgePath } from "../../core/sandbox/path.ts";
import { control, defineTool, failWith } from "../define-tool.ts";
import { aboutFilename, FILENAME_ALIASES, filename } from "./paths.ts";

export default defineTool({
  name: "attach_file",
  summary:
    "Mark a file of the sandbox for delivery to the person when the task completes, as it is now: attach it again after a change. Any type of file.",
  toolbox: "files",
  category: "file_ops",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["files"],
  refersTo: { filename: "file" },
  aliases: FILENAME_ALIASES,
  steers: true,
  input: z.object({ filename }),
  output: z.object({ path: z.string(), size: z.int().describe("Bytes") }),
  async run(given, { files, sandbox }) {
    const path = judgePath(given.filename, sandbox, "read", "filename");
    if (!path.ok) return failWith(path.error);
    const found = await files.stat(path.value);
    if (!found.ok) return failWith(aboutFilename(found.error));
    const { path: at, size, contentType, hash } = found.value;
    return control({ kind: "attach", path: at, size, contentType, hash });
  },
  show: ({ path, size }) => `${path} (${size} bytes) is delivered as it is now when the task completes.`,
  examples: [{ note: "the report that the task wrote", given: { filename: "notes/plan.md" } }],
});

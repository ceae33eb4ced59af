import { z } from "zod";
import { judgePath } from "../../core/sandbox/path.ts";
import { control, defineTool, failWith } from "../define-tool.ts";
import { aboutPath, filePath } from "./paths.ts";

export default defineTool({
  name: "attach_file",
  summary:
    "Deliver a file of the sandbox, as it is now, to the person when the task completes. Attach it again after a change.",
  toolbox: "files",
  category: "file_ops",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["files"],
  refersTo: { path: "file" },
  steers: true,
  input: z.object({ path: filePath }),
  output: z.object({ path: z.string(), size: z.int().describe("Bytes") }),
  async run(given, { files, sandbox }) {
    const path = judgePath(given.path, sandbox, "read");
    if (!path.ok) return failWith(path.error);
    const found = await files.stat(path.value);
    if (!found.ok) return failWith(aboutPath(found.error));
    const { path: at, size, contentType, hash } = found.value;
    return control({ kind: "attach", path: at, size, contentType, hash });
  },
  show: ({ path, size }) => `${path} (${size} bytes) is delivered as it is now when the task completes.`,
  examples: [{ note: "the report that the task wrote", given: { path: "notes/plan.md" } }],
});

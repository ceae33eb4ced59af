import { z } from "zod";
import { checkExtension, judgePath } from "../../core/sandbox/path.ts";
import { MAX_TEXT_BYTES, readText } from "../../core/sandbox/text-file.ts";
import { defineTool, failWith } from "../define-tool.ts";

/** The largest `max_size` that a call may set. */
const CEILING_BYTES = 10_485_760;

export default defineTool({
  name: "fs.read",
  aliasOf: "read_file",
  summary: "Read a text file of the sandbox, of at most max_size bytes.",
  toolbox: "files",
  category: "file_ops",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["files"],
  refersTo: { path: "read" },
  input: z.object({
    path: z.string().describe("In the sandbox, e.g. src/main.ts"),
    max_size: z.int().min(1).max(CEILING_BYTES).default(MAX_TEXT_BYTES).describe("Bytes"),
  }),
  output: z.object({ content: z.string(), path: z.string(), size: z.int().describe("Bytes") }),
  async run({ path: raw, max_size }, { files, sandbox }) {
    const path = judgePath(raw, sandbox, "read");
    if (!path.ok) return failWith(path.error);
    const type = checkExtension(path.value, sandbox);
    if (!type.ok) return failWith(type.error);
    const read = await readText(files, path.value, max_size, "path");
    return read.ok ? read.value : failWith(read.error);
  },
  show: (result) => result.content,
  examples: [{ note: "a source file", given: { path: "src/main.ts" } }],
});

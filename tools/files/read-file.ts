import { z } from "zod";
import { MAX_TEXT_BYTES, readText } from "../../core/sandbox/text-file.ts";
import { defineTool, failWith } from "../define-tool.ts";
import { filePath, judgeTextFile } from "./paths.ts";

export default defineTool({
  name: "read_file",
  summary: "Read a text file of the sandbox, up to 2 MB. For PDF, Word, Excel and the like use read_document.",
  toolbox: "files",
  category: "file_ops",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["files"],
  refersTo: { path: "read" },
  input: z.object({ path: filePath }),
  output: z.object({ content: z.string(), path: z.string(), size: z.int().describe("Bytes") }),
  async run(given, { files, sandbox }) {
    const path = judgeTextFile(given.path, sandbox, "read");
    if (!path.ok) return failWith(path.error);
    const read = await readText(files, path.value, MAX_TEXT_BYTES, "path");
    return read.ok ? read.value : failWith(read.error);
  },
  show: (result) => result.content,
  examples: [{ note: "a file that the task wrote before", given: { path: "notes/plan.md" } }],
});

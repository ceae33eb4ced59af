import { z } from "zod";
import { MAX_TEXT_BYTES, readText } from "../../core/sandbox/text-file.ts";
import { defineTool, failWith } from "../define-tool.ts";
import { FILENAME_ALIASES, filename, judgeTextFile } from "./paths.ts";

export default defineTool({
  name: "read_file",
  summary:
    "Read a text file from the sandbox, up to 2 MB. Text files are .txt, .md and .json unless the agent opens more.",
  toolbox: "files",
  category: "file_ops",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["files"],
  refersTo: { filename: "read" },
  aliases: FILENAME_ALIASES,
  input: z.object({ filename }),
  output: z.object({ content: z.string(), path: z.string(), size: z.int().describe("Bytes") }),
  async run(given, { files, sandbox }) {
    const path = judgeTextFile(given.filename, sandbox, "read");
    if (!path.ok) return failWith(path.error);
    const read = await readText(files, path.value, MAX_TEXT_BYTES, "filename");
    return read.ok ? read.value : failWith(read.error);
  },
  show: (result) => result.content,
  examples: [{ note: "a file that the task wrote before", given: { filename: "notes/plan.md" } }],
});

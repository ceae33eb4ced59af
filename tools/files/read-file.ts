import { z } from "zod";
import { defineTool, failure, failWith } from "../define-tool.ts";
import { aboutFilename, FILENAME_ALIASES, filename, judgeTextFile, MAX_TEXT_BYTES } from "./paths.ts";

/** A byte order mark is part of the content, so that what was written comes back. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

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
  aliases: FILENAME_ALIASES,
  input: z.object({ filename }),
  output: z.object({ content: z.string(), path: z.string(), size: z.int().describe("Bytes") }),
  async run(given, { files, sandbox }) {
    const path = judgeTextFile(given.filename, sandbox, "read");
    if (!path.ok) return failWith(path.error);
    const read = await files.read(path.value, MAX_TEXT_BYTES);
    if (!read.ok) return failWith(aboutFilename(read.error));
    const { entry, bytes } = read.value;
    try {
      return { content: utf8.decode(bytes), path: entry.path, size: entry.size };
    } catch {
      return failure("unsupported_media", `${entry.path} is not text in UTF-8.`, { field: "filename" });
    }
  },
  show: (result) => result.content,
  examples: [{ note: "a file that the task wrote before", given: { filename: "notes/plan.md" } }],
});

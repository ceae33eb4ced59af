import { z } from "zod";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { WRITE_DISABLED } from "../../core/sandbox/path.ts";
import { encodeText } from "../../core/sandbox/text-file.ts";
import { defineTool, failWith } from "../define-tool.ts";
import { aboutPath, filePath, judgeTextFile } from "./paths.ts";

export default defineTool({
  name: "write_file",
  summary: "Write a text file of the sandbox, up to 2 MB. It replaces the whole file and creates missing directories.",
  toolbox: "files",
  category: "file_ops",
  permissions: ["write"],
  security: "cautious",
  effect: "keyed",
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["files"],
  refersTo: { path: "write" },
  disabled: (rules) => (rules.allowWrite ? null : WRITE_DISABLED),
  input: z.object({ path: filePath, content: z.string().describe("The whole new text") }),
  output: z.object({
    success: z.boolean(),
    path: z.string(),
    size: z.int().describe("Bytes"),
    message: z.string(),
  }),
  async run({ path: raw, content }, { files, sandbox, key }) {
    const path = judgeTextFile(raw, sandbox, "write");
    if (!path.ok) return failWith(path.error);
    const bytes = encodeText(content);
    if (!bytes.ok) return failWith(bytes.error);
    const written = await files.write(path.value, bytes.value, { key });
    if (!written.ok) return failWith(aboutPath(written.error));
    const { path: at, size } = written.value;
    return { success: true, path: at, size, message: `Wrote ${size} bytes to ${at}` };
  },
  show: (result) => result.message,
  examples: [{ note: "keep a plan", given: { path: "notes/plan.md", content: "# Plan\n\n1. Ask Ana.\n" } }],
});

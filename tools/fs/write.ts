import { z } from "zod";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { MODE_FORM, parseMode } from "../../core/sandbox/file-mode.ts";
import { checkExtension, judgePath, WRITE_DISABLED } from "../../core/sandbox/path.ts";
import { encodeText } from "../../core/sandbox/text-file.ts";
import { defineTool, failWith } from "../define-tool.ts";

/** What is put behind the path of a file for its backup. */
const BACKUP_ENDING = ".bak";

export default defineTool({
  name: "fs.write",
  aliasOf: "write_file",
  summary:
    "Write a text file of the sandbox, up to 2 MB, whole or not at all. A replaced file is saved as path.bak, unless backup is false.",
  toolbox: "files",
  category: "file_ops",
  permissions: ["write"],
  security: "cautious",
  effect: "keyed",
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["files"],
  refersTo: { path: "write" },
  disabled: (rules) => (rules.allowWrite ? null : WRITE_DISABLED),
  input: z.object({
    path: z.string().describe("In the sandbox, e.g. src/main.ts"),
    content: z.string().describe("The whole new content"),
    backup: z.boolean().default(true),
    mode: z
      .union([z.string(), z.int().transform(String)])
      .pipe(z.string().regex(MODE_FORM, "three octal digits, such as 0644"))
      .default("0644")
      .describe('Permissions in octal, e.g. "0644"'),
  }),
  output: z.object({
    path: z.string(),
    size: z.int().describe("Bytes"),
    backup_path: z.string().nullable().describe("Null when nothing was replaced or no backup was asked for"),
  }),
  async run({ path: raw, content, backup, mode }, { files, sandbox, key }) {
    const path = judgePath(raw, sandbox, "write");
    if (!path.ok) return failWith(path.error);
    const type = checkExtension(path.value, sandbox);
    if (!type.ok) return failWith(type.error);
    const backupPath = backup ? judgePath(path.value + BACKUP_ENDING, sandbox, "write", "backup") : null;
    if (backupPath?.ok === false) return failWith(backupPath.error);
    const bytes = encodeText(content);
    if (!bytes.ok) return failWith(bytes.error);
    const options = { key, mode: parseMode(mode), ...(backupPath === null ? {} : { backupPath: backupPath.value }) };
    const written = await files.write(path.value, bytes.value, options);
    if (!written.ok) return failWith({ ...written.error, field: "path" });
    return { path: written.value.path, size: written.value.size, backup_path: written.value.backup };
  },
  show: ({ path, size, backup_path: backup }) =>
    `Wrote ${size} bytes to ${path}${backup === null ? "" : `; the file that was there is now ${backup}`}`,
  examples: [{ note: "replace a file and keep the old one", given: { path: "src/main.ts", content: "export {};\n" } }],
});

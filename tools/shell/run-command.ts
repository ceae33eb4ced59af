import { z } from "zod";
import { commandInput, shellSettings } from "../../core/sandbox/shell-settings.ts";
import { defineTool, failWith } from "../define-tool.ts";
import {
  checkShell,
  filesOutput,
  runShell,
  type ShellOutcome,
  shellTimeoutMs,
  showShell,
  toCopyScope,
} from "./run-shell.ts";

const MAX_OUTPUT_BYTES = 102_400;

export default defineTool({
  name: "run_command",
  summary: "Run a shell command on the sandbox's files, in a cage without secrets. Changes go back into the sandbox.",
  toolbox: "shell",
  category: "shell",
  permissions: ["exec"],
  security: "dangerous",
  effect: "once",
  needs: ["files", "scripts", "skills", "patterns"],
  refersTo: { cwd: "directory", files: "directory" },
  copies: toCopyScope,
  settings: shellSettings,
  timeoutMs: shellTimeoutMs,
  input: z.object(commandInput),
  check: (given, facts) => {
    const known = checkShell(given, facts);
    return known === null ? null : { kind: "answers", result: toResult(known) };
  },
  output: z.object({
    stdout: z.string(),
    stderr: z.string().describe("Also why a command was blocked or timed out"),
    returncode: z.int().describe("-1 when it was blocked, timed out, or was ended by a signal"),
    success: z.boolean(),
    truncated: z.boolean(),
    ...filesOutput,
  }),
  async run(given, context) {
    const ran = await runShell(given, MAX_OUTPUT_BYTES, context);
    return ran.ok ? toResult(ran.value) : failWith(ran.error);
  },
  show: ({ stdout, stderr, returncode: code, truncated, changed, refused, note }) =>
    showShell({ stdout, stderr, code, truncated, files: { changed, refused, note } }),
  examples: [
    { note: "what a directory holds", given: { command: "ls -l", cwd: "src" } },
    { note: "a longer run", given: { command: "python3 report.py | sort > report.txt", timeout: 90 } },
  ],
});

function toResult({ stdout, stderr, code, truncated, files }: ShellOutcome) {
  return { stdout, stderr, returncode: code, success: code === 0, truncated, ...files };
}

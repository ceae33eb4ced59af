/** How the tools of this folder run a command: the agent's settings, the policy, a copy of the files, and what is said of it. */
import { z } from "zod";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { formatRefused } from "../../core/sandbox/format-refused.ts";
import { type CopyContext, type CopyRun, type CopyScope, runOnCopy } from "../../core/sandbox/working-copy.ts";
import type { PatternsPort } from "../../core/lib/patterns.ts";
import { checkBlocked } from "../../core/lib/shell/blocked-patterns.ts";
import { judgeCommand } from "../../core/lib/shell/command-policy.ts";
import { MAX_SHELL_TIMEOUT_S, SHELL_DISABLED, toShellRules } from "../../core/sandbox/shell-settings.ts";
import type { SkillsPort } from "../../core/ports/skills.ts";
import { openSkillFolders, orderSkills } from "../../core/skills/skill-folders.ts";
import type { CallFacts, CheckFacts } from "../../core/tool/tool.ts";

/** Added to the command's own time: to transfer its files and to wait for its turn. */
const MARGIN_MS = 60_000;
/** Rows of `refused` that a result holds. */
const MAX_REFUSED = 100;
/** What the documents give for a command that did not run or did not end. */
const NO_EXIT_CODE = -1;

/** What came of a command. `code` is -1 when it was blocked, did not end in time, or was ended by a signal. */
export interface ShellOutcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
  readonly durationMs: number;
  readonly truncated: boolean;
  readonly files: FilesOutcome;
}

/** What became of the files, as each of the results has it. */
interface FilesOutcome {
  changed: { path: string; change: "written" | "removed" }[];
  refused: { path: string; why: string }[];
  note: string | null;
}

export const filesOutput = {
  changed: z
    .array(z.object({ path: z.string(), change: z.enum(["written", "removed"]) }))
    .describe("What the sandbox has otherwise than before"),
  refused: z.array(z.object({ path: z.string(), why: z.string() })).describe("What the command changed and may not"),
  note: z
    .string()
    .nullable()
    .describe("Why nothing that the command changed was kept, or that nobody knows; null: it was"),
};

interface ShellRequest {
  readonly command: string;
  readonly cwd: string;
  /** Seconds. */
  readonly timeout: number;
  readonly files?: readonly string[] | undefined;
}

type ShellContext = CopyContext &
  Pick<CallFacts, "config" | "allowedDomains" | "taskSkills"> & {
    readonly skills: SkillsPort;
    readonly patterns: PatternsPort;
  };

/** What a command is given. */
export function toCopyScope({ cwd, files }: Pick<ShellRequest, "cwd" | "files">): CopyScope {
  return { cwd, only: files ?? null };
}

/** How long a call may take, for a command with this timeout. */
export function shellTimeoutMs({ timeout }: Pick<ShellRequest, "timeout">): number {
  return Math.min(timeout, MAX_SHELL_TIMEOUT_S) * 1_000 + MARGIN_MS;
}

/** Before policy: the outcome of a command that the settings forbid, so that no person approves it; otherwise null. */
export function checkShell(
  { command }: Pick<ShellRequest, "command">,
  { config, patterns }: CheckFacts,
): ShellOutcome | null {
  if (patterns === null) return null;
  const judged = judgeShell(command, config, patterns);
  return judged.ok ? null : blocked(judged.error.message);
}

/** The command that runs; `blocked_by_policy` says why the agent's settings forbid it. */
function judgeShell(
  command: string,
  config: Readonly<Record<string, unknown>>,
  patterns: PatternsPort,
): Result<string> {
  const rules = toShellRules(config);
  if (!rules.allowShell) return failed("blocked_by_policy", SHELL_DISABLED);
  const blockedBy = checkBlocked(command, rules.blockedPatterns, patterns);
  return blockedBy.ok ? judgeCommand(command, rules.allowedCommands) : blockedBy;
}

/** Runs a command, unless the agent's settings forbid it: that is an outcome, as in document 001. */
export async function runShell(
  given: ShellRequest,
  maxOutputBytes: number,
  context: ShellContext,
): Promise<Result<ShellOutcome>> {
  const rules = toShellRules(context.config);
  const judged = judgeShell(given.command, context.config, context.patterns);
  if (!judged.ok) return ok(blocked(judged.error.message));
  const seconds = Math.min(given.timeout, rules.maxTimeoutSeconds);
  const { pinned, inForce } = context.taskSkills;
  const folders = await openSkillFolders(orderSkills(pinned, inForce), context.skills);
  const ran = await runOnCopy(
    {
      argv: ["/bin/sh", "-c", judged.value],
      env: folders.env,
      timeoutMs: Math.ceil(seconds * 1_000),
      maxOutputBytes,
      network: rules.wantsNetwork && context.permissions.includes("network") ? context.allowedDomains : null,
      skill: folders.files,
      ...toCopyScope(given),
      savesChanges: true,
    },
    context,
  );
  if (!ran.ok) return ran;
  const refused = [...folders.refused, ...ran.value.refused];
  return ok(outcomeOf({ ...ran.value, refused }, seconds));
}

/** What the model reads, with the number that the documents call by two names. */
export function showShell({ stdout, stderr, code, truncated, files }: Omit<ShellOutcome, "durationMs">): string {
  const changed = files.changed.map(({ path, change }) => `${path} (${change})`);
  const refused = formatRefused(files.refused);
  return [
    `Exit code: ${code}`,
    ...(files.note === null ? [] : [files.note]),
    ...(stdout === "" ? [] : [`stdout:\n${stdout}`]),
    ...(stderr === "" ? [] : [`stderr:\n${stderr}`]),
    ...(truncated ? ["The output was longer and is cut."] : []),
    ...(changed.length === 0 ? [] : [`Changed files: ${changed.join(", ")}`]),
    ...(refused.length === 0 ? [] : [`Not kept:\n${refused.join("\n")}`]),
  ].join("\n");
}

function blocked(stderr: string): ShellOutcome {
  const files = { changed: [], refused: [], note: null };
  return { stdout: "", stderr, code: NO_EXIT_CODE, durationMs: 0, truncated: false, files };
}

function outcomeOf({ run, changed, refused, note }: CopyRun, seconds: number): ShellOutcome {
  const { exitCode, signal, timedOut, stdout, truncated, durationMs } = run;
  const ending = timedOut
    ? `Command timed out after ${seconds} seconds`
    : exitCode === null
      ? `Command was ended by ${signal ?? "a signal"}`
      : "";
  return {
    stdout,
    stderr: withLine(run.stderr, ending),
    code: timedOut ? NO_EXIT_CODE : (exitCode ?? NO_EXIT_CODE),
    durationMs,
    truncated,
    files: { changed: [...changed], refused: refused.slice(0, MAX_REFUSED), note },
  };
}

function withLine(text: string, line: string): string {
  if (line === "") return text;
  return text === "" || text.endsWith("\n") ? text + line : `${text}\n${line}`;
}

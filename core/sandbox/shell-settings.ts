/** An agent's settings of the toolbox `shell`, in its `tool_config`; the first three are document 001's. */
import { z } from "zod";
import { type BlockedPattern, DEFAULT_BLOCKED } from "../lib/shell/blocked-patterns.ts";

/** The longest time limit of a command, in seconds. */
export const MAX_SHELL_TIMEOUT_S = 120;
const DEFAULT_TIMEOUT_S = 30;

/** The reply of document 001 when an agent lacks `allow_shell`. */
export const SHELL_DISABLED = "Shell execution is disabled (allow_shell=False).";

export const shellSettings = z.strictObject({
  allow_shell: z.boolean().optional().describe("Commands run only when it is true"),
  allowed_commands: z
    .array(z.string().trim().min(1).max(200))
    .max(200)
    .optional()
    .describe(
      "What each part of a command has to begin with, in whole words, such as git or git status. Empty: anything. It names the programs that are started, not what they do: git, find, tar, awk, sed, env, xargs, python3 and many others start any program that their arguments name. The cage holds those too: no secrets, no host but the listed ones, no files but the sandbox's",
    ),
  blocked_patterns: z
    .array(
      z.union([
        z.string().min(1).max(500),
        z.strictObject({ name: z.string().trim().min(1).max(100), pattern: z.string().min(1).max(500) }),
      ]),
    )
    .max(100)
    .optional()
    .describe(
      "RE2 patterns of commands that are refused by name, searched in each command of a text: its words without quotes, joined by a space. Replaces the defaults (rm -rf /, mkfs, fork bomb, dd of=/dev/*)",
    ),
  max_timeout: z.int().min(1).max(MAX_SHELL_TIMEOUT_S).optional().describe("Seconds that a command may have at most"),
  network: z
    .boolean()
    .optional()
    .describe("True: commands of an agent with the permission network reach the hosts of its allowed_domains"),
});

/** The settings of one call, with defaults. */
export interface ShellRules {
  readonly allowShell: boolean;
  readonly allowedCommands: readonly string[];
  readonly blockedPatterns: readonly BlockedPattern[];
  readonly maxTimeoutSeconds: number;
  readonly wantsNetwork: boolean;
}

/** `config` was checked when the agent was created. */
export function toShellRules(config: Readonly<Record<string, unknown>>): ShellRules {
  const set = shellSettings.parse(config);
  return {
    allowShell: set.allow_shell ?? false,
    allowedCommands: set.allowed_commands ?? [],
    blockedPatterns: listBlockedPatterns(set),
    maxTimeoutSeconds: set.max_timeout ?? MAX_SHELL_TIMEOUT_S,
    wantsNetwork: set.network ?? false,
  };
}

/** The patterns of commands that the settings refuse: their own, otherwise the defaults. */
export function listBlockedPatterns(
  set: Pick<z.infer<typeof shellSettings>, "blocked_patterns">,
): readonly BlockedPattern[] {
  return (
    set.blocked_patterns?.map((given) => (typeof given === "string" ? { name: given, pattern: given } : given)) ??
    DEFAULT_BLOCKED
  );
}

/** The arguments of a command in both documents. A longer `timeout` is reduced to the agent's `max_timeout`. */
export const commandInput = {
  command: z.string().min(1).max(32_000).describe("What /bin/sh runs, e.g. git status"),
  cwd: z.string().default(".").describe("Directory that it runs in, inside the sandbox"),
  timeout: z.number().positive().max(86_400).default(DEFAULT_TIMEOUT_S).describe("Seconds"),
  files: z
    .array(z.string().max(4_096))
    .max(100)
    .optional()
    .describe("Files and directories that the command is given; without it, all that the agent may see"),
};

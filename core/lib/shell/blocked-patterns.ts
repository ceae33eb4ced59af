/**
 * Patterns of commands that an agent must not run. They guard against accidents: a shell can spell a command so that no
 * pattern finds it, and the cage holds that too.
 */
import { failed, ok, type Result } from "../../base/errors.ts";
import type { PatternsPort } from "../patterns.ts";
import { listCommands } from "./list-commands.ts";

/** `pattern` is searched in each command (its words, joined by a space, without quotes) and in the whole text. */
export interface BlockedPattern {
  readonly name: string;
  readonly pattern: string;
}

const PATH = "^(?:[^ ]*/)?";
const ROOT = "/+[.*]?";
const RECURSIVE = "(?:-[a-zA-Z]*[rR][a-zA-Z]*|--recursive)";

export const DEFAULT_BLOCKED: readonly BlockedPattern[] = [
  {
    name: "rm -rf /",
    pattern: `${PATH}rm (?:[^ ]+ )*(?:${RECURSIVE} (?:[^ ]+ )*${ROOT}|${ROOT} (?:[^ ]+ )*${RECURSIVE})(?: |$)`,
  },
  { name: "mkfs", pattern: `${PATH}mkfs(?:\\.[^ ]+)?(?: |$)` },
  { name: "fork bomb", pattern: "[^ ]+ \\( \\) \\{ [^ ]+ \\| [^ ]+ &" },
  { name: "dd of=/dev/*", pattern: `${PATH}dd (?:[^ ]+ )*of=/dev/` },
];

/** `blocked_by_policy` names the first pattern that the command matches, or one that cannot be compiled. */
export function checkBlocked(
  command: string,
  blocked: readonly BlockedPattern[],
  patterns: PatternsPort,
): Result<void> {
  const { commands, text } = listCommands(command);
  for (const { name, pattern } of blocked) {
    const compiled = patterns.compile(pattern);
    if (!compiled.ok)
      return refuse(`the agent's blocked pattern ${JSON.stringify(name)} is invalid, so no command runs.`);
    const { value } = compiled;
    if ([...commands, text].some((one) => value.test(one)))
      return refuse(`it matches the blocked pattern ${JSON.stringify(name)}.`);
  }
  return ok(undefined);
}

function refuse(reason: string): Result<never> {
  return failed("blocked_by_policy", `Command not permitted: ${reason}`);
}

/**
 * Patterns of commands that an agent must not run. They guard against accidents: a shell can spell a command so that no
 * pattern finds it, and the cage holds that too.
 */
import { failed, ok, type Result } from "../../base/errors.ts";
import type { Pattern, PatternsPort, SearchStyle } from "../patterns.ts";
import { MAX_PATTERN_WORK } from "../pattern-work.ts";
import { listCommands } from "./list-commands.ts";

/** `pattern` is searched in each command (its words, joined by a space, without quotes) and in the whole text. */
export interface BlockedPattern {
  readonly name: string;
  readonly pattern: string;
}

/** Written in RE2's own syntax. */
const STYLE: SearchStyle = { ignoresCase: false, isMultiline: false };
/** The most work to search a command: characters times the size of the patterns, up to 20 ns each. */
const MAX_SEARCH_WORK = 10_000_000;

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

/** A compiled pattern and its name. */
interface NamedPattern {
  readonly name: string;
  readonly compiled: Pattern;
}

/**
 * Compiles the patterns with the engine that runs them. All together may cost as much as one: `invalid_input` says what
 * is wrong, and its `field` is the index of the pattern.
 */
export function compileBlocked(
  blocked: readonly BlockedPattern[],
  patterns: PatternsPort,
): Result<readonly NamedPattern[]> {
  const all: NamedPattern[] = [];
  let work = 0;
  for (const [index, { name, pattern }] of blocked.entries()) {
    const field = String(index);
    work += patterns.estimateWork(pattern, STYLE);
    if (work > MAX_PATTERN_WORK) return failed("invalid_input", TOO_LARGE, { field });
    const compiled = patterns.compile(pattern, STYLE);
    if (!compiled.ok) return failed("invalid_input", compiled.error.message, { field });
    all.push({ name, compiled: compiled.value });
  }
  return ok(all);
}

const TOO_LARGE = "The patterns are too large together. Use fewer of them, or fewer and smaller repeats.";

/** `blocked_by_policy` names the first pattern that the command matches, or says why they cannot be searched. */
export function checkBlocked(
  command: string,
  blocked: readonly BlockedPattern[],
  patterns: PatternsPort,
): Result<void> {
  const compiled = compileBlocked(blocked, patterns);
  if (!compiled.ok) {
    const name = blocked[Number(compiled.error.field)]?.name ?? "";
    return refuse(`the agent's blocked pattern ${JSON.stringify(name)} cannot be used: ${compiled.error.message}`);
  }
  const { commands, text } = listCommands(command);
  const texts = [...commands, text];
  const size = compiled.value.reduce((sum, one) => sum + one.compiled.size, 0);
  const most = Math.floor(MAX_SEARCH_WORK / Math.max(1, size));
  const characters = texts.reduce((sum, one) => sum + one.length + 1, 0);
  if (characters > most)
    return refuse(`it is too long to be searched for the agent's blocked patterns. Put the text into a file.`);
  const found = compiled.value.find((one) => texts.some((each) => one.compiled.test(each)));
  return found === undefined ? ok(undefined) : refuse(`it matches the blocked pattern ${JSON.stringify(found.name)}.`);
}

function refuse(reason: string): Result<never> {
  return failed("blocked_by_policy", `Command not permitted: ${reason}`);
}

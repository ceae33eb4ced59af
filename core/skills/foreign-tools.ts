/** Finds entries of `allowed-tools` that name no tool of Otto: other programs use other names. */
import { getOwn } from "../base/own-field.ts";
import { compilePattern, matchesPattern } from "../lib/fnmatch.ts";
import type { SkillNote } from "./head.ts";
import { formatUntrusted } from "./package.ts";
import { SKILL_FILE } from "./skill.ts";

/** Tools of other programs in lower case, with Otto's equivalent. */
const OURS: Readonly<Record<string, string>> = {
  read: "read_file",
  view: "read_file",
  write: "write_file",
  edit: "write_file",
  multiedit: "write_file",
  bash: "run_command",
  shell: "run_command",
  grep: "grep",
  glob: "find_files",
  ls: "list_directory",
  webfetch: "http.get",
  websearch: "web_search",
  task: "dispatch_subagent",
  agent: "dispatch_subagent",
  askuserquestion: "ask_human",
  skill: "load_skill",
};

/**
 * Returns a warning for each pattern that matches none of `known`, the names of all tools. Nothing is translated: the
 * list applies as written.
 */
export function findForeignTools(
  patterns: readonly string[],
  known: readonly string[],
  line: number | null,
): SkillNote[] {
  const foreign = patterns.flatMap((pattern) => {
    const compiled = compilePattern(pattern);
    if (known.some((name) => matchesPattern(name, compiled))) return [];
    const nearest = findNearest(pattern, known);
    const hint = nearest === null ? "" : ` Did you mean ${nearest}?`;
    const message = `allowed-tools: ${JSON.stringify(formatUntrusted(pattern))} is not a tool here, so it allows nothing.${hint}`;
    return [{ file: SKILL_FILE, line, field: "allowed-tools", message }];
  });
  if (foreign.length === 0 || foreign.length < patterns.length) return foreign;
  const message = "allowed-tools: no entry names a tool here: under the skill, a task may use only ask_human";
  return [...foreign, { file: SKILL_FILE, line, field: "allowed-tools", message }];
}

function findNearest(pattern: string, known: readonly string[]): string | null {
  const base = pattern.replace(/[(:][^]*$/, "").trim();
  const alike = known.find((name) => toLetters(name) === toLetters(base) && toLetters(base) !== "");
  if (alike !== undefined) return alike;
  const foreign = getOwn(OURS, toLetters(base));
  if (foreign !== undefined && known.includes(foreign)) return foreign;
  const server = /^mcp__([\w-]+?)__([\w.*-]+)$/.exec(base);
  return server === null ? null : `${server[1]}_${server[2]}`;
}

function toLetters(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

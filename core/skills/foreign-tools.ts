/** Entries of `allowed-tools` that name no tool of Otto's: other programs have other names for what they can do. */
import { getOwn } from "../base/own-field.ts";
import { compilePattern, matchesPattern } from "../lib/fnmatch.ts";
import type { SkillNote } from "./head.ts";
import { shown } from "./package.ts";
import { SKILL_FILE } from "./skill.ts";

/** Names of other programs' tools in lower case, and ours that does the same. */
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
 * A warning for every pattern that matches none of `known`, the names of all tools that there are. Nothing is translated:
 * what stands in the list is what holds.
 */
export function foreignTools(patterns: readonly string[], known: readonly string[], line: number | null): SkillNote[] {
  const foreign = patterns.flatMap((pattern) => {
    const compiled = compilePattern(pattern);
    if (known.some((name) => matchesPattern(name, compiled))) return [];
    const nearest = nearestOf(pattern, known);
    const hint = nearest === null ? "" : ` Is ${nearest} meant?`;
    const message = `allowed-tools: ${JSON.stringify(shown(pattern))} is the name of no tool here, so that it allows nothing.${hint}`;
    return [{ file: SKILL_FILE, line, field: "allowed-tools", message }];
  });
  if (foreign.length === 0 || foreign.length < patterns.length) return foreign;
  const message = "allowed-tools: no entry names a tool here: under the skill, a task may use none but ask_human";
  return [...foreign, { file: SKILL_FILE, line, field: "allowed-tools", message }];
}

function nearestOf(pattern: string, known: readonly string[]): string | null {
  const base = pattern.replace(/[(:][^]*$/, "").trim();
  const alike = known.find((name) => letters(name) === letters(base) && letters(base) !== "");
  if (alike !== undefined) return alike;
  const foreign = getOwn(OURS, letters(base));
  if (foreign !== undefined && known.includes(foreign)) return foreign;
  const server = /^mcp__([\w-]+?)__([\w.*-]+)$/.exec(base);
  return server === null ? null : `${server[1]}_${server[2]}`;
}

function letters(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

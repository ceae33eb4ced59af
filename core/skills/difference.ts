/** Compares what two versions of a skill may do. */
import { matchesOneOf } from "../lib/fnmatch.ts";
import type { Skill, SkillScript } from "./skill.ts";

/** The difference in permissions. `said` has a sentence for each. */
export interface SkillDifference {
  /**
   * True when the later version may do more: other tools, other scripts, or new network access. A person has to read
   * what a changed script does.
   */
  readonly widens: boolean;
  readonly allowedTools: {
    /** Null without a restriction. */
    readonly before: readonly string[] | null;
    readonly after: readonly string[] | null;
    readonly added: readonly string[];
    readonly removed: readonly string[];
  };
  readonly scripts: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    /** Scripts with a changed file or declaration. */
    readonly changed: readonly string[];
    /** Scripts that gained network access. */
    readonly networkAdded: readonly string[];
    readonly networkRemoved: readonly string[];
  };
  readonly said: readonly string[];
}

/** A version to compare. `getContent` returns equal values for equal bytes of a file. */
export interface ComparedSkill {
  readonly skill: Pick<Skill, "allowedTools" | "scripts">;
  readonly getContent: (path: string) => string;
}

export function diffSkills(before: ComparedSkill, after: ComparedSkill): SkillDifference {
  const tools = compareTools(before.skill.allowedTools, after.skill.allowedTools);
  const scripts = compareScripts(before, after);
  const widens = tools.widens || scripts.added.length > 0 || scripts.networkAdded.length > 0;
  const { widens: _, said, ...allowedTools } = tools;
  return { widens, allowedTools, scripts, said: [...said, ...describeScripts(scripts)] };
}

function compareTools(before: readonly string[] | null, after: readonly string[] | null) {
  const added = (after ?? []).filter((pattern) => before !== null && !before.includes(pattern));
  const removed = (before ?? []).filter((pattern) => after !== null && !after.includes(pattern));
  const said: string[] = [];
  if (before === null && after !== null) {
    said.push(`It allowed every tool, and now allows ${after.length === 0 ? "no tools" : `only ${after.join(", ")}`}.`);
  }
  if (before !== null && after === null) {
    said.push(
      `It allowed ${before.length === 0 ? "no tools" : `only ${before.join(", ")}`}, and now allows every tool of the agent.`,
    );
  }
  const gained = added.filter((pattern) => before !== null && !isCovered(pattern, before));
  const lost = removed.filter((pattern) => after !== null && !isCovered(pattern, after));
  if (gained.length > 0) said.push(`It allows more tools: ${gained.join(", ")}.`);
  if (lost.length > 0) said.push(`It no longer allows ${lost.join(", ")}.`);
  const widens = before !== null && !(after ?? ["*"]).every((pattern) => isCovered(pattern, before));
  return { widens, before, after, added, removed, said };
}

/**
 * True when the list allows everything that the pattern matches. Among patterns with wildcards, only `*` is known to
 * include another.
 */
function isCovered(pattern: string, list: readonly string[]): boolean {
  if (list.includes(pattern) || list.includes("*")) return true;
  return !/[*?[]/.test(pattern) && matchesOneOf(pattern, list);
}

function compareScripts(before: ComparedSkill, after: ComparedSkill): SkillDifference["scripts"] {
  const earlier = new Map(before.skill.scripts.map((script) => [script.name, script]));
  const later = new Map(after.skill.scripts.map((script) => [script.name, script]));
  const pairs = [...later.values()].flatMap((script) => {
    const other = earlier.get(script.name);
    return other === undefined ? [] : [{ was: other, is: script }];
  });
  const isOther = ({ was, is }: { was: SkillScript; is: SkillScript }) =>
    was.path !== is.path || was.timeoutS !== is.timeoutS || before.getContent(was.path) !== after.getContent(is.path);
  const nameOf = ({ is }: { is: SkillScript }) => is.name;
  return {
    added: [...later.keys()].filter((name) => !earlier.has(name)),
    removed: [...earlier.keys()].filter((name) => !later.has(name)),
    changed: pairs.filter(isOther).map(nameOf),
    networkAdded: [
      ...pairs.filter(({ was, is }) => is.network && !was.network).map(nameOf),
      ...[...later.values()].filter(({ name, network }) => network && !earlier.has(name)).map(({ name }) => name),
    ],
    networkRemoved: pairs.filter(({ was, is }) => was.network && !is.network).map(nameOf),
  };
}

function describeScripts({
  added,
  removed,
  changed,
  networkAdded,
  networkRemoved,
}: SkillDifference["scripts"]): string[] {
  const say = (names: readonly string[], sentence: (list: string) => string) =>
    names.length === 0 ? [] : [sentence(names.join(", "))];
  return [
    ...say(added, (list) => `It can run more scripts: ${list}.`),
    ...say(removed, (list) => `It can no longer run ${list}.`),
    ...say(changed, (list) => `Scripts were changed or may take longer: ${list}.`),
    ...say(networkAdded, (list) => `Scripts that newly ask for the network: ${list}.`),
    ...say(networkRemoved, (list) => `Scripts no longer ask for the network: ${list}.`),
  ];
}

/** What a skill may do at one version, and may not at another. */
import { matchesOneOf } from "../lib/fnmatch.ts";
import type { Skill, SkillScript } from "./skill.ts";

/** How two versions differ in what they allow. `said` has a sentence for each difference. */
export interface SkillDifference {
  /**
   * True when the later one is allowed more: tools, scripts, or the network for one. What a script that has changed does now
   * is for a person to read.
   */
  readonly widens: boolean;
  readonly allowedTools: {
    /** Null: it restricts nothing. */
    readonly before: readonly string[] | null;
    readonly after: readonly string[] | null;
    readonly added: readonly string[];
    readonly removed: readonly string[];
  };
  readonly scripts: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    /** Those whose file, declaration or both are others. */
    readonly changed: readonly string[];
    /** Those that may reach the network and could not. */
    readonly networkAdded: readonly string[];
    readonly networkRemoved: readonly string[];
  };
  readonly said: readonly string[];
}

/** What a version is compared by. `contentOf` gives something that is equal for equal bytes of a file. */
export interface ComparedSkill {
  readonly skill: Pick<Skill, "allowedTools" | "scripts">;
  readonly contentOf: (path: string) => string;
}

export function differenceOf(before: ComparedSkill, after: ComparedSkill): SkillDifference {
  const tools = toolsDifference(before.skill.allowedTools, after.skill.allowedTools);
  const scripts = scriptsDifference(before, after);
  const widens = tools.widens || scripts.added.length > 0 || scripts.networkAdded.length > 0;
  const { widens: _, said, ...allowedTools } = tools;
  return { widens, allowedTools, scripts, said: [...said, ...sayScripts(scripts)] };
}

function toolsDifference(before: readonly string[] | null, after: readonly string[] | null) {
  const added = (after ?? []).filter((pattern) => before !== null && !before.includes(pattern));
  const removed = (before ?? []).filter((pattern) => after !== null && !after.includes(pattern));
  const said: string[] = [];
  if (before === null && after !== null) {
    said.push(`It restricted nothing, and now allows ${after.length === 0 ? "no tools" : `only ${after.join(", ")}`}.`);
  }
  if (before !== null && after === null) {
    said.push(
      `It allowed ${before.length === 0 ? "no tools" : `only ${before.join(", ")}`}, and now restricts nothing: every tool of the agent.`,
    );
  }
  const gained = added.filter((pattern) => before !== null && !isCovered(pattern, before));
  const lost = removed.filter((pattern) => after !== null && !isCovered(pattern, after));
  if (gained.length > 0) said.push(`It allows more tools: ${gained.join(", ")}.`);
  if (lost.length > 0) said.push(`It no longer allows ${lost.join(", ")}.`);
  const widens = before !== null && !(after ?? ["*"]).every((pattern) => isCovered(pattern, before));
  return { widens, before, after, added, removed, said };
}

/** True when the list allows what the pattern matches. Of two patterns with wildcards, only `*` is known to hold the other. */
function isCovered(pattern: string, list: readonly string[]): boolean {
  if (list.includes(pattern) || list.includes("*")) return true;
  return !/[*?[]/.test(pattern) && matchesOneOf(pattern, list);
}

function scriptsDifference(before: ComparedSkill, after: ComparedSkill): SkillDifference["scripts"] {
  const earlier = new Map(before.skill.scripts.map((script) => [script.name, script]));
  const later = new Map(after.skill.scripts.map((script) => [script.name, script]));
  const pairs = [...later.values()].flatMap((script) => {
    const other = earlier.get(script.name);
    return other === undefined ? [] : [{ was: other, is: script }];
  });
  const isOther = ({ was, is }: { was: SkillScript; is: SkillScript }) =>
    was.path !== is.path || was.timeoutS !== is.timeoutS || before.contentOf(was.path) !== after.contentOf(is.path);
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

function sayScripts({ added, removed, changed, networkAdded, networkRemoved }: SkillDifference["scripts"]): string[] {
  const say = (names: readonly string[], sentence: (list: string) => string) =>
    names.length === 0 ? [] : [sentence(names.join(", "))];
  return [
    ...say(added, (list) => `It can run further scripts: ${list}.`),
    ...say(removed, (list) => `It can no longer run ${list}.`),
    ...say(changed, (list) => `Scripts do something else or may take longer: ${list}.`),
    ...say(networkAdded, (list) => `Scripts ask for the network that did not: ${list}.`),
    ...say(networkRemoved, (list) => `Scripts no longer ask for the network: ${list}.`),
  ];
}

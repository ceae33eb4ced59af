/** What a skill is allowed, and what one version is allowed beyond another, in a person's words. */
import type { SkillDifference } from "../../api/types.generated.ts";
import { isMatchedBy } from "../../api/tool-patterns.ts";
import { isFamily, type KnownTool, matchedTools } from "./matched-tools.ts";

const POWERS: Readonly<Record<string, string>> = {
  read: "read files and data",
  write: "change files and data",
  exec: "run scripts",
  shell: "run shell commands",
  network: "reach the network",
};

/** What a task may use under every skill. */
const ALWAYS = "ask_human";

/** Names that a sentence lists before it says how many more there are. */
const LISTED = 5;

/** What the tools can do, each power once, the mildest first. */
function listPowers(tools: readonly KnownTool[]): readonly string[] {
  const granted = new Set(tools.flatMap(grantedBy));
  return Object.entries(POWERS).flatMap(([permission, words]) => (granted.has(permission) ? [words] : []));
}

/** A shell runs anything that there is; other tools that run something run what a skill or a project brought. */
function grantedBy({ permissions, toolbox }: KnownTool): readonly string[] {
  const isShell = toolbox === "shell" || toolbox === "ssh";
  return permissions.map((permission) => (permission === "exec" && isShell ? "shell" : permission));
}

/** One sentence on what a task under the skill may use. */
export function sayAllowed(patterns: readonly string[] | null, tools: readonly KnownTool[]): string {
  if (isEverything(patterns)) return "It may use every tool of the agent that takes it up: it restricts nothing.";
  if (patterns?.length === 0) return "It may use no tool at all. It can still ask a person.";
  const powers = listPowers(matchedTools(tools, patterns));
  const can = powers.length === 0 ? "" : ` With them it can ${join(powers)}, as far as its agent is allowed to.`;
  return `It may use the tools named here, ask a person, and nothing else.${can}`;
}

/** A skill without a list restricts nothing; one that lists `*` allows the same. */
export function isEverything(patterns: readonly string[] | null): boolean {
  return patterns?.includes("*") ?? true;
}

/** One pattern, and the tools that it means now. */
export interface SaidPattern {
  readonly pattern: string;
  /** "every tool whose name begins with read_"; null for the name of one tool. */
  readonly meaning: string | null;
  readonly tools: readonly KnownTool[];
}

export function sayPatterns(patterns: readonly string[], tools: readonly KnownTool[]): readonly SaidPattern[] {
  return patterns.map((pattern) => ({ pattern, meaning: sayFamily(pattern), tools: matchedTools(tools, [pattern]) }));
}

function sayFamily(pattern: string): string | null {
  if (!isFamily(pattern)) return null;
  if (pattern === "*") return "every tool";
  const [, before = "", after = ""] = /^([^*?[]*)\*([^*?[]*)$/.exec(pattern) ?? [];
  if (before !== "" && after === "") return `every tool whose name begins with ${before}`;
  if (before === "" && after !== "") return `every tool whose name ends with ${after}`;
  return "every tool whose name fits";
}

/** What a person has to know first of two versions. */
export interface DifferenceHeadline {
  readonly widens: boolean;
  readonly title: string;
}

/** `earlier` and `later` are what the versions are called: "version 2", "this upload". */
export function sayDifference(
  difference: SkillDifference,
  tools: readonly KnownTool[],
  { earlier, later }: { readonly earlier: string; readonly later: string },
): DifferenceHeadline {
  const { widens, scripts } = difference;
  const more = [...sayMoreTools(difference, tools), ...sayMoreScripts(scripts)];
  if (widens) {
    const what = more.length === 0 ? `do more than ${earlier}` : `also ${join(more)}`;
    return { widens, title: `${capital(later)} may ${what}.` };
  }
  const isSame = difference.said.length === 0;
  return {
    widens,
    title: isSame
      ? `${capital(later)} may do exactly what ${earlier} may.`
      : `${capital(later)} may do nothing that ${earlier} may not.`,
  };
}

function sayMoreTools({ allowed_tools: { before, after } }: SkillDifference, tools: readonly KnownTool[]): string[] {
  if (before === null || isEverything(before)) return [];
  if (after === null || isEverything(after)) return ["use every tool of its agent"];
  const had = matchedTools(tools, before);
  const added = matchedTools(tools, after).filter((tool) => !had.includes(tool) && tool.name !== ALWAYS);
  const powers = listPowers(added).filter((power) => !listPowers(had).includes(power));
  // A pattern that means no tool now may mean one that is connected later.
  const open = after.filter((one) => !before.includes(one) && !tools.some((tool) => isMatchedBy(tool, one)));
  const names = [...added.map(({ name }) => name), ...open];
  if (powers.length > 0) return [...powers, `use ${shortList(names)}`];
  return names.length === 0 ? [] : [`use ${shortList(names)}`];
}

function sayMoreScripts({ added, network_added }: SkillDifference["scripts"]): string[] {
  return [
    ...(added.length === 0 ? [] : [`run ${added.length === 1 ? "the script" : "the scripts"} ${shortList(added)}`]),
    ...(network_added.length === 0 ? [] : [`let ${shortList(network_added)} reach the network`]),
  ];
}

function shortList(names: readonly string[]): string {
  if (names.length <= LISTED) return join(names);
  return `${names.slice(0, LISTED).join(", ")} and ${names.length - LISTED} more`;
}

/** "a", "a and b", "a, b and c". */
function join(words: readonly string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What lines worth a look were found for. */
export const SCAN_WORDS = {
  network: "Reaches for the network",
  environment: "Reads the environment",
  other_files: "Touches files outside its work folder",
  programs: "Starts other programs",
  made_code: "Makes code while it runs",
  hidden_characters: "Holds characters that cannot be seen",
} as const;

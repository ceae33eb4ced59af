/**
 * Chooses the skills of a task: its agent's skills, which the request or the input may narrow; for an agent without
 * skills, the named ones; without names, those whose description fits the task. Reads only text that may instruct: a
 * word in a webhook's payload or in a quoted mail chooses nothing.
 */
import type { AgentConfig } from "../agents/agent.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import { matchesAny } from "../gateway/envelope.ts";
import type { Message } from "../model/messages.ts";
import type { Tool } from "../tool/tool.ts";
import { toSkillInForce, joinSkillPatterns } from "./skills-in-force.ts";
import { findFittingSkills } from "../skills/similarity.ts";
import { MAX_IN_FORCE, type Skill, type HowInForce, type SkillInForce } from "../skills/skill.ts";

/** Names that an error lists. */
const MAX_LISTED = 100;
/** `/name` as a separate word; a path continues after it. */
const MENTION = /(?<![^\s("'])\/([a-z0-9][a-z0-9_-]{0,63})(?=$|[\s)"',;:!?]|\.(?:\s|$))/g;

/** What the request says of skills. A list, even an empty one, excludes all others. */
interface SkillRequest {
  readonly input: string | readonly Message[];
  readonly skills?: readonly string[] | undefined;
  /** The part of the input that may instruct; absent: its last message. */
  readonly instructions?: string | undefined;
}

/** The tenant's skills, and the agent of the task. */
interface SkillOptions {
  readonly skills: readonly Skill[];
  readonly agent: { readonly config: Pick<AgentConfig, "name" | "skills"> };
}

/**
 * Returns the skills of a task, each once, in order. `invalid_input` if a name is unknown, or if there are too many.
 */
export function matchSkills(request: SkillRequest, { skills, agent }: SkillOptions): Result<SkillInForce[]> {
  const { match = "auto", names: ofAgent = [] } = agent.config.skills ?? {};
  const inRequest = findSkills(request.skills ?? [], skills, (name) => rejectUnknownSkill(name, skills));
  if (!inRequest.ok) return inRequest;
  const inAgent = findSkills(ofAgent, skills, (name) =>
    failed("invalid_input", `The agent "${agent.config.name}" lists the skill ${name}, which does not exist.`, {
      field: "agent",
    }),
  );
  if (!inAgent.ok) return inAgent;
  const text = request.instructions ?? getLastText(request.input);
  const mentioned = findMentionedSkills(text, skills);
  const chosen = [...inRequest.value, ...mentioned];
  const ceiling = inAgent.value;
  const beyond = ceiling.length === 0 ? undefined : chosen.find((skill) => !ceiling.includes(skill));
  if (beyond !== undefined) return rejectBeyondAgent(beyond, ceiling, agent.config.name);
  const named: [HowInForce, readonly Skill[]][] = [
    ["request", inRequest.value],
    ["mention", mentioned],
    ["agent", chosen.length > 0 ? [] : ceiling],
  ];
  const byHash = new Map<string, SkillInForce>();
  for (const [how, found] of named)
    for (const skill of found) if (!byHash.has(skill.hash)) byHash.set(skill.hash, toSkillInForce(skill, how));
  if (byHash.size > MAX_IN_FORCE) {
    const message = `A task works under at most ${MAX_IN_FORCE} skills; its request, its input (as /name) and its agent name ${byHash.size}.`;
    return failed("invalid_input", message, { field: "skills" });
  }
  if (byHash.size > 0 || request.skills !== undefined || match === "explicit") return ok([...byHash.values()]);
  return ok(
    findFittingSkills(text, skills).map(({ skill, similarity }) => toSkillInForce(skill, "similarity", similarity)),
  );
}

/**
 * Returns the tool patterns that bound every skill of a task: the union of the lists of its agent's skills. Null for an
 * agent without skills.
 */
export function getSkillCeiling({ skills, agent }: SkillOptions): readonly string[] | null {
  const names = agent.config.skills?.names ?? [];
  return joinSkillPatterns(names.flatMap((name) => findSkill(name, skills) ?? []));
}

function rejectBeyondAgent(skill: Skill, ceiling: readonly Skill[], agent: string) {
  const names = ceiling.map(({ name }) => name).sort();
  const message = `The agent "${agent}" works under the skills ${names.join(", ")} and no others, so ${skill.name} cannot be used. Omit it, or add it to the agent's skills.`;
  return failed("invalid_input", message, { field: "skills" });
}

/** True for a skill whose list matches one of these tools. Skills written for another program often match none. */
export function hasUsableTools({ allowedTools }: Pick<Skill, "allowedTools">, tools: readonly Tool[]): boolean {
  return allowedTools === null || tools.some((tool) => tool.name !== "ask_human" && matchesAny(tool, allowedTools));
}

/** Returns the skill of this name or slug. */
export function findSkill(name: string, skills: readonly Skill[]): Skill | null {
  return skills.find((skill) => skill.name === name) ?? skills.find((skill) => skill.slug === name) ?? null;
}

/** Returns the error for a name that no skill has. */
export function rejectUnknownSkill(name: string, skills: readonly Skill[]) {
  const names = skills.map((skill) => skill.name).sort();
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : "";
  const listed =
    names.length === 0 ? "There are no skills." : `There are: ${names.slice(0, MAX_LISTED).join(", ")}${more}.`;
  return failed("invalid_input", `There is no skill named ${name.slice(0, 100)}. ${listed}`, { field: "skills" });
}

/** Finds the skills that a text names as `/name`. Any other word with a slash is text. */
function findMentionedSkills(text: string, skills: readonly Skill[]): Skill[] {
  if (skills.length === 0) return [];
  return Array.from(text.matchAll(MENTION), ([, name = ""]) => findSkill(name, skills)).filter(
    (skill) => skill !== null,
  );
}

function findSkills(
  names: readonly string[],
  skills: readonly Skill[],
  refuse: (name: string) => ReturnType<typeof rejectUnknownSkill>,
): Result<Skill[]> {
  const found: Skill[] = [];
  for (const name of names) {
    const skill = findSkill(name, skills);
    if (skill === null) return refuse(name);
    found.push(skill);
  }
  return ok(found);
}

/** Returns the input; of a conversation, its last message. */
function getLastText(input: string | readonly Message[]): string {
  if (typeof input === "string") return input;
  return input.at(-1)?.content ?? "";
}

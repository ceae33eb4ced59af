/**
 * Chooses the skills of a task: its agent's skills, which the request or the input may narrow; for an agent without skills,
 * the named ones; without names, those whose description fits the task. Only text that may instruct is read: a word in a
 * hook's payload or in a quoted mail chooses nothing.
 */
import type { AgentConfig } from "../agents/agent.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import { matchesAny } from "../gateway/envelope.ts";
import type { Message } from "../model/messages.ts";
import type { Tool } from "../tool/tool.ts";
import { inForce, skillPatterns } from "./skills-in-force.ts";
import { fittingSkills } from "../skills/similarity.ts";
import { MAX_IN_FORCE, type Skill, type HowInForce, type SkillInForce } from "../skills/skill.ts";

/** Names that a refusal lists. */
const MAX_LISTED = 100;
/** `/name` as a word of its own; a path has more behind it. */
const MENTION = /(?<![^\s("'])\/([a-z0-9][a-z0-9_-]{0,63})(?=$|[\s)"',;:!?]|\.(?:\s|$))/g;

/** What asks for skills. `skills` given, also empty, says that nothing else is to be brought in. */
interface Asked {
  readonly input: string | readonly Message[];
  readonly skills?: readonly string[] | undefined;
  /** The part of the input that may instruct; absent: its last message. */
  readonly instructions?: string | undefined;
}

/** What there is, and the agent that works. */
interface Given {
  readonly skills: readonly Skill[];
  readonly agent: { readonly config: Pick<AgentConfig, "name" | "skills"> };
}

/**
 * The skills that the task works under, each once, in that order. `invalid_input` names what is not there, and lists what is,
 * or says that they are too many.
 */
export function matchSkills(asked: Asked, { skills, agent }: Given): Result<SkillInForce[]> {
  const { match = "auto", names: ofAgent = [] } = agent.config.skills ?? {};
  const inRequest = pick(asked.skills ?? [], skills, (name) => unknownSkill(name, skills));
  if (!inRequest.ok) return inRequest;
  const inAgent = pick(ofAgent, skills, (name) =>
    failed("invalid_input", `The agent "${agent.config.name}" works under the skill ${name}, which is not there.`, {
      field: "agent",
    }),
  );
  if (!inAgent.ok) return inAgent;
  const text = asked.instructions ?? lastText(asked.input);
  const mentioned = mentionedSkills(text, skills);
  const chosen = [...inRequest.value, ...mentioned];
  const ceiling = inAgent.value;
  const beyond = ceiling.length === 0 ? undefined : chosen.find((skill) => !ceiling.includes(skill));
  if (beyond !== undefined) return notOfAgent(beyond, ceiling, agent.config.name);
  const named: [HowInForce, readonly Skill[]][] = [
    ["request", inRequest.value],
    ["mention", mentioned],
    ["agent", chosen.length > 0 ? [] : ceiling],
  ];
  const byHash = new Map<string, SkillInForce>();
  for (const [how, found] of named)
    for (const skill of found) if (!byHash.has(skill.hash)) byHash.set(skill.hash, inForce(skill, how));
  if (byHash.size > MAX_IN_FORCE) {
    const message = `A task works under at most ${MAX_IN_FORCE} skills; its request, its input (as /name) and its agent name ${byHash.size}.`;
    return failed("invalid_input", message, { field: "skills" });
  }
  if (byHash.size > 0 || asked.skills !== undefined || match === "explicit") return ok([...byHash.values()]);
  return ok(fittingSkills(text, skills).map(({ skill, similarity }) => inForce(skill, "similarity", similarity)));
}

/**
 * The tool patterns that no skill of a task widens: the union of the lists of its agent's skills. Null for an agent
 * without skills.
 */
export function skillCeiling({ skills, agent }: Given): readonly string[] | null {
  const names = agent.config.skills?.names ?? [];
  return skillPatterns(names.flatMap((name) => skillNamed(name, skills) ?? []));
}

function notOfAgent(skill: Skill, ceiling: readonly Skill[], agent: string) {
  const names = ceiling.map(({ name }) => name).sort();
  const message = `The agent "${agent}" works under the skills ${names.join(", ")} and no others, so ${skill.name} cannot be brought in. Leave it out, or add it to the agent's skills.`;
  return failed("invalid_input", message, { field: "skills" });
}

/**
 * True for a skill under which a task has something to work with: its list matches one of these tools. What was written for
 * another program often names none.
 */
export function leavesTools({ allowedTools }: Pick<Skill, "allowedTools">, tools: readonly Tool[]): boolean {
  return allowedTools === null || tools.some((tool) => tool.name !== "ask_human" && matchesAny(tool, allowedTools));
}

/** The skill of this name or slug. */
export function skillNamed(name: string, skills: readonly Skill[]): Skill | null {
  return skills.find((skill) => skill.name === name) ?? skills.find((skill) => skill.slug === name) ?? null;
}

/** The refusal of a name that no skill has. */
export function unknownSkill(name: string, skills: readonly Skill[]) {
  const names = skills.map((skill) => skill.name).sort();
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : "";
  const listed =
    names.length === 0 ? "There are no skills." : `There are: ${names.slice(0, MAX_LISTED).join(", ")}${more}.`;
  return failed("invalid_input", `There is no skill named ${name.slice(0, 100)}. ${listed}`, { field: "skills" });
}

/** The skills that a text names as `/name`. Any other word with a slash is text. */
function mentionedSkills(text: string, skills: readonly Skill[]): Skill[] {
  if (skills.length === 0) return [];
  return Array.from(text.matchAll(MENTION), ([, name = ""]) => skillNamed(name, skills)).filter(
    (skill) => skill !== null,
  );
}

function pick(
  names: readonly string[],
  skills: readonly Skill[],
  refuse: (name: string) => ReturnType<typeof unknownSkill>,
): Result<Skill[]> {
  const found: Skill[] = [];
  for (const name of names) {
    const skill = skillNamed(name, skills);
    if (skill === null) return refuse(name);
    found.push(skill);
  }
  return ok(found);
}

/** What is asked for: of a conversation, what was said last. */
function lastText(input: string | readonly Message[]): string {
  if (typeof input === "string") return input;
  return input.at(-1)?.content ?? "";
}

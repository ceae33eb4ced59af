/**
 * The skills in force for a task, and how they narrow its tools. The skills matched at creation form one list of
 * patterns in the task's facts, which nothing widens. The skills that the model loads form a second list. A tool has to
 * match both, so loading a skill only narrows.
 */
import type { TaskFacts, TaskState } from "./state.ts";
import type { HowInForce, Skill, SkillInForce } from "../skills/skill.ts";

/** Tools that no skill removes. */
const ALWAYS = ["ask_human"] as const;

export function toSkillInForce(skill: Skill, how: HowInForce, similarity: number | null = null): SkillInForce {
  const { name, slug, hash, allowedTools } = skill;
  return { name, slug, hash, allowedTools, how, similarity };
}

/** Returns the union of the skills' tool lists, with the tools that no skill removes. Null if no skill has a list. */
export function joinSkillPatterns(skills: readonly Pick<SkillInForce, "allowedTools">[]): readonly string[] | null {
  const lists = skills.flatMap(({ allowedTools }) => (allowedTools === null ? [] : [allowedTools]));
  return lists.length === 0 ? null : [...new Set([...ALWAYS, ...lists.flat()])];
}

/** Returns the facts for work that begins now: narrowed by the loaded skills, with all that people asked for of apps. */
export function getCurrentFacts({
  facts: first,
  loaded,
  intent,
}: Pick<TaskState, "facts" | "loaded" | "intent">): TaskFacts {
  const { apps } = first;
  const facts = intent === undefined || apps === undefined ? first : { ...first, apps: { ...apps, intent } };
  if (loaded.length === 0) return facts;
  const patterns = joinSkillPatterns(loaded);
  const tools = patterns === null ? facts.tools : [...facts.tools, patterns];
  return { ...facts, tools, skills: [...facts.skills, ...loaded] };
}

/** Returns the hashes of the skills in force for a call; null for an API call without a task, which names the skill. */
export function listSkillsInForce({ kind, parentId, skills }: TaskFacts): readonly string[] | null {
  return kind === "call" && parentId === null ? null : skills.map(({ hash }) => hash);
}

/** Formats a skill in force for the API and the log. */
export function formatSkill({ name, hash, how, similarity, allowedTools }: SkillInForce): SkillView {
  const note = how === "similarity" && allowedTools !== null ? RESTRICTED_NOTE : null;
  return { name, hash, how, similarity, allowed_tools: allowedTools, note };
}

/** The note on a skill that removes tools and that neither a person nor the model named. */
const RESTRICTED_NOTE =
  'This skill was not named: its description matches the request, so the task has only the tools that it lists. If it does not fit, recreate the task with "skills": []; the agent setting skills.match: "explicit" turns matching off for all tasks of an agent.';

/**
 * `allowed_tools` is null for a skill that restricts nothing. `note` is null for a named or loaded skill, or one that
 * restricts nothing.
 */
export interface SkillView {
  readonly name: string;
  readonly hash: string;
  readonly how: HowInForce;
  readonly similarity: number | null;
  readonly allowed_tools: readonly string[] | null;
  readonly note: string | null;
}

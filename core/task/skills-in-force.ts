/**
 * The skills that a task works under, and what they leave it of its tools. Those that were matched when it was made are one
 * list of patterns among its facts, a ceiling that nothing raises. Those that its model loads are one more, which stands
 * beside that one, so that loading only ever narrows what the task was given.
 */
import type { TaskFacts, TaskState } from "./state.ts";
import type { HowInForce, Skill, SkillInForce } from "../skills/skill.ts";

/** What no skill takes away. */
const ALWAYS = ["ask_human"] as const;

/** A skill as it comes into force. */
export function inForce(skill: Skill, how: HowInForce, similarity: number | null = null): SkillInForce {
  const { name, slug, hash, allowedTools } = skill;
  return { name, slug, hash, allowedTools, how, similarity };
}

/** The patterns that skills leave together: the union of their lists, and what no skill takes away. Null: none has a list. */
export function skillPatterns(skills: readonly Pick<SkillInForce, "allowedTools">[]): readonly string[] | null {
  const lists = skills.flatMap(({ allowedTools }) => (allowedTools === null ? [] : [allowedTools]));
  return lists.length === 0 ? null : [...new Set([...ALWAYS, ...lists.flat()])];
}

/** The facts as they stand for whatever begins now: narrowed by what the model loaded, which is in force with the others. */
export function standingFacts({ facts, loaded }: Pick<TaskState, "facts" | "loaded">): TaskFacts {
  if (loaded.length === 0) return facts;
  const patterns = skillPatterns(loaded);
  const tools = patterns === null ? facts.tools : [...facts.tools, patterns];
  return { ...facts, tools, skills: [...facts.skills, ...loaded] };
}

/** A skill in force as the API and the log show it. */
export function shownSkill({ name, hash, how, similarity, allowedTools }: SkillInForce): ShownSkill {
  const note = how === "similarity" && allowedTools !== null ? WHY_RESTRICTED : null;
  return { name, hash, how, similarity, allowed_tools: allowedTools, note };
}

/** Said of a skill that takes tools away and that nobody named. */
const WHY_RESTRICTED =
  'Nobody named this skill: its description fits what is asked, so that the task has only the tools that it lists. If it does not fit, make the task again with "skills": []; the agent setting skills.match: "explicit" ends this for all of an agent\'s tasks.';

/** `allowed_tools` null: it restricts nothing. `note` null: somebody, or the model, brought it in, or it restricts nothing. */
export interface ShownSkill {
  readonly name: string;
  readonly hash: string;
  readonly how: HowInForce;
  readonly similarity: number | null;
  readonly allowed_tools: readonly string[] | null;
  readonly note: string | null;
}

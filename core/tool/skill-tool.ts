/** The tool of a skill. */
import type { OutsideTool } from "./source.ts";
import type { Skill } from "../skills/skill.ts";

/** The source of a tenant's uploaded skills, and that of the skills that ship with Otto. */
export const SKILLS_SOURCE = "skills";
export const SHIPPED_SOURCE = "skills:otto";

/** The timeout of a task under a skill's instructions, which is a model's work rather than a call. */
const TIMEOUT_MS = 600_000;

/**
 * Creates a tool that works on a task by a skill's instructions. It has no effect of its own: the instructions lead to
 * separate calls, each with its own effect class.
 */
export function createSkillTool(skill: Skill): OutsideTool {
  return {
    name: skill.slug,
    summary: skill.description,
    toolbox: "skills",
    category: "productivity",
    permissions: [],
    security: "safe",
    effect: "none",
    timeoutMs: TIMEOUT_MS,
    input: {
      type: "object",
      properties: {
        task: { type: "string", description: "The task to do, in plain words." },
        context: { type: "string", description: "Further facts, and constraints to respect." },
      },
      required: ["task"],
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: { result: { type: "string" }, skill_used: { type: "string" } },
      required: ["result", "skill_used"],
    },
    origin: { kind: "skill", skill },
  };
}

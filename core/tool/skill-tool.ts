/** The tool of a skill. */
import type { OutsideTool } from "./source.ts";
import type { Skill } from "../skills/skill.ts";

/** The source of the skills that a tenant uploaded, and that of those that ship with Otto. */
export const SKILLS_SOURCE = "skills";
export const SHIPPED_SOURCE = "skills:otto";

/** A task under a skill's instructions: at most this long (it is a model's work, not a call to wait for). */
const TIMEOUT_MS = 600_000;

/**
 * A tool that works on a task by a skill's instructions. It makes nothing happen by itself: what the instructions lead to
 * are calls of their own, each with its own promises.
 */
export function skillTool(skill: Skill): OutsideTool {
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
        task: { type: "string", description: "What is to be done, in plain words." },
        context: { type: "string", description: "What else is known, and what to keep to." },
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

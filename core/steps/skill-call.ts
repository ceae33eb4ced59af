/** Calls of skills' tools: a subtask under the skill's instructions, with the caller's tools that the skill allows. */
import { DEFAULT_MAX_STEPS } from "../agents/agent.ts";
import type { OutsideCaller } from "../gateway/outside-tool.ts";
import { toSkillInForce, joinSkillPatterns } from "../task/skills-in-force.ts";

export const skillCaller: OutsideCaller<"skill", never> = {
  needs: [],
  async call({ origin: { skill } }) {
    const control = {
      kind: "dispatch",
      maxSteps: DEFAULT_MAX_STEPS,
      tokenBudget: null,
      tools: joinSkillPatterns([skill]),
      skill: toSkillInForce(skill, "tool"),
    } as const;
    return { kind: "control", control };
  },
};

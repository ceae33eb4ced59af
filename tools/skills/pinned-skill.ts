/** The skill that a call names, among those that there are for its task. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { findSkill, rejectUnknownSkill } from "../../core/task/match-skills.ts";
import type { Skill } from "../../core/skills/skill.ts";
import type { CallSkills } from "../../core/tool/tool.ts";

/** `invalid_input` lists what there is; `field` is the argument that names the skill. */
export function pinnedSkill(name: string, { pinned }: Pick<CallSkills, "pinned">, field: string): Result<Skill> {
  const skill = findSkill(name, pinned);
  if (skill !== null) return ok(skill);
  const { error } = rejectUnknownSkill(name, pinned);
  return { ok: false, error: { ...error, field } };
}

/** Passes a skill that the task works under: what the skill restricts holds for its scripts too. */
export function checkInForce({ name, hash }: Skill, { inForce }: Pick<CallSkills, "inForce">): Result<void> {
  if (inForce === null || inForce.includes(hash)) return ok(undefined);
  return failed(
    "permission_denied",
    `The task does not work under the skill ${name}. Bring it in with load_skill first.`,
  );
}

/** What Otto says of an action. Called for each action when a sync compiles the catalogue. */
import { needsApproval, isDestructiveCapability, listCapabilities } from "./capabilities.ts";
import type { ActionJudgement, DescribedAction } from "../catalogue.ts";
import { ruleEffect } from "./effect.ts";

/** Judges an action from its name, tags and description. The same input gives the same judgement. */
export function judgeAction(
  action: Pick<DescribedAction, "action" | "app" | "title" | "description" | "tags">,
): ActionJudgement {
  const ruled = ruleEffect(action);
  const capabilities = listCapabilities(action);
  const isDestructive = ruled.security === "critical" || capabilities.some(isDestructiveCapability);
  const approved = ruled.security === "cautious" ? capabilities.find(needsApproval) : undefined;
  if (approved === undefined) return { ...ruled, capabilities, isDestructive };
  const because = `Its provider says that it only reads, but “${approved}” needs an approval.`;
  return { effect: ruled.effect, security: "dangerous", because, capabilities, isDestructive };
}

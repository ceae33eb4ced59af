/**
 * The capability gate: whether an action of an app serves what the task's actors asked for. It only adds to the agent's
 * policy, and anything that it cannot judge is denied. The policy stage calls it for every tool of an app
 * (`core/steps/admit.ts`). A call that it blocks is refused with `blocked_by_policy`, the sentence of `formatBlocked`, and
 * `error_type: validation_blocked` in the details.
 */
import type { CapabilityGate } from "../../agents/agent.ts";
import type { PolicyRuling } from "../../gateway/policy.ts";
import type { ActionJudgement } from "../catalogue.ts";
import type { GateIntent } from "./intent.ts";
import { isRequested } from "./serve-intent.ts";

/** What the gate reads of an action. */
export interface GatedAction extends Pick<ActionJudgement, "effect" | "capabilities" | "isDestructive"> {
  readonly action: string;
}

const NOT_JUDGED: PolicyRuling = { decision: "deny", because: "it cannot be compared with the request" };
const ALLOWED: PolicyRuling = { decision: "allow", because: "it serves the request" };
const DESTRUCTIVE: PolicyRuling = { decision: "ask", because: "it destroys data or takes away rights" };

/** Rules on a call. A fault while judging, such as a damaged catalogue, denies. */
export function ruleGate(gate: CapabilityGate, action: GatedAction, intent: GateIntent): PolicyRuling {
  try {
    return judge(gate, action, intent);
  } catch {
    return NOT_JUDGED;
  }
}

function judge(gate: CapabilityGate, action: GatedAction, intent: GateIntent): PolicyRuling {
  const { effect, isDestructive } = action;
  const inside = isRequested(action, intent);
  switch (gate) {
    case "off":
      return isDestructive ? DESTRUCTIVE : ALLOWED;
    case "enforce":
      if (!inside) return { decision: "deny", because: "the request does not ask for it" };
      return isDestructive ? DESTRUCTIVE : ALLOWED;
    case "ask":
      if (isDestructive && !inside)
        return {
          decision: "deny",
          because: "it destroys data or takes away rights, and the request does not ask for it",
        };
      if (isDestructive) return DESTRUCTIVE;
      if (inside || effect === "none") return ALLOWED;
      return { decision: "ask", because: "the request does not ask for it" };
    default:
      return NOT_JUDGED;
  }
}

const STRICTNESS: Readonly<Record<PolicyRuling["decision"], number>> = { allow: 0, ask: 1, deny: 2 };

/** Returns the stricter of the policy's ruling and the gate's; of equals the policy's. */
export function addGate(policy: PolicyRuling, gate: PolicyRuling): PolicyRuling {
  return STRICTNESS[gate.decision] > STRICTNESS[policy.decision] ? gate : policy;
}

/** Formats the refusal of a blocked action for the model. Its start is part of the API's contract. */
export function formatBlocked({ action }: Pick<GatedAction, "action">, { because }: PolicyRuling): string {
  return `Action not allowed for this intent: ${action} was not run, because ${because}. Ask a person if it is needed.`;
}

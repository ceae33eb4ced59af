/** Whether an action serves what a request asks for, by the action's capabilities. */
import { isDestructiveCapability } from "../effects/capabilities.ts";
import type { ActionJudgement } from "../catalogue.ts";
import { type GateIntent, getCategory, type Intent, READING } from "./intent.ts";

/** True if a request asks for an action: by its name, or by a capability. Called by the gate (`gate.ts`). */
export function isRequested(
  { action, capabilities }: { readonly action: string } & Pick<ActionJudgement, "capabilities">,
  intent: GateIntent,
): boolean {
  return intent.actions.has(action) || servesIntent(capabilities, intent);
}

/** True if a request asks for one of the capabilities. A destructive one has to be asked for as such. */
function servesIntent(capabilities: readonly string[], intent: Pick<Intent, "capabilities">): boolean {
  const destructive = capabilities.filter(isDestructiveCapability);
  return (destructive.length > 0 ? destructive : capabilities).some((one) => intent.capabilities.has(one));
}

/**
 * True for an action that is inside a request: it serves it, it has no capability to judge by, or it destroys nothing and
 * the request names its category without saying what to do. Everything is inside a request that is only generic.
 */
export function isInside(capabilities: readonly string[], intent: Intent): boolean {
  if (intent.isGeneric || capabilities.length === 0 || servesIntent(capabilities, intent)) return true;
  return !capabilities.some(isDestructiveCapability) && capabilities.some((one) => intent.open.has(getCategory(one)));
}

/** True for an action that only reads. A request says the end and not the means, such as the id of a person. */
export function isReading(capabilities: readonly string[]): boolean {
  return capabilities.length > 0 && capabilities.every((one) => READING.includes(one.slice(one.indexOf(".") + 1)));
}

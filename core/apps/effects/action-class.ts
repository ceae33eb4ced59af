/**
 * The class of an action: its effect and its security level. A task pins it with the action's tool. At a call the stricter
 * of the pinned class and the present one counts, so that an override that an administrator removes or tightens reaches
 * running tasks.
 */
import { EFFECT_CLASSES, type EffectClass, SECURITY_LEVELS, type SecurityLevel } from "../../tool/tool.ts";

export interface ActionClass {
  readonly effect: EffectClass;
  readonly security: SecurityLevel;
}

/** What a tool says of its action. */
interface ClassedAction {
  /** The class without an override. Absent: no override loosened it when the tool was published. */
  readonly judged?: ActionClass;
  readonly isDestructive: boolean;
}

/** Returns the stricter effect and the stricter level of both. */
export function findStricterClass(one: ActionClass, other: ActionClass): ActionClass {
  return {
    effect: findLater(EFFECT_CLASSES, one.effect, other.effect),
    security: findLater(SECURITY_LEVELS, one.security, other.security),
  };
}

/** True if the effect or the level of `one` is stricter than that of `other`. */
export function isStricterClass(one: ActionClass, other: ActionClass): boolean {
  const { effect, security } = findStricterClass(one, other);
  return effect !== other.effect || security !== other.security;
}

/** Returns the class that counts at a call. `override`: what an administrator sets of the action now. */
export function findClassNow(
  pinned: ActionClass,
  { judged = pinned, isDestructive }: ClassedAction,
  override: Partial<ActionClass> = {},
): ActionClass {
  const { effect = judged.effect, security = judged.security } = override;
  const present = { effect: isDestructive && effect === "none" ? judged.effect : effect, security };
  return findStricterClass(pinned, present);
}

/** The later one in an order from the least strict on. */
function findLater<Value>(order: readonly Value[], one: Value, other: Value): Value {
  return order.indexOf(one) >= order.indexOf(other) ? one : other;
}

/** The actions of a snapshot by name. A snapshot never changes. */
import type { ListedAction } from "../../core/ports/app-catalogue.ts";

const indexes = new WeakMap<readonly ListedAction[], ReadonlyMap<string, ListedAction>>();

export function indexActions(actions: readonly ListedAction[]): ReadonlyMap<string, ListedAction> {
  const known = indexes.get(actions);
  if (known !== undefined) return known;
  const made = new Map(actions.map((one) => [one.action, one]));
  indexes.set(actions, made);
  return made;
}

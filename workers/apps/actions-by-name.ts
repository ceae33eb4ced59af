/** The actions of a snapshot by name, mapped once for each snapshot: it never changes. */
import type { ListedAction } from "../../core/ports/app-catalogue.ts";

const maps = new WeakMap<readonly ListedAction[], ReadonlyMap<string, ListedAction>>();

export function mapActionsByName(actions: readonly ListedAction[]): ReadonlyMap<string, ListedAction> {
  const known = maps.get(actions);
  if (known !== undefined) return known;
  const made = new Map(actions.map((one) => [one.action, one]));
  maps.set(actions, made);
  return made;
}

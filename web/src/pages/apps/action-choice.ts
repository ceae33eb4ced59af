/** The choice of an app's actions, by their names. */
import type { AppAction } from "../../api/types.generated.ts";

type Chosen = readonly string[];
type Actions = readonly Pick<AppAction, "name" | "effect">[];

/** Finds the actions with each word of a search, in any case, in the name, the title or the description. */
export function findActions(actions: readonly AppAction[], search: string): readonly AppAction[] {
  const words = search.toLowerCase().split(/\s+/);
  return actions.filter(({ name, display_name: title, description }) => {
    const text = `${name}\n${title}\n${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Chooses `actions` in addition. */
export function chooseAll(chosen: Chosen, actions: Actions): Chosen {
  return sortNames([...chosen, ...actions.map(({ name }) => name)]);
}

/** Leaves `actions` out, and nothing else. */
export function chooseNone(chosen: Chosen, actions: Actions): Chosen {
  const names = new Set(actions.map(({ name }) => name));
  return chosen.filter((name) => !names.has(name));
}

/** Chooses those of `actions` that only read and leaves the others of them out. */
export function chooseReading(chosen: Chosen, actions: Actions): Chosen {
  return chooseAll(
    chooseNone(chosen, actions),
    actions.filter(({ effect }) => effect === "none"),
  );
}

/** Returns the names in the order in which two equal choices are equal lists. */
export function sortNames(names: readonly string[]): Chosen {
  return [...new Set(names)].toSorted();
}

/** Counts the names that only one of two choices has. */
export function countDifferences(one: Chosen, other: Chosen): number {
  const [first, second] = [new Set(one), new Set(other)];
  return first.symmetricDifference(second).size;
}

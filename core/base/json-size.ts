/** Bounds of JSON values, checked before recursive code walks through one. */

/** The most nested objects and arrays in input of callers and models. */
export const MAX_DEPTH = 64;

/** Bounds of a value: its nesting, its number of values, and the characters of its texts and names. */
export interface JsonBounds {
  readonly depth: number;
  readonly values: number;
  readonly characters: number;
}

/** Returns the first bound that a JSON value exceeds, as the end of a sentence; null if none. Stops there. */
export function findExceededBound(value: unknown, bounds: JsonBounds): string | null {
  const open: { readonly inside: object; readonly depth: number }[] = [];
  let values = 0;
  let characters = 0;
  const count = (one: unknown, depth: number): void => {
    values += 1;
    if (typeof one === "string") characters += one.length;
    else if (typeof one === "object" && one !== null) open.push({ inside: one, depth });
  };
  count(value, 1);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { inside, depth } = next;
    if (depth > bounds.depth) return `it is nested more than ${bounds.depth} deep`;
    if (Array.isArray(inside)) {
      if (values + inside.length <= bounds.values) for (const item of inside) count(item, depth + 1);
      else values += inside.length;
    } else {
      // `Object.entries` would take three times as long for an object of 100,000.
      for (const name of Object.keys(inside)) {
        characters += name.length;
        count(Reflect.get(inside, name), depth + 1);
      }
    }
    if (values > bounds.values) return `it has more than ${bounds.values} values`;
    if (characters > bounds.characters) return `its texts have more than ${bounds.characters} characters`;
  }
  return characters > bounds.characters ? `its texts have more than ${bounds.characters} characters` : null;
}

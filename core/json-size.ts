/** How much there may be of a JSON value before code that calls itself for what is inside walks through it. */

/** How deep objects and arrays may stand in each other in what callers and models send. */
export const MAX_DEPTH = 64;

/** Bounds of a value: how deep objects and arrays stand in each other, how many values it has, characters of its texts and names. */
export interface JsonBounds {
  readonly depth: number;
  readonly values: number;
  readonly characters: number;
}

/** The first bound that a JSON value is over, in words that end a sentence; null: none. Stops there. */
export function whyTooLarge(value: unknown, bounds: JsonBounds): string | null {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  let values = 0;
  let characters = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    values += 1;
    if (typeof next.value === "string") characters += next.value.length;
    if (values > bounds.values) return `it has more than ${bounds.values} values`;
    if (typeof next.value === "object" && next.value !== null) {
      const depth = next.depth + 1;
      if (depth > bounds.depth) return `it is nested more than ${bounds.depth} deep`;
      if (Array.isArray(next.value)) {
        if (next.value.length > bounds.values) return `it has more than ${bounds.values} values`;
        for (const item of next.value) open.push({ value: item, depth });
      } else {
        for (const [name, member] of Object.entries(next.value)) {
          characters += name.length;
          open.push({ value: member, depth });
        }
      }
    }
    if (characters > bounds.characters) return `its texts have more than ${bounds.characters} characters`;
  }
  return null;
}

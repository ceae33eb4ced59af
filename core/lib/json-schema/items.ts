/** The keywords about the items of an array. */
import { toCanonicalJson } from "../../base/canonical-json.ts";
import { type KeywordContext, readCount, readList } from "./keyword.ts";
import { type Check, NOTE_WORK, type Run, type SchemaNode, type Seen } from "./run.ts";

/** Work to serialise an item for comparison, besides a unit for each character. */
const WRITE_WORK = 20;

/**
 * `prefixItems` with `items` for the rest; before 2020-12, `items` as a list with `additionalItems` for the rest. The
 * form of `items` determines which.
 */
export function createItemsCheck(context: KeywordContext): Check | null {
  const { schema, pointer } = context;
  const isListed = Array.isArray(schema["items"]);
  const first = isListed ? "items" : "prefixItems";
  const rest = isListed ? "additionalItems" : "items";
  const prefix = (readList(schema[first], `${pointer}/${first}`) ?? []).map((raw, index) =>
    context.child(raw, `/${first}/${index}`),
  );
  const others = schema[rest] === undefined ? null : context.child(schema[rest], `/${rest}`);
  if (prefix.length === 0 && others === null) return null;
  return (value, place, run, seen) => {
    if (!Array.isArray(value)) return true;
    let valid = true;
    value.forEach((item: unknown, index) => {
      run.spend(1);
      const node: SchemaNode | null = prefix[index] ?? others;
      if (node === null) return;
      if (!run.holds(node, item, { parent: place, key: index }, null)) valid = false;
      note(index, run, seen);
    });
    return valid;
  };
}

/** `minItems`, `maxItems` and `uniqueItems`. */
export function createCountCheck(context: KeywordContext): Check | null {
  const min = readCount(context, "minItems") ?? 0;
  const max = readCount(context, "maxItems") ?? Number.POSITIVE_INFINITY;
  const isUnique = context.schema["uniqueItems"] === true;
  if (min === 0 && max === Number.POSITIVE_INFINITY && !isUnique) return null;
  return (value, place, run) => {
    if (!Array.isArray(value)) return true;
    if (value.length < min) return run.report(place, `Expected at least ${min} items, got ${value.length}`);
    if (value.length > max) return run.report(place, `Expected at most ${max} items, got ${value.length}`);
    if (!isUnique) return true;
    const first = new Map<string, number>();
    for (const [index, item] of value.entries()) {
      const text = toCanonicalJson(item);
      run.spend(WRITE_WORK + text.length);
      const earlier = first.get(text);
      if (earlier !== undefined) return run.report({ parent: place, key: index }, `Is the same as item ${earlier}`);
      first.set(text, index);
    }
    return true;
  };
}

/** `contains`, with `minContains` and `maxContains`. */
export function createContainsCheck(context: KeywordContext): Check | null {
  const raw = context.schema["contains"];
  if (raw === undefined) return null;
  const node = context.child(raw, "/contains");
  const min = readCount(context, "minContains") ?? 1;
  const max = readCount(context, "maxContains") ?? Number.POSITIVE_INFINITY;
  return (value, place, run, seen) => {
    if (!Array.isArray(value)) return true;
    let found = 0;
    value.forEach((item: unknown, index) => {
      if (!run.tries(node, item, { parent: place, key: index }, null).valid) return;
      found += 1;
      note(index, run, seen);
    });
    if (found < min)
      return run.report(place, `Expected at least ${min} items of the kind it has to hold, got ${found}`);
    if (found > max) return run.report(place, `Expected at most ${max} items of the kind it may hold, got ${found}`);
    return true;
  };
}

/** `unevaluatedItems`: the items that no other keyword evaluated, including those of schemas applied in place. */
export function createUnseenItemsCheck(context: KeywordContext): Check | null {
  const raw = context.schema["unevaluatedItems"];
  if (raw === undefined) return null;
  const node = context.child(raw, "/unevaluatedItems");
  return (value, place, run, seen) => {
    if (!Array.isArray(value)) return true;
    let valid = true;
    value.forEach((item: unknown, index) => {
      run.spend(1);
      if (seen?.items.has(index)) return;
      if (!run.holds(node, item, { parent: place, key: index }, null)) valid = false;
      note(index, run, seen);
    });
    return valid;
  };
}

/** Records an evaluated item, if a schema needs it. */
function note(index: number, run: Run, seen: Seen | null): void {
  if (seen === null) return;
  run.spend(NOTE_WORK);
  seen.items.add(index);
}

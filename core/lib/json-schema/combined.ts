/** The keywords that apply other schemas to the same value. */
import { getOwn } from "../../base/own-field.ts";
import { type KeywordContext, readList, SchemaFault } from "./keyword.ts";
import { type Check, toPointer, type ValuePath, type SchemaProblem } from "./run.ts";

/** The most reasons, and characters, in the message of a failed choice. */
const MAX_REASONS = 4;
const MAX_MESSAGE = 500;

/** `$ref`, and its two dynamic kinds, which resolve like it here. */
export function createReferenceCheck(context: KeywordContext): Check | null {
  const { schema, pointer } = context;
  const nodes = ["$ref", "$dynamicRef", "$recursiveRef"].flatMap((keyword) => {
    const reference = schema[keyword];
    if (reference === undefined) return [];
    if (typeof reference !== "string") throw new SchemaFault(`${pointer}/${keyword}`, "expected a text");
    return [context.refer(reference)];
  });
  if (nodes.length === 0) return null;
  return (value, place, run, seen) => {
    let valid = true;
    for (const node of nodes) if (!run.holds(node, value, place, seen)) valid = false;
    return valid;
  };
}

/** `allOf`. */
export function createAllOfCheck(context: KeywordContext): Check | null {
  const nodes = listBranches(context, "allOf");
  if (nodes === null) return null;
  return (value, place, run, seen) => {
    let valid = true;
    for (const node of nodes) if (!run.holds(node, value, place, seen)) valid = false;
    return valid;
  };
}

/** `anyOf`. */
export function createAnyOfCheck(context: KeywordContext): Check | null {
  const nodes = listBranches(context, "anyOf");
  if (nodes === null) return null;
  return (value, place, run, seen) => {
    const reasons: SchemaProblem[] = [];
    let valid = false;
    for (const node of nodes) {
      const tried = run.tries(node, value, place, seen);
      valid ||= tried.valid;
      reasons.push(...tried.problems.slice(0, 1));
      // Only `unevaluated…` needs the other matches.
      if (valid && seen === null) return true;
    }
    return valid || run.report(place, formatNoMatch(reasons, place));
  };
}

/** `oneOf`. */
export function createOneOfCheck(context: KeywordContext): Check | null {
  const nodes = listBranches(context, "oneOf");
  if (nodes === null) return null;
  return (value, place, run, seen) => {
    const reasons: SchemaProblem[] = [];
    let fitting = 0;
    for (const node of nodes) {
      const tried = run.tries(node, value, place, seen);
      if (tried.valid) fitting += 1;
      reasons.push(...tried.problems.slice(0, 1));
    }
    if (fitting === 1) return true;
    return run.report(
      place,
      fitting === 0 ? formatNoMatch(reasons, place) : `Fits ${fitting} of the forms, of which it may fit one`,
    );
  };
}

function listBranches(context: KeywordContext, keyword: string) {
  const raw = readList(getOwn(context.schema, keyword), `${context.pointer}/${keyword}`);
  return raw?.map((inside, index) => context.inPlace(inside, `/${keyword}/${index}`)) ?? null;
}

function formatNoMatch(reasons: readonly SchemaProblem[], place: ValuePath | null): string {
  const here = toPointer(place);
  const words = reasons.map(({ pointer, message }) =>
    pointer === here ? message : `${message} at ${pointer.slice(here.length)}`,
  );
  const different = [...new Set(words)];
  const more = different.length > MAX_REASONS ? "; …" : "";
  const text = `Fits none of the allowed forms: ${different.slice(0, MAX_REASONS).join("; or ")}${more}`;
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}

/** `not`. */
export function createNotCheck(context: KeywordContext): Check | null {
  const raw = context.schema["not"];
  if (raw === undefined) return null;
  const node = context.inPlace(raw, "/not");
  return (value, place, run) =>
    !run.tries(node, value, place, null).valid || run.report(place, "Is of a form that is not allowed here");
}

/** `if`, `then` and `else`. */
export function createConditionCheck(context: KeywordContext): Check | null {
  const { schema } = context;
  const [condition, holds, fails] = ["if", "then", "else"].map((keyword) =>
    schema[keyword] === undefined ? null : context.inPlace(schema[keyword], `/${keyword}`),
  );
  if (condition == null) return null;
  return (value, place, run, seen) => {
    const next = run.tries(condition, value, place, seen).valid ? holds : fails;
    return next == null || run.holds(next, value, place, seen);
  };
}

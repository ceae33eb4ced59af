/** The keywords that hold the same value against other schemas. */
import { getOwn } from "../../base/own-field.ts";
import { type KeywordContext, readList, SchemaFault } from "./keyword.ts";
import { type Check, pointerOf, type Place, type SchemaProblem } from "./run.ts";

/** Reasons that the message of a failed choice holds, and characters of it. */
const MAX_REASONS = 4;
const MAX_MESSAGE = 500;

/** `$ref`, and the two kinds of it that look for their target in the schemas around: here there is one to find. */
export function referenceCheck(context: KeywordContext): Check | null {
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
export function allOfCheck(context: KeywordContext): Check | null {
  const nodes = branches(context, "allOf");
  if (nodes === null) return null;
  return (value, place, run, seen) => {
    let valid = true;
    for (const node of nodes) if (!run.holds(node, value, place, seen)) valid = false;
    return valid;
  };
}

/** `anyOf`. */
export function anyOfCheck(context: KeywordContext): Check | null {
  const nodes = branches(context, "anyOf");
  if (nodes === null) return null;
  return (value, place, run, seen) => {
    const reasons: SchemaProblem[] = [];
    let valid = false;
    for (const node of nodes) {
      const tried = run.tries(node, value, place, seen);
      valid ||= tried.valid;
      reasons.push(...tried.problems.slice(0, 1));
      // Which others fit is asked by nobody but `unevaluated…`.
      if (valid && seen === null) return true;
    }
    return valid || run.report(place, noneFits(reasons, place));
  };
}

/** `oneOf`. */
export function oneOfCheck(context: KeywordContext): Check | null {
  const nodes = branches(context, "oneOf");
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
      fitting === 0 ? noneFits(reasons, place) : `Fits ${fitting} of the forms, of which it may fit one`,
    );
  };
}

function branches(context: KeywordContext, keyword: string) {
  const raw = readList(getOwn(context.schema, keyword), `${context.pointer}/${keyword}`);
  return raw?.map((inside, index) => context.inPlace(inside, `/${keyword}/${index}`)) ?? null;
}

function noneFits(reasons: readonly SchemaProblem[], place: Place | null): string {
  const here = pointerOf(place);
  const words = reasons.map(({ pointer, message }) =>
    pointer === here ? message : `${message} at ${pointer.slice(here.length)}`,
  );
  const different = [...new Set(words)];
  const more = different.length > MAX_REASONS ? "; …" : "";
  const text = `Fits none of the allowed forms: ${different.slice(0, MAX_REASONS).join("; or ")}${more}`;
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}

/** `not`. */
export function notCheck(context: KeywordContext): Check | null {
  const raw = context.schema["not"];
  if (raw === undefined) return null;
  const node = context.inPlace(raw, "/not");
  return (value, place, run) =>
    !run.tries(node, value, place, null).valid || run.report(place, "Is of a form that is not allowed here");
}

/** `if`, `then` and `else`. */
export function conditionCheck(context: KeywordContext): Check | null {
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

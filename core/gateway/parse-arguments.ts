/** Parses the JSON text of arguments. */
import { failed, ok, type Result } from "../base/errors.ts";
import { findExceededBound, MAX_DEPTH } from "../base/json-size.ts";

/**
 * Parses argument text into a value of bounded depth, because recursive code walks through it. Empty text means no
 * arguments.
 */
export function parseArguments(text: string): Result<unknown> {
  if (text.trim() === "") return ok({});
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return failed("invalid_input", "The arguments are not valid JSON. Send one JSON object.", { field: "arguments" });
  }
  const tooLarge = findExceededBound(value, { depth: MAX_DEPTH, values: Infinity, characters: Infinity });
  return tooLarge === null
    ? ok(value)
    : failed("invalid_input", `The arguments cannot be taken: ${tooLarge}.`, { field: "arguments" });
}

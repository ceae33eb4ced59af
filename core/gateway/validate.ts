/**
 * Validates arguments and outputs by a tool's schema: resolves aliases, fits types that a model confused, refuses
 * unknown fields, and names each invalid field with what to give instead.
 */
import type { z } from "zod";
import { failed, ok, type Result } from "../base/errors.ts";
import { describeIssue, describeUnknownName } from "../base/describe-issue.ts";
import { parseJson } from "../base/parse-json.ts";
import { MAX_DEPTH, findExceededBound } from "../base/json-size.ts";
import { getArgumentSchemas, getInputSchema } from "../tool/input-schema.ts";
import type { Tool } from "../tool/tool.ts";
import { nameArguments, toCanonicalName } from "./argument-names.ts";
import { fitTypes } from "./fit-types.ts";

/** Parses the model's argument text into a value of bounded depth. Empty text means no arguments. */
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

/** The fields of a tool that its arguments are validated by. */
export type ValidatedTool = Pick<Tool, "name" | "aliases" | "input" | "toolbox" | "written">;

/** Validates arguments under their canonical names and in the schema's types, and names each invalid field. */
export function validateArguments(tool: ValidatedTool, given: unknown): Result<unknown> {
  const object = typeof given === "string" ? parseJson(given) : given;
  if (object === null || typeof object !== "object" || Array.isArray(object)) {
    const message = `The arguments of ${tool.name} have to be one JSON object, such as {"name": "value"}.`;
    return failed("invalid_input", message, { field: "arguments" });
  }
  const named = nameArguments(tool, object);
  if (!named.ok) return named;
  const parsed = tool.input.safeParse(fitTypes(named.value, getInputSchema(tool)), { error: describeIssue });
  if (parsed.success) return ok(parsed.data);
  const fields = parsed.error.issues.flatMap((issue) => describeField(tool, issue));
  const [first] = fields;
  const message = fields.map(({ field, message: text }) => `${field}: ${text}`).join("; ");
  return failed("invalid_input", message, { ...(first === undefined ? {} : { field: first.field }), fields });
}

/**
 * Returns stored arguments under their canonical names, which a release may change: a call that an earlier one recorded
 * has the names of then.
 */
export function toCanonicalArguments(tool: Pick<Tool, "aliases" | "input" | "written">, stored: unknown): unknown {
  if (stored === null || typeof stored !== "object" || Array.isArray(stored)) return stored;
  return Object.fromEntries(Object.entries(stored).map(([name, value]) => [toCanonicalName(tool, name), value]));
}

/**
 * Validates a result. One that does not match its schema is a defect of the tool rather than a failure of the call:
 * ours, or the outside service's.
 */
export function validateOutput(tool: Pick<Tool, "name" | "output" | "written">, result: unknown): Result<unknown> {
  const parsed = tool.output.safeParse(result);
  if (parsed.success) return ok(parsed.data);
  const where = parsed.error.issues.map((issue) => issue.path.join(".")).join(", ");
  const code = tool.written === undefined ? "internal" : "upstream_failed";
  return failed(code, `${tool.name} gave a result of the wrong form.`, { details: { fields: where } });
}

function describeField(tool: ValidatedTool, issue: z.core.$ZodIssue): { field: string; message: string }[] {
  const path = issue.path.map(String);
  if (issue.code !== "unrecognized_keys") return [{ field: path.join(".") || "arguments", message: issue.message }];
  const names = path.length === 0 ? Object.keys(getArgumentSchemas(tool)) : [];
  return issue.keys.map((key) => ({ field: [...path, key].join("."), message: describeUnknownName(key, names) }));
}

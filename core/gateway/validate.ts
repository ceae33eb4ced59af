/**
 * Validates arguments and outputs by a tool's schema: resolves aliases, refuses unknown fields, and names each invalid
 * field.
 */
import type { z } from "zod";
import { failed, ok, type Result } from "../base/errors.ts";
import { MAX_DEPTH, findExceededBound } from "../base/json-size.ts";
import type { Tool } from "../tool/tool.ts";

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

/** Validates arguments under their canonical names, and names each invalid field. */
export function validateArguments(tool: Pick<Tool, "name" | "aliases" | "input">, given: unknown): Result<unknown> {
  if (given === null || typeof given !== "object" || Array.isArray(given)) {
    return failed("invalid_input", `The arguments of ${tool.name} are one JSON object.`, { field: "arguments" });
  }
  const named = new Map<string, unknown>();
  for (const [name, value] of Object.entries(given)) {
    const canonical = toCanonicalName(tool, name);
    if (named.has(canonical))
      return failed("invalid_input", `${canonical} is given twice, also as ${name}.`, { field: name });
    named.set(canonical, value);
  }
  const parsed = tool.input.safeParse(Object.fromEntries(named));
  if (parsed.success) return ok(parsed.data);
  const fields = parsed.error.issues.map(describeIssue);
  const [first] = fields;
  const message = fields.map(({ field, message: text }) => `${field}: ${text}`).join("; ");
  return failed("invalid_input", message, { ...(first === undefined ? {} : { field: first.field }), fields });
}

/** Returns the tool's own name of an argument, which may be given as an alias. */
export function toCanonicalName({ aliases }: Pick<Tool, "aliases">, name: string): string {
  return (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? name;
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

function describeIssue(issue: z.core.$ZodIssue): { field: string; message: string } {
  const path = issue.path.join(".");
  if (issue.code === "unrecognized_keys") return { field: issue.keys[0] ?? path, message: "There is no such argument" };
  return { field: path === "" ? "arguments" : path, message: issue.message };
}

/**
 * Validates arguments and outputs by a tool's schema: resolves aliases, fits types that a model confused, refuses
 * unknown fields, and names each invalid field with what to give instead.
 */
import type { z } from "zod";
import { failed, ok, type Result } from "../base/errors.ts";
import { describeUnknownName } from "../base/describe-issue.ts";
import { invalidInput, MAX_INVALID_FIELDS } from "../base/invalid-input.ts";
import type { SandboxRules } from "../sandbox/rules.ts";
import { getArgumentSchemas, getInputSchema } from "../tool/input-schema.ts";
import type { Tool } from "../tool/tool.ts";
import { nameArguments, toCanonicalName } from "./argument-names.ts";
import { canonicalisePaths } from "./canonical-paths.ts";
import { fitTypes } from "./fit-types.ts";
import { parseArguments } from "./parse-arguments.ts";

/** The fields of a tool that its arguments are validated by. */
export type ValidatedTool = Pick<Tool, "name" | "aliases" | "input" | "toolbox" | "written" | "refersTo" | "mapFiles">;

/** What an agent adds to a call before it is validated. */
export interface AgentArguments {
  /** The agent's rules for paths. Absent: paths stay as written. */
  readonly rules?: SandboxRules;
  /** Values of arguments that the call omits, by canonical name. */
  readonly supplied?: Readonly<Record<string, unknown>>;
}

/**
 * Validates arguments under their canonical names and in the schema's types, and names each invalid field. With the
 * agent's rules, paths are judged and canonical, which is what policy, hash, approval and the tool see; the schema sees
 * them so too, because what it refuses has to be refused in every spelling: `./-x` is `-x`.
 */
export function validateArguments(
  tool: ValidatedTool,
  given: unknown,
  { rules, supplied = {} }: AgentArguments = {},
): Result<unknown> {
  const fitted = readArguments(tool, given, supplied);
  if (!fitted.ok) return fitted;
  const canonicalise = (values: unknown) => (rules === undefined ? ok(values) : canonicalisePaths(tool, values, rules));
  const written = canonicalise(fitted.value);
  if (!written.ok) return written;
  const parsed = tool.input.safeParse(written.value);
  // Again: a default of the schema is a path as well.
  if (parsed.success) return canonicalise(parsed.data);
  const fields = parsed.error.issues.slice(0, MAX_INVALID_FIELDS).flatMap((issue) => describeField(tool, issue));
  return { ok: false, error: invalidInput(fields) };
}

/** Returns the arguments under their canonical names, in the types that the schema wants. */
function readArguments(
  tool: ValidatedTool,
  given: unknown,
  supplied: Readonly<Record<string, unknown>>,
): Result<unknown> {
  const read = typeof given === "string" ? parseArguments(given) : ok(given);
  if (!read.ok) return read;
  const { value } = read;
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    const message = `The arguments of ${tool.name} have to be one JSON object, such as {"name": "value"}.`;
    return failed("invalid_input", message, { field: "arguments" });
  }
  const named = nameArguments(tool, value);
  return named.ok ? ok(fitTypes({ ...supplied, ...named.value }, getInputSchema(tool))) : named;
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
  return issue.keys
    .slice(0, MAX_INVALID_FIELDS)
    .map((key) => ({ field: [...path, key].join("."), message: describeUnknownName(key, names) }));
}

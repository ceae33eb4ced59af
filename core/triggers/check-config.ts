/** Checks the settings of a trigger by the schema of its event. */
import { describeUnknownName } from "../base/describe-issue.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { ok, type Result } from "../base/errors.ts";
import { getField } from "../base/json-fields.ts";
import { compileSchema } from "../lib/json-schema/compile.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import type { PatternsPort } from "../lib/patterns.ts";

/**
 * `invalid_input` names each invalid field, such as `config.interval`. A field that the schema does not have is a mistake,
 * unless the schema allows others. A schema that cannot be used refuses nothing: the provider then decides.
 */
export function checkTriggerConfig(
  config: Readonly<Record<string, unknown>>,
  schema: JsonSchema,
  patterns: PatternsPort,
): Result<void> {
  const names = listNames(schema);
  const unknown = names === null ? [] : Object.keys(config).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    const fields = unknown.map((name) => ({
      field: `config.${name}`,
      message: describeUnknownName(name, names ?? []),
    }));
    return { ok: false, error: invalidInput(fields) };
  }
  const compiled = compileSchema(schema, patterns);
  const problems = compiled.ok ? compiled.value(config) : [];
  if (problems.length === 0) return ok(undefined);
  const fields = problems.map(({ pointer, message }) => ({ field: `config${pointer.replaceAll("/", ".")}`, message }));
  return { ok: false, error: invalidInput(fields) };
}

/** The fields that the schema has; null if it allows others. */
function listNames(schema: JsonSchema): readonly string[] | null {
  const properties = getField(schema, "properties");
  const more = getField(schema, "additionalProperties");
  if (typeof properties !== "object" || properties === null) return null;
  return more === true || (typeof more === "object" && more !== null) ? null : Object.keys(properties);
}

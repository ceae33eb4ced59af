/** Validates a value by a schema from the same caller. */
import type { YieldTurn } from "../../base/turns.ts";
import { type Failure, failed, ok, type Result } from "../../base/errors.ts";
import type { PatternsPort } from "../patterns.ts";
import { compileSchema } from "./compile.ts";
import type { SchemaProblem } from "./run.ts";

/**
 * Returns the value if it is valid. The schema is compiled in one turn and the value validated in the next; each is
 * bounded below a tenth of a second. `invalid_input` names the argument `schema` for an invalid schema, and otherwise
 * the value's argument, with every problem in the message.
 */
export async function judgeBySchema<T>(
  value: T,
  schema: unknown,
  {
    patterns,
    giveWay,
    field,
  }: { readonly patterns: PatternsPort; readonly giveWay: YieldTurn; readonly field: string },
): Promise<Result<T>> {
  await giveWay();
  const compiled = compileSchema(schema, patterns);
  if (!compiled.ok) return { ok: false, error: { ...compiled.error, field: "schema" } };
  await giveWay();
  const problems = compiled.value(value);
  if (problems.length === 0) return ok(value);
  return { ok: false, error: toMismatchFailure(problems, field) };
}

function toMismatchFailure(problems: readonly SchemaProblem[], field: string): Failure {
  const places = problems.map(({ pointer, message }) => `${pointer === "" ? "the whole value" : pointer}: ${message}`);
  return failed("invalid_input", `It does not fit the schema. ${places.join("; ")}.`, { field }).error;
}

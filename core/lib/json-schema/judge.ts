/** A value held against a schema that came with it: what is said to the one who sent both. */
import type { GiveWay } from "../../base/turns.ts";
import { type Failure, failed, ok, type Result } from "../../base/errors.ts";
import type { PatternsPort } from "../patterns.ts";
import { compileSchema } from "./compile.ts";
import type { SchemaProblem } from "./run.ts";

/**
 * The value when it fits. The schema is compiled in one turn and the value judged in the next; each is bounded below a tenth of
 * a second. `invalid_input` names the argument `schema` when that is no schema, and else the argument that
 * the value came from, with every place that does not fit in the message.
 */
export async function judgeBySchema<T>(
  value: T,
  schema: unknown,
  { patterns, giveWay, field }: { readonly patterns: PatternsPort; readonly giveWay: GiveWay; readonly field: string },
): Promise<Result<T>> {
  await giveWay();
  const compiled = compileSchema(schema, patterns);
  if (!compiled.ok) return { ok: false, error: { ...compiled.error, field: "schema" } };
  await giveWay();
  const problems = compiled.value(value);
  if (problems.length === 0) return ok(value);
  return { ok: false, error: misfit(problems, field) };
}

function misfit(problems: readonly SchemaProblem[], field: string): Failure {
  const places = problems.map(({ pointer, message }) => `${pointer === "" ? "the whole value" : pointer}: ${message}`);
  return failed("invalid_input", `It does not fit the schema. ${places.join("; ")}.`, { field }).error;
}

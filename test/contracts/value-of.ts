import type { Result } from "../../core/base/errors.ts";

/** The value of a result that must be one; throws with its error. */
export function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${JSON.stringify(result.error)}`);
  return result.value;
}

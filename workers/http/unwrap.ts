/** Converts a result to its value. */
import { OttoError, type Result } from "../../core/base/errors.ts";

/** Returns the value of a result, or throws its failure. */
export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new OttoError(result.error);
  return result.value;
}

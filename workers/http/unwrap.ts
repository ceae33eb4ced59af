/** From a result to its value. */
import { OttoError, type Result } from "../../core/base/errors.ts";

/** The value of a result; its failure is thrown. */
export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new OttoError(result.error);
  return result.value;
}

/** Wraps calls to the bucket and to objects: an exception becomes a failure whose text is for operators. */
import { failed, type Result } from "../../core/base/errors.ts";

/** Runs `attempt`; an exception becomes `upstream_failed`. */
export async function catchFailure<T>(attempt: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await attempt();
  } catch (thrown) {
    const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
    return failed("upstream_failed", "The file store did not reply. Try again later.", { details: { thrown: text } });
  }
}

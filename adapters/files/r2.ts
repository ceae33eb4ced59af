/** Calls to the bucket and the objects that can fail for reasons of theirs: the failure is a value, and its text is for operators. */
import { failed, type Result } from "../../core/base/errors.ts";

/** Runs `attempt`; what it throws becomes `upstream_failed`. */
export async function guarded<T>(attempt: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await attempt();
  } catch (thrown) {
    const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
    return failed("upstream_failed", "The file store did not answer. Try again later.", { details: { thrown: text } });
  }
}

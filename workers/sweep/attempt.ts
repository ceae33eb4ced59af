/** One piece of the sweep's work. */
import { OttoError } from "../../core/base/errors.ts";
import { redact } from "../http/log.ts";

/** Never rejects. False: it failed, and the log says how. */
export async function attempt(what: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (thrown) {
    const error =
      thrown instanceof OttoError ? `${thrown.failure.code} ${JSON.stringify(thrown.failure.details)}` : String(thrown);
    console.error(JSON.stringify({ level: "error", sweep: what, error: redact(error) }));
    return false;
  }
}

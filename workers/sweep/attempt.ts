/** Runs one part of the sweep. */
import { OttoError } from "../../core/base/errors.ts";
import { redact } from "../http/log.ts";

/** Never rejects. Returns false if the work failed, and logs the error. */
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

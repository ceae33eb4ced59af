/** Why a cage cannot be had: for lack of something that the machine has again in a moment, or for a reason for its operator. */
import { failed, ok, type Result } from "../../core/base/errors.ts";

/** What a machine lacks for a moment: processes, descriptors, memory, space (errno(3)). */
const PASSING: ReadonlySet<string> = new Set(["EAGAIN", "ENOMEM", "EMFILE", "ENFILE", "ENOSPC", "EDQUOT"]);
/** A refusal that passes is tried again after this at the earliest. */
export const AGAIN = { retryAfterMs: 1_000 };

/** The system's word for what went wrong, without the paths of a message. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "no reason";
}

/** Nothing was started. `rate_limited` for what passes, a helper that was killed too; `not_available` for all else. */
export function refuseCage(error: unknown, message: string): Result<never> {
  const code = codeOf(error);
  const isPassing = PASSING.has(code) || code.startsWith("SIG");
  return isPassing ? failed("rate_limited", message, AGAIN) : failed("not_available", message);
}

/** What `open` gives, or why not: `what` and the system's word. */
export async function orRefuse<T>(open: () => Promise<T>, what: string): Promise<Result<T>> {
  try {
    return ok(await open());
  } catch (error) {
    return refuseCage(error, `${what} (${codeOf(error)}).`);
  }
}

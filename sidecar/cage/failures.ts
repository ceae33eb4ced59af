/** Classifies why a cage is unavailable: a transient shortage, or a problem for the operator. */
import { failed, ok, type Result } from "../../core/base/errors.ts";

/** Transient shortages of processes, descriptors, memory or disk space (errno(3)). */
const TRANSIENT_CODES: ReadonlySet<string> = new Set(["EAGAIN", "ENOMEM", "EMFILE", "ENFILE", "ENOSPC", "EDQUOT"]);
/** The earliest retry after a transient failure. */
export const RETRY_SOON = { retryAfterMs: 1_000 };

/** Returns the system's error code, which, unlike the message, names no path. */
export function getErrorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "no reason";
}

/** Builds the failure when nothing was started: `rate_limited` if it is transient or a helper was killed, otherwise `not_available`. */
export function refuseCage(error: unknown, message: string): Result<never> {
  const code = getErrorCode(error);
  const isTransient = TRANSIENT_CODES.has(code) || code.startsWith("SIG");
  return isTransient ? failed("rate_limited", message, RETRY_SOON) : failed("not_available", message);
}

/** Returns what `open` opens, or a failure whose message is `what` and the system's error code. */
export async function openOrRefuse<T>(open: () => Promise<T>, what: string): Promise<Result<T>> {
  try {
    return ok(await open());
  } catch (error) {
    return refuseCage(error, `${what} (${getErrorCode(error)}).`);
  }
}

/** Requests whose answer can be lost, so that their effect may have happened. */
import { asMaybeSent, type Failure, type Result, toFailure } from "./errors.ts";
import { readResult } from "./read-failure.ts";

/** Converts a thrown error to a failure with an unknown effect. Reads the result of any release. */
export async function attempt<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return readResult(await work());
  } catch (thrown) {
    const { code, message, cause, details } = toFailure(thrown);
    const marked = { ...details, unanswered: true };
    return asMaybeSent({ code, message, ...(cause === undefined ? {} : { cause }), details: marked });
  }
}

/** Whether the request may have taken effect although it failed. */
export function isUnanswered({ happened }: Pick<Failure, "happened">): boolean {
  return happened === "unknown";
}

/** Requests whose answer can be lost: then what was asked for may have happened, and nobody here knows. */
import { asMaybeSent, type Failure, type Result, toFailure } from "./errors.ts";
import { readResult } from "./read-failure.ts";

/** What is thrown on the way is a failure that leaves open what happened. What comes back is read as of any release. */
export async function attempt<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return readResult(await work());
  } catch (thrown) {
    const { code, message, cause, details } = toFailure(thrown);
    const told = { ...details, unanswered: true };
    return asMaybeSent({ code, message, ...(cause === undefined ? {} : { cause }), details: told });
  }
}

/** Whether what was asked for may have happened, although a failure came back. */
export function isUnanswered({ happened }: Pick<Failure, "happened">): boolean {
  return happened === "unknown";
}

/** Requests whose answer can be lost: then what was asked for may have happened, and nobody here knows. */
import { type Failure, type Result, toFailure } from "./errors.ts";

/** What is thrown on the way is a failure that may pass, marked as no answer. */
export async function attempt<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work();
  } catch (thrown) {
    const { code, message, details } = toFailure(thrown);
    return { ok: false, error: { code, message, details: { ...details, unanswered: true } } };
  }
}

/** Whether what was asked for may have happened, although a failure came back. */
export function isUnanswered({ details }: Pick<Failure, "details">): boolean {
  return details?.["unanswered"] === true;
}

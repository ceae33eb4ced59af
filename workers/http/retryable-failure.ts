/**
 * Reads from an error of an object's stub whether a retry can help
 * (https://developers.cloudflare.com/durable-objects/best-practices/error-handling/).
 */

/** `reset`: retry with a new stub at once; `overloaded`: retry later; null: no retry helps. */
export function findRetry(thrown: unknown): "reset" | "overloaded" | null {
  if (!(thrown instanceof Error)) return null;
  const marked = (mark: string) => Reflect.get(thrown, mark) === true;
  if (marked("overloaded")) return "overloaded";
  return marked("retryable") || marked("durableObjectReset") ? "reset" : null;
}

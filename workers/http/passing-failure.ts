/**
 * What an object's stub throws says by its own marks whether another try can help
 * (https://developers.cloudflare.com/durable-objects/best-practices/error-handling/).
 */

/** `reset`: ask a fresh stub at once; `overloaded`: the object has too much to do, ask later; null: no try will help. */
export function passingFailure(thrown: unknown): "reset" | "overloaded" | null {
  if (!(thrown instanceof Error)) return null;
  const marked = (mark: string) => Reflect.get(thrown, mark) === true;
  if (marked("overloaded")) return "overloaded";
  return marked("retryable") || marked("durableObjectReset") ? "reset" : null;
}

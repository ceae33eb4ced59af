/** The refusals that the API does not keep under a request's key: the same request is tried again. */
const NOT_KEPT = [401, 403, 429];

/**
 * Whether the API answers every further request under the same key with this refusal, for a day. A conflict with
 * `Retry-After` is not one: the first request under the key is still running, and another key would create the thing twice.
 */
export function isKeptRefusal({ status, headers }: Pick<Response, "status" | "headers">): boolean {
  if (status < 400 || status >= 500 || NOT_KEPT.includes(status)) return false;
  return !(status === 409 && headers.has("retry-after"));
}

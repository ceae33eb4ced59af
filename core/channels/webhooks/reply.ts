/** Reads the reply of a webhook's receiver. */

/** The longest wait that a receiver may ask for. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;

/** The wait in `Retry-After` (RFC 9110, section 10.2.3), at most a day; null when it is missing or invalid. */
export function parseRetryAfter(headers: readonly (readonly [string, string])[], now: number): number | null {
  const value = headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1].trim() ?? "";
  const date = value.endsWith(" GMT") ? Date.parse(value) : Number.NaN;
  const waitMs = /^\d{1,12}$/.test(value) ? Number(value) * 1000 : date - now;
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS);
}

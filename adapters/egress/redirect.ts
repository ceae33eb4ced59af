/**
 * Where a redirect leads and what goes along: the Fetch standard's rules (https://fetch.spec.whatwg.org/#http-redirect-fetch),
 * and stricter at the border of an origin, where no header that could hold a secret goes along, and no body.
 */
import { isSafeMethod } from "../../core/web/http-method.ts";

/** One request, before it is judged. */
export interface Hop {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | null;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that another origin may see. */
const KEPT_ACROSS_ORIGINS: ReadonlySet<string> = new Set(["accept", "accept-language", "range", "user-agent"]);

/** Headers about a body, and the key of an effect; a redirect that turns into GET has neither. */
const OF_THE_BODY = /^(?:content-.*|idempotency-key)$/;

/**
 * The next request; null when the reply is the last one: no redirect, a place that is no URL, or a request with an
 * effect that would be repeated at another origin.
 */
export function nextHop(hop: Hop, status: number, location: string | undefined): Hop | null {
  if (!REDIRECTS.has(status) || location === undefined) return null;
  const url = URL.parse(location, hop.url.href);
  if (url === null) return null;
  const method = methodAfter(hop.method, status);
  const sameOrigin = url.origin === hop.url.origin;
  if (!isSafeMethod(method) && !sameOrigin) return null;
  const methodKept = method === hop.method;
  const headers = hop.headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return (methodKept || !OF_THE_BODY.test(lower)) && (sameOrigin || KEPT_ACROSS_ORIGINS.has(lower));
  });
  return { method, url, headers, body: methodKept ? hop.body : null };
}

function methodAfter(method: string, status: number): string {
  if (status === 303) return isSafeMethod(method) ? method : "GET";
  return (status === 301 || status === 302) && method === "POST" ? "GET" : method;
}

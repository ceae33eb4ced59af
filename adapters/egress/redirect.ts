/**
 * The destination and content of a redirected request, by the Fetch standard
 * (https://fetch.spec.whatwg.org/#http-redirect-fetch). Stricter across origins: no header that could contain a secret
 * is sent, and no body.
 */
import { isSafeMethod } from "../../core/web/http-method.ts";

/** One request before its check. */
export interface WebHop {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | null;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that another origin may see. */
const SAFE_HEADERS: ReadonlySet<string> = new Set(["accept", "accept-language", "range", "user-agent"]);

/** Headers of a body, and the key of an effect. A redirect that becomes a GET drops both. */
const BODY_HEADERS = /^(?:content-.*|idempotency-key)$/;

/**
 * Returns the next request; null when the reply is final: no redirect, an invalid URL, or an effect that would be
 * repeated at another origin.
 */
export function createRedirect(hop: WebHop, status: number, location: string | undefined): WebHop | null {
  if (!REDIRECTS.has(status) || location === undefined) return null;
  const url = URL.parse(location, hop.url.href);
  if (url === null) return null;
  const method = getRedirectMethod(hop.method, status);
  const sameOrigin = url.origin === hop.url.origin;
  if (!isSafeMethod(method) && !sameOrigin) return null;
  const methodKept = method === hop.method;
  const headers = hop.headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return (methodKept || !BODY_HEADERS.test(lower)) && (sameOrigin || SAFE_HEADERS.has(lower));
  });
  return { method, url, headers, body: methodKept ? hop.body : null };
}

function getRedirectMethod(method: string, status: number): string {
  if (status === 303) return isSafeMethod(method) ? method : "GET";
  return (status === 301 || status === 302) && method === "POST" ? "GET" : method;
}

/**
 * The cookie with a session's token. Scripts cannot read it, and no other site's page can make a browser send it.
 * Over https, the prefix of its name (`__Host-`, RFC 6265bis section 4.1.3) proves that this host set it. Over http
 * the name contains the port, because browsers share cookies between the ports of a host.
 */
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { AppContext } from "./context.ts";

const NAME = "otto_session";

/** Returns the request's token; null if it has none. */
export function readSessionToken(c: AppContext): string | null {
  return getCookie(c, getSessionCookieName(c)) ?? null;
}

/** Stores the token in the browser until the session ends. */
export function setSessionToken(c: AppContext, token: string, lifeMs: number): void {
  setCookie(c, getSessionCookieName(c), token, { ...getAttributes(c), maxAge: Math.floor(lifeMs / 1000) });
}

/** Removes the token from the browser. */
export function deleteSessionToken(c: AppContext): void {
  deleteCookie(c, getSessionCookieName(c), getAttributes(c));
}

function getSessionCookieName(c: AppContext): string {
  return getCookieName(c, NAME);
}

/** Returns the name of a cookie of this Worker, by the rule above. */
export function getCookieName(c: AppContext, name: string): string {
  const { port } = new URL(c.req.url);
  if (isHttps(c)) return `__Host-${name}`;
  return port === "" ? name : `${name}_${port}`;
}

function getAttributes(c: AppContext) {
  return { path: "/", httpOnly: true, sameSite: "Strict", secure: isHttps(c) } as const;
}

export function isHttps(c: AppContext): boolean {
  return new URL(c.req.url).protocol === "https:";
}

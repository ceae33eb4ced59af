/**
 * The cookie that holds a session's token. Scripts cannot read it, and no other site's page makes a browser send it. Over
 * https its name says that nobody but this very host has set it (`__Host-`, RFC 6265bis section 4.1.3). Over http the name
 * holds the port, because browsers keep the cookies of all ports of a host together.
 */
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { AppContext } from "./context.ts";

const NAME = "otto_session";

/** The token that the request carries; null: none. */
export function sessionToken(c: AppContext): string | null {
  return getCookie(c, cookieName(c)) ?? null;
}

/** Has the browser keep the token until the session ends. */
export function keepSessionToken(c: AppContext, token: string, lifeMs: number): void {
  setCookie(c, cookieName(c), token, { ...attributes(c), maxAge: Math.floor(lifeMs / 1000) });
}

/** Has the browser forget it. */
export function dropSessionToken(c: AppContext): void {
  deleteCookie(c, cookieName(c), attributes(c));
}

function cookieName(c: AppContext): string {
  return cookieNameOf(c, NAME);
}

/** The name as it stands in a cookie of this Worker, by the rule above. */
export function cookieNameOf(c: AppContext, name: string): string {
  const { port } = new URL(c.req.url);
  if (isHttps(c)) return `__Host-${name}`;
  return port === "" ? name : `${name}_${port}`;
}

function attributes(c: AppContext) {
  return { path: "/", httpOnly: true, sameSite: "Strict", secure: isHttps(c) } as const;
}

export function isHttps(c: AppContext): boolean {
  return new URL(c.req.url).protocol === "https:";
}

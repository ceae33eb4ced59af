/**
 * Checks that a request comes from our own page. A browser sends a session's cookie with every request, so the cookie
 * alone does not prove that. `Sec-Fetch-Site` (https://w3c.github.io/webappsec-fetch-metadata/) does. Browsers send it
 * only to https and to this machine; elsewhere `Origin` proves it, and reads need no proof.
 */
import type { Env } from "../../adapters/env/bindings.ts";
import { publicUrlFromEnv } from "../../adapters/env/deployment.ts";
import { raise } from "../../core/base/errors.ts";
import { REPLY_LIFETIME_MS } from "../../core/tenant/idempotency.ts";
import type { OwnApi } from "../../core/web/idempotent-hosts.ts";
import type { AppContext } from "./context.ts";

/** Returns the host of Otto's own API, and how long it stores a key; null without OTTO_PUBLIC_URL. */
export function findOwnApi(env: Env): OwnApi | null {
  const url = URL.parse(publicUrlFromEnv(env) ?? "");
  return url === null ? null : { host: url.host, keyedForMs: REPLY_LIFETIME_MS };
}

/** Rejects a request with a session cookie that another site's page may have sent. */
export function refuseForeign(c: AppContext): void {
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  const site = c.req.header("sec-fetch-site");
  // `none`: the person typed the address or opened a bookmark.
  const isOurs = site === undefined ? isRead || isOwnOrigin(c) : site === "same-origin" || (isRead && site === "none");
  if (!isOurs) refuse();
}

/** Rejects a sign-in from another site's page. Programs send neither header and are allowed. */
export function refuseForeignSignIn(c: AppContext): void {
  const site = c.req.header("sec-fetch-site");
  const isOurs = site === undefined ? c.req.header("origin") === undefined || isOwnOrigin(c) : site === "same-origin";
  if (!isOurs) refuse();
}

/** True if a form was sent by our own page: the browser says so. */
export function isFromOwnPage(c: AppContext): boolean {
  const site = c.req.header("sec-fetch-site");
  return site === undefined ? isOwnOrigin(c) : site === "same-origin";
}

function isOwnOrigin(c: AppContext): boolean {
  const origin = c.req.header("origin");
  const known = publicUrlFromEnv(c.env);
  return origin === new URL(c.req.url).origin || (known !== null && origin === new URL(known).origin);
}

function refuse(): never {
  raise(
    "forbidden",
    "This request came from a page outside Otto's console. Use the console, or an API key: `Authorization: Bearer otto_…`.",
  );
}

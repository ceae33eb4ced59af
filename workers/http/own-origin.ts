/**
 * Whether a request comes from a page of ours. A browser sends a session's cookie by itself, so the cookie alone does not
 * say that our page asked. `Sec-Fetch-Site` (https://w3c.github.io/webappsec-fetch-metadata/) says who did; browsers leave it
 * out where the address is neither https nor this machine's, and then `Origin` says it, for all but reads.
 */
import type { Env } from "../../adapters/env/bindings.ts";
import { publicUrlFromEnv } from "../../adapters/env/deployment.ts";
import { raise } from "../../core/base/errors.ts";
import { REPLY_LIFETIME_MS } from "../../core/tenant/idempotency.ts";
import type { OwnApi } from "../../core/web/idempotent-hosts.ts";
import type { AppContext } from "./context.ts";

/** Otto's own API as an agent's calls reach it; null: OTTO_PUBLIC_URL is not set. */
export function findOwnApi(env: Env): OwnApi | null {
  const url = URL.parse(publicUrlFromEnv(env) ?? "");
  return url === null ? null : { host: url.host, keyedForMs: REPLY_LIFETIME_MS };
}

/** Refuses a request by a cookie that another site's page may have caused. */
export function refuseForeign(c: AppContext): void {
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  const site = c.req.header("sec-fetch-site");
  // `none`: the person typed the address, or opened a bookmark.
  const isOurs = site === undefined ? isRead || isOwnOrigin(c) : site === "same-origin" || (isRead && site === "none");
  if (!isOurs) refuse();
}

/** Refuses to sign a browser in for another site's page. What is no browser sends neither header. */
export function refuseForeignSignIn(c: AppContext): void {
  const site = c.req.header("sec-fetch-site");
  const isOurs = site === undefined ? c.req.header("origin") === undefined || isOwnOrigin(c) : site === "same-origin";
  if (!isOurs) refuse();
}

function isOwnOrigin(c: AppContext): boolean {
  const origin = c.req.header("origin");
  const known = publicUrlFromEnv(c.env);
  return origin === new URL(c.req.url).origin || (known !== null && origin === new URL(known).origin);
}

function refuse(): never {
  raise(
    "forbidden",
    "This came from a page that is not Otto's console. A program uses an API key: `Authorization: Bearer otto_…`.",
  );
}

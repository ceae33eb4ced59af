/** Reads what a token endpoint granted. */
import type { FetchLike, OAuthTokens } from "@modelcontextprotocol/client";
import { ok, type Result } from "../../core/base/errors.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import { refuseProvider } from "../../core/connections/provider-faults.ts";
import type { TokenSet } from "../../core/connections/tokens.ts";

const MAX_CHARACTERS = 32_768;
const MAX_SCOPES = 100;
/** Longer lifetimes count as this one. */
const MAX_LIFETIME_S = 10 * 365 * 86_400;
/** RFC 6750, section 2.1, and what other providers write: visible characters. */
const TOKEN = /^[\x21-\x7e]+$/;

/** Who issued tokens. They are sent to nobody else, to be renewed or revoked. */
export type TokenSource = Pick<Extract<TokenSet, { kind: "oauth" }>, "issuer" | "endpoints">;

/** Refuses tokens that Otto cannot send as a bearer, or store. */
export function readTokens(
  { title }: AppClient,
  granted: OAuthTokens,
  { source, now }: { readonly source: TokenSource; readonly now: number },
): Result<TokenSet> {
  if (granted.token_type.toLowerCase() !== "bearer")
    return refuseProvider(`${title} gives tokens that Otto cannot use: only bearer tokens are supported.`);
  const { access_token: access, refresh_token: refresh = null, expires_in: lifetime } = granted;
  const isReadable = TOKEN.test(access) && (refresh === null || TOKEN.test(refresh));
  if (!isReadable || access.length + (refresh?.length ?? 0) > MAX_CHARACTERS)
    return refuseProvider(`${title} gives tokens that Otto cannot store.`);
  const seconds = lifetime === undefined ? null : Math.min(Math.max(0, lifetime), MAX_LIFETIME_S);
  const expiresAt = seconds === null ? null : now + Math.floor(seconds * 1_000);
  return ok({ kind: "oauth", access, refresh, expiresAt, ...source });
}

/**
 * The granted scopes. RFC 6749, section 5.1: omitted if they are those that were requested. GitHub and Slack separate
 * them with commas.
 */
export function readScopes(granted: string | undefined, requested: readonly string[]): readonly string[] | null {
  if (granted === undefined) return requested.length === 0 ? null : [...requested];
  const scopes = granted.slice(0, MAX_CHARACTERS).split(/[\s,]+/);
  return [...new Set(scopes.filter((scope) => scope !== ""))].slice(0, MAX_SCOPES);
}

/** Some servers write `null` for what they do not grant; the package rejects it, or reads a lifetime of 0. */
export function omitNullFields(send: FetchLike): FetchLike {
  return async (url, init) => {
    const reply = await send(url, init);
    const read = parseJson(await reply.clone().text());
    if (!reply.ok || typeof read !== "object" || read === null || Array.isArray(read)) return reply;
    const granted = Object.entries(read).filter(([, value]) => value !== null);
    return new Response(JSON.stringify(Object.fromEntries(granted)), { status: reply.status, headers: reply.headers });
  };
}

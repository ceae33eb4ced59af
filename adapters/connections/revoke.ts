/** Revocation of tokens at their provider (RFC 7009). */
import { type AddClientAuthentication, type FetchLike, parseErrorResponse } from "@modelcontextprotocol/client";
import { EndpointFault } from "./call-endpoint.ts";
import type { TokenSet } from "../../core/connections/tokens.ts";

/** Errors after which the token is worth nothing, or cannot be revoked: repeating changes nothing. */
const SETTLED: ReadonlySet<string> = new Set(["unsupported_token_type", "invalid_token", "invalid_grant"]);

/** The refresh token first: with it, most servers end its access tokens too. Throws a fault or the server's refusal. */
export async function revokeTokens(
  endpoint: string,
  tokens: Extract<TokenSet, { kind: "oauth" }>,
  { send, authenticate }: { readonly send: FetchLike; readonly authenticate: AddClientAuthentication },
): Promise<void> {
  const hints = [
    ["refresh_token", tokens.refresh],
    ["access_token", tokens.access],
  ] as const;
  for (const [hint, token] of hints) {
    if (token === null) continue;
    const headers = new Headers({ "content-type": "application/x-www-form-urlencoded", accept: "application/json" });
    const params = new URLSearchParams({ token, token_type_hint: hint });
    await authenticate(headers, params, endpoint);
    const reply = await send(endpoint, { method: "POST", headers, body: params });
    if (reply.ok) continue;
    const { code } = await parseErrorResponse(reply);
    if (!SETTLED.has(code)) throw new EndpointFault("unanswered");
  }
}

/** Who authorizes people for an MCP server, as the server says it (RFC 9728). */
import {
  checkResourceAllowed,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type FetchLike,
} from "@modelcontextprotocol/client";

export interface McpAuthority {
  readonly issuer: string;
  /** What the tokens are for (RFC 8707). */
  readonly resource: string;
}

/** Throws what the package throws. A server that names no authorization server is its own. */
export async function readAuthority(url: string, send: FetchLike, signal: AbortSignal): Promise<McpAuthority> {
  const challenge = await send(url, {
    method: "POST",
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    signal,
  });
  await challenge.body?.cancel();
  const { resourceMetadataUrl } = extractWWWAuthenticateParams(challenge);
  const at = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
  const metadata = await discoverOAuthProtectedResourceMetadata(url, at, send);
  const { resource, authorization_servers: servers = [] } = metadata;
  if (!checkResourceAllowed({ requestedResource: url, configuredResource: resource }))
    throw new Error("it describes another resource than itself");
  return { issuer: servers[0] ?? new URL(url).origin, resource };
}

/** Otto's description as an OAuth client of MCP servers, for registration and for servers that read it. */

export const CLIENT_NAME = "Otto";

/** The metadata of RFC 7591. Otto cannot share a secret with servers that it has never seen. */
export function getClientMetadata(redirectUrl: string) {
  return {
    client_name: CLIENT_NAME,
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
}

/** Otto as an OAuth client of MCP servers: the same to a server that registers it and to one that reads about it. */

export const CLIENT_NAME = "Otto";

/** The metadata of RFC 7591. Otto can keep no secret of its own towards servers that it has never seen. */
export function clientDescription(redirectUrl: string) {
  return {
    client_name: CLIENT_NAME,
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
}

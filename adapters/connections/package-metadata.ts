/** A server in the form that the package's functions take. */
import type { OAuthMetadata } from "@modelcontextprotocol/client";
import type { AuthorizationServer } from "./discover.ts";

export function toPackageMetadata(server: AuthorizationServer): OAuthMetadata {
  return {
    // Without an issuer no `iss` is given to the package, so that it compares none.
    issuer: server.issuer ?? new URL(server.authorization).origin,
    authorization_endpoint: server.authorization,
    token_endpoint: server.token,
    ...(server.registration === null ? {} : { registration_endpoint: server.registration }),
    response_types_supported: [...server.responseTypes],
    ...(server.challengeMethods === null ? {} : { code_challenge_methods_supported: [...server.challengeMethods] }),
    token_endpoint_auth_methods_supported: [...server.authMethods],
    authorization_response_iss_parameter_supported: server.announcesIss,
  };
}

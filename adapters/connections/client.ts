/** Otto as a client of a provider: the tenant's own registration, or one that Otto makes (RFC 7591). */
import {
  type AddClientAuthentication,
  type FetchLike,
  registerClient,
  selectClientAuthMethod,
} from "@modelcontextprotocol/client";
import { ok, type Result } from "../../core/base/errors.ts";
import type { AppClient, OAuthClient, ProviderSettings, RegisteredClient } from "../../core/connections/app-client.ts";
import { refuseProvider } from "../../core/connections/provider-faults.ts";
import { getClientMetadata } from "../../core/mcp/oauth-client.ts";
import type { ProviderBook } from "../../core/ports/authorizations.ts";
import type { AuthorizationServer } from "./discover.ts";
import { toPackageMetadata } from "./package-metadata.ts";

/** A client with its method of authentication, if its registration named one. */
export interface KnownClient extends OAuthClient {
  readonly method: string | null;
}

/** The client for a request to the server; null if Otto has none there. A client of another issuer is not used. */
export function findClient(settings: ProviderSettings, { issuer }: AuthorizationServer): KnownClient | null {
  if (settings.client !== null) return { ...settings.client, method: null };
  const { registered } = settings;
  return registered !== null && registered.issuer === issuer ? registered : null;
}

interface Registration {
  readonly server: AuthorizationServer;
  readonly settings: ProviderSettings;
  readonly redirectUrl: string;
  readonly book: ProviderBook;
  readonly send: FetchLike;
  readonly now: number;
}

/** The client for a new consent, registered if necessary. Throws what the package throws. */
export async function getOrRegisterClient(app: AppClient, to: Registration): Promise<Result<KnownClient>> {
  const { server, settings, redirectUrl, book, send, now } = to;
  const known = findClient(settings, server);
  if (known !== null && (settings.client !== null || isValid(settings.registered, redirectUrl, now))) return ok(known);
  if (server.issuer === null || server.registration === null)
    return refuseProvider(`${app.title} registers no clients. An administrator has to give the app a client_id.`);
  const metadata = { ...getClientMetadata(redirectUrl), application_type: "web" };
  const scope = app.scopes.length === 0 ? {} : { scope: app.scopes.join(" ") };
  const made = await registerClient(server.issuer, {
    metadata: toPackageMetadata(server),
    clientMetadata: { ...metadata, ...scope },
    fetchFn: send,
  });
  const expiresAt = made.client_secret_expires_at ?? 0;
  const client: RegisteredClient = {
    id: made.client_id,
    secret: made.client_secret ?? null,
    issuer: server.issuer,
    redirectUrl,
    expiresAt: expiresAt === 0 ? null : expiresAt * 1_000,
    method: made.token_endpoint_auth_method ?? null,
  };
  return await book.register(app.app, client, settings.registered);
}

function isValid(client: RegisteredClient | null, redirectUrl: string, now: number): boolean {
  return client?.redirectUrl === redirectUrl && (client.expiresAt === null || client.expiresAt > now);
}

/**
 * Authenticates a request to a token or revocation endpoint. The package's own function does not encode the id and the
 * secret, as RFC 6749 (section 2.3.1) demands.
 */
export function authenticateBy(client: KnownClient, { authMethods }: AuthorizationServer): AddClientAuthentication {
  const information = {
    client_id: client.id,
    ...(client.secret === null ? {} : { client_secret: client.secret }),
    ...(client.method === null ? {} : { token_endpoint_auth_method: client.method }),
  };
  const method = selectClientAuthMethod(information, [...authMethods]);
  return (headers, params) => {
    if (method === "client_secret_basic" && client.secret !== null) {
      headers.set("authorization", `Basic ${btoa(`${encodeForm(client.id)}:${encodeForm(client.secret)}`)}`);
      return;
    }
    params.set("client_id", client.id);
    if (method === "client_secret_post" && client.secret !== null) params.set("client_secret", client.secret);
  };
}

/** As a value of `application/x-www-form-urlencoded`. */
function encodeForm(value: string): string {
  return new URLSearchParams({ v: value }).toString().slice(2);
}

/**
 * Otto's OAuth 2.1 client: authorization code with PKCE S256, exact redirect URL, `iss` (RFC 9207), `resource`
 * (RFC 8707), renewal and revocation (RFC 7009). The bundled MCP package makes the requests; every one goes through
 * `call-endpoint.ts`. A consent is completed at the issuer at which it was begun, and tokens are renewed at the issuer
 * that gave them.
 */
import {
  exchangeAuthorization,
  type FetchLike,
  OAuthError,
  refreshAuthorization,
  startAuthorization,
} from "@modelcontextprotocol/client";
import { toCanonicalJson } from "../../core/base/canonical-json.ts";
import { notSent, ok, type Result } from "../../core/base/errors.ts";
import type { AppClient, ProviderAddress, ProviderSettings } from "../../core/connections/app-client.ts";
import { PROTOCOL_FIELDS } from "../../core/connections/app-settings.ts";
import type { Flow } from "../../core/connections/flow.ts";
import { refuseProvider } from "../../core/connections/provider-faults.ts";
import type { TokenSet } from "../../core/connections/tokens.ts";
import type {
  AuthorizationRequest,
  AuthorizationsPort,
  BegunAuthorization,
  GrantedTokens,
  ProviderBook,
} from "../../core/ports/authorizations.ts";
import { callEndpoints, type EndpointAccess, isSecure } from "./call-endpoint.ts";
import { authenticateBy, findClient, getOrRegisterClient, type KnownClient } from "./client.ts";
import { type AuthorizationServer, findResource, findServer, type ServerCache } from "./discover.ts";
import { readLabel } from "./identify.ts";
import { toPackageMetadata } from "./package-metadata.ts";
import { readReturned } from "./read-returned.ts";
import { revokeTokens } from "./revoke.ts";
import { type ProviderStep, refuseInsecure, toProviderFailure } from "./to-failure.ts";
import { omitNullFields, readScopes, readTokens, type TokenSource } from "./token-set.ts";

/** One tenant's providers. */
export interface AuthorizationsSettings extends EndpointAccess {
  readonly book: ProviderBook;
  readonly cache: ServerCache;
  readonly now: () => number;
}

type OAuthTokenSet = Extract<TokenSet, { kind: "oauth" }>;

/** What the operations with one app share. */
interface Operation {
  readonly app: AppClient;
  readonly settings: ProviderSettings;
  readonly server: AuthorizationServer;
  readonly send: FetchLike;
}

export function openAuthorizations(parts: AuthorizationsSettings): AuthorizationsPort {
  return {
    begin: async (app, at) =>
      await operate(parts, app, "begin", async (operation) => await begin(parts, operation, at)),
    complete: async (app, flow, returned) =>
      await operate(parts, app, "later", async (operation) => await complete(parts, operation, flow, returned)),
    refresh: async (app, tokens) => {
      if (tokens.kind !== "oauth" || tokens.refresh === null) return ok("ended");
      return await operate(parts, app, "later", async (operation) => await refresh(parts, operation, tokens));
    },
    identify: async (app, tokens) => {
      if (tokens.kind !== "oauth") return null;
      const read = await operate(parts, app, "later", async (operation) => ok(await identify(operation, tokens)));
      return read.ok ? read.value : null;
    },
    revoke: async (app, tokens) => {
      if (tokens.kind !== "oauth") return ok("done");
      return await operate(parts, app, "later", async (operation) => await revoke(operation, tokens));
    },
  };
}

/** Runs an operation within its limits. What it throws becomes a failure. */
async function operate<T>(
  parts: AuthorizationsSettings,
  app: AppClient,
  step: ProviderStep,
  work: (operation: Operation) => Promise<Result<T>>,
): Promise<Result<T>> {
  try {
    const settings = await parts.book.find(app.app);
    if (!settings.ok) return settings;
    const { at } = settings.value;
    if (at === null) return notSent("not_available", `${app.title} is not connected by a sign-in page.`);
    return await callEndpoints(parts, getDomains(at), async (send) => {
      const server = await findServer(app, at, { send, cache: parts.cache });
      return server.ok ? await work({ app, settings: settings.value, server: server.value, send }) : server;
    });
  } catch (thrown) {
    return toProviderFailure(thrown, app, step);
  }
}

/** The hosts that the tenant named, whose ports are open. */
function getDomains(at: ProviderAddress): readonly string[] {
  const urls = at.kind === "issuer" ? [at.issuer] : [at.authorization, at.token, at.revocation];
  return urls.flatMap((url) => (url === null ? [] : (URL.parse(url)?.host ?? [])));
}

async function begin(
  parts: AuthorizationsSettings,
  { app, settings, server, send }: Operation,
  { redirectUrl, state, loginHint }: AuthorizationRequest,
): Promise<Result<BegunAuthorization>> {
  const refusal = findRefusal(app, server, parts);
  if (refusal !== null) return refusal;
  const registration = { server, settings, redirectUrl, book: parts.book, send, now: parts.now() };
  const client = await getOrRegisterClient(app, registration);
  if (!client.ok) return client;
  const resource = getResource(settings, server, app);
  const { authorizationUrl, codeVerifier } = await startAuthorization(server.authorization, {
    metadata: toPackageMetadata(server),
    clientInformation: { client_id: client.value.id },
    redirectUrl,
    state,
    ...(app.scopes.length === 0 ? {} : { scope: app.scopes.join(" ") }),
    ...(resource === null ? {} : { resource }),
  });
  for (const [name, value] of Object.entries(settings.params))
    if (!PROTOCOL_FIELDS.has(name)) authorizationUrl.searchParams.set(name, value);
  if (loginHint !== undefined) authorizationUrl.searchParams.set("login_hint", loginHint);
  authorizationUrl.hash = "";
  return ok({ url: authorizationUrl.href, verifier: codeVerifier, issuer: server.issuer });
}

/** What Otto demands of a server before it sends a person there. */
function findRefusal({ title }: AppClient, server: AuthorizationServer, access: EndpointAccess) {
  const { authorization, challengeMethods, responseTypes } = server;
  if (challengeMethods !== null && !challengeMethods.includes("S256"))
    return refuseProvider("The server does not support PKCE.");
  if (!responseTypes.includes("code")) return refuseProvider(`${title} does not support the authorization code flow.`);
  return isSecure(new URL(authorization), access) ? null : refuseInsecure(title);
}

async function complete(
  parts: AuthorizationsSettings,
  { app, settings, server, send }: Operation,
  flow: Flow,
  returned: URLSearchParams,
): Promise<Result<GrantedTokens>> {
  if (server.issuer !== flow.issuer) return failChanged(app);
  const code = readReturned(app, returned, server);
  if (!code.ok) return code;
  const client = findClient(settings, server);
  if (client === null) return failChanged(app);
  const granted = await exchangeAuthorization(server.authorization, {
    ...describeRequest({ app, settings, server, send }, client),
    authorizationCode: code.value.code,
    ...(server.issuer === null || code.value.iss === null ? {} : { iss: code.value.iss }),
    codeVerifier: flow.verifier,
    redirectUri: flow.redirectUrl,
  });
  const tokens = readTokens(app, granted, { source: toSource(settings, server), now: parts.now() });
  return tokens.ok ? ok({ tokens: tokens.value, scopes: readScopes(granted.scope, app.scopes) }) : tokens;
}

/** A code is redeemed only where its flow began. */
function failChanged({ title }: AppClient) {
  return refuseProvider(`The settings of ${title} changed during the sign-in. Start again.`);
}

/** Codes after which the refresh token never works again: of RFC 6749, section 5.2, and GitHub's. */
const ENDED: ReadonlySet<string> = new Set(["invalid_grant", "unauthorized_client", "bad_refresh_token"]);

async function refresh(
  parts: AuthorizationsSettings,
  { app, settings, server, send }: Operation,
  tokens: OAuthTokenSet,
): Promise<Result<TokenSet | "ended">> {
  const client = findClient(settings, server);
  // Tokens belong to who gave them and the client that they were given to.
  if (!isFrom(tokens, toSource(settings, server)) || client === null || tokens.refresh === null) return ok("ended");
  try {
    const granted = await refreshAuthorization(server.token, {
      ...describeRequest({ app, settings, server, send }, client),
      refreshToken: tokens.refresh,
    });
    return readTokens(app, granted, { source: toSource(settings, server), now: parts.now() });
  } catch (thrown) {
    if (thrown instanceof OAuthError && ENDED.has(thrown.code)) return ok("ended");
    throw thrown;
  }
}

async function identify({ server, send }: Operation, { access }: OAuthTokenSet): Promise<string | null> {
  return server.userinfo === null ? null : await readLabel(server.userinfo, access, send);
}

async function revoke({ settings, server, send }: Operation, tokens: OAuthTokenSet): Promise<Result<"done">> {
  const client = findClient(settings, server);
  // Nobody but who gave them may see them. Without a client or an endpoint nobody can revoke them.
  const isForeign = !isFrom(tokens, toSource(settings, server));
  if (server.revocation === null || isForeign || client === null) return ok("done");
  await revokeTokens(server.revocation, tokens, { send, authenticate: authenticateBy(client, server) });
  return ok("done");
}

/** Who gives tokens of the app now. An app without an issuer is the same provider while all its endpoints are. */
function toSource({ at }: ProviderSettings, { issuer }: AuthorizationServer): TokenSource {
  return issuer === null ? { issuer, endpoints: toCanonicalJson(at) } : { issuer };
}

function isFrom(tokens: OAuthTokenSet, { issuer, endpoints }: TokenSource): boolean {
  return tokens.issuer === issuer && tokens.endpoints === endpoints;
}

/** What the package needs for a request to the token endpoint. */
function describeRequest({ app, settings, server, send }: Operation, client: KnownClient) {
  const resource = getResource(settings, server, app);
  return {
    metadata: toPackageMetadata(server),
    clientInformation: { client_id: client.id },
    addClientAuthentication: authenticateBy(client, server),
    fetchFn: omitNullFields(send),
    ...(resource === null ? {} : { resource }),
  };
}

/** What the tokens are for: as the app says, or its provider. */
function getResource({ resource }: ProviderSettings, server: AuthorizationServer, app: AppClient): URL | null {
  return resource === undefined ? findResource(server, app) : new URL(resource);
}

/**
 * OAuth 2.1 with an MCP server by the package's client, which does discovery (RFC 9728, RFC 8414), dynamic registration
 * (RFC 7591), PKCE, resource indicators (RFC 8707) and refreshing. This file decides what it may store, and whether a
 * person can be asked.
 * Credentials belong to the authorization server that issued them: each is stored with its issuer, and the package
 * sends none to another (https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization). So the server
 * is discovered again for each authorization.
 */
import {
  type AuthProvider,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { OttoError } from "../../core/base/errors.ts";
import { getClientMetadata, CLIENT_NAME } from "../../core/mcp/oauth-client.ts";
import { leaseRenewals } from "./leased-provider.ts";
import type { Consent, McpServer, SavedAuth } from "./server.ts";

type OAuth = NonNullable<McpServer["oauth"]>;

/** The result of an authorization that has to ask a person. */
export interface AskedConsent {
  /** Where the person has to go; null if no person is asked. */
  url: URL | null;
}

/** `callback`: a person has returned with a code, which only the authorization server that they were sent to redeems. */
export type AuthorizationStep = "request" | "callback";

export interface AuthorizationOptions {
  /** Without it no person is asked, nothing is registered, and a running flow is unchanged. */
  readonly consent: Consent | null;
  readonly asked: AskedConsent;
  readonly step: AuthorizationStep;
  /** False for calls: none is authorized again after an administrator ended the authorization. */
  readonly mayRestart: boolean;
}

/**
 * The provider of one operation. Where no person can be asked, tokens are renewed under the server's lease. Throws
 * `UnauthorizedError` for an authorization that has ended.
 */
export async function openOAuthProvider(
  oauth: OAuth,
  options: AuthorizationOptions,
): Promise<OAuthClientProvider | AuthProvider> {
  const keep = await openAuthCache(oauth, { isAsking: options.consent !== null, isNew: options.step === "callback" });
  refuseEnded(keep.now(), options);
  const base =
    oauth.grant === "client_credentials"
      ? createMachineProvider(oauth, keep)
      : createPersonProvider(oauth, keep, options);
  const provider = oauth.clientId === null ? base : { ...base, ...useOwnClient(oauth, oauth.clientId, keep) };
  if (options.consent !== null) return provider;
  const needsPerson = oauth.grant === "authorization_code";
  const load = async () => {
    const saved = await keep.load();
    refuseEnded(saved, options);
    return saved.tokens;
  };
  return leaseRenewals(provider, { store: oauth.store, load, needsPerson });
}

function refuseEnded({ isEnded }: SavedAuth, { mayRestart }: Pick<AuthorizationOptions, "mayRestart">): void {
  if (isEnded === true && !mayRestart) throw new UnauthorizedError();
}

/** The stored authorization, as it changes during one operation. */
interface AuthCache {
  readonly now: () => SavedAuth;
  change(change: SavedAuth): Promise<void>;
  drop(names: readonly (keyof SavedAuth)[]): Promise<void>;
  /** Reads what is stored now. */
  load(): Promise<SavedAuth>;
}

/**
 * `isAsking`: a person's consent replaces what is stored. Without one, what was stored meanwhile stays. `isNew`: tokens
 * are those of a new consent.
 */
async function openAuthCache(
  { store, clientId }: OAuth,
  { isAsking, isNew }: { readonly isAsking: boolean; readonly isNew: boolean },
): Promise<AuthCache> {
  let saved = await load();
  async function load(): Promise<SavedAuth> {
    const loaded = await store.load();
    if (!loaded.ok) throw new OttoError(loaded.error);
    return loaded.value;
  }
  async function save(next: SavedAuth): Promise<void> {
    saved = next;
    const kept = await store.replace(next);
    if (!kept.ok) throw new OttoError(kept.error);
    if (kept.value === false && isAsking) return await saveOver(next);
    // A person consented meanwhile: that authorization counts.
    if (kept.value === false) saved = await load();
  }
  /** A consent replaces what was stored meanwhile, but for the end of the authorization: that erased these tokens. */
  async function saveOver(next: SavedAuth): Promise<void> {
    const stored = await load();
    if (stored.isEnded === true) throw new UnauthorizedError();
    const kept = await store.save(next);
    if (!kept.ok) throw new OttoError(kept.error);
    saved = next;
  }
  return {
    now: () => saved,
    load: async () => {
      saved = await load();
      return saved;
    },
    change: async (change) => {
      if (change.tokens === undefined) return await save({ ...saved, ...change });
      const { isEnded: _, ...rest } = saved;
      await save({ ...rest, ...change, ...(isNew ? { isNew } : {}) });
    },
    // Another call may have renewed the tokens meanwhile; those must not be discarded because this call was rejected.
    drop: async (names) => {
      const stored = await load();
      if (names.includes("tokens") && JSON.stringify(stored.tokens) !== JSON.stringify(saved.tokens)) saved = stored;
      else {
        const left = Object.entries(bindOwnClient(stored, clientId)).filter(
          ([name]) => !names.includes(name as keyof SavedAuth),
        );
        await save(Object.fromEntries(left));
      }
    },
  };
}

/**
 * Returns the authorization with the issuer that the tenant's own client belongs to. One that was stored before clients
 * were bound names the issuer with its tokens alone.
 */
function bindOwnClient(saved: SavedAuth, id: string | null): SavedAuth {
  const issuer = (saved.tokens as StoredOAuthTokens | undefined)?.issuer;
  if (id === null || saved.ownClient?.id === id || issuer === undefined) return saved;
  return { ...saved, ownClient: { id, issuer } };
}

/** Client credentials: Otto authenticates as itself. */
function createMachineProvider({ scope }: OAuth, keep: AuthCache): OAuthClientProvider {
  return {
    redirectUrl: undefined,
    clientMetadata: {
      client_name: CLIENT_NAME,
      redirect_uris: [],
      grant_types: ["client_credentials"],
      token_endpoint_auth_method: "client_secret_basic",
      ...(scope === null ? {} : { scope }),
    },
    clientInformation: () => undefined,
    ...createTokenStore(keep),
    redirectToAuthorization: failWithoutPerson,
    saveCodeVerifier: () => undefined,
    codeVerifier: failWithoutPerson,
    prepareTokenRequest: (wanted) => {
      const params = new URLSearchParams({ grant_type: "client_credentials" });
      if (wanted !== undefined && wanted !== "") params.set("scope", wanted);
      return params;
    },
  };
}

/** Authorization code with PKCE: a person agreed, or is asked to. */
function createPersonProvider(
  { scope, clientId }: OAuth,
  keep: AuthCache,
  { consent, asked, step }: AuthorizationOptions,
): OAuthClientProvider {
  const redirectUrl = consent?.redirectUrl ?? NOWHERE;
  const metadata: OAuthClientMetadata = { ...getClientMetadata(redirectUrl), ...(scope === null ? {} : { scope }) };
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: metadata,
    clientInformation: () => keep.now().client as StoredOAuthClientInformation | undefined,
    ...createTokenStore(keep),
    redirectToAuthorization: (url) => {
      if (consent !== null) asked.url = url;
    },
    saveCodeVerifier: async (verifier) => {
      if (consent !== null) await keep.change({ verifier });
    },
    codeVerifier: () => keep.now().verifier ?? failWithoutPerson(),
    invalidateCredentials: async (what) => {
      const names: readonly (keyof SavedAuth)[] =
        what === "all" ? ["client", "tokens", "verifier", "discovery"] : [what];
      await keep.drop(names);
    },
    discoveryState: () => (step === "callback" ? (keep.now().discovery as OAuthDiscoveryState | undefined) : undefined),
    saveDiscoveryState: async (discovery) => {
      if (consent !== null) await keep.change({ discovery });
    },
  };
  if (consent === null) return provider;
  const { clientUrl, state } = consent;
  const asking = { ...provider, state: () => state };
  if (clientId !== null) return asking;
  return {
    ...asking,
    ...(clientUrl === null ? {} : { clientMetadataUrl: clientUrl }),
    saveClientInformation: (client) => keep.change({ client }),
  };
}

function createTokenStore(keep: AuthCache): Pick<OAuthClientProvider, "tokens" | "saveTokens"> {
  return {
    tokens: () => keep.now().tokens as StoredOAuthTokens | undefined,
    saveTokens: (tokens) => keep.change({ tokens }),
  };
}

/**
 * The client that the tenant registered. With its first tokens it is bound to their issuer. The package refuses to use
 * it with another one, because such a provider cannot register.
 */
function useOwnClient(
  { clientSecret }: OAuth,
  id: string,
  keep: AuthCache,
): Pick<OAuthClientProvider, "clientInformation" | "saveTokens"> {
  const client = clientSecret === null ? { client_id: id } : { client_id: id, client_secret: clientSecret };
  return {
    clientInformation: () => {
      const { ownClient } = bindOwnClient(keep.now(), id);
      return ownClient?.id === id ? { ...client, issuer: ownClient.issuer } : client;
    },
    saveTokens: (tokens, context) =>
      keep.change({ tokens, ...(context === undefined ? {} : { ownClient: { id, issuer: context.issuer } }) }),
  };
}

/** The redirect URL when no person is sent away: its presence tells the package that people authorize. */
const NOWHERE = "https://otto.invalid/";

function failWithoutPerson(): never {
  throw new Error("no person can be asked for an authorization");
}

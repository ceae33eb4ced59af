/**
 * OAuth 2.1 towards an MCP server, by the package's client: discovery (RFC 9728, RFC 8414), dynamic registration
 * (RFC 7591), PKCE, resource indicators (RFC 8707) and refreshing are its own. Here is what it may keep, and whether there
 * is a person to send anywhere.
 */
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { OttoError } from "../../core/base/errors.ts";
import { getClientMetadata, CLIENT_NAME } from "../../core/mcp/oauth-client.ts";
import type { Consent, McpServer, SavedAuth } from "./server.ts";

type OAuth = NonNullable<McpServer["oauth"]>;

/** What came of an authorization that has to ask a person. */
export interface AskedConsent {
  /** Where the person is to go; null: nobody was to be asked. */
  url: URL | null;
}

/** The provider of one operation. Without `consent` nobody is asked, nothing is registered, and a running flow is left alone. */
export async function oauthProvider(
  oauth: OAuth,
  consent: Consent | null,
  asked: AskedConsent,
): Promise<OAuthClientProvider> {
  const keep = await openKeep(oauth);
  return oauth.grant === "client_credentials" ? machine(oauth, keep) : person(oauth, keep, consent, asked);
}

/** What is kept, as it changes during one operation. */
interface Keep {
  readonly now: () => SavedAuth;
  change(change: SavedAuth): Promise<void>;
  drop(names: readonly (keyof SavedAuth)[]): Promise<void>;
}

async function openKeep({ store }: OAuth): Promise<Keep> {
  let saved = await load();
  async function load(): Promise<SavedAuth> {
    const loaded = await store.load();
    if (!loaded.ok) throw new OttoError(loaded.error);
    return loaded.value;
  }
  async function save(next: SavedAuth): Promise<void> {
    saved = next;
    const kept = await store.save(next);
    if (!kept.ok) throw new OttoError(kept.error);
  }
  return {
    now: () => saved,
    change: (change) => save({ ...saved, ...change }),
    // Another call may have renewed the tokens meanwhile: what it was given is not thrown away for what this one was refused.
    drop: async (names) => {
      const stored = await load();
      if (names.includes("tokens") && JSON.stringify(stored.tokens) !== JSON.stringify(saved.tokens)) saved = stored;
      else
        await save(
          Object.fromEntries(Object.entries(stored).filter(([name]) => !names.includes(name as keyof SavedAuth))),
        );
    },
  };
}

/** Client credentials: Otto stands for itself. */
function machine({ clientId, clientSecret, scope }: OAuth, keep: Keep): OAuthClientProvider {
  return {
    redirectUrl: undefined,
    clientMetadata: {
      client_name: CLIENT_NAME,
      redirect_uris: [],
      grant_types: ["client_credentials"],
      token_endpoint_auth_method: "client_secret_basic",
      ...(scope === null ? {} : { scope }),
    },
    clientInformation: () => ownClient(clientId, clientSecret),
    ...tokensIn(keep),
    redirectToAuthorization: nobodyToAsk,
    saveCodeVerifier: () => undefined,
    codeVerifier: nobodyToAsk,
    prepareTokenRequest: (wanted) => {
      const params = new URLSearchParams({ grant_type: "client_credentials" });
      if (wanted !== undefined && wanted !== "") params.set("scope", wanted);
      return params;
    },
  };
}

/** Authorization code with PKCE: a person agreed, or is asked to. */
function person(oauth: OAuth, keep: Keep, consent: Consent | null, asked: AskedConsent): OAuthClientProvider {
  const { clientId, clientSecret, scope } = oauth;
  const redirectUrl = consent?.redirectUrl ?? NOWHERE;
  const metadata: OAuthClientMetadata = { ...getClientMetadata(redirectUrl), ...(scope === null ? {} : { scope }) };
  const given = ownClient(clientId, clientSecret);
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: metadata,
    clientInformation: () => given ?? (keep.now().client as StoredOAuthClientInformation | undefined),
    ...tokensIn(keep),
    redirectToAuthorization: (url) => {
      if (consent !== null) asked.url = url;
    },
    saveCodeVerifier: async (verifier) => {
      if (consent !== null) await keep.change({ verifier });
    },
    codeVerifier: () => keep.now().verifier ?? nobodyToAsk(),
    invalidateCredentials: async (what) => {
      const names: readonly (keyof SavedAuth)[] =
        what === "all" ? ["client", "tokens", "verifier", "discovery"] : [what];
      await keep.drop(names);
    },
    discoveryState: () => keep.now().discovery as OAuthDiscoveryState | undefined,
    saveDiscoveryState: async (discovery) => {
      if (consent !== null) await keep.change({ discovery });
    },
  };
  if (consent === null) return provider;
  const { clientUrl } = consent;
  return {
    ...provider,
    ...(clientUrl === null ? {} : { clientMetadataUrl: clientUrl }),
    state: () => consent.state,
    saveClientInformation: (client) => keep.change({ client }),
  };
}

function tokensIn(keep: Keep): Pick<OAuthClientProvider, "tokens" | "saveTokens"> {
  return {
    tokens: () => keep.now().tokens as StoredOAuthTokens | undefined,
    saveTokens: (tokens) => keep.change({ tokens }),
  };
}

/** The client that the tenant registered itself. */
function ownClient(id: string | null, secret: string | null): StoredOAuthClientInformation | undefined {
  if (id === null) return undefined;
  return secret === null ? { client_id: id } : { client_id: id, client_secret: secret };
}

/** Stands for a place to come back to where nobody is sent away: its presence tells the package that people authorize. */
const NOWHERE = "https://otto.invalid/";

function nobodyToAsk(): never {
  throw new Error("there is nobody to ask for an authorization");
}

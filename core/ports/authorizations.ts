/** The protocol of an app's provider: consent, renewal, revocation. None of these throws. */
import type { Result } from "../base/errors.ts";
import type { AppClient, ProviderSettings, RegisteredClient } from "../connections/app-client.ts";
import type { Flow } from "../connections/flow.ts";
import type { TokenSet } from "../connections/tokens.ts";

/** Where a person is sent. `loginHint` preselects an account on the provider's page. */
export interface AuthorizationRequest {
  readonly redirectUrl: string;
  readonly state: string;
  readonly loginHint?: string;
}

/** The page of the provider, and what completing needs. */
export interface BegunAuthorization {
  readonly url: string;
  readonly verifier: string;
  readonly issuer: string | null;
}

/** What a provider granted. `scopes` is null if neither side named any. */
export interface GrantedTokens {
  readonly tokens: TokenSet;
  readonly scopes: readonly string[] | null;
}

/** One tenant's providers. `core/connections/provider-faults.ts` says what a failure leaves behind. */
export interface AuthorizationsPort {
  begin(app: AppClient, at: AuthorizationRequest): Promise<Result<BegunAuthorization>>;
  /** The caller has matched `state` with the flow, and taken the flow, so that it completes once. */
  complete(app: AppClient, flow: Flow, returned: URLSearchParams): Promise<Result<GrantedTokens>>;
  /** `ended`: the provider refused the grant finally. A fault is a failed Result. */
  refresh(app: AppClient, tokens: TokenSet): Promise<Result<TokenSet | "ended">>;
  /** The account's name as its provider gives it; null if it gives none. */
  identify(app: AppClient, tokens: TokenSet): Promise<string | null>;
  revoke(app: AppClient, tokens: TokenSet): Promise<Result<"done">>;
}

/** The apps of one tenant to which people connect. */
export interface AppDirectory {
  find(app: string): Promise<Result<AppClient>>;
  all(): Promise<Result<readonly AppClient[]>>;
}

/** The settings of a tenant's apps, with secrets. */
export interface ProviderBook {
  find(app: string): Promise<Result<ProviderSettings>>;
  /**
   * Stores a client that Otto registered, in place of `before` (null: none). If another one was stored meanwhile, that
   * one is returned, so that all flows use one client.
   */
  register(app: string, client: RegisteredClient, before: RegisteredClient | null): Promise<Result<RegisteredClient>>;
}

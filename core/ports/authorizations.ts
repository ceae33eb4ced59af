/** The protocol of an app's provider: consent, renewal, revocation. None of these throws. */
import type { Result } from "../base/errors.ts";
import type { AppClient, ProviderSettings, RegisteredClient } from "../connections/app-client.ts";
import type { Flow, FlowAccount } from "../connections/flow.ts";
import type { TokenSet } from "../connections/tokens.ts";

/** Where a person is sent. `loginHint` preselects an account on the provider's page. */
export interface AuthorizationRequest {
  readonly redirectUrl: string;
  readonly state: string;
  readonly loginHint?: string;
  /** What a provider that stores tokens is to know the owner by. */
  readonly entity?: string;
}

/** The page of the provider, and what completing needs. */
export interface BegunAuthorization {
  readonly url: string;
  readonly verifier: string;
  readonly issuer: string | null;
  /** The account that the provider made for this consent, where it stores the tokens. */
  readonly account?: FlowAccount;
}

/** What a provider granted. `scopes` is null if neither side named any. */
export interface GrantedTokens {
  readonly tokens: TokenSet;
  readonly scopes: readonly string[] | null;
  /** How the provider names the account, where it says so with the consent. */
  readonly label?: string | null;
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

/** The apps of one tenant to which people connect: its own, then those of the catalogue. */
export interface AppDirectory {
  /** The tenant's own app comes before one of the catalogue with the same name. */
  find(app: string): Promise<Result<AppClient>>;
  /** All own apps, and those of the catalogue with these names. */
  all(names?: readonly string[]): Promise<Result<readonly AppClient[]>>;
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

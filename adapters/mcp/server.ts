/** An MCP server of a tenant, as a connection to it needs it. */
import type { Result } from "../../core/base/errors.ts";
import type { McpOAuthSettings } from "../../core/mcp/config.ts";
import type { McpProcess } from "../../core/mcp/process-config.ts";

/** A stored authorization: JSON of the package's shapes, sealed in the row. */
export interface SavedAuth {
  readonly client?: unknown;
  readonly tokens?: unknown;
  readonly verifier?: string;
  /** Where the person was sent; the code is redeemed there. */
  readonly discovery?: unknown;
  /** The authorization server that the tenant's own client belongs to: the first that issued tokens to it. */
  readonly ownClient?: { readonly id: string; readonly issuer: string };
  /** A running authorization: the one-time mark in its state, and when it expires. */
  readonly flow?: {
    readonly mark: string;
    readonly redirectUrl: string;
    readonly until: number;
    /** Where the person agrees; absent if not needed. */
    readonly page?: string;
  };
  /** A person consented to these tokens, and the account does not count this consent yet. */
  readonly isNew?: true;
  /** An administrator ended the authorization: no call gets another one, also where Otto could authorize itself. */
  readonly isEnded?: true;
}

/** True if Otto can renew the tokens, unless their authorization server refuses it. */
export function hasRefreshToken({ tokens }: Pick<SavedAuth, "tokens">): boolean {
  return typeof tokens === "object" && tokens !== null && "refresh_token" in tokens;
}

/** Stores the authorization. Saving replaces it. */
export interface AuthStore {
  load(): Promise<Result<SavedAuth>>;
  save(saved: SavedAuth): Promise<Result<void>>;
  /** Saves in the place of what this caller loaded or saved last. False: another authorization was stored meanwhile. */
  replace(saved: SavedAuth): Promise<Result<boolean>>;
  /** True: this caller renews what it loaded last, and no other does for `ms`. */
  lease(ms: number): Promise<Result<boolean>>;
  /** Ends the lease: nothing was renewed. */
  release(): Promise<void>;
}

export interface McpServer {
  readonly name: string;
  /** Of a process: a URL that leads nowhere. */
  readonly url: string;
  /** Null for a server with a URL. */
  readonly process: McpProcess | null;
  /** Values may contain references to secrets, which the egress module fills in. */
  readonly headers: readonly (readonly [string, string])[];
  /** Changes when the server becomes another one, even under the same name. */
  readonly version: number;
  /** The result of the last listing. */
  readonly prior: unknown;
  /** Null without OAuth. */
  readonly oauth: (McpOAuthSettings & { readonly clientSecret: string | null; readonly store: AuthStore }) | null;
}

/**
 * Set when a person can be sent to an authorization server: the redirect URL, and the state that returns. `clientUrl`
 * is where Otto describes itself as a client, for servers that accept such a URL as an id; null without one.
 */
export interface Consent {
  readonly redirectUrl: string;
  readonly clientUrl: string | null;
  readonly state: string;
}

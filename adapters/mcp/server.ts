/** An MCP server of a tenant, as a connection to it needs it. */
import type { Result } from "../../core/base/errors.ts";
import type { McpOAuthSettings } from "../../core/mcp/config.ts";
import type { McpProcess } from "../../core/mcp/process-config.ts";

/** What is kept of an authorization: JSON of the package's own shapes, sealed where it is stored. */
export interface SavedAuth {
  readonly client?: unknown;
  readonly tokens?: unknown;
  readonly verifier?: string;
  readonly discovery?: unknown;
  /** An authorization that has begun: the one-time mark in its state, and until when it can end. */
  readonly flow?: {
    readonly mark: string;
    readonly redirectUrl: string;
    readonly until: number;
    /** Where the person agrees; absent where that need not be known. */
    readonly page?: string;
  };
}

/** Where it is kept. Saving replaces what is there. */
export interface AuthStore {
  load(): Promise<Result<SavedAuth>>;
  save(saved: SavedAuth): Promise<Result<void>>;
}

export interface McpServer {
  readonly name: string;
  /** Of a process: one that leads nowhere. */
  readonly url: string;
  /** Null: it is reached by its URL. */
  readonly process: McpProcess | null;
  /** Values may hold references to secrets, which the egress module fills in. */
  readonly headers: readonly (readonly [string, string])[];
  /** Another number: another server, whatever its name is. */
  readonly version: number;
  /** What the last listing gave. */
  readonly prior: unknown;
  /** Null: no OAuth. */
  readonly oauth: (McpOAuthSettings & { readonly clientSecret: string | null; readonly store: AuthStore }) | null;
}

/**
 * A person is at hand who can be sent to an authorization server: where it sends them back to, and the state they bring.
 * `clientUrl` is where Otto describes itself as a client, for servers that take such a URL for an id; null: nowhere.
 */
export interface Consent {
  readonly redirectUrl: string;
  readonly clientUrl: string | null;
  readonly state: string;
}

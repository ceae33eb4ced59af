/** The rows of the tenants' MCP servers. Expected failures are values. */
import type { AuditEntry } from "./audit.ts";
import type { Result } from "../base/errors.ts";
import type { McpSettings } from "../mcp/config.ts";
import type { McpToolList, RefusedTool } from "../mcp/tool-list.ts";

/** The result of the last contact with an MCP server. */
export type McpServerStatus = "connected" | "failed" | "authorization_needed";

/** A tenant's MCP server in lists. */
export interface McpServerRecord {
  readonly name: string;
  readonly version: number;
  readonly settings: McpSettings;
  readonly status: McpServerStatus;
  /** Why it is not connected. */
  readonly error: string | null;
  /** The approved tools; null if the server was never reached. */
  readonly approved: McpToolList | null;
  /** The tools in its last list. */
  readonly seen: McpToolList | null;
  readonly refused: readonly RefusedTool[];
  readonly protocolVersion: string | null;
  readonly checkedAt: number | null;
  readonly listChangedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The data of a connection. `sealed` and `auth` are encrypted for the tenant and the name. */
export interface McpServerAccess {
  readonly name: string;
  readonly version: number;
  readonly settings: McpSettings;
  readonly sealed: string;
  readonly auth: string | null;
  readonly prior: unknown;
}

/** The result of a check of a server; with tools, it is connected. */
export interface McpServerCheck {
  readonly status: McpServerStatus;
  readonly error: string | null;
  readonly seen: (McpToolList & { readonly refused: readonly RefusedTool[] }) | null;
  readonly protocolVersion: string | null;
  readonly prior: unknown;
  readonly at: number;
}

export interface McpServerTable {
  /** All of a tenant's servers by name. */
  all(tenant: string): Promise<Result<readonly McpServerRecord[]>>;
  get(tenant: string, name: string): Promise<Result<McpServerRecord>>;
  access(tenant: string, name: string): Promise<Result<McpServerAccess>>;
  /**
   * Adds a server, or changes its connection and raises its version. Its approval stays unless `isOther`: then it is a
   * different server, and its OAuth tokens are removed too. `conflict` (field `name`) if an app of the workspace has its name.
   */
  put(
    tenant: string,
    server: {
      readonly name: string;
      readonly settings: McpSettings;
      readonly sealed: string;
      readonly isOther: boolean;
    },
    act: AuditEntry,
  ): Promise<Result<McpServerRecord>>;
  /** Stores the result of a check of this version of the server. `not_found` at another version, or without one. */
  saveCheck(tenant: string, name: string, version: number, check: McpServerCheck): Promise<Result<McpServerRecord>>;
  /**
   * Approves the tools that the server listed last if their hash is this one; otherwise `conflict`. `act` is null for
   * the approval by adding it.
   */
  approve(tenant: string, name: string, hash: string, act: AuditEntry | null): Promise<Result<McpServerRecord>>;
  /**
   * Stores OAuth tokens; with `before`, in the place of those only. False: others were stored meanwhile, or there is no
   * such server. It ends the lease on earlier ones.
   */
  saveAuth(tenant: string, name: string, auth: string, before?: string | null): Promise<Result<boolean>>;
  /**
   * True: this caller renews these tokens, and no other does for `ms`. Decided by the database's clock. False also if
   * other tokens were stored meanwhile.
   */
  leaseAuth(tenant: string, name: string, auth: string, ms: number): Promise<Result<boolean>>;
  /** Ends the lease on these tokens: nothing was renewed. */
  endLease(tenant: string, name: string, auth: string): Promise<Result<void>>;
  /** Records when the server announced a changed tool list. */
  noteListChanged(tenant: string, name: string, at: number): Promise<Result<void>>;
  remove(tenant: string, name: string, act: AuditEntry): Promise<Result<void>>;
}

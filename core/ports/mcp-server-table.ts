/** The rows of the MCP servers that tenants set. Expected failures are values. */
import type { AuditEntry } from "./audit.ts";
import type { Result } from "../base/errors.ts";
import type { McpSettings } from "../mcp/config.ts";
import type { McpToolList, RefusedTool } from "../mcp/tool-list.ts";

/** How the last contact with an MCP server went. */
export type McpServerStatus = "connected" | "failed" | "authorization_needed";

/** An MCP server of a tenant as it is shown. */
export interface McpServerRecord {
  readonly name: string;
  readonly version: number;
  readonly settings: McpSettings;
  readonly status: McpServerStatus;
  /** Why it is not connected. */
  readonly error: string | null;
  /** The tools that a person agreed to; null: the server was never reached. */
  readonly approved: McpToolList | null;
  /** The tools that it listed last. */
  readonly seen: McpToolList | null;
  readonly refused: readonly RefusedTool[];
  readonly protocolVersion: string | null;
  readonly checkedAt: number | null;
  readonly listChangedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What a connection needs of a server. `sealed` and `auth` are sealed for the tenant and the name. */
export interface McpServerAccess {
  readonly name: string;
  readonly version: number;
  readonly settings: McpSettings;
  readonly sealed: string;
  readonly auth: string | null;
  readonly prior: unknown;
}

/** What a look at a server gave; with tools, it is connected. */
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
   * Adds a server, or sets how it is reached; its version grows. What was approved stays, unless `isOther`: then it is a
   * server that nobody knows yet, and what OAuth gave goes too.
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
  /** Keeps what a look at this version of the server gave. `not_found`: there is another version, or none. */
  saveCheck(tenant: string, name: string, version: number, check: McpServerCheck): Promise<Result<McpServerRecord>>;
  /** The tools that the server listed last are agreed to, if their hash is this one; else `conflict`. `act` null: by adding it. */
  approve(tenant: string, name: string, hash: string, act: AuditEntry | null): Promise<Result<McpServerRecord>>;
  /** What OAuth gave. */
  saveAuth(tenant: string, name: string, auth: string): Promise<Result<void>>;
  /** The server said at this moment that its tools are others now. */
  noteListChanged(tenant: string, name: string, at: number): Promise<Result<void>>;
  remove(tenant: string, name: string, act: AuditEntry): Promise<Result<void>>;
}

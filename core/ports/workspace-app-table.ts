/** The tables of the apps that tenants added, and of what their agents may use of them. */
import type { AppAssignment } from "../apps/workspace/access.ts";
import type { AppConfiguration, WorkspaceApp } from "../apps/workspace/workspace.ts";
import type { Result } from "../base/errors.ts";
import type { AppRights } from "./app-rights.ts";
import type { AuditEntry } from "./audit.ts";

/** A change of an app. It is made only if the app still has the configuration `before`; null: if it is not added. */
export interface WorkspaceAppChange {
  readonly app: string;
  readonly before: AppConfiguration | null;
  readonly after: AppConfiguration;
}

/** Everything that was set for an agent. */
export interface AgentAppSettings {
  /** By app. */
  readonly assignments: readonly AppAssignment[];
  /** By action. */
  readonly permissions: ReadonlyMap<string, boolean>;
}

/** An added app of any tenant. */
export interface AddedApp {
  readonly tenant: string;
  readonly app: string;
}

export interface WorkspaceAppTable {
  /** The apps of a tenant by name. */
  all(tenant: string): Promise<Result<readonly WorkspaceApp[]>>;
  /** Null for an app that is not added. */
  find(tenant: string, app: string): Promise<Result<WorkspaceApp | null>>;
  /**
   * Adds or changes an app. `conflict` if it was added or changed meanwhile, or, with a cause, if an import or an MCP server
   * has its name; `not_found` if it was removed, `quota_exceeded` over `MAX_WORKSPACE_APPS`.
   */
  put(tenant: string, change: WorkspaceAppChange, act: AuditEntry): Promise<Result<WorkspaceApp>>;
  /** Removes an app. False if it is not added. */
  remove(tenant: string, app: string, act: AuditEntry): Promise<Result<boolean>>;
  /** The rights of an agent, read in one statement. */
  rights(tenant: string, agent: string): Promise<Result<AppRights>>;
  /** Replaces all that was set for an agent. */
  setAgent(tenant: string, agent: string, settings: AgentAppSettings, act: AuditEntry): Promise<Result<void>>;
  /** Apps of all tenants whose tools do not follow this version of the catalogue (its hash) yet, at most `limit`. */
  toFollow(version: string, limit: number): Promise<Result<readonly AddedApp[]>>;
  /** The published tools of an app follow this version now. */
  markFollowed(added: AddedApp, version: string): Promise<Result<void>>;
}

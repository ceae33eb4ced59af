/** What a tenant added of the catalogue, and what one of its agents may use of it. */
import type { AppAssignment } from "../apps/workspace/access.ts";
import type { ActionOverride } from "../apps/workspace/workspace.ts";
import type { Result } from "../base/errors.ts";

export interface AppRights {
  /** All of the agent. Empty: it may use every app that the tenant added. */
  readonly assignments: readonly AppAssignment[];
  /** Switched by action (`agent_tool_permissions`); an action without an entry is on. */
  readonly permissions: ReadonlyMap<string, boolean>;
  /** The apps that the tenant added, each with the names of its enabled actions. */
  readonly added: ReadonlyMap<string, ReadonlySet<string>>;
  /** What administrators set of actions, by action. An override of another form of the action is left out. */
  readonly overrides: ReadonlyMap<string, Pick<ActionOverride, "effect" | "security">>;
}

/** Reads the rights of one tenant's agents. What it says is at most 3 s old; `upstream_failed` while it cannot be read. */
export interface AppRightsPort {
  read(agent: string): Promise<Result<AppRights>>;
}

/** The table of agents. */
import type { AgentConfig, PinnedAgent } from "../agents/agent.ts";
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { AuditEntry } from "./audit.ts";

/** An agent at its latest version. */
export interface Agent extends PinnedAgent {
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When it was deleted; null for one that new tasks can have. */
  readonly archivedAt: number | null;
}

/** One version of an agent. */
export interface AgentVersion extends PinnedAgent {
  readonly createdAt: number;
}

export interface AgentTable {
  /** Version 1. `conflict` when the name is taken. Making the same id again changes nothing and gives what is there. */
  create(tenant: string, agent: { id: string; config: AgentConfig }, act: AuditEntry): Promise<Result<Agent>>;
  /** The latest version, by id or by name. An archived agent has no name, and is found by its id only. */
  get(tenant: string, idOrName: string): Promise<Result<Agent>>;
  /** Those that are not archived. */
  page(tenant: string, request: PageRequest): Promise<Result<Page<Agent>>>;
  /** The versions, the latest first; the place of a version is its number. */
  versions(tenant: string, id: string, request: PageRequest): Promise<Result<Page<AgentVersion>>>;
  /**
   * Makes the next version, none when the latest has the same configuration. With `ifVersion`, `conflict` when the latest
   * is another. An archived agent is `not_found`.
   */
  update(
    tenant: string,
    change: { id: string; config: AgentConfig; ifVersion: number | null },
    act: AuditEntry,
  ): Promise<Result<Agent>>;
  /** Archives an agent. `not_found` when it is archived already. */
  archive(tenant: string, id: string, act: AuditEntry): Promise<Result<Agent>>;
}

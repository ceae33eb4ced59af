/** The table of agents. */
import type { AgentConfig, PinnedAgent } from "../agents/agent.ts";
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { AuditEntry } from "./audit.ts";

/** An agent at its latest version. */
export interface Agent extends PinnedAgent {
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When it was deleted; null for one that new tasks can use. */
  readonly archivedAt: number | null;
}

/** One version of an agent. */
export interface AgentVersion extends PinnedAgent {
  readonly createdAt: number;
}

export interface AgentTable {
  /** Creates version 1. `conflict` when the name is taken. Creating the same id again returns the stored row. */
  create(tenant: string, agent: { id: string; config: AgentConfig }, act: AuditEntry): Promise<Result<Agent>>;
  /** Finds the latest version by id or by name. An archived agent is found only by its id. */
  get(tenant: string, idOrName: string): Promise<Result<Agent>>;
  /** The agents that are not archived. */
  page(tenant: string, request: PageRequest): Promise<Result<Page<Agent>>>;
  /** The names of those of these agents that are not archived, by id. */
  names(tenant: string, ids: readonly string[]): Promise<Result<ReadonlyMap<string, string>>>;
  /** The versions, the latest first; the position is the version number. */
  versions(tenant: string, id: string, request: PageRequest): Promise<Result<Page<AgentVersion>>>;
  /**
   * Creates the next version unless the configuration is unchanged. With `ifVersion`, `conflict` when the latest
   * differs. An archived agent is `not_found`.
   */
  update(
    tenant: string,
    change: { id: string; config: AgentConfig; ifVersion: number | null },
    act: AuditEntry,
  ): Promise<Result<Agent>>;
  /** Archives an agent. `not_found` when it is already archived. */
  archive(tenant: string, id: string, act: AuditEntry): Promise<Result<Agent>>;
}

/** What the audit log holds. */

/** An administrative act: who did what to what, in which request. */
export interface AuditEntry {
  readonly id: string;
  readonly at: number;
  /** A key's id, or `operator`. */
  readonly actor: string;
  readonly action:
    | "tenant.create"
    | "tenant.erase"
    | "tenant.stop"
    | "tenant.release"
    | "key.create"
    | "key.revoke"
    | "agent.create"
    | "agent.update"
    | "budget.set"
    | "budget.delete"
    | "file.delete"
    | "file.restore"
    | "secret.create"
    | "secret.update"
    | "secret.delete"
    | "tool.create"
    | "tool.update"
    | "tool.delete"
    | "tool.import"
    | "tool.reload"
    | "skill.upload"
    | "skill.restore"
    | "skill.delete"
    | "memory.create"
    | "memory.update"
    | "memory.delete"
    | "project.erase"
    | "mcp_server.set"
    | "mcp_server.delete"
    | "mcp_server.reload"
    | "mcp_server.approve"
    | "mcp_server.authorize";
  readonly target: string;
  readonly requestId: string;
}

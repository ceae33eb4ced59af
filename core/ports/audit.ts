/** The entries of the audit log. */
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";

/** The actor of Otto's own acts. */
export const BY_OTTO = "otto";

/** An administrative act: actor, action, target, and request. */
export interface AuditEntry {
  readonly id: string;
  readonly at: number;
  /**
   * A key's id, `operator`, `BY_OTTO`, the address of a linked user of a channel, or the id of the person who connected an
   * account in a browser.
   */
  readonly actor: string;
  readonly action:
    | "tenant.create"
    | "tenant.erase"
    | "tenant.stop"
    | "tenant.release"
    | "tenant.reindex"
    | "key.create"
    | "key.bind"
    | "key.revoke"
    | "agent.create"
    | "agent.update"
    | "agent.archive"
    | "retention.set"
    | "retention.sweep"
    | "budget.set"
    | "budget.delete"
    | "file.delete"
    | "file.restore"
    | "secret.create"
    | "secret.update"
    | "secret.delete"
    | "database.create"
    | "database.update"
    | "database.check"
    | "database.delete"
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
    | "document.create"
    | "document.replace"
    | "document.delete"
    | "project.erase"
    | "person.create"
    | "person.update"
    | "person.delete"
    | "person.link"
    | "schedule.create"
    | "schedule.update"
    | "schedule.delete"
    | "schedule.pause"
    | "schedule.resume"
    | "schedule.run"
    | "schedule.confirm"
    | "mcp_server.set"
    | "mcp_server.delete"
    | "catalogue.sync"
    | "provider_key.set"
    | "provider_key.remove"
    | "app.add"
    | "app.remove"
    | "app.enable"
    | "app.override"
    | "app.approve"
    | "agent.set_apps"
    | "mcp_server.reload"
    | "mcp_server.approve"
    | "mcp_server.authorize"
    | "webhook.create"
    | "webhook.update"
    | "webhook.delete"
    | "webhook.rotate"
    | "webhook.test"
    | "webhook.replay"
    | "webhook.disable"
    | "hook.create"
    | "hook.update"
    | "hook.delete"
    | "hook.replay"
    | "mail.replay"
    | "slack.replay"
    | "delivery.replay"
    | "slack.authorize"
    | "slack.install"
    | "slack.uninstall"
    | "trigger.create"
    | "trigger.pause"
    | "trigger.resume"
    | "trigger.delete"
    | "trigger.replay"
    | "trigger.rotate"
    | "codebase.create"
    | "codebase.update"
    | "codebase.reindex"
    | "codebase.schedule"
    | "codebase.delete"
    | "connection.connect"
    | "connection.update"
    | "connection.expire"
    | "connection.revoke"
    | "connection.delete"
    | "session.begin"
    | "session.end"
    | "session.end_others"
    | "session.link";
  readonly target: string;
  readonly requestId: string;
  /** What the act changed, where its target does not tell. */
  readonly details?: AuditDetails;
}

/** By field: the id that it has since the act, or an earlier one; null: none. */
export type AuditDetails = Readonly<Record<string, string | null>>;

/** The tenant of the operator's acts in the audit log. It is not a tenant's id. */
export const OPERATOR_TENANT = "operator";

/** The filter of a list of acts; absent matches all. */
export interface AuditFilter {
  /** An action (`agent.update`), or the kind of its target (`agent`). */
  readonly action?: string;
  readonly actor?: string;
  readonly target?: string;
  /** From this time on, and before this time. */
  readonly from?: number;
  readonly before?: number;
}

export interface AuditLog {
  /** Adds an act that changed no row; other acts are added with their change. Idempotent. */
  add(tenant: string, act: AuditEntry): Promise<Result<void>>;
  /** The acts of a tenant, or of the operator (`OPERATOR_TENANT`). */
  page(tenant: string, request: PageRequest, filter?: AuditFilter): Promise<Result<Page<AuditEntry>>>;
}

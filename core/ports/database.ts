/**
 * The database as a port: what Otto keeps in Postgres and asks of it. Every method that takes a tenant sees that
 * tenant's rows and no others. Expected failures: `not_found`, `conflict`, `invalid_input` (text that Postgres cannot
 * hold), and `upstream_failed` with `retryAfterMs` while the database is away. Times are milliseconds since the epoch.
 */
import type { AgentConfig, PinnedAgent } from "../agents/agent.ts";
import type { AuditEntry } from "./audit-entry.ts";
import type { DeliveryTable } from "./delivery-table.ts";
import type { EndpointTable } from "../channels/webhooks/endpoint.ts";
import type { HookTable } from "../channels/webhooks/hook.ts";
import type { SlackInstallTable } from "./slack-install-table.ts";
import type { Result } from "../base/errors.ts";
import type { RecordedKeys, SealedValues } from "../secrets/key-ring.ts";
import type { MemoryTable, ProjectTable } from "./memory-tables.ts";
import type { McpServerTable } from "./mcp-server-table.ts";
import type { KeyRecord, TaskReport } from "../tenant/rpc.ts";
import type { OpenWait } from "../task/open-waits.ts";
import type { Page, PageRequest, Place } from "../base/page-cursor.ts";
import type { PersonTable } from "./person-table.ts";
import type { ScheduleTable } from "./schedule-table.ts";
import type { ShortTask } from "../task/short.ts";
import type { SkillChange, SkillTable } from "./skill-table.ts";
import type { OwnUsage, TaskLine } from "../task/line.ts";
import type { TaskStatus } from "../task/status.ts";
import type { TaskView } from "../task/view.ts";
import type { RecoveryTable } from "../tenant/recovery.ts";
import type { DefinedTool, SourceRecord, SourceToPublish } from "../tool/source.ts";

/** The name under which acts of the operator stand in the audit log. It is no tenant's id. */
export const OPERATOR_TENANT = "operator";

/** A customer. */
export interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

/** An API key as it is listed. `createdBy` is the key that made it, or `operator`. */
export interface ApiKey extends KeyRecord {
  readonly projects: readonly string[] | null;
  readonly agents: readonly string[] | null;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly revokedAt: number | null;
}

/** A key to be kept: its record and its SHA-256 in hex. */
export interface NewApiKey {
  readonly key: ApiKey;
  readonly hash: string;
}

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

export interface TenantTable {
  /** Makes the tenant, its first key and the audit row. Doing it again with the same ids changes nothing. */
  create(tenant: Tenant, firstKey: NewApiKey, act: AuditEntry): Promise<Result<void>>;
  /** `not_found` for an erased tenant too. */
  get(id: string): Promise<Result<Tenant>>;
  page(request: PageRequest): Promise<Result<Page<Tenant>>>;
  /** Marks the tenant erased: from then on none of its keys is found. Its rows go by `purge`. */
  erase(id: string, act: AuditEntry): Promise<Result<Tenant>>;
  /** Erased tenants whose rows are still there, the earliest first. */
  erased(limit: number): Promise<Result<readonly string[]>>;
  /** Deletes every row of an erased tenant and remembers only that its id was used. */
  purge(id: string): Promise<Result<void>>;
}

export interface KeyTable {
  /** Keeps a key. Keeping the same id again changes nothing and gives what is there. */
  create(key: NewApiKey, act: AuditEntry): Promise<Result<ApiKey>>;
  /** The living key with this hash, of this tenant; `not_found` when it is revoked or its tenant erased. */
  byHash(tenant: string, hash: string): Promise<Result<KeyRecord>>;
  /** A key by its id, revoked or not. */
  get(tenant: string, id: string): Promise<Result<ApiKey>>;
  page(tenant: string, request: PageRequest): Promise<Result<Page<ApiKey>>>;
  /** Revoking a revoked key changes nothing and gives what is there. */
  revoke(tenant: string, id: string, act: AuditEntry): Promise<Result<ApiKey>>;
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

/** A secret as it is listed: everything but its value. */
export interface Secret {
  readonly id: string;
  readonly name: string;
  readonly hosts: readonly string[];
  /** Ids of the agents that may use it; null: as `core/secrets/secret-use.ts` says. */
  readonly agents: readonly string[] | null;
  /** Methods of the requests that may carry it; null: all of them. */
  readonly methods: readonly string[] | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What a secret is set to: its value sealed, in base64, and its bindings. */
export interface SecretSetting extends Pick<Secret, "name" | "hosts" | "agents" | "methods"> {
  readonly sealed: string;
}

/** Names are unique in a tenant, and stay. */
export interface SecretTable {
  /**
   * `conflict` when the name is taken, `quota_exceeded` when the tenant has as many as it may. Making the same id again
   * changes nothing and gives what is there.
   */
  create(tenant: string, secret: SecretSetting & { readonly id: string }, act: AuditEntry): Promise<Result<Secret>>;
  get(tenant: string, name: string): Promise<Result<Secret>>;
  page(tenant: string, request: PageRequest): Promise<Result<Page<Secret>>>;
  /** Replaces value and bindings. */
  update(tenant: string, secret: SecretSetting, act: AuditEntry): Promise<Result<Secret>>;
  /** Gives what was there. */
  remove(tenant: string, name: string, act: AuditEntry): Promise<Result<Secret>>;
  /** All of them with their sealed values, for the egress module. */
  sealed(tenant: string): Promise<Result<readonly SecretSetting[]>>;
}

/** What narrows a list of tasks; null, or absent: it does not. */
export interface TaskFilter {
  /** Any of these. */
  readonly status: readonly TaskStatus[] | null;
  readonly project: string | null;
  /** Any of these projects. */
  readonly projects?: readonly string[];
  /** The id or the name of an agent. */
  readonly agent?: string;
  /** The tasks of no parent, or those of this one. */
  readonly parent?: { readonly id: string | null };
  /** Stands in the beginning of the input, in any case; from six characters on, also in the id. */
  readonly text?: string;
  /** Made at that moment or later, and before that moment. */
  readonly from?: number;
  readonly before?: number;
}

/** What narrows the inbox; null: it does not. `person` is the id of a person's record, or a name as a task used it. */
export interface InboxFilter {
  readonly kind: OpenWait["kind"] | null;
  readonly person: string | null;
  /** Of tasks of any of these projects. */
  readonly projects?: readonly string[];
  /** Absent: the oldest first. */
  readonly order?: InboxOrder;
}

export const INBOX_ORDERS = ["oldest", "newest"] as const;
export type InboxOrder = (typeof INBOX_ORDERS)[number];

/** Entries of the inbox, each with its task, and how many there are in all. The place of one is its `since` and its id. */
export interface InboxPage extends Page<OpenWait & { readonly task: TaskLine }> {
  readonly total: number;
}

/** A task in the picture of its tree. */
export interface TreeNode extends TaskLine {
  readonly usage: OwnUsage;
}

export interface TaskIndex {
  /**
   * Takes rows whose version is higher than what is there. Rows of an erased tenant are dropped. With `counter`, the one that
   * the tenant's object has, the tenant's row advances to the next one; `isTogether` false: its counter is another, or it is
   * gone or erased, and it did not.
   */
  upsert(
    tenant: string,
    reports: readonly TaskReport[],
    counter?: number,
  ): Promise<Result<{ readonly isTogether: boolean }>>;
  /** The tenant's tasks that are not hidden. A page ends early when what it holds is large (over 8 MB). */
  page(tenant: string, filter: TaskFilter, request: PageRequest): Promise<Result<Page<TaskView>>>;
  /** The same in the short form. */
  shortPage(tenant: string, filter: TaskFilter, request: PageRequest): Promise<Result<Page<ShortTask>>>;
  /** What waits for people; that of hidden tasks too. */
  inbox(tenant: string, filter: InboxFilter, request: PageRequest): Promise<Result<InboxPage>>;
  /** The tasks below one, the nearest first and then the earliest, without the hidden ones. */
  below(tenant: string, task: string, limit: number): Promise<Result<readonly TreeNode[]>>;
  /** The ids of tasks of the tenant, hidden ones too, in no order: what there is to erase. */
  some(tenant: string, limit: number): Promise<Result<readonly string[]>>;
  /** The ids after one (null: from the start), hidden ones too, in their order. */
  ids(tenant: string, after: string | null, limit: number): Promise<Result<readonly string[]>>;
  /** The roots that ended before `before`, the earliest first. Their place is that moment. */
  ended(tenant: string, before: number, request: PageRequest): Promise<Result<readonly Place[]>>;
  count(tenant: string): Promise<Result<StoredTasks>>;
  remove(tenant: string, ids: readonly string[]): Promise<Result<void>>;
  /** What a task reported last, a hidden one too, without its waits and its root; null: the index does not list it. */
  find(tenant: string, id: string): Promise<Result<TaskReport | null>>;
  /** Tasks of any tenant whose wake-up was due before `before`, the longest overdue first. Their place is that moment. */
  overdue(before: number, request: PageRequest): Promise<Result<Page<{ tenant: string; task: string }>>>;
}

/** How much of a tenant's tasks is stored. Hidden tasks are not counted. */
interface StoredTasks {
  readonly tasks: number;
  readonly ended: number;
  /** When the first of those that are stored ended, in milliseconds since the epoch; null: none did. */
  readonly earliestEnd: number | null;
}

/** What narrows a list of acts; absent: it does not. */
export interface AuditFilter {
  /** An action (`agent.update`), or the kind of thing that was acted on (`agent`). */
  readonly action?: string;
  readonly actor?: string;
  readonly target?: string;
  /** Done at that moment or later, and before that moment. */
  readonly from?: number;
  readonly before?: number;
}

export interface AuditLog {
  /** Adds an act that changed no row of the database; acts that do are added with their change. Adding it again does nothing. */
  add(tenant: string, act: AuditEntry): Promise<Result<void>>;
  /** The acts of a tenant, or of the operator (`OPERATOR_TENANT`). */
  page(tenant: string, request: PageRequest, filter?: AuditFilter): Promise<Result<Page<AuditEntry>>>;
}

/** A source's change as its row takes it. `names` are keys that no other source of the tenant may have. */
export interface SourceChange {
  readonly name: string;
  readonly hash: string | null;
  readonly tools: number;
  readonly bytes: number;
  readonly names: readonly string[];
  readonly origin: string | null;
  readonly ifVersion: number;
  readonly definitions: NonNullable<SourceToPublish["definitions"]>;
  readonly skill: SkillChange | null;
  readonly at: number;
}

export interface ToolSourceTable {
  /** Every source of the tenant by name, also those that have no tools any more. */
  all(tenant: string): Promise<Result<readonly SourceRecord[]>>;
  /**
   * Makes the next version. `conflict`: the latest is not `ifVersion` (field `ifVersion`), or another source has one of the
   * names (field `name`). `act` null: nobody asked for it.
   */
  publish(tenant: string, change: SourceChange, act: AuditEntry | null): Promise<Result<SourceRecord>>;
  /** The latest version of every tool that the tenant defined and did not take away. */
  definitions(tenant: string): Promise<Result<readonly DefinedTool[]>>;
  /** The versions of one, the latest first; the place of a version is its number. `not_found` when there never was one. */
  versions(tenant: string, name: string, request: PageRequest): Promise<Result<Page<DefinedTool>>>;
}

/** What use is told apart by. */
export const USAGE_PARTS = ["day", "agent", "key", "project"] as const;
export type UsagePart = (typeof USAGE_PARTS)[number];

/** Days as `2026-11-21` (UTC), both included, and what to tell apart. */
export interface UsageRequest {
  readonly from: string;
  readonly to: string;
  readonly by: readonly UsagePart[];
  readonly limit: number;
}

/** What tasks used that have these parts in common. A key or a project that a task has not is null. */
export interface UsageRow {
  readonly parts: {
    readonly day?: string;
    readonly agent?: string;
    readonly key?: string | null;
    readonly project?: string | null;
  };
  /** Those that are in lists; calls over the API are none. */
  readonly tasks: number;
  readonly steps: number;
  readonly toolCalls: number;
  readonly tokens: number;
  readonly costMicros: number;
}

export interface UsageTable {
  /** By the day on which a task was made, also of tasks that were erased since. At most `limit` rows, in their order. */
  read(tenant: string, request: UsageRequest): Promise<Result<readonly UsageRow[]>>;
}

export interface Database {
  readonly mcpServers: McpServerTable;
  readonly schedules: ScheduleTable;
  readonly tenants: TenantTable;
  readonly keys: KeyTable;
  readonly agents: AgentTable;
  readonly secrets: SecretTable;
  readonly sealed: RecordedKeys & SealedValues;
  readonly tasks: TaskIndex;
  readonly audit: AuditLog;
  readonly recovery: RecoveryTable;
  readonly toolSources: ToolSourceTable;
  readonly skills: SkillTable;
  readonly usage: UsageTable;
  readonly memories: MemoryTable;
  readonly projects: ProjectTable;
  readonly people: PersonTable;
  readonly deliveries: DeliveryTable;
  readonly endpoints: EndpointTable;
  readonly hooks: HookTable;
  readonly slackInstalls: SlackInstallTable;
}

/**
 * The database port: what Otto stores in Postgres. Every method that takes a tenant sees only that tenant's rows.
 * Expected failures: `not_found`, `conflict`, `invalid_input` (text that Postgres cannot store), and `upstream_failed`
 * with `retryAfterMs` while the database is unavailable. Times are milliseconds since the epoch.
 */
import type { AgentTable } from "./agent-table.ts";
import type { AppCatalogueTable } from "./app-catalogue-table.ts";
import type { AppClientTable } from "./app-client-table.ts";
import type { AuditLog } from "./audit.ts";
import type { CodebaseTable } from "./codebases.ts";
import type { ConnectionJobs } from "./connection-jobs.ts";
import type { ConnectionTable } from "./connection-table.ts";
import type { DeliveryTable } from "./delivery-table.ts";
import type { EndpointTable } from "./endpoint-table.ts";
import type { HookTable } from "./hook-table.ts";
import type { KnowledgeTable } from "./knowledge.ts";
import type { KnowledgeWordsTable } from "./knowledge-search.ts";
import type { McpServerTable } from "./mcp-server-table.ts";
import type { MemoryTable, ProjectTable } from "./memory-tables.ts";
import type { PersonTable } from "./person-table.ts";
import type { ProviderKeyTable, ProviderKeyTenants } from "./provider-keys.ts";
import type { RecoveryTable } from "./recovery-table.ts";
import type { ScheduleTable } from "./schedule-table.ts";
import type { RecordedKeys, RowSeal, SealedValues } from "./sealed-values.ts";
import type { SecretTable } from "./secret-table.ts";
import type { SkillTable } from "./skill-table.ts";
import type { SlackInstallTable } from "./slack-install-table.ts";
import type { TenantDatabaseTable } from "./tenant-database-table.ts";
import type { TaskIndex } from "./task-index.ts";
import type { KeyTable, TenantTable } from "./tenant-table.ts";
import type { ToolSourceTable } from "./tool-source-table.ts";
import type { SubscriptionTable } from "./subscription-table.ts";
import type { TriggerTable } from "./trigger-table.ts";
import type { UsageTable } from "./usage-table.ts";
import type { WorkspaceAppTable } from "./workspace-app-table.ts";

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
  readonly knowledge: KnowledgeTable;
  readonly knowledgeWords: KnowledgeWordsTable;
  readonly projects: ProjectTable;
  readonly people: PersonTable;
  readonly deliveries: DeliveryTable;
  readonly endpoints: EndpointTable;
  readonly hooks: HookTable;
  readonly slackInstalls: SlackInstallTable;
  readonly connectionJobs: ConnectionJobs;
  readonly appCatalogue: AppCatalogueTable;
  readonly workspaceApps: WorkspaceAppTable;
  readonly triggers: TriggerTable;
  readonly subscriptions: SubscriptionTable;
  readonly providerKeyTenants: ProviderKeyTenants;
  readonly codebases: CodebaseTable;
  /** The connections of one tenant. `seal` seals and opens their tokens. */
  connections(tenant: string, seal: RowSeal): ConnectionTable;
  /** The apps of one tenant that people connect to. */
  appClients(tenant: string, seal: RowSeal): AppClientTable;
  /** The databases of one tenant that its agents may query. */
  tenantDatabases(tenant: string, seal: RowSeal): TenantDatabaseTable;
  /** The key of the catalogue's provider of one tenant. */
  providerKeys(tenant: string, seal: RowSeal): ProviderKeyTable;
}

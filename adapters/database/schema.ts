/** The tables of `migrations/` for drizzle. The SQL is authoritative; `docs/storage-schema.md` shows example rows. */
import { bigint, boolean, customType, integer, jsonb, pgTable, smallint, text } from "drizzle-orm/pg-core";
import type { Provider } from "../../core/connections/account.ts";
import type { StoredStatus } from "../../core/connections/states.ts";
import type { MemoryLabel } from "../../core/memory/memory.ts";

/** `timestamptz` as ms since the epoch. The driver returns Postgres's text. */
export const moment = customType<{ data: number; driverData: string }>({
  dataType: () => "timestamptz",
  toDriver: (ms) => new Date(ms).toISOString(),
  fromDriver: (written) => Date.parse(written),
});

export const tenants = pgTable("tenants", {
  id: text("id").notNull(),
  name: text("name").notNull(),
  createdAt: moment("created_at").notNull(),
  erasedAt: moment("erased_at"),
  purgedAt: moment("purged_at"),
  counter: bigint("counter", { mode: "number" }).notNull().default(0),
  reindex: jsonb("reindex"),
});

export const keys = pgTable("keys", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  name: text("name").notNull(),
  hash: text("hash").notNull(),
  scopes: text("scopes").array().notNull(),
  projects: text("projects").array(),
  agents: text("agents").array(),
  person: text("person"),
  boundAt: moment("bound_at"),
  createdAt: moment("created_at").notNull(),
  createdBy: text("created_by").notNull(),
  expiresAt: moment("expires_at"),
  revokedAt: moment("revoked_at"),
});

export const agents = pgTable("agents", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  name: text("name").notNull(),
  version: integer("version").notNull(),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
  archivedAt: moment("archived_at"),
});

export const agentVersions = pgTable("agent_versions", {
  tenant: text("tenant").notNull(),
  agent: text("agent").notNull(),
  version: integer("version").notNull(),
  config: text("config").notNull(),
  createdAt: moment("created_at").notNull(),
});

export const tasks = pgTable("tasks", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  version: bigint("version", { mode: "number" }).notNull(),
  status: text("status").notNull(),
  hidden: boolean("hidden").notNull(),
  project: text("project"),
  agent: text("agent").notNull(),
  parent: text("parent"),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
  wakeAt: moment("wake_at"),
  view: text("view").notNull(),
  key: text("key"),
  steps: integer("steps").notNull(),
  toolCalls: integer("tool_calls").notNull(),
  tokens: bigint("tokens", { mode: "number" }).notNull(),
  costMicros: bigint("cost_micros", { mode: "number" }).notNull(),
  title: text("title").notNull(),
  searchText: text("search_text"),
  endedAt: moment("ended_at"),
  waits: jsonb("waits"),
  shortView: text("short_view"),
  shortVersion: bigint("short_version", { mode: "number" }),
});

export const audit = pgTable("audit", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  at: moment("at").notNull(),
  actor: text("actor").notNull(),
  action: text("action").notNull(),
  target: text("target").notNull(),
  requestId: text("request_id").notNull(),
  details: text("details"),
});

export const secrets = pgTable("secrets", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  name: text("name").notNull(),
  hosts: text("hosts").array().notNull(),
  agents: text("agents").array(),
  methods: text("methods").array(),
  sealed: text("sealed").notNull(),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
});

export const toolSources = pgTable("tool_sources", {
  tenant: text("tenant").notNull(),
  name: text("name").notNull(),
  version: integer("version").notNull(),
  hash: text("hash"),
  tools: integer("tools").notNull(),
  bytes: integer("bytes").notNull(),
  origin: text("origin"),
  updatedAt: moment("updated_at").notNull(),
});

export const toolNames = pgTable("tool_names", {
  tenant: text("tenant").notNull(),
  key: text("key").notNull(),
  source: text("source").notNull(),
});

export const customTools = pgTable("custom_tools", {
  tenant: text("tenant").notNull(),
  name: text("name").notNull(),
  version: integer("version").notNull(),
  definition: text("definition"),
  createdAt: moment("created_at").notNull(),
});

export const projects = pgTable("projects", {
  tenant: text("tenant").notNull(),
  name: text("name").notNull(),
  createdAt: moment("created_at").notNull(),
});

export const people = pgTable("people", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  version: integer("version").notNull(),
  name: text("name").notNull(),
  nameKey: text("name_key").notNull(),
  aliases: text("aliases").array().notNull(),
  addresses: text("addresses").notNull(),
  preferred: text("preferred"),
  timeZone: text("time_zone").notNull(),
  workingHours: text("working_hours"),
  mayAnswer: boolean("may_answer").notNull(),
  mayApprove: boolean("may_approve").notNull(),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
});

export const personAddresses = pgTable("person_addresses", {
  tenant: text("tenant").notNull(),
  address: text("address").notNull(),
  person: text("person").notNull(),
});

export const personNames = pgTable("person_names", {
  tenant: text("tenant").notNull(),
  name: text("name").notNull(),
  person: text("person").notNull(),
});

export const memories = pgTable("memories", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  project: text("project"),
  kind: text("kind").notNull(),
  content: text("content").notNull(),
  contentHash: text("content_hash").notNull(),
  tags: text("tags").array().notNull(),
  sourceTask: text("source_task"),
  author: text("author").notNull(),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
  embeddedBy: text("embedded_by"),
  label: smallint("label").$type<MemoryLabel>().notNull(),
});

export const memoryTags = pgTable("memory_tags", {
  tenant: text("tenant").notNull(),
  word: text("word").notNull(),
  memory: text("memory").notNull(),
});

export const mcpServers = pgTable("mcp_servers", {
  tenant: text("tenant").notNull(),
  name: text("name").notNull(),
  version: integer("version").notNull(),
  settings: text("settings").notNull(),
  sealed: text("sealed").notNull(),
  auth: text("auth"),
  refreshLeaseUntil: moment("refresh_lease_until"),
  status: text("status").notNull(),
  error: text("error"),
  approved: text("approved"),
  approvedHash: text("approved_hash"),
  seen: text("seen"),
  seenHash: text("seen_hash"),
  refused: text("refused"),
  protocolVersion: text("protocol_version"),
  prior: text("prior"),
  checkedAt: moment("checked_at"),
  listChangedAt: moment("list_changed_at"),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
});

export const schedules = pgTable("schedules", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  report: bigint("report", { mode: "number" }).notNull(),
  wakeAt: moment("wake_at"),
  state: text("state").notNull(),
  createdAt: moment("created_at").notNull(),
  isTracked: boolean("is_tracked").notNull(),
  actsFor: text("acts_for"),
});

export const skills = pgTable("skills", {
  tenant: text("tenant").notNull(),
  name: text("name").notNull(),
  slug: text("slug").notNull(),
  version: integer("version").notNull(),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
});

export const skillVersions = pgTable("skill_versions", {
  tenant: text("tenant").notNull(),
  name: text("name").notNull(),
  version: integer("version").notNull(),
  hash: text("hash").notNull(),
  skill: text("skill").notNull(),
  report: text("report").notNull(),
  files: integer("files").notNull(),
  bytes: integer("bytes").notNull(),
  createdAt: moment("created_at").notNull(),
  createdBy: text("created_by").notNull(),
});

export const deliveries = pgTable("deliveries", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  outbox: text("outbox").notNull(),
  version: bigint("version", { mode: "number" }).notNull(),
  channel: text("channel").notNull(),
  place: text("place").notNull(),
  kind: text("kind").notNull(),
  task: text("task"),
  about: text("about"),
  state: text("state").notNull(),
  attempts: integer("attempts").notNull(),
  why: text("why"),
  dueAt: moment("due_at"),
  createdAt: moment("created_at").notNull(),
  endedAt: moment("ended_at"),
});

export const endpoints = pgTable("endpoints", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  version: integer("version").notNull(),
  url: text("url").notNull(),
  events: text("events").array().notNull(),
  description: text("description").notNull(),
  enabled: boolean("enabled").notNull(),
  disabledWhy: text("disabled_why"),
  sealed: text("sealed").notNull(),
  oldSealed: text("old_sealed").array().notNull(),
  oldUntil: bigint("old_until", { mode: "number" }).array().notNull(),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
});

export const hooks = pgTable("hooks", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  name: text("name").notNull(),
  type: text("type").notNull(),
  version: integer("version").notNull(),
  config: text("config").notNull(),
  sealed: text("sealed").notNull(),
  oldSealed: text("old_sealed").array().notNull(),
  oldUntil: bigint("old_until", { mode: "number" }).array().notNull(),
  actsFor: text("acts_for"),
  actsForVersion: integer("acts_for_version"),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
});

export const slackInstalls = pgTable("slack_installs", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  team: text("team").notNull(),
  teamName: text("team_name").notNull(),
  app: text("app"),
  botUser: text("bot_user").notNull(),
  scopes: text("scopes").array().notNull(),
  sealed: text("sealed"),
  status: text("status").notNull(),
  installedBy: text("installed_by").notNull(),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
});

export const slackAuthorizations = pgTable("slack_authorizations", {
  tenant: text("tenant").notNull(),
  mark: text("mark").notNull(),
  key: text("key").notNull(),
  redirect: text("redirect").notNull(),
  expiresAt: moment("expires_at").notNull(),
});

export const entityConnections = pgTable("entity_connections", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  appName: text("app_name").notNull(),
  provider: text("provider").$type<Provider>().notNull(),
  ownerPerson: text("owner_person"),
  connectedBy: text("connected_by"),
  alias: text("alias"),
  isDefault: boolean("is_default").notNull(),
  status: text("status").$type<StoredStatus>().notNull(),
  pendingUntil: moment("pending_until"),
  linkUsed: text("link_used"),
  flow: text("flow"),
  flowAccount: text("flow_account"),
  flowAccountUntil: moment("flow_account_until"),
  connectionId: text("connection_id"),
  accountLabel: text("account_label"),
  scopes: text("scopes").array(),
  unattended: boolean("unattended").notNull(),
  delegateApprovals: boolean("delegate_approvals").notNull(),
  consent: integer("consent").notNull(),
  settingsHash: text("settings_hash"),
  sealed: text("sealed"),
  sealedVersion: integer("sealed_version").notNull(),
  expiresAt: moment("expires_at"),
  refreshLeaseUntil: moment("refresh_lease_until"),
  revoking: text("revoking").array().notNull(),
  revokeAt: moment("revoke_at"),
  revokeTries: integer("revoke_tries").notNull(),
  outage: integer("outage").notNull(),
  notifiedAt: moment("notified_at"),
  why: text("why"),
  lastCheckedAt: moment("last_checked_at"),
  lastUsedAt: moment("last_used_at"),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
});

export const appClients = pgTable("app_clients", {
  tenant: text("tenant").notNull(),
  appName: text("app_name").notNull(),
  provider: text("provider").$type<Provider>().notNull(),
  settings: text("settings").notNull(),
  settingsHash: text("settings_hash").notNull(),
  sealed: text("sealed"),
  updatedAt: moment("updated_at").notNull(),
});

export const providerKeys = pgTable("provider_keys", {
  tenant: text("tenant").notNull(),
  provider: text("provider").notNull(),
  id: text("id").notNull(),
  sealed: text("sealed").notNull(),
  createdAt: moment("created_at").notNull(),
  refusedAt: moment("refused_at"),
});

export const workspaceToolConfig = pgTable("workspace_tool_config", {
  tenant: text("tenant").notNull(),
  toolId: text("tool_id").notNull(),
  enabled: boolean("enabled").notNull(),
  configuration: text("configuration").notNull(),
  version: integer("version").notNull(),
  followed: text("followed"),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
});

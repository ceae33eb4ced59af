/** The tables of `migrations/`, as drizzle sees them. The SQL is the truth; `docs/storage-schema.md` shows example rows. */
import { bigint, boolean, customType, integer, pgTable, text } from "drizzle-orm/pg-core";

/** `timestamptz` as milliseconds since the epoch. The driver hands over Postgres's own text. */
const moment = customType<{ data: number; driverData: string }>({
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
});

export const keys = pgTable("keys", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  name: text("name").notNull(),
  hash: text("hash").notNull(),
  scopes: text("scopes").array().notNull(),
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
});

export const audit = pgTable("audit", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  at: moment("at").notNull(),
  actor: text("actor").notNull(),
  action: text("action").notNull(),
  target: text("target").notNull(),
  requestId: text("request_id").notNull(),
});

export const secrets = pgTable("secrets", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  name: text("name").notNull(),
  hosts: text("hosts").array().notNull(),
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

/** The tables of the catalogue of apps (migrations/0036_apps.sql, 0041_logos.sql) for drizzle. They belong to no tenant. */
import { bigint, boolean, integer, pgTable, text } from "drizzle-orm/pg-core";
import type { AppStatus } from "../../core/apps/catalogue.ts";
import type { SyncJob, SyncKind } from "../../core/ports/app-catalogue.ts";
import type { EffectClass, SecurityLevel } from "../../core/tool/tool.ts";
import { moment } from "./schema.ts";

export const composioApps = pgTable("composio_apps_cache", {
  app: text("app_name").notNull(),
  title: text("display_name").notNull(),
  description: text("description").notNull(),
  logoUrl: text("logo_url"),
  categories: text("categories").array().notNull(),
  actionCount: integer("action_count").notNull(),
  triggerCount: integer("trigger_count").notNull(),
  triggers: text("triggers").notNull(),
  authSchemes: text("auth_schemes").array().notNull(),
  managedSchemes: text("managed_schemes").array().notNull(),
  isOpen: boolean("is_open").notNull(),
  guideUrl: text("guide_url"),
  version: text("version"),
  updatedAt: text("provider_updated_at"),
  status: text("status").$type<AppStatus>().notNull(),
  compiled: text("compiled"),
  logo: text("logo"),
  logoOf: text("logo_of"),
});

export const composioActions = pgTable("composio_actions_cache", {
  action: text("action_name").notNull(),
  app: text("app_name").notNull(),
  title: text("display_name").notNull(),
  description: text("description").notNull(),
  input: text("parameters").notNull(),
  output: text("output"),
  parameters: text("parameter_names").array().notNull(),
  tags: text("tags").array().notNull(),
  scopes: text("scopes").array().notNull(),
  capabilities: text("capability_tags").array().notNull(),
  isDestructive: boolean("destructive").notNull(),
  effect: text("effect").$type<EffectClass>().notNull(),
  security: text("security").$type<SecurityLevel>().notNull(),
  because: text("because").notNull(),
  version: text("version").notNull(),
  isOpen: boolean("is_open").notNull(),
  schemaHash: text("schema_hash").notNull(),
  status: text("status").$type<AppStatus>().notNull(),
});

export const composioSyncJobs = pgTable("composio_sync_jobs", {
  id: text("id").notNull(),
  kind: text("job_type").$type<SyncKind>().notNull(),
  status: text("status").$type<SyncJob["status"]>().notNull(),
  startedAt: moment("started_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
  completedAt: moment("completed_at"),
  durationMs: bigint("duration_ms", { mode: "number" }),
  appsSynced: integer("apps_synced").notNull(),
  actionsSynced: integer("actions_synced").notNull(),
  errors: integer("errors_count").notNull(),
  errorDetails: text("error_details").notNull(),
});

export const appCatalogue = pgTable("app_catalogue", {
  name: text("name").notNull(),
  snapshot: text("snapshot").notNull(),
  syncedAt: moment("synced_at").notNull(),
  logos: text("logos"),
});

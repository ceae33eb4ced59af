/** The tables of triggers (migrations/0039_triggers.sql) for drizzle. */
import { bigint, integer, pgTable, text } from "drizzle-orm/pg-core";
import type { TriggerState } from "../../core/triggers/trigger.ts";
import { moment } from "./schema.ts";

export const appTriggers = pgTable("app_triggers", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  version: integer("version").notNull(),
  app: text("app_name").notNull(),
  owner: text("owner_person"),
  config: text("config").notNull(),
  actsFor: text("acts_for"),
  state: text("state").$type<TriggerState>().notNull(),
  why: text("why"),
  providerId: text("provider_id"),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
});

export const triggerSubscriptions = pgTable("trigger_subscriptions", {
  tenant: text("tenant").notNull(),
  providerId: text("provider_id"),
  url: text("url"),
  sealed: text("sealed"),
  oldSealed: text("old_sealed").array().notNull(),
  oldUntil: bigint("old_until", { mode: "number" }).array().notNull(),
  claimedUntil: moment("claimed_until"),
});

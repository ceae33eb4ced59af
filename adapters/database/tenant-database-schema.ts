/** The table of the databases that tenants' agents may query (migrations/0044_databases.sql). */
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { moment } from "./schema.ts";

export const databases = pgTable("databases", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  name: text("name").notNull(),
  kind: text("kind").notNull(),
  settings: text("settings").notNull(),
  sealed: text("sealed").notNull(),
  agents: text("agents").array(),
  projects: text("projects").array(),
  people: text("people").array(),
  status: text("status").notNull(),
  checked: text("checked"),
  version: integer("version").notNull(),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
});

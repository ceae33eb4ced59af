/** The table of codebases for drizzle. Their files, symbols and chunks are written and searched by SQL alone. */
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { moment } from "./schema.ts";

export const codebases = pgTable("codebases", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  name: text("name").notNull(),
  source: text("source").notNull(),
  agents: text("agents").array(),
  projects: text("projects").array(),
  people: text("people").array(),
  status: text("status").notNull(),
  error: text("error"),
  commit: text("commit"),
  files: integer("files").notNull(),
  symbols: integer("symbols").notNull(),
  chunks: integer("chunks").notNull(),
  skipped: text("skipped").notNull(),
  builds: integer("builds").notNull(),
  building: integer("building"),
  every: text("every"),
  dueAt: moment("due_at"),
  published: integer("published"),
  embedder: text("embedder"),
  indexedAt: moment("indexed_at"),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
});

/** The tables of documents (migrations/0042_knowledge.sql) for drizzle. */
import { bigint, boolean, integer, pgTable, smallint, text } from "drizzle-orm/pg-core";
import type { IngestState } from "../../core/knowledge/document.ts";
import type { MemoryLabel } from "../../core/memory/memory.ts";
import type { DocumentKind } from "../../core/ports/documents.ts";
import { moment } from "./schema.ts";

export const knowledgeDocuments = pgTable("knowledge_documents", {
  tenant: text("tenant").notNull(),
  id: text("id").notNull(),
  project: text("project"),
  filename: text("filename").notNull(),
  title: text("title"),
  tags: text("tags").array().notNull(),
  shown: integer("shown"),
  latest: integer("latest").notNull(),
  author: text("author").notNull(),
  unclean: boolean("unclean").notNull(),
  deletedAt: moment("deleted_at"),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
});

export const knowledgeVersions = pgTable("knowledge_versions", {
  tenant: text("tenant").notNull(),
  document: text("document").notNull(),
  version: integer("version").notNull(),
  status: text("status").$type<IngestState>().notNull(),
  source: text("source").notNull(),
  label: smallint("label").$type<MemoryLabel>().notNull(),
  files: text("files").notNull(),
  title: text("title"),
  hash: text("hash"),
  size: bigint("size", { mode: "number" }),
  format: text("format").$type<DocumentKind>(),
  units: integer("units"),
  pieces: text("pieces").notNull(),
  warnings: text("warnings").array().notNull(),
  failure: text("failure"),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
  endedAt: moment("ended_at"),
});

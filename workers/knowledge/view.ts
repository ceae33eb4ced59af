/** A document in the API. */
import { z } from "zod";
import { ERRORS, type ErrorCode } from "../../core/base/errors.ts";
import { iso, isoOrNull } from "../../core/base/iso.ts";
import { INGEST_STATES, type KnowledgeDocument } from "../../core/knowledge/document.ts";
import { MEMORY_LABELS, nameMemoryLabel } from "../../core/memory/memory.ts";
import { DOCUMENT_KINDS } from "../../core/ports/documents.ts";

const codes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];
const SOURCES = ["upload", "text", "url", "file"] as const;

export const documentSchema = z
  .strictObject({
    id: z.string(),
    project: z.string().nullable().describe("Null for a document of the whole tenant, which every task can find."),
    filename: z.string(),
    title: z.string().describe("The given title, else the document's own, else its filename."),
    tags: z.array(z.string()),
    label: z
      .enum(MEMORY_LABELS)
      .describe("`outside`: its text is from an address, or from a task that had read such text."),
    version: z.int().describe("The latest version."),
    shown_version: z.int().nullable().describe("The version that searches read; null before the first is ready."),
    status: z
      .enum(INGEST_STATES)
      .describe("Of the latest version. While it is read, and if it fails, searches read the one before."),
    progress: z.number().describe("From 0 to 1: how much of the latest version is done."),
    source: z.strictObject({
      kind: z.enum(SOURCES),
      url: z.string().nullable(),
      task_id: z.string().nullable(),
      path: z.string().nullable(),
    }),
    format: z.enum(DOCUMENT_KINDS).nullable().describe("Null until it was read."),
    size: z.int().nullable().describe("Bytes of the original."),
    sha256: z.string().nullable(),
    units: z.int().nullable().describe("Pages, slides or sheets; null for other formats."),
    pieces: z.strictObject({ text: z.int(), table: z.int(), formula: z.int(), image: z.int() }),
    warnings: z.array(z.string()).describe("For example that pages are pictures, or that formulas were not read."),
    error: z.strictObject({ code: z.enum(codes), message: z.string() }).nullable(),
    author: z.string().describe("The agent or the API key that added it."),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable().describe("When the latest version was ready or failed."),
  })
  .meta({ id: "Document" });

export function toDocumentView(document: KnowledgeDocument): z.infer<typeof documentSchema> {
  const { id, project, filename, title, tags, label, shown, latest, author, createdAt, updatedAt } = document;
  const { source, pieces } = latest;
  return {
    id,
    project,
    filename,
    title,
    tags: [...tags],
    label: nameMemoryLabel(label),
    version: latest.version,
    shown_version: shown,
    status: latest.status,
    progress: computeProgress(document),
    source: {
      kind: source.kind,
      url: source.kind === "url" ? source.url : null,
      task_id: source.kind === "file" ? source.task : null,
      path: source.kind === "file" ? source.path : null,
    },
    format: latest.format,
    size: latest.size,
    sha256: latest.hash,
    units: latest.units,
    pieces: {
      text: pieces.text ?? 0,
      table: pieces.table ?? 0,
      formula: pieces.formula ?? 0,
      image: pieces.image ?? 0,
    },
    warnings: [...latest.warnings],
    error: latest.failure,
    author,
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
    ended_at: isoOrNull(latest.endedAt),
  };
}

/** Reading counts as the first half, embedding as the second. */
function computeProgress({ latest: { status, pieces, embedded } }: KnowledgeDocument): number {
  const total = Object.values(pieces).reduce((sum, count) => sum + count, 0);
  switch (status) {
    case "queued":
    case "failed":
      return 0;
    case "reading":
      return 0.1;
    case "embedding":
      return total === 0 ? 0.5 : Math.round((0.5 + (0.5 * embedded) / total) * 100) / 100;
    case "ready":
      return 1;
  }
}

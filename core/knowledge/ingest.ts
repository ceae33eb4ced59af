/**
 * Reads an accepted version of a document, step by step: its bytes become pieces, the pieces get vectors, and then searches
 * read the version instead of the one before.
 *
 * 1. Every write is keyed by the version, and only an open version is written. So an attempt that a crash or a timeout cut
 *    off is repeated as a whole, and leaves one set of pieces.
 * 2. `show` is one statement: a version is visible whole or not at all.
 * 3. Only a fault of the document ends it. While a service is away, the version waits.
 */
import { type Failure, failed, ok, type Result } from "../base/errors.ts";
import { toStream } from "../base/byte-stream.ts";
import { sha256Hex } from "../base/sha256.ts";
import type { ItemOutcome } from "../channels/inbox/inbox.ts";
import type { BlobPort } from "../ports/blobs.ts";
import { type DocumentRead, type DocumentsPort, MAX_DOCUMENT_BYTES } from "../ports/documents.ts";
import type { KnowledgeTable, VersionPlace } from "../ports/knowledge.ts";
import type { EmbedderPort, VectorsPort } from "../ports/vectors.ts";
import { countKinds } from "./piece.ts";
import { type KnowledgeDocument, MAX_TENANT_BYTES, MAX_TENANT_PIECES } from "./document.ts";
import { cleanDocument } from "./clean.ts";
import { embedSome } from "./embed.ts";
import { getKnowledgeKey } from "./file-key.ts";
import { getMarkdownKey } from "./files.ts";
import { storePieces } from "./store-pieces.ts";

/** Pieces per statement. */
const BATCH = 250;
/** The part of an attempt after which no further batch is embedded; an attempt of the inbox ends after a minute. */
const EMBED_MS = 35_000;
const READ_MS = 55_000;
const CONTINUE_MS = 100;
/** Failures that say nothing of the document. */
const TRANSIENT: ReadonlySet<Failure["code"]> = new Set(["upstream_failed", "rate_limited", "internal", "conflict"]);

/** What reading a tenant's documents needs. */
export interface IngestDeps {
  readonly tenant: string;
  readonly knowledge: KnowledgeTable;
  readonly documents: DocumentsPort;
  readonly blobs: IngestBlobs;
  readonly embedder: EmbedderPort;
  readonly vectors: VectorsPort;
  /** Fetches the document at an address, through the guard of outgoing requests; `too_large` beyond the limit. */
  readonly download: (url: string, maxBytes: number, signal: AbortSignal) => Promise<Result<Uint8Array>>;
  now(): number;
}

/** The bucket. `erase` deletes a bounded part of what is under a prefix, and returns true when nothing is left. */
export interface IngestBlobs extends BlobPort {
  erase(prefix: string): Promise<boolean>;
}

/** Reads one version as far as one attempt of its item gets. */
export async function ingestVersion(deps: IngestDeps, place: VersionPlace): Promise<ItemOutcome> {
  const startedAt = deps.now();
  const found = await deps.knowledge.getOpen(deps.tenant, place);
  if (!found.ok) return found.error.code === "not_found" ? await clean(deps, place, "closed") : retry(found.error);
  const document = found.value;
  if (document.latest.status !== "embedding") {
    const read = await readVersion(deps, document, place);
    if (!read.ok) return TRANSIENT.has(read.error.code) ? retry(read.error) : await fail(deps, place, read.error);
  }
  for (;;) {
    const left = await embedSome(deps, place);
    if (!left.ok) return retry(left.error);
    if (left.value === 0) break;
    if (deps.now() - startedAt > EMBED_MS)
      return { kind: "later", afterMs: CONTINUE_MS, why: "Its pieces get vectors." };
  }
  const shown = await deps.knowledge.show(deps.tenant, place, deps.now());
  if (!shown.ok) return retry(shown.error);
  return await clean(deps, place, "ready");
}

/** Removes what is left of earlier versions, or of a deleted document. */
export async function cleanVersions(deps: IngestDeps, document: string): Promise<ItemOutcome> {
  return await clean(deps, { document }, "cleaned");
}

async function fail(deps: IngestDeps, place: VersionPlace, error: Failure): Promise<ItemOutcome> {
  const ended = await deps.knowledge.fail(deps.tenant, place, error, deps.now());
  if (!ended.ok) return retry(ended.error);
  return await clean(deps, place, `failed: ${error.message}`);
}

/** The rest is left for the sweep. */
async function clean(
  deps: IngestDeps,
  { document }: Pick<VersionPlace, "document">,
  note: string,
): Promise<ItemOutcome> {
  const cleaned = await cleanDocument(deps, document);
  if (!cleaned.ok) return { kind: "done", note: `${note}; what it replaced is removed later` };
  return { kind: "done", note };
}

function retry({ message }: Failure): ItemOutcome {
  return { kind: "later", afterMs: 0, why: message };
}

async function readVersion(deps: IngestDeps, document: KnowledgeDocument, place: VersionPlace): Promise<Result<void>> {
  const { tenant, knowledge } = deps;
  const signal = AbortSignal.timeout(READ_MS);
  const original = await openOriginal(deps, document, signal);
  if (!original.ok) return original;
  const bytes = original.value;
  const room = await checkBytes(deps, document, bytes.length);
  if (!room.ok) return room;
  const hash = document.latest.hash ?? (await sha256Hex(bytes));
  const begun = await knowledge.beginReading(tenant, place, { hash, size: bytes.length }, deps.now());
  if (!begun.ok) return begun;
  if (!begun.value) return failed("conflict", "A later version replaced this one.");
  const read = await deps.documents.read({
    name: document.filename,
    size: bytes.length,
    sha256: hash,
    open: () => Promise.resolve(ok(toStream(bytes))),
    pages: null,
    withImages: true,
    withPieces: true,
    signal,
  });
  return read.ok ? await savePieces(deps, document, place, read.value) : read;
}

async function savePieces(
  deps: IngestDeps,
  document: KnowledgeDocument,
  place: VersionPlace,
  read: DocumentRead,
): Promise<Result<void>> {
  const { tenant, knowledge, blobs } = deps;
  const room = await checkRoom(deps, read.pieces.length);
  if (!room.ok) return room;
  const { files } = document.latest;
  const stored = await storePieces(read, async (bytes) => {
    const hash = await sha256Hex(bytes);
    const written = await blobs.put(getKnowledgeKey(tenant, files, hash), bytes);
    return written.ok ? ok(hash) : written;
  });
  if (!stored.ok) return stored;
  const { pieces, warnings } = stored.value;
  const text = new TextEncoder().encode(read.markdown);
  const markdown = await blobs.put(getMarkdownKey(tenant, files), text);
  if (!markdown.ok) return markdown;
  for (let start = 0; start < pieces.length; start += BATCH) {
    const saved = await knowledge.savePieces(tenant, place, pieces.slice(start, start + BATCH));
    if (!saved.ok) return saved;
    if (!saved.value) return failed("conflict", "A later version replaced this one.");
  }
  const { kind: format, title, units } = read;
  const facts = { format, title, units: units?.total ?? null, pieces: countKinds(pieces), warnings };
  const ended = await knowledge.endReading(tenant, place, facts, deps.now());
  return ended.ok ? ok(undefined) : ended;
}

/** What was fetched counts from now on; other originals were counted when they were accepted. */
async function checkBytes(
  { tenant, knowledge }: IngestDeps,
  { latest }: KnowledgeDocument,
  more: number,
): Promise<Result<void>> {
  if (latest.size !== null) return ok(undefined);
  const usage = await knowledge.usage(tenant);
  if (!usage.ok) return usage;
  if (usage.value.bytes + more <= MAX_TENANT_BYTES) return ok(undefined);
  const message = `The tenant's documents would have more than ${MAX_TENANT_BYTES / 1024 ** 3} GB. Delete some, then read it again.`;
  return failed("quota_exceeded", message);
}

/** Counts the pieces that searches read: those of other versions are removed soon. */
async function checkRoom({ tenant, knowledge }: IngestDeps, more: number): Promise<Result<void>> {
  const usage = await knowledge.usage(tenant);
  if (!usage.ok) return usage;
  if (usage.value.pieces + more <= MAX_TENANT_PIECES) return ok(undefined);
  const message = `The document has ${more} pieces, and the tenant has ${usage.value.pieces} of ${MAX_TENANT_PIECES}. Delete documents, then read it again.`;
  return failed("quota_exceeded", message);
}

/** The bytes of a version. Those of an address are fetched once, and then read from the bucket. */
async function openOriginal(
  { tenant, blobs, download }: IngestDeps,
  { latest: { source, files, hash } }: KnowledgeDocument,
  signal: AbortSignal,
): Promise<Result<Uint8Array>> {
  if (hash !== null) {
    const read = await blobs.get(getKnowledgeKey(tenant, files, hash));
    if (read.ok || read.error.code !== "not_found") return read;
  }
  if (source.kind !== "url") return failed("not_found", "The stored document is lost. Upload it again.");
  const fetched = await download(source.url, MAX_DOCUMENT_BYTES, signal);
  if (!fetched.ok) return fetched;
  const key = getKnowledgeKey(tenant, files, await sha256Hex(fetched.value));
  const written = await blobs.put(key, fetched.value);
  return written.ok ? fetched : written;
}

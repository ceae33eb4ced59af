/**
 * Accepts documents: their bytes are in the bucket before the row that names them, and the row is there before the item of
 * the inbox by which it is read. The sweep finds a row whose item was lost.
 */
import { ok, type Result } from "../base/errors.ts";
import { sha256Hex } from "../base/sha256.ts";
import type { InboxItem } from "../channels/inbox/inbox.ts";
import type { MemoryScope } from "../memory/memory.ts";
import type { AuditEntry } from "../ports/audit.ts";
import type { BlobPort } from "../ports/blobs.ts";
import type { DocumentChange, KnowledgeTable } from "../ports/knowledge.ts";
import type { DocumentSource, KnowledgeDocument, NewDocument, NewVersion } from "./document.ts";
import { getKnowledgeKey } from "./file-key.ts";
import { getVersionPrefix, toVersionFolder } from "./files.ts";
import { toCleanItem, toReadItem } from "./ingest-item.ts";

export interface AcceptDeps {
  readonly tenant: string;
  readonly knowledge: KnowledgeTable;
  readonly blobs: BlobPort & { erase(prefix: string): Promise<boolean> };
  /** Puts an item into the tenant's inbox of documents. */
  readonly put: (item: InboxItem) => Promise<void>;
}

/** Where a version's bytes come from, and the bytes; null for an address. `token`: of this request alone. */
export interface GivenVersion {
  readonly source: DocumentSource;
  readonly bytes: Uint8Array | null;
  readonly token: string;
}

/** Adds a document. Idempotent by its id. */
export async function acceptDocument(
  deps: AcceptDeps,
  document: Omit<NewDocument, keyof NewVersion>,
  given: GivenVersion,
  act: AuditEntry,
): Promise<Result<KnowledgeDocument>> {
  return await accept(deps, document.id, given, act, (version) =>
    deps.knowledge.create(deps.tenant, { ...document, ...version }, act),
  );
}

/** Adds a version of a document. Idempotent by the token. */
export async function acceptVersion(
  deps: AcceptDeps,
  scope: MemoryScope,
  change: Omit<DocumentChange, "version">,
  given: GivenVersion,
  act: AuditEntry,
): Promise<Result<KnowledgeDocument>> {
  return await accept(deps, change.id, given, act, (version) =>
    deps.knowledge.replace(deps.tenant, scope, { ...change, version }, act),
  );
}

async function accept(
  { tenant, blobs, put }: AcceptDeps,
  document: string,
  { source, bytes, token }: GivenVersion,
  act: AuditEntry,
  write: (version: NewVersion) => Promise<Result<KnowledgeDocument>>,
): Promise<Result<KnowledgeDocument>> {
  const files = toVersionFolder(document, token);
  const hash = bytes === null ? null : await sha256Hex(bytes);
  if (bytes !== null && hash !== null) {
    const stored = await blobs.put(getKnowledgeKey(tenant, files, hash), bytes);
    if (!stored.ok) return stored;
  }
  const written = await write({ source, files, hash, size: bytes?.length ?? null });
  // Nothing refers to these bytes. After a failure of the database it is unknown whether a row does.
  if (!written.ok && ["quota_exceeded", "not_found"].includes(written.error.code))
    await blobs.erase(getVersionPrefix(tenant, files)).catch(() => false);
  if (!written.ok) return written;
  await put(toReadItem({ document, version: written.value.latest.version }, act.at));
  return written;
}

/** The bytes of a document's latest version, for another version of it; null for an address. */
export async function readOriginal(
  { tenant, blobs }: Pick<AcceptDeps, "tenant" | "blobs">,
  { latest: { source, files, hash } }: KnowledgeDocument,
): Promise<Result<Uint8Array | null>> {
  if (source.kind === "url" || hash === null) return ok(null);
  return await blobs.get(getKnowledgeKey(tenant, files, hash));
}

/** Deletes a document: at once for every reader, its pieces and files soon after. */
export async function deleteDocument(
  { tenant, knowledge, put }: AcceptDeps,
  scope: MemoryScope,
  id: string,
  act: AuditEntry,
): Promise<Result<KnowledgeDocument>> {
  const deleted = await knowledge.delete(tenant, scope, id, act);
  if (deleted.ok) await put(toCleanItem(id, act.at));
  return deleted;
}

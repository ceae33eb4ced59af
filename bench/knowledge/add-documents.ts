/** Adds made-up documents with their vectors to a database. */
import type { Database } from "../../core/ports/database.ts";
import { makeId, type IdKind } from "../../core/base/ids.ts";
import { unwrap } from "../../core/base/unwrap.ts";
import { embedSome } from "../../core/knowledge/embed.ts";
import type { Piece } from "../../core/knowledge/piece.ts";
import type { EmbedderPort, VectorsPort } from "../../core/ports/vectors.ts";
import { TENANT } from "../../core/provenance/label.ts";

const START = Date.UTC(2026, 0, 1);
/** Pieces that are saved at once: few, so that a busy machine saves them within the time limit of a statement. */
const BATCH = 25;

export interface AddDeps {
  readonly database: Database;
  readonly vectors: VectorsPort;
  readonly embedder: EmbedderPort;
  readonly tenant: string;
}

/** A document to search in, already cut. */
export interface SearchedDocument {
  readonly title: string;
  readonly pieces: readonly { readonly heading: readonly string[]; readonly text: string }[];
}

let count = 0;

/** The same ids in every run: they order what ranks alike. */
function newId(kind: IdKind): string {
  count += 1;
  const last = [count >> 8, count & 255];
  return makeId(kind, START, Uint8Array.from([...Array.from({ length: 8 }, () => 0), ...last]));
}

function toAct(action: "tenant.create" | "document.create", target: string) {
  return { id: newId("audit"), at: START, actor: "operator", action, target, requestId: newId("request") };
}

export async function addTenant(database: Database): Promise<string> {
  const id = newId("tenant");
  const key = { id: newId("key"), tenant: id, name: "bench", scopes: [], createdAt: START, createdBy: "operator" };
  const bounds = { projects: null, agents: null, person: null, expiresAt: null, revokedAt: null };
  const hash = id.slice(4).padEnd(64, "0");
  unwrap(
    await database.tenants.create(
      { id, name: "bench", createdAt: START },
      { key: { ...key, ...bounds }, hash },
      toAct("tenant.create", id),
    ),
  );
  return id;
}

/** Returns the ids of the pieces of each document, in order. */
export async function addDocuments(
  deps: AddDeps,
  documents: readonly SearchedDocument[],
): Promise<readonly (readonly string[])[]> {
  const ids: (readonly string[])[] = [];
  for (const document of documents) ids.push(await addDocument(deps, document));
  return ids;
}

async function addDocument(deps: AddDeps, document: SearchedDocument): Promise<readonly string[]> {
  const { database, vectors, embedder, tenant } = deps;
  const { knowledge } = database;
  const { title } = document;
  const id = newId("document");
  const source = { kind: "text" } as const;
  const version = { source, files: newId("request"), hash: "a".repeat(64), size: 1 };
  const known = { id, project: null, filename: "made.md", title, tags: [], label: TENANT, author: "bench" } as const;
  unwrap(await knowledge.create(tenant, { ...known, ...version }, toAct("document.create", id)));
  const place = { document: id, version: 1 };
  const pieces = document.pieces.map(({ heading, text }, ordinal): Piece => {
    const at = { ordinal, heading, page: null, start: ordinal * 5_000, end: ordinal * 5_000 + text.length };
    return { kind: "text", ...at, text, data: {} };
  });
  for (let start = 0; start < pieces.length; start += BATCH)
    unwrap(await knowledge.savePieces(tenant, place, pieces.slice(start, start + BATCH)));
  const of = { format: "markdown", units: null, warnings: [], title: null } as const;
  unwrap(await knowledge.endReading(tenant, place, { ...of, pieces: { text: pieces.length } }, START));
  const ids = unwrap(await knowledge.listUnembedded(tenant, place, embedder.model, pieces.length)).map((one) => one.id);
  const embed = { tenant, knowledge, embedder, vectors };
  while (unwrap(await embedSome(embed, place)) > 0);
  unwrap(await knowledge.show(tenant, place, START));
  return ids;
}

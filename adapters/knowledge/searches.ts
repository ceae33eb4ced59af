/** Searches of documents by vectors and by words: implements `core/ports/knowledge-search.ts`. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { embedQuery } from "../../core/knowledge/embed-query.ts";
import { getKnowledgeKey } from "../../core/knowledge/file-key.ts";
import { PIECE_KINDS, type ReadPiece } from "../../core/knowledge/piece.ts";
import { toQueryWords } from "../../core/knowledge/query-words.ts";
import {
  type Candidate,
  type FoundLists,
  LIST_LENGTH,
  rankBySimilarity,
  rankPieces,
  type Ranked,
} from "../../core/knowledge/rank-pieces.ts";
import type { MemoryScope } from "../../core/memory/memory.ts";
import type { BlobPort } from "../../core/ports/blobs.ts";
import type { KnowledgePieces } from "../../core/ports/knowledge.ts";
import type {
  KnowledgeFound,
  KnowledgeSearch,
  KnowledgeSearches,
  KnowledgeWordsTable,
} from "../../core/ports/knowledge-search.ts";
import type { EmbedderPort, VectorsPort } from "../../core/ports/vectors.ts";

export interface KnowledgeParts {
  readonly pieces: Pick<KnowledgePieces, "readPieces" | "neighbours">;
  readonly words: KnowledgeWordsTable;
  readonly vectors: Pick<VectorsPort, "query">;
  readonly embedder: Pick<EmbedderPort, "model" | "embed">;
  readonly blobs: Pick<BlobPort, "get">;
}

type ScopedSearch = KnowledgeSearch & { readonly scope: MemoryScope };

export function openKnowledgeSearches(parts: KnowledgeParts): KnowledgeSearches {
  return {
    search: async (tenant, search, signal) => await searchPieces(parts, tenant, search, signal),

    async read(tenant, scope, piece) {
      return await parts.pieces.neighbours(tenant, scope, piece);
    },

    async readImage(tenant, piece) {
      if (piece.kind !== "image") return failed("not_found", "This piece is no picture.");
      return await parts.blobs.get(getKnowledgeKey(tenant, piece.files, piece.data.hash));
    },
  };
}

/** Reads both lists at once, then the pieces that they propose, as far as the caller may read them. */
async function searchPieces(
  parts: KnowledgeParts,
  tenant: string,
  search: ScopedSearch,
  signal: AbortSignal,
): Promise<Result<KnowledgeFound>> {
  const { query, kinds, scope, by, limit } = search;
  const words = by === "both" ? toQueryWords(query) : "";
  const [near, named] = await Promise.all([
    findNearest(parts, tenant, search, signal),
    parts.words.findByWords(tenant, { words, kinds, scope, limit: LIST_LENGTH }),
  ]);
  if (!named.ok) return named;
  // Words alone still find something; a search by meaning does not.
  if (!near.ok && by === "vectors") return near;
  const byVector = near.ok ? near.value : [];
  const lists: FoundLists = { byVector, byWords: named.value.ids.map((id) => ({ id })) };
  const ids = [...new Set([...lists.byVector, ...lists.byWords].map(({ id }) => id))];
  const read = ids.length === 0 ? ok([]) : await parts.pieces.readPieces(tenant, scope, ids);
  if (!read.ok) return read;
  const candidates = read.value.filter(({ kind }) => kinds.includes(kind)).map(toCandidate);
  const ranked: readonly Ranked<PieceCandidate>[] =
    by === "both" ? rankPieces(candidates, query, lists) : rankBySimilarity(candidates, byVector);
  const searched = { ...named.value.counts, embedder: near.ok ? parts.embedder.model : null };
  return ok({ hits: ranked.slice(0, limit).map(toHit), total: ranked.length, searched });
}

type PieceCandidate = Candidate & { readonly piece: ReadPiece };

function toCandidate(piece: ReadPiece): PieceCandidate {
  return { id: piece.id, text: piece.text, place: [piece.title, ...piece.heading].join(" / "), piece };
}

function toHit({ piece: { piece }, score, relevance }: Ranked<PieceCandidate>): KnowledgeFound["hits"][number] {
  return { piece, score, relevance };
}

/** A query of vectors names one kind or all, so several kinds are several queries. */
async function findNearest(
  { embedder, vectors }: KnowledgeParts,
  tenant: string,
  { query, kinds, scope }: ScopedSearch,
  signal: AbortSignal,
): Promise<Result<FoundLists["byVector"]>> {
  const embedded = await embedQuery(embedder, query, signal);
  if (!embedded.ok) return embedded;
  const { value: values } = embedded;
  if (values === null) return ok([]);
  const wanted = kinds.length === PIECE_KINDS.length ? [null] : kinds;
  const lists = await Promise.all(
    wanted.map(async (kind) => {
      const of = { values, scope, collection: "knowledge", kind, limit: LIST_LENGTH, among: null } as const;
      return await vectors.query(tenant, embedder.model, of);
    }),
  );
  const found: { readonly id: string; readonly score: number }[] = [];
  for (const list of lists) {
    if (!list.ok) return list;
    found.push(...list.value);
  }
  return ok(found.sort((a, b) => b.score - a.score).slice(0, LIST_LENGTH));
}

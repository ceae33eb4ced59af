/** Searches of documents: the port of a task's tools, and what is behind it. */
import type { Result } from "../base/errors.ts";
import type { DocumentScope } from "../knowledge/document.ts";
import type { PieceKind, ReadPiece } from "../knowledge/piece.ts";
import type { SourceBook } from "../knowledge/sources.ts";

/** `both`: by vectors and by words, fused. `vectors`: by meaning alone. */
export type SearchBy = "both" | "vectors";

/** A search of pieces of these kinds. `limit`: of the results, at most 20. */
export interface KnowledgeSearch {
  readonly query: string;
  readonly kinds: readonly PieceKind[];
  readonly by: SearchBy;
  readonly limit: number;
}

/** A found piece. `score` is from 0 to 1; `relevance` is it in per cent, with one decimal place. */
export interface KnowledgeHit {
  readonly piece: ReadPiece;
  readonly score: number;
  readonly relevance: number;
}

/**
 * What was searched: documents and pieces of the wanted kinds that the caller may read. `embedder`: the model that compared
 * meanings; null when it did not answer, so that words alone were searched. `formulasNotRead`: documents whose formulas
 * could not be read.
 */
export interface Searched {
  readonly documents: number;
  readonly pieces: number;
  readonly embedder: string | null;
  readonly formulasNotRead: number;
}

/** `total`: how many pieces reached the cut-off, of the best candidates; `hits` are the first of them. */
export interface KnowledgeFound {
  readonly hits: readonly KnowledgeHit[];
  readonly total: number;
  readonly searched: Searched;
}

/** A piece to read, with as many before and after it in its document. */
export interface PieceToRead {
  readonly id: string;
  readonly before: number;
  readonly after: number;
}

/** The documents of a task's project and of its tenant. */
export interface KnowledgePort {
  /** `onlyProject`: without the tenant's own documents. A tool of `vectors` fails when the embedder does. */
  search(
    request: KnowledgeSearch & { readonly onlyProject: boolean; readonly signal: AbortSignal },
  ): Promise<Result<KnowledgeFound>>;
  /** The pieces in their order; `not_found` for one that the task may not read or that a later version replaced. */
  read(piece: PieceToRead): Promise<Result<readonly ReadPiece[]>>;
  /** The bytes of a picture; `not_found` for a piece of another kind. */
  readImage(piece: ReadPiece): Promise<Result<Uint8Array>>;
  /** The numbers of the sources of this task. */
  readonly sources: SourceBook;
}

/** The documents of all tenants. A scope names the projects that the caller may read. */
export interface KnowledgeSearches {
  search(
    tenant: string,
    search: KnowledgeSearch & { readonly scope: DocumentScope },
    signal: AbortSignal,
  ): Promise<Result<KnowledgeFound>>;
  read(tenant: string, scope: DocumentScope, piece: PieceToRead): Promise<Result<readonly ReadPiece[]>>;
  readImage(tenant: string, piece: ReadPiece): Promise<Result<Uint8Array>>;
}

/** What a search by words finds, and what there is to search. */
export interface KnowledgeWordsTable {
  /**
   * Pieces that have a word of the query (`toQueryWords`), the best first. It proposes ids: `KnowledgeTable.readPieces`
   * decides whether the caller may read them.
   */
  findByWords(
    tenant: string,
    request: {
      readonly words: string;
      readonly kinds: readonly PieceKind[];
      readonly scope: DocumentScope;
      readonly limit: number;
    },
  ): Promise<Result<{ readonly ids: readonly string[]; readonly counts: Omit<Searched, "embedder"> }>>;
}

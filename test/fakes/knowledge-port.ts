/** A fake of a task's documents. It passes the same contract as the real one over the database and the vectors. */
import { hashingEmbedder } from "../../adapters/embeddings/hashing.ts";
import { failed, ok } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import type { Piece, ReadPiece } from "../../core/knowledge/piece.ts";
import { toQueryWords } from "../../core/knowledge/query-words.ts";
import { LIST_LENGTH, rankBySimilarity, rankPieces } from "../../core/knowledge/rank-pieces.ts";
import { CallSources } from "../../core/knowledge/sources.ts";
import { toTerms } from "../../core/lib/tool-search/words.ts";
import { getTaskScope, type MemoryLabel } from "../../core/memory/memory.ts";
import type { KnowledgePort, PieceToRead } from "../../core/ports/knowledge-search.ts";
import { TENANT } from "../../core/provenance/label.ts";

/** A document to search. `formulasNotRead`: it has the warning of that. */
export interface FakeDocument {
  readonly title: string;
  readonly project?: string | null;
  readonly label?: MemoryLabel;
  readonly formulasNotRead?: boolean;
  /** The ids of its pieces; new ones when omitted. */
  readonly ids?: readonly string[];
  readonly pieces: readonly Piece[];
}

/** The documents of one tenant, shared between its tasks. */
export class FakeKnowledge {
  readonly #pieces = new Map<string, ReadPiece>();
  readonly #unread: (string | null)[] = [];
  #count = 0;

  /** Returns the ids of the pieces. */
  add({
    title,
    project = null,
    label = TENANT,
    formulasNotRead = false,
    ids = [],
    pieces,
  }: FakeDocument): readonly string[] {
    const document = this.#newId("document");
    if (formulasNotRead) this.#unread.push(project);
    return pieces.map((piece, index) => {
      const id = ids[index] ?? this.#newId("piece");
      const place = { id, document, version: 1, project, title, label, files: "f", embeddedBy: "hashing" };
      this.#pieces.set(id, { ...piece, ...place });
      return id;
    });
  }

  /** Removes the document of a piece. */
  removeDocumentOf(piece: string): void {
    const document = this.#pieces.get(piece)?.document;
    for (const [id, one] of this.#pieces) if (one.document === document) this.#pieces.delete(id);
  }

  /** The documents for a task of this project. */
  of(project: string | null): KnowledgePort {
    const embedder = hashingEmbedder();
    const inScope = (scope: ReturnType<typeof getTaskScope>) =>
      [...this.#pieces.values()].filter((piece) => scope === null || scope.includes(piece.project));
    return {
      search: async ({ query, kinds, by, limit, onlyProject, signal }) => {
        const scope = onlyProject && project !== null ? [project] : getTaskScope(project);
        const pieces = inScope(scope).filter(({ kind }) => kinds.includes(kind));
        const embedded = await embedder.embed([query, ...pieces.map(({ text }) => text)], signal);
        const [asked = new Float32Array(), ...vectors] = embedded.ok ? embedded.value : [];
        const byVector = pieces
          .map(({ id }, index) => ({ id, score: computeProduct(asked, vectors[index] ?? new Float32Array()) }))
          .sort((a, b) => b.score - a.score)
          .slice(0, LIST_LENGTH);
        const candidates = pieces.map((piece) => {
          return { id: piece.id, text: piece.text, place: [piece.title, ...piece.heading].join(" / "), piece };
        });
        const words = new Set(toTerms(toQueryWords(query)));
        const byWords = candidates
          .map(({ id, text, place }) => ({
            id,
            count: toTerms(`${place} ${text}`).filter((term) => words.has(term)).length,
          }))
          .filter(({ count }) => count > 0)
          .sort((a, b) => b.count - a.count)
          .slice(0, LIST_LENGTH);
        const known = new Set([...byVector, ...byWords].map(({ id }) => id));
        const found = candidates.filter(({ id }) => known.has(id));
        const ranked =
          by === "both" ? rankPieces(found, query, { byVector, byWords }) : rankBySimilarity(found, byVector);
        const hits = ranked
          .slice(0, limit)
          .map(({ piece: { piece }, score, relevance }) => ({ piece, score, relevance }));
        const searched = {
          documents: new Set(inScope(scope).map(({ document }) => document)).size,
          pieces: pieces.length,
          embedder: embedder.model,
          formulasNotRead: this.#unread.filter((one) => scope === null || scope.includes(one)).length,
        };
        return ok({ hits, total: ranked.length, searched });
      },
      read: async ({ id, before, after }: PieceToRead) => {
        const pieces = inScope(getTaskScope(project));
        const own = pieces.find((piece) => piece.id === id);
        if (own === undefined) return failed("not_found", "There is no such piece.");
        const near = pieces.filter(
          ({ document, ordinal }) =>
            document === own.document && ordinal >= own.ordinal - before && ordinal <= own.ordinal + after,
        );
        return ok(near.sort((a, b) => a.ordinal - b.ordinal));
      },
      readImage: async (piece) =>
        piece.kind === "image"
          ? ok(new TextEncoder().encode(piece.data.hash))
          : failed("not_found", "This piece is no picture."),
      sources: new CallSources(),
    };
  }

  #newId(kind: "document" | "piece"): string {
    this.#count += 1;
    return makeId(kind, Date.UTC(2026, 0, 1), new Uint8Array(10).fill(this.#count));
  }
}

function computeProduct(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

/** Pieces of one kind each, in order. */
export function textPiece(ordinal: number, text: string, change: Partial<Piece> = {}): Piece {
  const at = { ordinal, heading: [], page: null, start: ordinal * 1_000, end: ordinal * 1_000 + text.length };
  return { kind: "text", ...at, text, data: {}, ...change } as Piece;
}

/** The documents of the tools' examples: a lease, a report with a table and a picture, and a paper with a formula. */
export function exampleKnowledge(): KnowledgePort {
  const knowledge = new FakeKnowledge();
  knowledge.add({
    title: "Lease",
    ids: ["pce_01jcxk5v2n8q4t6w9y3a7c1e5g"],
    pieces: [
      textPiece(0, "The office is let for five years.", { heading: ["Term"] }),
      textPiece(1, "The notice period of the lease is three months.", { heading: ["Term", "Notice"], page: 4 }),
    ],
  });
  const table = {
    caption: "Revenue by quarter",
    columns: ["quarter", "revenue"],
    rows: [["2025 Q1", "10"]],
    rowCount: 1,
    file: null,
  };
  const picture = {
    contentType: "image/png",
    size: 3,
    width: 640,
    height: 480,
    alt: "Architecture diagram",
    nearby: "",
  };
  knowledge.add({
    title: "Report",
    pieces: [
      { ...textPiece(0, "Revenue by quarter: 2025 Q1 10"), kind: "table", data: table },
      {
        ...textPiece(1, "Architecture diagram of the payment service"),
        kind: "image",
        data: { hash: "abc", ...picture, caption: "The payment service" },
      },
    ],
  });
  const tex = String.raw`A = P (1 + r)^n`;
  knowledge.add({
    title: "Paper",
    formulasNotRead: true,
    pieces: [
      {
        ...textPiece(0, `${tex} compound interest`),
        kind: "formula",
        data: { tex, context: "Compound interest grows." },
      },
    ],
  });
  return knowledge.of(null);
}

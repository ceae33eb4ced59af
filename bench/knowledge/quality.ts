/** How often the section that answers a question is among the five that a search gives: by words, by vectors, and by both. */
import { openDatabase } from "../../adapters/database/database.ts";
import { hashingEmbedder } from "../../adapters/embeddings/hashing.ts";
import { openPgvector } from "../../adapters/vectors/pgvector.ts";
import { unwrap } from "../../core/base/unwrap.ts";
import type { ReadPiece } from "../../core/knowledge/piece.ts";
import { toQueryWords } from "../../core/knowledge/query-words.ts";
import {
  type Candidate,
  type FoundLists,
  LIST_LENGTH,
  type PieceWeights,
  rankPieces,
  WEIGHTS,
} from "../../core/knowledge/rank-pieces.ts";
import { PIECE_KINDS } from "../../core/knowledge/piece.ts";
import { startTestDatabase } from "../../scripts/database/test-database.ts";
import type { MadeDocument } from "./made-document.ts";
import { addDocuments, addTenant } from "./add-documents.ts";

/** Pieces of a result. */
const SHOWN = 5;

/** A question with what both halves of the search found for it. `answer`: the id of the piece. */
export interface Asked {
  readonly question: string;
  readonly answer: string;
  readonly lists: FoundLists;
  readonly candidates: readonly Candidate[];
}

/** Searches all documents, and returns what was found for the questions of each half. */
export async function askAll(halves: readonly (readonly MadeDocument[])[]): Promise<readonly (readonly Asked[])[]> {
  const server = await startTestDatabase();
  try {
    const database = openDatabase(server.url, server.endpoint);
    const vectors = openPgvector(server.url, server.endpoint);
    const embedder = hashingEmbedder();
    const tenant = await addTenant(database);
    const answers = await addDocuments({ database, vectors, embedder, tenant }, halves.flat());
    const { signal } = new AbortController();
    const ask = async (question: string): Promise<Asked> => {
      const [values = new Float32Array()] = unwrap(await embedder.embed([question], signal));
      const of = { scope: null, limit: LIST_LENGTH };
      const nearest = { ...of, values, collection: "knowledge", kind: null, among: null } as const;
      const byVector = unwrap(await vectors.query(tenant, embedder.model, nearest));
      const words = { ...of, words: toQueryWords(question), kinds: PIECE_KINDS };
      const byWords = unwrap(await database.knowledgeWords.findByWords(tenant, words)).ids.map((id) => ({ id }));
      const ids = [...new Set([...byVector, ...byWords].map(({ id }) => id))];
      const candidates = unwrap(await database.knowledge.readPieces(tenant, null, ids)).map(toCandidate);
      return { question, answer: answers.get(question) ?? "", lists: { byVector, byWords }, candidates };
    };
    const asked: Asked[][] = [];
    for (const half of halves) {
      const questions = half.flatMap(([, sections]) => sections.map(([, , question]) => question));
      const found: Asked[] = [];
      for (const question of questions) found.push(await ask(question));
      asked.push(found);
    }
    return asked;
  } finally {
    await server.close();
  }
}

function toCandidate({ id, text, title, heading }: ReadPiece): Candidate {
  return { id, text, place: [title, ...heading].join(" / ") };
}

/** The recall of one half, from 0 to 1. */
export interface Recall {
  readonly words: number;
  readonly vectors: number;
  readonly both: number;
  /** Results per question. */
  readonly shown: number;
}

export function measureRecall(
  asked: readonly Asked[],
  { weights = WEIGHTS, minScore }: { readonly weights?: PieceWeights; readonly minScore?: number } = {},
): Recall {
  const sums = { words: 0, vectors: 0, both: 0, shown: 0 };
  const has = (list: readonly { readonly id: string }[], id: string) =>
    list.slice(0, SHOWN).some((one) => one.id === id);
  for (const { question, answer, lists, candidates } of asked) {
    const options = minScore === undefined ? { weights } : { weights, minScore };
    const ranked = rankPieces(candidates, question, lists, options).map(({ piece }) => piece);
    if (has(lists.byWords, answer)) sums.words += 1;
    if (has(lists.byVector, answer)) sums.vectors += 1;
    if (has(ranked, answer)) sums.both += 1;
    sums.shown += Math.min(SHOWN, ranked.length);
  }
  const count = Math.max(1, asked.length);
  return {
    words: sums.words / count,
    vectors: sums.vectors / count,
    both: sums.both / count,
    shown: sums.shown / count,
  };
}

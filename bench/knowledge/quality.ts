/** How often a search gives what answers a question among its first five results: by words, by vectors, and by both. */
import { openDatabase } from "../../adapters/database/database.ts";
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
import type { EmbedderPort } from "../../core/ports/vectors.ts";
import { startTestDatabase } from "../../scripts/database/test-database.ts";
import type { MadeDocument, MoreQuestions } from "./made-document.ts";
import { addDocuments, addTenant, type SearchedDocument } from "./add-documents.ts";
import { type DecisionQuestions, LAST_DECISION } from "./asked-of-decisions.ts";
import { readDecisions } from "./decision-documents.ts";

/** Pieces of a result. */
const SHOWN = 5;

export const QUESTION_KINDS = ["near", "reworded", "vague", "decisions, near", "decisions, reworded"] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

export interface Half {
  readonly documents: readonly MadeDocument[];
  readonly questions: readonly MoreQuestions[];
  readonly decisions: readonly DecisionQuestions[];
}

/** A question, and the ids of the pieces that answer it. */
interface Question {
  readonly kind: QuestionKind;
  readonly question: string;
  readonly answers: ReadonlySet<string>;
  /** The pieces of the document that has the answer. */
  readonly document: ReadonlySet<string>;
}

/** A question with what both halves of the search found for it. */
export interface Asked extends Question {
  readonly lists: FoundLists;
  readonly candidates: readonly Candidate[];
}

/** Searches the documents of all halves, and returns what was found for the questions of each. */
export async function askAll(halves: readonly Half[], embedder: EmbedderPort): Promise<readonly (readonly Asked[])[]> {
  const server = await startTestDatabase();
  try {
    const database = openDatabase(server.url, server.endpoint);
    const vectors = openPgvector(server.url, server.endpoint);
    const tenant = await addTenant(database);
    const made = halves.flatMap((half) => half.documents).map(toSearched);
    const decisions = readDecisions(LAST_DECISION);
    const all = [...made, ...decisions.values()];
    const added = await addDocuments({ database, vectors, embedder, tenant }, all);
    const pieces = new Map(all.map((document, index) => [document.title, added[index] ?? []]));
    const { signal } = new AbortController();
    const ask = async (asked: Question): Promise<Asked> => {
      const [values = new Float32Array()] = unwrap(await embedder.embed([asked.question], signal));
      const of = { scope: null, limit: LIST_LENGTH };
      const nearest = { ...of, values, collection: "knowledge", kind: null, among: null } as const;
      const byVector = unwrap(await vectors.query(tenant, embedder.model, nearest));
      const words = { ...of, words: toQueryWords(asked.question), kinds: PIECE_KINDS };
      const byWords = unwrap(await database.knowledgeWords.findByWords(tenant, words)).ids.map((id) => ({ id }));
      const ids = [...new Set([...byVector, ...byWords].map(({ id }) => id))];
      const candidates = unwrap(await database.knowledge.readPieces(tenant, null, ids)).map(toCandidate);
      return { ...asked, lists: { byVector, byWords }, candidates };
    };
    const found: Asked[][] = [];
    for (const half of halves) {
      const asked: Asked[] = [];
      const questions = [...listQuestions(half, pieces), ...listDecisionQuestions(half, decisions, pieces)];
      for (const question of questions) asked.push(await ask(question));
      found.push(asked);
    }
    return found;
  } finally {
    await server.close();
  }
}

type PiecesByTitle = ReadonlyMap<string, readonly string[]>;

function toSearched([title, sections]: MadeDocument): SearchedDocument {
  return { title, pieces: sections.map(([heading, text]) => ({ heading: [heading], text })) };
}

/** Any piece of the decision counts as the answer. */
function listDecisionQuestions(
  half: Half,
  decisions: ReadonlyMap<number, SearchedDocument>,
  pieces: PiecesByTitle,
): Question[] {
  return half.decisions.flatMap(([number, near, reworded]): Question[] => {
    const ids = pieces.get(decisions.get(number)?.title ?? "");
    if (ids === undefined) throw new Error(`Decision ${number} is asked about, but does not exist.`);
    const document = new Set(ids);
    const of = { answers: document, document };
    return [
      { ...of, kind: "decisions, near", question: near },
      { ...of, kind: "decisions, reworded", question: reworded },
    ];
  });
}

function listQuestions({ documents, questions }: Half, pieces: PiecesByTitle): Question[] {
  const more = new Map(questions.map(([title, vague, near]) => [title, { vague, near }]));
  return documents.flatMap(([title, sections]): Question[] => {
    const ids = pieces.get(title) ?? [];
    const asked = more.get(title);
    const document = new Set(ids);
    if (asked === undefined || asked.near.length !== sections.length || ids.length !== sections.length)
      throw new Error(`The questions about "${title}" do not match its sections.`);
    const ofSections = sections.flatMap(([, , reworded], index): Question[] => {
      const of = { answers: new Set([ids[index] ?? ""]), document };
      return [
        { ...of, kind: "near", question: asked.near[index] ?? "" },
        { ...of, kind: "reworded", question: reworded },
      ];
    });
    return [...ofSections, { kind: "vague", question: asked.vague, answers: document, document }];
  });
}

function toCandidate({ id, text, title, heading }: ReadPiece): Candidate {
  return { id, text, place: [title, ...heading].join(" / ") };
}

/** The recall of some questions, from 0 to 1. */
export interface Recall {
  readonly words: number;
  readonly vectors: number;
  readonly both: number;
  /** By both, of any piece of the right document. */
  readonly document: number;
  /** Results per question. */
  readonly shown: number;
}

export function measureRecall(
  asked: readonly Asked[],
  { weights = WEIGHTS, minScore }: { readonly weights?: PieceWeights; readonly minScore?: number } = {},
): Recall {
  const sums = { words: 0, vectors: 0, both: 0, document: 0, shown: 0 };
  const has = (list: readonly { readonly id: string }[], ids: ReadonlySet<string>) =>
    list.slice(0, SHOWN).some(({ id }) => ids.has(id));
  for (const { question, answers, document, lists, candidates } of asked) {
    const options = minScore === undefined ? { weights } : { weights, minScore };
    const ranked = rankPieces(candidates, question, lists, options).map(({ piece }) => piece);
    if (has(lists.byWords, answers)) sums.words += 1;
    if (has(lists.byVector, answers)) sums.vectors += 1;
    if (has(ranked, answers)) sums.both += 1;
    if (has(ranked, document)) sums.document += 1;
    sums.shown += Math.min(SHOWN, ranked.length);
  }
  const count = Math.max(1, asked.length);
  return {
    words: sums.words / count,
    vectors: sums.vectors / count,
    both: sums.both / count,
    document: sums.document / count,
    shown: sums.shown / count,
  };
}

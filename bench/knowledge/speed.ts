/** How long a search of documents takes in a tenant with many pieces: the words, the vectors, and all of it. */
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../../adapters/database/database.ts";
import { hashingEmbedder } from "../../adapters/embeddings/hashing.ts";
import { openKnowledgeSearches } from "../../adapters/knowledge/searches.ts";
import { openPgvector } from "../../adapters/vectors/pgvector.ts";
import { failed } from "../../core/base/errors.ts";
import { unwrap } from "../../core/base/unwrap.ts";
import { PIECE_KINDS } from "../../core/knowledge/piece.ts";
import { toQueryWords } from "../../core/knowledge/query-words.ts";
import { LIST_LENGTH } from "../../core/knowledge/rank-pieces.ts";
import { visitTables } from "../../scripts/database/table-upkeep.ts";
import { startTestDatabase, type TestDatabase } from "../../scripts/database/test-database.ts";
import { seededRandom } from "../../test/drill/random.ts";
import { type AddDeps, addDocuments, addTenant, type SearchedDocument } from "./add-documents.ts";
import { LAST_DECISION } from "./asked-of-decisions.ts";
import { readDecisions } from "./decision-documents.ts";

const PIECES_OF_A_DOCUMENT = 500;
const WORDS_OF_A_PIECE = 180;
const WORDS_OF_A_QUERY = 6;
const WARM_UP = 5;
const PAUSE_MS = 200;
const SEED = 2026;
const PARTS = ["all", "words", "vectors"] as const;
const NO_BLOBS = failed("not_found", "No search reads a picture.");

/** Times in milliseconds, one per query. */
export interface SearchTimes {
  readonly all: readonly number[];
  readonly words: readonly number[];
  readonly vectors: readonly number[];
}

/**
 * Searches a database of its own with these numbers of pieces, the smallest first, each a multiple of it. Their words are those
 * of the decisions, as frequent as there. The smallest number is written as an ingest writes it; the others are copies of these
 * rows, so that a word has the same share of the pieces.
 */
export async function measureSearches(
  sizes: readonly number[],
  queries: number,
  note: (pieces: number, times: SearchTimes) => void,
): Promise<void> {
  const [first = 0] = sizes;
  const server = await startTestDatabase();
  try {
    const deps = openParts(server);
    const tenant = await addTenant(deps.database);
    const write = makeWriter();
    for (let from = 0; from < first; from += PIECES_OF_A_DOCUMENT) {
      const document = makeDocument(from, Math.min(PIECES_OF_A_DOCUMENT, first - from), write);
      await addDocuments({ ...deps, tenant }, [document]);
    }
    const asked = Array.from({ length: WARM_UP + queries }, () => write(WORDS_OF_A_QUERY));
    let copies = 1;
    for (const size of sizes) {
      for (; copies * first < size; copies += 1)
        await server.backend.asOwner((owner) => owner.script(copyRows(copies)));
      await visitTables(server.backend);
      // The database is in this process: connections that ended meanwhile are noticed first.
      await sleep(PAUSE_MS);
      note(size, await askAll({ ...deps, tenant }, asked));
    }
  } finally {
    await server.close();
  }
}

/** Copies the documents of the first size with all that is theirs. The words are copied, not computed again. */
function copyRows(copy: number): string {
  const isFirst = (column: string) => `${column} not like '%-%'`;
  return `
    alter table knowledge_pieces disable trigger set_words;
    insert into knowledge_documents (tenant, id, filename, title, tags, latest, shown, author, created_at, updated_at)
      select tenant, id || '-${copy}', filename, title, tags, latest, shown, author, created_at, updated_at
      from knowledge_documents where ${isFirst("id")};
    insert into knowledge_versions (tenant, document, version, status, source, label, files, pieces, created_at, updated_at, ended_at)
      select tenant, document || '-${copy}', version, status, source, label, files || '-${copy}', pieces, created_at, updated_at, ended_at
      from knowledge_versions where ${isFirst("document")};
    insert into knowledge_pieces (tenant, id, document, version, ordinal, kind, project, heading, start_at, end_at, text, data, tsv, embedded_by)
      select tenant, id || '-${copy}', document || '-${copy}', version, ordinal, kind, project, heading, start_at, end_at, text, data, tsv, embedded_by
      from knowledge_pieces where ${isFirst("id")};
    insert into vectors (tenant, id, model, project, collection, kind, embedding)
      select tenant, id || '-${copy}', model, project, collection, kind, embedding
      from vectors where ${isFirst("id")};
    alter table knowledge_pieces enable trigger set_words;`;
}

function openParts(server: TestDatabase): Omit<AddDeps, "tenant"> {
  const database = openDatabase(server.url, server.endpoint);
  return { database, vectors: openPgvector(server.url, server.endpoint), embedder: hashingEmbedder() };
}

/** Searches with each query, and times its parts apart; the first queries are not counted. */
async function askAll(
  { database, vectors, embedder, tenant }: AddDeps,
  queries: readonly string[],
): Promise<SearchTimes> {
  const parts = { pieces: database.knowledge, words: database.knowledgeWords, vectors, embedder };
  const searches = openKnowledgeSearches({ ...parts, blobs: { get: () => Promise.resolve(NO_BLOBS) } });
  const { signal } = new AbortController();
  const times = { all: [] as number[], words: [] as number[], vectors: [] as number[] };
  for (const [index, query] of queries.entries()) {
    const of = { scope: null, limit: LIST_LENGTH };
    const request = { query, kinds: PIECE_KINDS, scope: null, by: "both", limit: 5 } as const;
    const [values = new Float32Array()] = unwrap(await embedder.embed([query], signal));
    const near = { ...of, values, collection: "knowledge", kind: null, among: null } as const;
    const words = { ...of, words: toQueryWords(query), kinds: PIECE_KINDS };
    const took = {
      all: await time(async () => unwrap(await searches.search(tenant, request, signal))),
      words: await time(async () => unwrap(await database.knowledgeWords.findByWords(tenant, words))),
      vectors: await time(async () => unwrap(await vectors.query(tenant, embedder.model, near))),
    };
    if (index < WARM_UP) continue;
    for (const part of PARTS) times[part].push(took[part]);
  }
  return times;
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

type Writer = (words: number) => string;

/** Writes texts of the words of the decisions. */
function makeWriter(): Writer {
  const decisions = [...readDecisions(LAST_DECISION).values()];
  const words = decisions.flatMap(({ pieces }) => pieces.flatMap(({ text }) => text.match(/[\p{L}\p{N}]+/gu) ?? []));
  const random = seededRandom(SEED);
  return (count) => Array.from({ length: count }, () => words[Math.floor(random() * words.length)] ?? "").join(" ");
}

function makeDocument(number: number, pieces: number, write: Writer): SearchedDocument {
  const own = Array.from({ length: pieces }, () => ({ heading: [write(3)], text: write(WORDS_OF_A_PIECE) }));
  return { title: `${write(4)} ${number}`, pieces: own };
}

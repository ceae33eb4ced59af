/** How long a codebase of 1,000 files takes to be indexed, and again after ten of them changed, and a search for a symbol. */
import { FILES, makeFile, toName, toPath } from "../codebase/repository.ts";
import { openCodebaseWorld, valueOf } from "../codebase/world.ts";
import { quantile } from "../../test/drill/random.ts";
import type { Section } from "./section.ts";

const OURS = "Otto";
const CHANGED = 10;
const REINDEXES = 5;
const WARM_UP = 20;
const QUERIES = 200;
/** `knowledge.md`, "Speed". */
const [MUST_INDEX_S, MUST_REINDEX_S, MUST_SEARCH_MS] = [30, 2, 25];

export const CODEBASE: Section = {
  name: "codebase",
  once: true,
  rows: [
    {
      key: "codebase-index",
      label: "a codebase of 1,000 files and 10 MB indexed, s",
      digits: 1,
      target: `≤ ${MUST_INDEX_S}`,
      must: MUST_INDEX_S,
    },
    {
      key: "codebase-reindex",
      label: "– again after 10 files changed, s (p50)",
      digits: 2,
      target: `≤ ${MUST_REINDEX_S}`,
      must: MUST_REINDEX_S,
    },
    {
      key: "codebase-search",
      label: "– a symbol found by its name, ms (p50)",
      digits: 1,
      target: `≤ ${MUST_SEARCH_MS}`,
      must: MUST_SEARCH_MS,
    },
    { key: "codebase-search-p99", label: "– p99", digits: 1, target: "" },
    { key: "codebase-words", label: "– a place found by words, ms (p50)", digits: 1, target: "" },
  ],
  async measure(stage, note) {
    if (!stage.contenders.some(({ name }) => name === OURS)) return;
    const world = await openCodebaseWorld();
    try {
      world.commit(Object.fromEntries(Array.from({ length: FILES }, (_, file) => [toPath(file), makeFile(file, 0)])));
      note("codebase-index", OURS, (await measureMs(() => world.index())) / 1_000);
      const again: number[] = [];
      for (let generation = 1; generation <= REINDEXES; generation += 1) {
        const changed = Array.from({ length: CHANGED }, (_, index) => (generation * CHANGED + index) % FILES);
        world.commit(Object.fromEntries(changed.map((file) => [toPath(file), makeFile(file, generation)])));
        again.push((await measureMs(() => world.index())) / 1_000);
      }
      note("codebase-reindex", OURS, quantile(again, 0.5));
      const search = async (query: string, symbol: string | null): Promise<number> => {
        const request = { query, fileType: null, codebase: null, limit: 10, signal: AbortSignal.timeout(10_000) };
        const from = performance.now();
        const { hits } = valueOf(await world.port.search(request));
        const took = performance.now() - from;
        if (hits.length === 0 || (symbol !== null && hits[0]?.symbol !== symbol))
          throw new Error(`${query} found ${JSON.stringify(hits[0] ?? null)}`);
        return took;
      };
      const [symbols, words]: [number[], number[]] = [[], []];
      for (let query = -WARM_UP; query < QUERIES; query += 1) {
        const file = Math.abs(query * 37) % FILES;
        const name = toName(file, Math.abs(query) % 20);
        const bySymbol = await search(name, name);
        const byWords = await search("total of every line before taxes", null);
        if (query < 0) continue;
        symbols.push(bySymbol);
        words.push(byWords);
      }
      note("codebase-search", OURS, quantile(symbols, 0.5));
      note("codebase-search-p99", OURS, quantile(symbols, 0.99));
      note("codebase-words", OURS, quantile(words, 0.5));
    } finally {
      await world.close();
    }
  },
};

async function measureMs(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

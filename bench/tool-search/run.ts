/**
 * How well and how fast tools are found: recall among the first ten, latency, and what an index takes, and the same
 * for plain BM25. On 12,000 tools of the project's own making, and on a public set when `TOOL_DATA` names its folder.
 *
 *     node bench/tool-search/run.ts
 */
import { quantile } from "../../test/drill/random.ts";
import { searchTools } from "../../core/lib/tool-search/search.ts";
import { type SearchableTool, SegmentBuilder } from "../../core/lib/tool-search/segment.ts";
import { plainBm25 } from "./bm25.ts";
import { openChoice } from "./choice.ts";
import { madeSet } from "./made-tools.ts";
import { type NumberedRequest, readPublicSet } from "./public-set.ts";

const SHOWN = 10;
const OWN_REQUESTS = 600;
const SEED = 2026;
const WARM_UP = 200;

const own = madeSet(OWN_REQUESTS, SEED);
await measure("made", own.tools, new Map([["own words", own.requests]]));

const { TOOL_DATA: folder } = process.env;
if (folder === undefined) console.log("\nTOOL_DATA is not set: the public set is left out.");
else {
  const { tools, requests } = readPublicSet(folder);
  await measure("public, merged", tools, requests);
}

async function measure(
  name: string,
  tools: readonly SearchableTool[],
  collections: ReadonlyMap<string, readonly NumberedRequest[]>,
) {
  const began = performance.now();
  const segment = new SegmentBuilder(tools.length, (number) => tools[number] ?? null).build();
  const buildMs = performance.now() - began;
  const search = (text: string, limit: number) =>
    searchTools([{ segment, admitted: null }], text, limit).map(({ tool }) => tool);
  const floor = plainBm25(tools);
  const all = [...collections.values()].flat();
  for (const { text } of all.slice(0, WARM_UP)) search(text, SHOWN);
  const times = all.map(({ text }) => {
    const from = performance.now();
    search(text, SHOWN);
    return performance.now() - from;
  });
  const mib = (segment.bytes / 2 ** 20).toFixed(1);
  console.log(`\n${name}: ${tools.length} tools, ${segment.terms.size} terms, ${segment.tools.length} postings`);
  console.log(`index: ${buildMs.toFixed(0)} ms, ${mib} MiB; a search: p50 ${ms(times, 0.5)}, p99 ${ms(times, 0.99)}`);
  const { choose, find } = await openChoice(tools);
  console.log(
    "\n| requests | | recall@10, mean of requests: all (even / odd) | of all tools | plain BM25 | as actions: choice, find_tools |",
  );
  console.log("| --- | ---: | ---: | ---: | ---: | ---: |");
  for (const [collection, requests] of collections) {
    const halves = [0, 1].map((half) => requests.filter((_, index) => index % 2 === half));
    const [even, odd] = halves.map((half) => share(recalls(half, search)));
    const found = recalls(requests, search);
    const plain = recalls(requests, floor);
    console.log(
      `| ${collection} | ${requests.length} | ${share(found)} (${even} / ${odd}) | ${pooled(found)} | ${share(plain)}, ${pooled(plain)} | ${share(recalls(requests, choose))}, ${share(recalls(requests, find))} |`,
    );
  }
}

interface Recall {
  readonly met: number;
  readonly of: number;
}

function recalls(
  requests: readonly NumberedRequest[],
  search: (text: string, limit: number) => readonly number[],
): Recall[] {
  return requests.map(({ text, groups }) => {
    const found = new Set(search(text, SHOWN));
    return { met: groups.filter((group) => group.some((tool) => found.has(tool))).length, of: groups.length };
  });
}

/** The mean of the requests' own shares, in per cent. */
function share(all: readonly Recall[]): string {
  return ((100 * all.reduce((sum, { met, of }) => sum + met / of, 0)) / all.length).toFixed(1);
}

/** The share of all needed tools together, in per cent. */
function pooled(all: readonly Recall[]): string {
  const met = all.reduce((sum, one) => sum + one.met, 0);
  return ((100 * met) / all.reduce((sum, { of }) => sum + of, 0)).toFixed(1);
}

function ms(times: readonly number[], at: number): string {
  return `${quantile(times, at).toFixed(2)} ms`;
}

/** Plain BM25 over all of a tool's text as one: the floor of the search. */
import type { SearchableTool } from "../../core/lib/tool-search/segment.ts";

const K1 = 1.2;
const B = 0.75;

/** A search by plain BM25: the numbers of the best tools, the best first. */
export function plainBm25(tools: readonly SearchableTool[]): (request: string, limit: number) => number[] {
  const lengths: number[] = [];
  const postings = new Map<string, [number, number][]>();
  tools.forEach((tool, number) => {
    const words = wordsOf(textOf(tool));
    lengths.push(words.length);
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts) {
      const posting = postings.get(word) ?? [];
      posting.push([number, count]);
      postings.set(word, posting);
    }
  });
  const mean = lengths.reduce((sum, length) => sum + length, 0) / tools.length;
  return (request, limit) => {
    const scores = new Float64Array(tools.length);
    for (const word of new Set(wordsOf(request))) {
      const posting = postings.get(word) ?? [];
      const rarity = Math.log(1 + (tools.length - posting.length + 0.5) / (posting.length + 0.5));
      for (const [tool, count] of posting) {
        const norm = 1 - B + (B * (lengths[tool] ?? 0)) / mean;
        scores[tool] = (scores[tool] ?? 0) + (rarity * count * (K1 + 1)) / (count + K1 * norm);
      }
    }
    const order = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
    return order.slice(0, limit);
  };
}

function textOf({ name, category, summary, parameters }: SearchableTool): string {
  return [name, category, summary, ...parameters.map((one) => `${one.name} ${one.description}`)].join(" ");
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

/** What the tag boost and the cut-off do to what is found, by the labelled texts and feature hashing. */
import { hashingEmbedder } from "../../adapters/embeddings/hashing.ts";
import { DEFAULT_HITS, type Memory } from "../../core/memory/memory.ts";
import { rankHits } from "../../core/memory/rank.ts";
import { MEMORIES, QUESTIONS } from "./labelled-texts.ts";
import { TENANT } from "../../core/provenance/label.ts";

const BOOSTS = [0, 0.05, 0.1, 0.2, 0.4];
const CUT_OFFS = [0, 0.1, 0.15, 0.2, 0.25, 0.3];

/** Shares of all answers that were found, and of everything found that is no answer. */
export interface RuleEffect {
  readonly tagBoost: number;
  readonly minScore: number;
  readonly found: number;
  readonly first: number;
  readonly wrong: number;
}

export async function effectsOfRules(): Promise<RuleEffect[]> {
  const contents = await vectorsOf(MEMORIES.map(({ content }) => content));
  const queries = await vectorsOf(QUESTIONS.map(({ query }) => query));
  const memories = MEMORIES.map(asMemory);
  return BOOSTS.flatMap((tagBoost) =>
    CUT_OFFS.map((minScore) => {
      const sums = { answers: 0, found: 0, first: 0, shown: 0 };
      for (const [index, { query, answers }] of QUESTIONS.entries()) {
        const near = memories.map((memory, at) => ({ memory, similarity: inner(queries[index], contents[at]) }));
        const names = rankHits(near, query, { tagBoost, minScore, limit: DEFAULT_HITS }).map(({ memory }) => memory.id);
        sums.answers += answers.length;
        sums.found += answers.filter((name) => names.includes(name)).length;
        sums.first += names[0] !== undefined && names[0] === answers[0] ? 1 : 0;
        sums.shown += names.length;
      }
      const answered = QUESTIONS.filter(({ answers }) => answers.length > 0).length;
      return {
        tagBoost,
        minScore,
        found: sums.found / sums.answers,
        first: sums.first / answered,
        wrong: sums.shown === 0 ? 0 : (sums.shown - sums.found) / sums.shown,
      };
    }),
  );
}

/** The table in Markdown. */
export function tableOfRules(effects: readonly RuleEffect[]): string {
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  return [
    "| tag boost | cut-off | answers among the five shown | best answer first | shown that are no answer |",
    "| ---: | ---: | ---: | ---: | ---: |",
    ...effects.map(({ tagBoost, minScore, found, first, wrong }) =>
      [`| ${tagBoost}`, minScore, percent(found), percent(first), `${percent(wrong)} |`].join(" | "),
    ),
  ].join("\n");
}

async function vectorsOf(texts: readonly string[]): Promise<readonly Float32Array[]> {
  const embedded = await hashingEmbedder().embed(texts, new AbortController().signal);
  if (!embedded.ok) throw new Error(embedded.error.message);
  return embedded.value;
}

function inner(left: Float32Array | undefined, right: Float32Array | undefined): number {
  return left?.reduce((sum, value, index) => sum + value * (right?.[index] ?? 0), 0) ?? 0;
}

function asMemory({ name, content, tags }: (typeof MEMORIES)[number]): Memory {
  const made = { id: name, project: null, kind: "note", content, tags, sourceTask: null, author: "bench" } as const;
  return { ...made, label: TENANT, createdAt: 0, updatedAt: 0, embeddedBy: "hashing" };
}

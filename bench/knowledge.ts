/**
 * `npm run bench:knowledge`: how often a search of documents finds the section that answers a question, by words, by vectors
 * (feature hashing) and by both, and what the weights and the cut-off do. See docs/knowledge-search.md.
 */
import { type PieceFeatures, WEIGHTS } from "../core/knowledge/rank-pieces.ts";
import { TUNED } from "./knowledge/made-documents-1.ts";
import { HELD_OUT } from "./knowledge/made-documents-2.ts";
import { askAll, measureRecall } from "./knowledge/quality.ts";

const CUT_OFFS = [0, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3];

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const [tuned = [], heldOut = []] = await askAll([TUNED, HELD_OUT]);
console.log(
  `${TUNED.length + HELD_OUT.length} documents, ${tuned.length} questions for tuning, ${heldOut.length} held out\n`,
);
console.log("| recall@5 | words | vectors | both |\n| --- | ---: | ---: | ---: |");
for (const [name, asked] of [
  ["tuned", tuned],
  ["held out", heldOut],
  ["all", [...tuned, ...heldOut]],
] as const) {
  const { words, vectors, both } = measureRecall(asked);
  console.log(`| ${name} | ${percent(words)} | ${percent(vectors)} | ${percent(both)} |`);
}
console.log("\n| without the weight of | tuned | held out |\n| --- | ---: | ---: |");
for (const name of Object.keys(WEIGHTS) as (keyof PieceFeatures)[]) {
  const weights = { ...WEIGHTS, [name]: 0 };
  console.log(
    `| ${name} | ${percent(measureRecall(tuned, { weights }).both)} | ${percent(measureRecall(heldOut, { weights }).both)} |`,
  );
}
console.log("\n| cut-off | tuned | held out | results per question |\n| ---: | ---: | ---: | ---: |");
for (const minScore of CUT_OFFS) {
  const [one, other] = [measureRecall(tuned, { minScore }), measureRecall(heldOut, { minScore })];
  const shown = ((one.shown + other.shown) / 2).toFixed(1);
  console.log(`| ${minScore} | ${percent(one.both)} | ${percent(other.both)} | ${shown} |`);
}

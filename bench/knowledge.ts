/**
 * `npm run bench:knowledge`: how often a search of documents finds the section that answers a question, by words, by vectors
 * (feature hashing) and by both, and what the weights and the cut-off do. See docs/knowledge-search.md.
 */
import { hashingEmbedder } from "../adapters/embeddings/hashing.ts";
import { type PieceFeatures, WEIGHTS } from "../core/knowledge/rank-pieces.ts";
import { ASKED_OF_TUNED } from "./knowledge/asked-1.ts";
import { ASKED_OF_HELD_OUT } from "./knowledge/asked-2.ts";
import { ASKED_OF_HELD_OUT_DECISIONS, ASKED_OF_TUNED_DECISIONS } from "./knowledge/asked-of-decisions.ts";
import { TUNED } from "./knowledge/made-documents-1.ts";
import { HELD_OUT } from "./knowledge/made-documents-2.ts";
import { askAll, measureRecall, QUESTION_KINDS } from "./knowledge/quality.ts";

const CUT_OFFS = [0, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3];

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const halves = [
  { documents: TUNED, questions: ASKED_OF_TUNED, decisions: ASKED_OF_TUNED_DECISIONS },
  { documents: HELD_OUT, questions: ASKED_OF_HELD_OUT, decisions: ASKED_OF_HELD_OUT_DECISIONS },
];
const [tuned = [], heldOut = []] = await askAll(halves, hashingEmbedder());
console.log(
  `${TUNED.length + HELD_OUT.length} made-up documents and the decisions, ${tuned.length} questions for tuning, ${heldOut.length} held out\n`,
);
console.log(
  "| recall@5 | questions | words | vectors | both | its document |\n| --- | ---: | ---: | ---: | ---: | ---: |",
);
for (const [name, asked] of [
  ["tuned", tuned],
  ["held out", heldOut],
] as const)
  for (const kind of [...QUESTION_KINDS, "all"] as const) {
    const of = asked.filter((one) => kind === "all" || one.kind === kind);
    const { words, vectors, both, document } = measureRecall(of);
    const shares = [words, vectors, both, document].map(percent).join(" | ");
    console.log(`| ${name}, ${kind} | ${of.length} | ${shares} |`);
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

/** The process that cuts a document's Markdown into pieces. */
import { cutDocument } from "../cut/cut.ts";
import type { CutQuestion } from "../cut/cut-in-process.ts";
import { answerQuestions } from "./answer-questions.ts";

const MAX_QUESTION_BYTES = 40 * 1024 * 1024;

await answerQuestions(MAX_QUESTION_BYTES, async ({ head, parts }) => {
  const { kind, images } = head as CutQuestion;
  const markdown = Buffer.from(parts[0] ?? []).toString("utf8");
  const pieces = cutDocument(markdown, kind, new Set(images));
  return { head: { count: pieces.length }, parts: [Buffer.from(JSON.stringify(pieces))] };
});

/** The process that renders web pages, one after the other. */
import { answerQuestions } from "../documents/children/answer-questions.ts";
import { MAX_PAGE_BYTES, type PageQuestion, renderPage } from "./render-page.ts";

/** For the frame around the page. */
const MARGIN_BYTES = 65_536;

await answerQuestions(MAX_PAGE_BYTES + MARGIN_BYTES, async ({ head, parts }) => {
  const html = Buffer.from(parts[0] ?? new Uint8Array()).toString("utf8");
  const { content, ...facts } = renderPage(html, head as PageQuestion);
  return await Promise.resolve({ head: facts, parts: [Buffer.from(content)] });
});

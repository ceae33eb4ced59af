/** Compares the Markdown of a sample page with what its author wrote. */
import { type SamplePage, stripTags } from "./sample-page.ts";

/** How well a page was read. Shares are of words. */
export interface PageVerdict {
  readonly missing: readonly string[];
  /** The share of the main content's words that are in the Markdown. */
  readonly recall: number;
  /** The share of the Markdown's words that only the page around the content has. */
  readonly noise: number;
}

export function judgePage(page: SamplePage, markdown: string): PageVerdict {
  const flat = markdown.replaceAll(/[ \t]+/g, " ");
  const isMissing = (text: string) => !markdown.includes(text) && !flat.includes(text);
  const missing = [page.title, ...page.sentences, ...page.links].filter(isMissing);
  const read = listWords(markdown.replaceAll(/\]\([^)]*\)/g, "] "), page.language);
  const own = new Set(listWords(`${page.title} ${stripTags(page.main)} ${listAlternatives(page.main)}`, page.language));
  const foreign = new Set(listWords(page.noise, page.language).filter((word) => !own.has(word)));
  const readWords = new Set(read);
  return {
    missing,
    recall: [...own].filter((word) => readWords.has(word)).length / own.size,
    noise: read.filter((word) => foreign.has(word)).length / Math.max(1, read.length),
  };
}

function listAlternatives(html: string): string {
  return [...html.matchAll(/alt="([^"]*)"/g)].map(([, alt]) => alt).join(" ");
}

function listWords(text: string, language: string): string[] {
  const segmenter = new Intl.Segmenter(language, { granularity: "word" });
  return [...segmenter.segment(text.toLowerCase())].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
}

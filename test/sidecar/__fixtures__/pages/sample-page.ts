/** A page of our own writing, shaped like a real one, with what a reader must find in it and what is noise. */
import type { SiteWords } from "./site-words.ts";

/** The author's part of a page. */
export interface PageContent {
  readonly name: string;
  readonly kind: "news" | "docs" | "forum" | "table" | "shop" | "scripts" | "language" | "other";
  readonly title: string;
  /** HTML of the main content. */
  readonly main: string;
  /** Must be in the Markdown, word by word. */
  readonly sentences: readonly string[];
  /** Addresses that must be in the Markdown. */
  readonly links: readonly string[];
}

export interface SamplePage extends PageContent {
  readonly language: string;
  readonly html: string;
  /** The text of everything around the main content. */
  readonly noise: string;
}

export const ORIGIN = "https://site.example";

/** HTML around the main content. */
export type Layout = (content: PageContent, words: SiteWords) => string;

const SLOT = "<!--main-->";

/** Puts content into a layout. The noise is the text of the layout with the slot empty. */
export function makePage(layout: Layout, words: SiteWords, content: PageContent): SamplePage {
  const around = layout({ ...content, main: SLOT }, words);
  const body = around.slice(around.indexOf("<body"));
  return {
    ...content,
    language: words.language,
    html: around.replace(SLOT, () => content.main),
    noise: stripTags(body.replace(/<h1[^>]*data-title[\s\S]*?<\/h1>/, "")),
  };
}

/** The visible text of our own HTML. */
export function stripTags(html: string): string {
  return html
    .replaceAll(/<(script|style|noscript)\b[\s\S]*?<\/\1>/g, " ")
    .replaceAll(/<!--[\s\S]*?-->/g, " ")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&nbsp;", " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

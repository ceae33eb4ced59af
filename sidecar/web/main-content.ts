/**
 * Finds the main content of a page. Where the markup says which part that is, and it is mostly text, that part is taken
 * whole. Else Readability finds the article, unless that lacks much of the page's text, as it does for forums, tables,
 * lists of products and collections of short parts: then the pruned page is the content.
 */
import { createRequire } from "node:module";
import { Readability } from "@mozilla/readability";
import { type PageElement, type PageTree, parsePage } from "./page-tree.ts";
import { dropLinkLists, findOnly, Lengths, measureText, ownText, prunePage } from "./prune-page.ts";
import { writeHtml } from "./write-html.ts";

/** The DOM that comes with Readability: it has what Readability uses. A script without types, which needs its own `this`. */
const JSDOMParser = createRequire(import.meta.url)("@mozilla/readability/JSDOMParser.js") as new () => {
  parse(html: string, url: string): object;
};

/** The main content of a page. */
export interface MainContent {
  readonly title: string | null;
  readonly language: string | null;
  readonly content: PageElement;
}

/** The article must have so much of the text outside of links that the pruned page has. */
const MIN_SHARE = 0.8;
/** A marked part with more of its text in links may have lists of other pages in it. */
const MAX_LINK_SHARE = 0.3;
/** A text shorter than this tells Readability to look again with fewer rules. The pruned page is our second look. */
const CHARACTERS_OF_AN_ARTICLE = 100;
const MIN_TITLE = 3;
const MAX_TITLE_CHARACTERS = 300;

/** Finds the content of a parsed page. */
export function findMainContent(page: PageTree): MainContent {
  const pruned = prunePage(page);
  const { main, length, isMarked } = pruned;
  const heading = readOnlyHeading(main);
  const isPlain = isMarked && length.inLinks <= length.all * MAX_LINK_SHARE;
  const article = isPlain ? null : readArticle(writeHtml(main), page.title);
  const isWhole = article !== null && article.length >= MIN_SHARE * ownText(length);
  if (!isWhole && !isMarked) dropLinkLists(pruned);
  const title = heading ?? page.meta.get("og:title") ?? article?.title ?? page.title ?? "";
  return {
    title: title.trim() === "" ? null : title.trim().slice(0, MAX_TITLE_CHARACTERS),
    language: page.language ?? page.meta.get("og:locale")?.replace("_", "-") ?? null,
    content: isWhole ? article.content : main,
  };
}

interface Article {
  readonly title: string | null;
  readonly content: PageElement;
  /** Of its text outside of links. */
  readonly length: number;
}

function readArticle(body: string, title: string | null): Article | null {
  const head = title === null ? "" : `<title>${title.replaceAll(/[<>&]/g, " ")}</title>`;
  const parsed = new JSDOMParser().parse(`<html><head>${head}</head><body>${body}</body></html>`, "");
  const article = new Readability(parsed, {
    charThreshold: CHARACTERS_OF_AN_ARTICLE,
    disableJSONLD: true,
    keepClasses: true,
  }).parse();
  if (typeof article?.content !== "string" || article.content === "") return null;
  const { root } = parsePage(article.content);
  return { title: article.title ?? null, content: root, length: ownText(new Lengths().of(root)) };
}

/** The text of the only heading of the first level; null when there are several or none. */
function readOnlyHeading(element: PageElement): string | null {
  const heading = findOnly(element, ({ name }) => name === "h1")?.at(-1);
  if (heading === undefined) return null;
  const text = getText(heading).replaceAll(/\s+/g, " ").trim();
  return measureText(text) >= MIN_TITLE && text.length <= MAX_TITLE_CHARACTERS ? text : null;
}

function getText(element: PageElement): string {
  return element.children.map((child) => (typeof child === "string" ? child : getText(child))).join("");
}

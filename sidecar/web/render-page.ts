/** Renders a page as a model reads it. Runs in the caged process. */
import { findMainContent } from "./main-content.ts";
import { parsePage, TooManyElements } from "./page-tree.ts";
import { toMarkdown } from "./to-markdown.ts";
import { toText } from "./to-text.ts";
import { writeHtml } from "./write-html.ts";
import { MAX_PAGE_CONTENT, type PageFormat, type RenderedPage } from "../../core/ports/pages.ts";

/** A page to render. */
export interface PageQuestion {
  readonly format: PageFormat;
  /** The page's address, to which its links are relative. */
  readonly url: string;
}

/** A larger page is read as text only. In characters of HTML. */
const MAX_MARKDOWN_SOURCE = 2_000_000;
/** The largest page, in UTF-8. */
export const MAX_PAGE_BYTES = 16 * 1024 * 1024;
/** A heading that repeats the title is among so many first lines. */
const LINES_TO_TITLE = 10;

/** Renders a page. */
export function renderPage(html: string, { format, url }: PageQuestion): RenderedPage {
  if (html.length > MAX_MARKDOWN_SOURCE) return renderAsText(html);
  try {
    const page = parsePage(html);
    const { title, language, content } = findMainContent(page);
    const base = URL.parse(page.base ?? "", url)?.href ?? url;
    const text = format === "text" ? toText(writeHtml(content), MAX_PAGE_CONTENT).text : toMarkdown(content, base);
    const whole = withTitle(text, title, format);
    return {
      title,
      language,
      content: whole.slice(0, MAX_PAGE_CONTENT),
      format,
      isCut: whole.length > MAX_PAGE_CONTENT,
    };
  } catch (error) {
    if (error instanceof TooManyElements) return renderAsText(html);
    throw error;
  }
}

function renderAsText(html: string): RenderedPage {
  const { text, isCut } = toText(html, MAX_PAGE_CONTENT);
  return { title: null, language: null, content: text, format: "text", isCut };
}

/** Begins with the title, once. */
function withTitle(text: string, title: string | null, format: PageFormat): string {
  if (title === null) return text;
  const lines = text.split("\n");
  const at = lines.slice(0, LINES_TO_TITLE).findIndex((line) => line.replace(/^#{1,2} /, "").trim() === title);
  if (at >= 0) lines.splice(at, 1);
  return `${format === "markdown" ? "# " : ""}${title}\n\n${lines.join("\n").trim()}`.trim();
}

/** Converts between a mail's HTML and plain text, in linear time. */
import { decodeEntities, escapeHtml } from "../../lib/html-entities.ts";

const HIDDEN = new Set(["script", "style", "head", "title", "template"]);
const BLOCKS = new Set(
  "p div section article header footer table ul ol blockquote pre h1 h2 h3 h4 h5 h6 hr address form".split(" "),
);
const LINES = new Set(["br", "tr", "li", "dt", "dd"]);

/** True when a body contains a tag. */
export function isHtml(body: string): boolean {
  return /<[a-zA-Z!/]/.test(body);
}

/** Converts plain text to HTML. */
export function textToHtml(text: string): string {
  const paragraphs = text
    .replace(/\r\n?/g, "\n")
    .trim()
    .split(/\n{2,}/);
  return paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph).replaceAll("\n", "<br>\n")}</p>`).join("\n");
}

/**
 * Converts HTML to plain text: blank lines between blocks, dashes before list items, and link targets after their text.
 * With `marksQuotes`, a line with `>` marks the start of a quotation.
 */
export function htmlToText(html: string, { marksQuotes = false } = {}): string {
  const out: string[] = [];
  let link: string | null = null;
  for (let at = 0; at < html.length; ) {
    const tagAt = html.indexOf("<", at);
    const end = tagAt === -1 ? html.length : tagAt;
    out.push(decodeEntities(html.slice(at, end)).replace(/\s+/g, " "));
    if (tagAt === -1) break;
    const tag = readTag(html, tagAt);
    if (tag === null) {
      out.push("<");
      at = tagAt + 1;
      continue;
    }
    at = tag.end;
    if (HIDDEN.has(tag.name) && !tag.closes) at = findHiddenEnd(html, tag.name, at);
    else if (marksQuotes && tag.name === "blockquote" && !tag.closes) out.push("\n\n>\n\n");
    else if (BLOCKS.has(tag.name)) out.push("\n\n");
    else if (LINES.has(tag.name) && !tag.closes) out.push(tag.name === "li" ? "\n- " : "\n");
    else if (tag.name === "td" && tag.closes) out.push("  ");
    else if (tag.name === "a" && !tag.closes) link = getHref(tag.text);
    else if (tag.name === "a" && link !== null) {
      if (!(out.at(-1) ?? "").includes(link)) out.push(` (${link})`);
      link = null;
    }
  }
  return tidy(out.join(""));
}

interface Tag {
  readonly name: string;
  readonly closes: boolean;
  readonly text: string;
  /** The position after the tag. */
  readonly end: number;
}

/** Null when the `<` is plain text. */
function readTag(html: string, at: number): Tag | null {
  if (html.startsWith("<!--", at)) {
    const end = html.indexOf("-->", at + 4);
    return { name: "", closes: false, text: "", end: end === -1 ? html.length : end + 3 };
  }
  const [, slash, name] = /^<(\/?)([a-zA-Z][a-zA-Z0-9]{0,20}|!)/.exec(html.slice(at, at + 24)) ?? [];
  if (name === undefined) return null;
  const end = html.indexOf(">", at);
  if (end === -1) return { name: "", closes: false, text: "", end: html.length };
  return { name: name.toLowerCase(), closes: slash === "/", text: html.slice(at, end), end: end + 1 };
}

/** A hidden element without an end tag extends to the end of the text. */
function findHiddenEnd(html: string, name: string, from: number): number {
  for (let at = from; ; at += 2) {
    at = html.indexOf("</", at);
    if (at === -1) return html.length;
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() !== name) continue;
    const end = html.indexOf(">", at);
    return end === -1 ? html.length : end + 1;
  }
}

function getHref(tag: string): string | null {
  const [, double, single] = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag) ?? [];
  const href = decodeEntities(double ?? single ?? "");
  return /^(https?:|mailto:)/i.test(href) ? href : null;
}

function tidy(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** What the model reads of a reply: HTML as Markdown or text, JSON compact, everything else as received. */
import type { PageFormat, PagesPort, RenderedPage } from "../ports/pages.ts";
import { type FormattedReply, formatReply, RENDER_TIMEOUT_MS } from "./exchange.ts";

/** How a reply is read. */
export interface Reading {
  readonly format: PageFormat | "raw";
  readonly pages: PagesPort;
  readonly signal: AbortSignal;
}

/** A page's own declaration, which may be any text. */
const LANGUAGE = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/;

/** Formats the reply. A page that cannot be rendered is read as received, with the reason. */
export async function readReply(status: number, reply: FormattedReply, reading: Reading): Promise<string> {
  const { format, pages, signal } = reading;
  if (format === "raw" || reply.saved !== undefined || reply.body_encoding !== "text" || reply.body === "")
    return formatReply(status, reply);
  if (isJson(reply)) return formatReply(status, reply, compactJson(reply.body));
  if (!isHtml(reply)) return formatReply(status, reply);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(RENDER_TIMEOUT_MS)]);
  const rendered = await pages.render({ html: reply.body, url: reply.url, format, signal: limit });
  if (!rendered.ok)
    return formatReply(
      status,
      reply,
      `[The page could not be rendered: ${rendered.error.message} This is the reply as received.]\n\n${reply.body}`,
    );
  return formatReply(status, reply, formatPage(rendered.value, format, reply.headers["content-language"]));
}

function formatPage(page: RenderedPage, format: PageFormat, header: string | undefined): string {
  const language = [page.language, header].find((name) => typeof name === "string" && LANGUAGE.test(name));
  const notes = [
    language === undefined ? null : `[language: ${language}]`,
    page.format === format ? null : "[The page is too large for Markdown, so this is its text]",
    page.isCut ? "[The content was cut at 1,000,000 characters]" : null,
  ].filter((note) => note !== null);
  const content =
    page.content.trim() === ""
      ? 'The page has no text without its scripts. Read it with format "raw", or use an API of the site.'
      : page.content;
  return [...notes, content].join("\n\n");
}

function getType({ headers }: FormattedReply): string {
  return headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
}

function isJson(reply: FormattedReply): boolean {
  const type = getType(reply);
  return type === "application/json" || type.endsWith("+json");
}

function isHtml(reply: FormattedReply): boolean {
  const type = getType(reply);
  if (type === "text/html" || type === "application/xhtml+xml") return true;
  return type === "" && /^\s{0,100}<(?:!doctype html|html)\b/i.test(reply.body.slice(0, 200));
}

/**
 * Removes white space between the tokens of valid JSON. The tokens stay as they are: parsing and writing them again
 * would change long numbers.
 */
function compactJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const pieces: string[] = [];
  let from = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (isInString && unit === BACKSLASH) at += 1;
    else if (unit === QUOTE) isInString = !isInString;
    else if (!isInString && (unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09)) {
      pieces.push(text.slice(from, at));
      from = at + 1;
    }
  }
  pieces.push(text.slice(from));
  return pieces.join("");
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

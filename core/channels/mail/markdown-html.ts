/**
 * Markdown as the HTML of a mail: headings, lists, quotes, code, rules, tables as they are written, and in lines code,
 * strong, emphasis and links. Everything else is text, and no character of the Markdown becomes a tag of its own: what is
 * not made here is escaped. Links lead to http, https and mailto only, and no image is loaded.
 */
import { escapeHtml } from "../../lib/html-entities.ts";

export function markdownAsHtml(markdown: string): string {
  const lines = markdown.replace(/\r\n?/g, "\n").split("\n");
  const out: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const block = blockAt(lines, at);
    if (block.html !== "") out.push(block.html);
    at = block.next;
  }
  return out.join("\n");
}

interface Block {
  readonly html: string;
  /** The line behind it. */
  readonly next: number;
}

const FENCE = /^ {0,3}(```|~~~)/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/s;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const BULLET = /^ {0,6}[-*+][ \t]+(.*)$/s;
const NUMBER = /^ {0,6}\d{1,9}[.)][ \t]+(.*)$/s;
const QUOTE = /^ {0,3}>[ ]?(.*)$/s;
const TABLE = /^ {0,3}\|/;

function blockAt(lines: readonly string[], at: number): Block {
  const line = lines[at] ?? "";
  if (line.trim() === "") return { html: "", next: at + 1 };
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return fencedBlock(lines, at, fence);
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const level = (heading[1] ?? "#").length;
    return { html: `<h${level}>${inlineHtml(withoutClosing(heading[2] ?? ""))}</h${level}>`, next: at + 1 };
  }
  if (RULE.test(line)) return { html: "<hr>", next: at + 1 };
  if (QUOTE.test(line)) {
    const { found, next } = run(lines, at, QUOTE);
    return { html: `<blockquote>${found.map(inlineHtml).join("<br>\n")}</blockquote>`, next };
  }
  for (const [form, tag] of [
    [BULLET, "ul"],
    [NUMBER, "ol"],
  ] as const) {
    if (!form.test(line)) continue;
    const { found, next } = run(lines, at, form);
    return { html: `<${tag}>\n${found.map((item) => `<li>${inlineHtml(item)}</li>`).join("\n")}\n</${tag}>`, next };
  }
  if (TABLE.test(line)) {
    const end = endOf(lines, at, (one) => !TABLE.test(one));
    return { html: `<pre>${escapeHtml(lines.slice(at, end).join("\n"))}</pre>`, next: end };
  }
  const end = endOf(lines, at, beginsBlock);
  return { html: `<p>${lines.slice(at, end).map(inlineHtml).join("<br>\n")}</p>`, next: end };
}

/** A heading may be closed by the signs that begin it. */
function withoutClosing(text: string): string {
  let end = text.length;
  while (end > 0 && " \t#".includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** A block of code that never ends has the rest of the text. */
function fencedBlock(lines: readonly string[], at: number, fence: string): Block {
  const end = endOf(lines, at, (line) => line.trimStart().startsWith(fence));
  return { html: `<pre><code>${escapeHtml(lines.slice(at + 1, end).join("\n"))}</code></pre>`, next: end + 1 };
}

function beginsBlock(line: string): boolean {
  return line.trim() === "" || [FENCE, HEADING, RULE, BULLET, NUMBER, QUOTE, TABLE].some((form) => form.test(line));
}

/** The first line after `at` that is no part of the block. */
function endOf(lines: readonly string[], at: number, isOver: (line: string) => boolean): number {
  let end = at + 1;
  while (end < lines.length && !isOver(lines[end] ?? "")) end += 1;
  return end;
}

/** What stands behind the signs of lines that all have them. */
function run(lines: readonly string[], at: number, form: RegExp): { found: string[]; next: number } {
  const next = endOf(lines, at, (line) => !form.test(line));
  return { found: lines.slice(at, next).map((line) => form.exec(line)?.[1] ?? ""), next };
}

const LINK = /\[([^[\]]{1,500})\]\(([^()\s]{1,2000})\)/g;
const CODE = /`([^`]+)`/;

/** Code first: nothing in it means anything else. */
function inlineHtml(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => {
      const code = CODE.exec(part)?.[1];
      return code === undefined ? spanHtml(part) : `<code>${escapeHtml(code)}</code>`;
    })
    .join("");
}

function spanHtml(text: string): string {
  return escapeHtml(text)
    .replace(LINK, (whole, words: string, target: string) =>
      /^(?:https?:\/\/|mailto:)/i.test(target) ? `<a href="${target}">${words}</a>` : whole,
    )
    .replace(/\*\*([^*\s][^*]{0,2000})\*\*/g, "<strong>$1</strong>")
    .replace(/(^|[^*\w])\*([^*\s][^*]{0,2000})\*(?![*\w])/g, "$1<em>$2</em>");
}

/**
 * Markdown as the HTML of a mail: headings, lists, quotes, code, rules, tables as they are written, and in lines code,
 * strong, emphasis and links. Everything else is text, and no character of the Markdown becomes a tag of its own: what is
 * not made here is escaped. Links lead to http, https and mailto only, and no image is loaded.
 */
import { escapeHtml } from "../../lib/html-entities.ts";
import { type Block, readBlocks } from "../../lib/markdown-blocks.ts";

export function markdownAsHtml(markdown: string): string {
  const groups: Block[][] = [];
  for (const block of readBlocks(markdown)) {
    const last = groups.at(-1);
    const isInGroup = tagOf(block) !== null && !block.isApart && tagOf(block) === tagOf(last?.[0]);
    if (isInGroup) last?.push(block);
    else groups.push([block]);
  }
  return groups.map(groupHtml).join("\n");
}

/** What holds lines of one kind that follow each other; null: the block stays alone. */
function tagOf(block: Block | undefined): "ul" | "ol" | "blockquote" | null {
  if (block?.kind === "quote") return "blockquote";
  if (block?.kind !== "item") return null;
  return block.number === null ? "ul" : "ol";
}

function groupHtml(blocks: readonly Block[]): string {
  const tag = tagOf(blocks[0]);
  const inside = blocks.map(blockHtml);
  if (tag === null) return inside.join("");
  if (tag === "blockquote") return `<blockquote>${inside.join("<br>\n")}</blockquote>`;
  return `<${tag}>\n${inside.map((item) => `<li>${item}</li>`).join("\n")}\n</${tag}>`;
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case "code":
      return `<pre><code>${escapeHtml(block.lines.join("\n"))}</code></pre>`;
    case "table":
      return `<pre>${escapeHtml(block.lines.join("\n"))}</pre>`;
    case "heading":
      return `<h${block.level}>${inlineHtml(block.text)}</h${block.level}>`;
    case "rule":
      return "<hr>";
    case "item":
    case "quote":
      return inlineHtml(block.text);
    case "paragraph":
      return `<p>${block.lines.map(inlineHtml).join("<br>\n")}</p>`;
  }
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

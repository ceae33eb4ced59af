/**
 * Converts Markdown to a mail's HTML: headings, lists, quotes, code, rules, and tables as preformatted text; inline
 * code, strong, emphasis and links. Everything else is escaped, so Markdown cannot add a tag. Links may use http, https
 * and mailto only, and images are not loaded.
 */
import { escapeHtml } from "../../lib/html-entities.ts";
import { type Block, readBlocks } from "../../lib/markdown-blocks.ts";

export function markdownToHtml(markdown: string): string {
  const groups: Block[][] = [];
  for (const block of readBlocks(markdown)) {
    const last = groups.at(-1);
    const isInGroup = findGroupTag(block) !== null && !block.isApart && findGroupTag(block) === findGroupTag(last?.[0]);
    if (isInGroup) last?.push(block);
    else groups.push([block]);
  }
  return groups.map(renderGroup).join("\n");
}

/** The element around consecutive blocks of one kind; null for a block that is never grouped. */
function findGroupTag(block: Block | undefined): "ul" | "ol" | "blockquote" | null {
  if (block?.kind === "quote") return "blockquote";
  if (block?.kind !== "item") return null;
  return block.number === null ? "ul" : "ol";
}

function renderGroup(blocks: readonly Block[]): string {
  const tag = findGroupTag(blocks[0]);
  const inside = blocks.map(renderBlock);
  if (tag === null) return inside.join("");
  if (tag === "blockquote") return `<blockquote>${inside.join("<br>\n")}</blockquote>`;
  return `<${tag}>\n${inside.map((item) => `<li>${item}</li>`).join("\n")}\n</${tag}>`;
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case "code":
      return `<pre><code>${escapeHtml(block.lines.join("\n"))}</code></pre>`;
    case "table":
      return `<pre>${escapeHtml(block.lines.join("\n"))}</pre>`;
    case "heading":
      return `<h${block.level}>${renderInline(block.text)}</h${block.level}>`;
    case "rule":
      return "<hr>";
    case "item":
    case "quote":
      return renderInline(block.text);
    case "paragraph":
      return `<p>${block.lines.map(renderInline).join("<br>\n")}</p>`;
  }
}

const LINK = /\[([^[\]]{1,500})\]\(([^()\s]{1,2000})\)/g;
const CODE = /`([^`]+)`/;

/** Code first: its content is literal. */
function renderInline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => {
      const code = CODE.exec(part)?.[1];
      return code === undefined ? renderSpan(part) : `<code>${escapeHtml(code)}</code>`;
    })
    .join("");
}

function renderSpan(text: string): string {
  return escapeHtml(text)
    .replace(LINK, (whole, words: string, target: string) =>
      /^(?:https?:\/\/|mailto:)/i.test(target) ? `<a href="${target}">${words}</a>` : whole,
    )
    .replace(/\*\*([^*\s][^*]{0,2000})\*\*/g, "<strong>$1</strong>")
    .replace(/(^|[^*\w])\*([^*\s][^*]{0,2000})\*(?![*\w])/g, "$1<em>$2</em>");
}

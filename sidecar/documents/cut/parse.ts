/** Parses Markdown with the positions of its nodes. */
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { mathFromMarkdown } from "mdast-util-math";
import { gfm } from "micromark-extension-gfm";
import { math } from "micromark-extension-math";

/** A node of mdast (https://github.com/syntax-tree/mdast), as far as it is read here. */
export interface MarkdownNode {
  readonly type: string;
  readonly depth?: number;
  readonly value?: string;
  /** Of a block of code. */
  readonly lang?: string | null | undefined;
  readonly url?: string;
  readonly alt?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly children?: readonly MarkdownNode[];
  readonly position?: Position | undefined;
}

interface Position {
  readonly start: { readonly offset?: number | undefined };
  readonly end: { readonly offset?: number | undefined };
}

/** `withMath`: whether dollars enclose formulas. In a sheet or a plain text, dollars are prices. */
export function parseMarkdown(markdown: string, withMath: boolean): MarkdownNode {
  return fromMarkdown(markdown, {
    extensions: withMath ? [gfm(), math()] : [gfm()],
    mdastExtensions: withMath ? [gfmFromMarkdown(), mathFromMarkdown()] : [gfmFromMarkdown()],
  });
}

/** What is apart from the text before it. */
const BLOCKS = new Set(["break", "paragraph", "heading", "listItem", "tableCell", "code", "math"]);

/** The text of a node, without its markup. A formula is its TeX; line breaks are spaces. */
export function getText(node: MarkdownNode): string {
  const parts: string[] = [];
  const open: MarkdownNode[] = [node];
  // Not recursive: a hostile text nests deeply.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.type === "html") continue;
    if (BLOCKS.has(next.type)) parts.push(" ");
    if (next.value !== undefined) parts.push(next.value);
    else if (next.type === "image") parts.push(next.alt ?? "");
    open.push(...(next.children ?? []).toReversed());
  }
  return parts.join("").replaceAll(/\s+/g, " ").trim();
}

/** All nodes below a node, in the order of the text. */
export function listNodes(node: MarkdownNode, type: string): MarkdownNode[] {
  const found: MarkdownNode[] = [];
  const open: MarkdownNode[] = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.type === type) found.push(next);
    open.push(...(next.children ?? []).toReversed());
  }
  return found;
}

/** Where a node is in the Markdown. */
export function getPlace({ position }: MarkdownNode): { readonly start: number; readonly end: number } {
  return { start: position?.start.offset ?? 0, end: position?.end.offset ?? 0 };
}

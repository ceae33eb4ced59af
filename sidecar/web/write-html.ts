/** Writes a tree as HTML that is well formed, which Readability's parser needs. */
import type { PageElement } from "./page-tree.ts";

const VOID: ReadonlySet<string> = new Set("area br col embed hr img input link meta param source track wbr".split(" "));
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
]);

/** The element and its content. */
export function writeHtml(element: PageElement): string {
  const pieces: string[] = [];
  write(element, pieces);
  return pieces.join("");
}

function write({ name, attributes, children }: PageElement, pieces: string[]): void {
  pieces.push("<", name);
  for (const [attribute, value] of Object.entries(attributes))
    pieces.push(" ", attribute, '="', escapeHtml(value), '"');
  if (VOID.has(name)) {
    pieces.push("/>");
    return;
  }
  pieces.push(">");
  for (const child of children) {
    if (typeof child === "string") pieces.push(escapeHtml(child));
    else write(child, pieces);
  }
  pieces.push("</", name, ">");
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ESCAPES.get(character) ?? character);
}

/**
 * The used part of pandoc's JSON document: nodes with a kind `t` and a content `c`, texts, numbers and lists
 * (https://hackage.haskell.org/package/pandoc-types).
 */
export interface Node {
  readonly t: string;
  readonly c?: unknown;
}

/** Identifier, classes, and key-value pairs. */
export type Attributes = readonly [id: string, classes: readonly string[], pairs: readonly (readonly string[])[]];

export interface Ast {
  readonly "pandoc-api-version": readonly number[];
  readonly meta: Readonly<Record<string, Node>>;
  readonly blocks: readonly Node[];
}

export const NO_ATTRIBUTES: Attributes = ["", [], []];

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "t" in value && typeof value.t === "string";
}

/** Only attributes consist of a text and two lists. */
export function isAttributes(value: unknown): value is Attributes {
  return (
    Array.isArray(value) &&
    value.length === 3 &&
    typeof value[0] === "string" &&
    Array.isArray(value[1]) &&
    Array.isArray(value[2])
  );
}

/** Returns the parts of a node's content, or an empty list. */
export function getParts(node: Node): readonly unknown[] {
  return Array.isArray(node.c) ? node.c : [];
}

export function getNodes(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** Converts a text to inlines of words and spaces. */
export function toInlines(text: string): Node[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== "")
    .flatMap((word, index) => (index === 0 ? [{ t: "Str", c: word }] : [{ t: "Space" }, { t: "Str", c: word }]));
}

/** Returns the text at an index of a node's content, or an empty text. */
export function getTextAt(node: Node, index: number): string {
  const part = getParts(node)[index];
  return typeof part === "string" ? part : "";
}

/** Extracts all text of a part of a document, without its notes. */
export function extractText(value: unknown): string {
  if (Array.isArray(value)) return value.map(extractText).join("");
  if (!isNode(value)) return "";
  if (value.t === "Str") return typeof value.c === "string" ? value.c : "";
  if (value.t === "Space" || value.t === "SoftBreak" || value.t === "LineBreak") return " ";
  if (value.t === "Code" || value.t === "CodeBlock" || value.t === "Math") return getTextAt(value, 1);
  return value.t === "Note" ? "" : extractText(value.c);
}

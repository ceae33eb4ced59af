/**
 * Pandoc's document as JSON, as far as it is looked at here: nodes of a kind `t` with a content `c`, texts, numbers and
 * lists of them (https://hackage.haskell.org/package/pandoc-types).
 */
export interface Node {
  readonly t: string;
  readonly c?: unknown;
}

/** Identifier, classes, and pairs of a key and a value. */
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

/** No other part of a document is a text and two lists. */
export function isAttributes(value: unknown): value is Attributes {
  return (
    Array.isArray(value) &&
    value.length === 3 &&
    typeof value[0] === "string" &&
    Array.isArray(value[1]) &&
    Array.isArray(value[2])
  );
}

/** The parts of a node's content; empty for one without. */
export function partsOf(node: Node): readonly unknown[] {
  return Array.isArray(node.c) ? node.c : [];
}

export function nodesOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** Words and spaces, as inlines. */
export function plainInlines(text: string): Node[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== "")
    .flatMap((word, index) => (index === 0 ? [{ t: "Str", c: word }] : [{ t: "Space" }, { t: "Str", c: word }]));
}

/** The text at a place of a node's content; empty where there is none. */
export function textAt(node: Node, index: number): string {
  const part = partsOf(node)[index];
  return typeof part === "string" ? part : "";
}

/** All text of a part of a document, without its notes. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join("");
  if (!isNode(value)) return "";
  if (value.t === "Str") return typeof value.c === "string" ? value.c : "";
  if (value.t === "Space" || value.t === "SoftBreak" || value.t === "LineBreak") return " ";
  if (value.t === "Code" || value.t === "CodeBlock" || value.t === "Math") return textAt(value, 1);
  return value.t === "Note" ? "" : textOf(value.c);
}

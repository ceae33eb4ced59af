/**
 * Cuts a document's Markdown into pieces of four kinds: text, tables, formulas and pictures. A table is a piece of its own and
 * no text; a formula is also in the text around it. Only a kind whose dollars mean TeX has formulas.
 */
import { type CutOf, type CutPiece, orderPieces } from "../../../core/documents/cut-piece.ts";
import { cutBlocks, type TextBlock } from "../../../core/knowledge/cut-text.ts";
import { formatTableText, type TableContent } from "../../../core/knowledge/table-text.ts";
import type { DocumentKind } from "../../../core/ports/documents.ts";
import { readHtmlTable } from "./html-table.ts";
import { getPlace, getText, listNodes, type MarkdownNode, parseMarkdown } from "./parse.ts";
import { Sections } from "./sections.ts";

const WITH_FORMULAS: ReadonlySet<DocumentKind> = new Set(["markdown", "docx", "odt", "epub", "html", "ipynb"]);
const MAX_CAPTION_CHARACTERS = 300;
const MAX_NEARBY_CHARACTERS = 600;
const MAX_TEX_CHARACTERS = 4_000;
const MAX_CONTEXT_CHARACTERS = 400;
/** A paragraph that names the table or picture next to it, in the languages of the word lists. */
const CAPTION =
  /^(?:table|tab\.|tabelle|tableau|tabla|tabella|tabela|figure|fig\.|abbildung|abb\.|bild|figura|image|chart|diagram)\s*(?:\d|[ivx]+\b|[a-z]\d|:)/i;

/** Where a block is. */
interface At {
  readonly heading: readonly string[];
  readonly page: number | null;
}

/** `images`: the names of the document's pictures; others are elsewhere, and are no pieces. */
export function cutDocument(markdown: string, kind: DocumentKind, images: ReadonlySet<string>): CutPiece[] {
  const withMath = WITH_FORMULAS.has(kind);
  const blocks = parseMarkdown(markdown, withMath).children ?? [];
  const sections = new Sections(kind);
  const pieces: CutPiece[] = [];
  let open: TextBlock[] = [];
  let at: At = { heading: [], page: null };
  const close = () => {
    for (const slice of cutBlocks(markdown, open))
      pieces.push({ kind: "text", ...copy(at), ...slice, text: markdown.slice(slice.start, slice.end) });
    open = [];
  };
  blocks.forEach((block, index) => {
    if (sections.enter(block)) {
      close();
      at = { heading: sections.heading, page: sections.page };
      return;
    }
    const near = { before: blocks[index - 1], after: blocks[index + 1] };
    const table = readTable(block, near);
    if (table !== null) {
      close();
      pieces.push({ kind: "table", ...copy(at), ...getPlace(block), ...table, text: formatTableText(table) });
    }
    if (block.type === "html") return;
    pieces.push(...cutImages(block, near, at, images));
    if (withMath) pieces.push(...cutFormulas(markdown, block, near, at));
    if (table === null && !isOnlyImages(block)) open.push({ ...getPlace(block), isCode: block.type === "code" });
  });
  close();
  return orderPieces(pieces);
}

function copy({ heading, page }: At): { heading: string[]; page: number | null } {
  return { heading: [...heading], page };
}

/** The blocks next to one. */
interface Near {
  readonly before: MarkdownNode | undefined;
  readonly after: MarkdownNode | undefined;
}

type CutTable = Pick<CutOf<"table">, "caption" | "columns" | "rows">;

function readTable(block: MarkdownNode, near: Near): CutTable | null {
  const table = block.type === "html" ? readHtmlTable(block.value ?? "") : readPipeTable(block);
  if (table === null) return null;
  const caption = table.caption ?? findCaption(near);
  const rows = table.rows.map((row) => [...row]);
  // Many tables of documents mark no row of headings, but their first row is one.
  const isUntitled = table.columns.every((column) => column === "") && rows.length > 1;
  const columns = isUntitled ? (rows.shift() ?? []) : [...table.columns];
  return { caption, columns, rows };
}

function readPipeTable(block: MarkdownNode): TableContent | null {
  if (block.type !== "table") return null;
  const [columns = [], ...rows] = (block.children ?? []).map((row) => (row.children ?? []).map(getText));
  return { caption: null, columns, rows };
}

/** A paragraph next to a table or picture that says it is its caption, or one before that ends with a colon. */
function findCaption({ before, after }: Near): string | null {
  for (const block of [before, after]) {
    if (block?.type !== "paragraph") continue;
    const text = getText(block);
    if (
      text !== "" &&
      text.length <= MAX_CAPTION_CHARACTERS &&
      (CAPTION.test(text) || (block === before && text.endsWith(":")))
    )
      return text;
  }
  return null;
}

function cutImages(block: MarkdownNode, near: Near, at: At, images: ReadonlySet<string>): CutPiece[] {
  return listNodes(block, "image").flatMap((node) => {
    const name = node.url ?? "";
    if (!images.has(name)) return [];
    const alt = toText(node.alt, MAX_CAPTION_CHARACTERS);
    const caption = toText(node.title, MAX_CAPTION_CHARACTERS) ?? findCaption(near);
    const around = [near.before, isOnlyImages(block) ? undefined : block, near.after];
    const texts = around.flatMap((one) =>
      one === undefined || /^(?:html|heading)$/.test(one.type) ? [] : [getText(one)],
    );
    const nearby = truncate(texts.filter((text) => text !== "").join("\n"), MAX_NEARBY_CHARACTERS);
    const text = [...new Set([caption, alt, nearby])].filter((part) => part !== null && part !== "").join("\n");
    // A picture without any words is found by its heading.
    const words = text === "" ? at.heading.join("\n") : text;
    return [{ kind: "image" as const, ...copy(at), ...getPlace(node), name, alt, caption, nearby, text: words }];
  });
}

function isOnlyImages({ type, children = [] }: MarkdownNode): boolean {
  const isBlank = (node: MarkdownNode) => node.type === "break" || (node.type === "text" && node.value?.trim() === "");
  return (
    type === "paragraph" &&
    children.some((one) => one.type === "image") &&
    children.every((one) => one.type === "image" || isBlank(one))
  );
}

function cutFormulas(markdown: string, block: MarkdownNode, near: Near, at: At): CutPiece[] {
  const fences = listNodes(block, "code").filter(({ lang }) => lang === "math");
  const nodes = [...listNodes(block, "math"), ...fences, ...listNodes(block, "inlineMath")];
  return nodes.flatMap((node) => {
    const tex = getTex(node);
    const place = getPlace(node);
    if (tex === "" || tex.length > MAX_TEX_CHARACTERS || !isFormula(markdown, node, place.end)) return [];
    const context = truncate(findSentence(block, node, near), MAX_CONTEXT_CHARACTERS);
    const text = context.includes(tex) || context === "" ? context || tex : `${tex}\n${context}`;
    return [{ kind: "formula" as const, ...copy(at), ...place, tex, context, text }];
  });
}

/** Converters write formulas as GitHub does: inline as code between dollars, and others as a block of code of `math`. */
function getTex({ type, value = "" }: MarkdownNode): string {
  const [, code] = type === "inlineMath" ? (/^(`+)([^]*)\1$/.exec(value)?.slice(1) ?? []) : [];
  return (code ?? value).trim();
}

/** As pandoc decides: text between two prices is no formula. */
function isFormula(markdown: string, { type, value = "" }: MarkdownNode, end: number): boolean {
  if (type !== "inlineMath") return true;
  const isDouble = markdown.slice(end - 2, end) === "$$";
  return isDouble || (/^\S(?:.*\S)?$/s.test(value) && !/^\d/.test(markdown.charAt(end)));
}

/** The sentence around an inline formula, or the paragraphs around a formula of its own. */
function findSentence(block: MarkdownNode, node: MarkdownNode, { before, after }: Near): string {
  if (node.type !== "inlineMath")
    return [before, after].flatMap((one) => (one?.type === "paragraph" ? [getText(one)] : [])).join("\n");
  const paragraph = [...listNodes(block, "paragraph"), ...listNodes(block, "tableCell")].find(
    (one) => getPlace(one).start <= getPlace(node).start && getPlace(one).end >= getPlace(node).end,
  );
  const tex = getTex(node);
  const text = getText(paragraph ?? block).replaceAll(node.value ?? "", tex);
  const place = text.indexOf(tex);
  if (place === -1) return text;
  const from = text.slice(0, place).search(/[.!?]\s[^.!?]*$/);
  const rest = text.slice(place + tex.length).search(/[.!?](?:\s|$)/);
  return text.slice(from === -1 ? 0 : from + 2, rest === -1 ? undefined : place + tex.length + rest + 1).trim();
}

function toText(value: string | null | undefined, limit: number): string | null {
  const text = truncate((value ?? "").replaceAll(/\s+/g, " ").trim(), limit);
  return text === "" ? null : text;
}

function truncate(text: string, limit: number): string {
  return text.slice(0, limit).toWellFormed().trim();
}

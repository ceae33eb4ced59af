/**
 * Cleans an untrusted Markdown text before an engine gets it: nothing in it may act as code of an output format, name a file that is not
 * part of the job, or link to the reader's machine.
 *
 * - Raw parts become plain text. Attributes are dropped, since writers execute some, except the size of images, the language of
 *   code, and the name of headings.
 * - Only the job's images stay. Links lead to the web, a mail address, or a heading.
 * - Paragraphs that begin in a right-to-left script get that direction.
 */
import { toImagePath } from "../../../core/documents/image-references.ts";
import {
  type Attributes,
  isAttributes,
  isNode,
  NO_ATTRIBUTES,
  type Node,
  getNodes,
  getParts,
  getTextAt,
  extractText,
} from "./ast.ts";
import { setColumnWidths } from "./table-widths.ts";

/** Maximum nesting of lists and quotes. */
const MAX_DEPTH = 200;
const ALLOWED_CLASSES: ReadonlySet<string> = new Set(["columns", "column", "notes"]);
const ALLOWED_LINK = /^(?:https?:\/\/|mailto:)/i;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** The text is nested too deeply. */
export class TooDeep extends Error {}

export interface CleanOptions {
  /** By the path in the text: the name of the engine's file, or the reason for its absence. */
  readonly images: ReadonlyMap<string, { readonly file: string } | { readonly why: string }>;
  /** The attribute that marks a right-to-left paragraph for the writer. Null if the writer has none. */
  readonly direction: "dir" | "lang" | null;
}

/** Cleaned blocks, and warnings about omitted content. */
export interface Cleaned {
  readonly blocks: readonly Node[];
  readonly warnings: readonly string[];
}

export function cleanBlocks(blocks: readonly Node[], options: CleanOptions): Cleaned {
  const cleaner = new Cleaner(options, findHeadingNames(blocks));
  return { blocks: cleaner.cleanList(blocks, 0) as Node[], warnings: [...cleaner.warnings] };
}

/** Finds the names of headings, which links may target. */
function findHeadingNames(blocks: readonly Node[]): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH * 2) throw new TooDeep();
    if (Array.isArray(value)) for (const one of value) visit(one, depth + 1);
    else if (isNode(value)) {
      if (value.t === "Header") {
        const name = getHeadingName(getParts(value)[1]);
        if (name !== "") names.add(name);
      } else visit(value.c, depth + 1);
    }
  };
  visit(blocks, 0);
  return names;
}

function getHeadingName(attributes: unknown): string {
  const name = isAttributes(attributes) ? attributes[0] : "";
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,200}$/u.test(name) ? name : "";
}

class Cleaner {
  readonly warnings = new Set<string>();
  private readonly options: CleanOptions;
  private readonly names: ReadonlySet<string>;
  private readonly usedNames = new Set<string>();

  constructor(options: CleanOptions, names: ReadonlySet<string>) {
    this.options = options;
    this.names = names;
  }

  cleanList(values: readonly unknown[], depth: number): unknown[] {
    return values.flatMap((value) =>
      isNode(value) ? this.cleanNode(value, depth + 1) : [this.cleanPart(value, depth + 1)],
    );
  }

  private cleanPart(value: unknown, depth: number): unknown {
    if (depth > MAX_DEPTH * 2) throw new TooDeep();
    if (isAttributes(value)) return NO_ATTRIBUTES;
    if (Array.isArray(value)) return this.cleanList(value, depth);
    if (isNode(value)) return this.cleanNode(value, depth)[0] ?? { t: "Null" };
    return value;
  }

  private cleanNode(node: Node, depth: number): Node[] {
    if (depth > MAX_DEPTH * 2) throw new TooDeep();
    const parts = getParts(node);
    switch (node.t) {
      case "RawInline":
        return [{ t: "Code", c: [NO_ATTRIBUTES, getTextAt(node, 1)] }];
      case "RawBlock":
        return [{ t: "CodeBlock", c: [NO_ATTRIBUTES, getTextAt(node, 1)] }];
      case "Cite":
        return this.cleanInlines(parts[1], depth);
      case "Code":
        return [{ t: "Code", c: [NO_ATTRIBUTES, parts[1]] }];
      case "CodeBlock":
        return [{ t: "CodeBlock", c: [selectLanguage(parts[0]), parts[1]] }];
      case "Header":
        return this.setDirection({
          t: "Header",
          c: [parts[0], this.cleanHeadingAttributes(parts[1]), this.cleanInlines(parts[2], depth)],
        });
      case "Para":
      case "Plain":
        return this.setDirection({ t: node.t, c: this.cleanInlines(node.c, depth) });
      case "Div":
        return [{ t: "Div", c: [selectClasses(parts[0]), this.cleanInlines(parts[1], depth)] }];
      case "BulletList":
      case "OrderedList":
        return this.setListDirection({ t: node.t, c: this.cleanPart(node.c, depth) });
      case "Table":
        return [setColumnWidths({ t: node.t, c: this.cleanPart(node.c, depth) })];
      case "Link":
        return this.cleanLink(parts, depth);
      case "Image":
        return this.cleanImage(parts, depth);
      default:
        return [node.c === undefined ? { t: node.t } : { t: node.t, c: this.cleanPart(node.c, depth) }];
    }
  }

  private cleanInlines(value: unknown, depth: number): Node[] {
    return this.cleanList(getNodes(value), depth) as Node[];
  }

  /** Drops a duplicate name, so that links to it stay unambiguous. */
  private cleanHeadingAttributes(attributes: unknown): Attributes {
    const name = getHeadingName(attributes);
    if (name === "" || this.usedNames.has(name)) return NO_ATTRIBUTES;
    this.usedNames.add(name);
    return [name, [], []];
  }

  private setDirection(block: Node): Node[] {
    const text = extractText(block.t === "Header" ? getParts(block)[2] : block.c);
    const { direction } = this.options;
    if (direction === null || !isRightToLeft(text)) return [block];
    const value = direction === "dir" ? "rtl" : /\p{Script=Hebrew}/u.test(text) ? "he" : "ar";
    return [{ t: "Div", c: [["", [], [[direction, value]]], [block]] }];
  }

  /** Where the language sets the direction, it also sets the side of a list's marks. */
  private setListDirection(list: Node): Node[] {
    return this.options.direction === "lang" ? this.setDirection(list) : [list];
  }

  private cleanLink(parts: readonly unknown[], depth: number): Node[] {
    const inlines = this.cleanInlines(parts[1], depth);
    const target = (parts[2] as readonly unknown[] | undefined)?.[0];
    const url = typeof target === "string" ? target : "";
    if (ALLOWED_LINK.test(url) || (url.startsWith("#") && this.names.has(url.slice(1))))
      return [{ t: "Link", c: [NO_ATTRIBUTES, inlines, [url, ""]] }];
    this.warnings.add(`The link to ${shorten(url)} became text: links may lead to http, https, mailto or a heading.`);
    return inlines;
  }

  private cleanImage(parts: readonly unknown[], depth: number): Node[] {
    const description = this.cleanInlines(parts[1], depth);
    const target = (parts[2] as readonly unknown[] | undefined)?.[0];
    const source = typeof target === "string" ? target : "";
    const { images } = this.options;
    const found = images.get(source) ?? images.get(toImagePath(source)) ?? { why: "it was not provided" };
    if ("file" in found) return [{ t: "Image", c: [selectSize(parts[0]), description, [found.file, ""]] }];
    const isOnTheWeb = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(source);
    const why = isOnTheWeb ? "images must be in the sandbox" : found.why;
    this.warnings.add(`The image ${shorten(source)} is not in the document: ${why}.`);
    return description;
  }
}

/** Decides by the first letter (Unicode bidirectional algorithm, UAX #9, P2). */
export function isRightToLeft(text: string): boolean {
  const first = /\p{L}/u.exec(text)?.[0] ?? "";
  return RIGHT_TO_LEFT.test(first);
}

function selectLanguage(attributes: unknown): Attributes {
  const [language = ""] = isAttributes(attributes) ? attributes[1] : [];
  return /^[A-Za-z][A-Za-z0-9_+-]{0,29}$/.test(language) ? ["", [language], []] : NO_ATTRIBUTES;
}

function selectClasses(attributes: unknown): Attributes {
  const classes = isAttributes(attributes) ? attributes[1].filter((name) => ALLOWED_CLASSES.has(name)) : [];
  return ["", classes, []];
}

/** Selects width and height in units that every writer knows. */
function selectSize(attributes: unknown): Attributes {
  const pairs = isAttributes(attributes) ? attributes[2] : [];
  const sizes = pairs.filter(
    ([key = "", value = ""]) =>
      /^(?:width|height)$/.test(key) && /^(?:[1-9]\d{0,3}(?:\.\d{1,3})?)(?:%|px|cm|mm|in|pt)?$/.test(value),
  );
  return ["", [], sizes];
}

function shorten(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}

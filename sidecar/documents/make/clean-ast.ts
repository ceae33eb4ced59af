/**
 * What of a Markdown text reaches an engine. The text is a model's or a stranger's: nothing in it may be read as code of an
 * output format, name a file that did not come with the job, or lead to a place that only the reader's machine has.
 *
 * - Raw parts become the text that they are. Attributes go, since writers take some as code: of images their size, of code
 *   its language, of headings their name stay.
 * - Images are those that came. Links lead to the web, to a mail address, or to a heading.
 * - Paragraphs that begin in a script written from right to left are marked so.
 */
import { toImagePath } from "../../../core/documents/image-references.ts";
import {
  type Attributes,
  isAttributes,
  isNode,
  NO_ATTRIBUTES,
  type Node,
  nodesOf,
  partsOf,
  textAt,
  textOf,
} from "./ast.ts";
import { withColumnWidths } from "./table-widths.ts";

/** Lists in lists, quotes in quotes: beyond this a text is made to be hard to convert. */
const MAX_DEPTH = 200;
const KEPT_CLASSES: ReadonlySet<string> = new Set(["columns", "column", "notes"]);
const ALLOWED_LINK = /^(?:https?:\/\/|mailto:)/i;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** The text is nested too deeply. */
export class TooDeep extends Error {}

export interface CleanOptions {
  /** By the path that the text means: the name of the file beside the engine, or why there is none. */
  readonly images: ReadonlyMap<string, { readonly file: string } | { readonly why: string }>;
  /** How the writer is told that a paragraph runs from right to left: by its direction, or by its language; null: it is not. */
  readonly direction: "dir" | "lang" | null;
}

/** Cleaned blocks, and what of the text they do not hold, in words. */
export interface Cleaned {
  readonly blocks: readonly Node[];
  readonly warnings: readonly string[];
}

export function cleanBlocks(blocks: readonly Node[], options: CleanOptions): Cleaned {
  const cleaner = new Cleaner(options, headingNames(blocks));
  return { blocks: cleaner.list(blocks, 0) as Node[], warnings: [...cleaner.warnings] };
}

/** The names of headings: a name that two have leads to the first. */
function headingNames(blocks: readonly Node[]): ReadonlySet<string> {
  const names = new Set<string>();
  const look = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH * 2) throw new TooDeep();
    if (Array.isArray(value)) for (const one of value) look(one, depth + 1);
    else if (isNode(value)) {
      if (value.t === "Header") {
        const name = headingName(partsOf(value)[1]);
        if (name !== "") names.add(name);
      } else look(value.c, depth + 1);
    }
  };
  look(blocks, 0);
  return names;
}

function headingName(attributes: unknown): string {
  const name = isAttributes(attributes) ? attributes[0] : "";
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,200}$/u.test(name) ? name : "";
}

class Cleaner {
  readonly warnings = new Set<string>();
  private readonly options: CleanOptions;
  private readonly names: ReadonlySet<string>;
  private readonly namesGiven = new Set<string>();

  constructor(options: CleanOptions, names: ReadonlySet<string>) {
    this.options = options;
    this.names = names;
  }

  list(values: readonly unknown[], depth: number): unknown[] {
    return values.flatMap((value) => (isNode(value) ? this.node(value, depth + 1) : [this.part(value, depth + 1)]));
  }

  private part(value: unknown, depth: number): unknown {
    if (depth > MAX_DEPTH * 2) throw new TooDeep();
    if (isAttributes(value)) return NO_ATTRIBUTES;
    if (Array.isArray(value)) return this.list(value, depth);
    if (isNode(value)) return this.node(value, depth)[0] ?? { t: "Null" };
    return value;
  }

  private node(node: Node, depth: number): Node[] {
    if (depth > MAX_DEPTH * 2) throw new TooDeep();
    const parts = partsOf(node);
    switch (node.t) {
      case "RawInline":
        return [{ t: "Code", c: [NO_ATTRIBUTES, textAt(node, 1)] }];
      case "RawBlock":
        return [{ t: "CodeBlock", c: [NO_ATTRIBUTES, textAt(node, 1)] }];
      case "Cite":
        return this.inlines(parts[1], depth);
      case "Code":
        return [{ t: "Code", c: [NO_ATTRIBUTES, parts[1]] }];
      case "CodeBlock":
        return [{ t: "CodeBlock", c: [languageOnly(parts[0]), parts[1]] }];
      case "Header":
        return this.directed({
          t: "Header",
          c: [parts[0], this.headingAttributes(parts[1]), this.inlines(parts[2], depth)],
        });
      case "Para":
      case "Plain":
        return this.directed({ t: node.t, c: this.inlines(node.c, depth) });
      case "Div":
        return [{ t: "Div", c: [classesOnly(parts[0]), this.inlines(parts[1], depth)] }];
      case "BulletList":
      case "OrderedList":
        return this.directedList({ t: node.t, c: this.part(node.c, depth) });
      case "Table":
        return [withColumnWidths({ t: node.t, c: this.part(node.c, depth) })];
      case "Link":
        return this.link(parts, depth);
      case "Image":
        return this.image(parts, depth);
      default:
        return [node.c === undefined ? { t: node.t } : { t: node.t, c: this.part(node.c, depth) }];
    }
  }

  private inlines(value: unknown, depth: number): Node[] {
    return this.list(nodesOf(value), depth) as Node[];
  }

  /** Two headings of one name would make every link to it ambiguous. */
  private headingAttributes(attributes: unknown): Attributes {
    const name = headingName(attributes);
    if (name === "" || this.namesGiven.has(name)) return NO_ATTRIBUTES;
    this.namesGiven.add(name);
    return [name, [], []];
  }

  private directed(block: Node): Node[] {
    const text = textOf(block.t === "Header" ? partsOf(block)[2] : block.c);
    const { direction } = this.options;
    if (direction === null || !isRightToLeft(text)) return [block];
    const value = direction === "dir" ? "rtl" : /\p{Script=Hebrew}/u.test(text) ? "he" : "ar";
    return [{ t: "Div", c: [["", [], [[direction, value]]], [block]] }];
  }

  /** Where the language says how a text runs, it also says at which side of a list its marks stand. */
  private directedList(list: Node): Node[] {
    return this.options.direction === "lang" ? this.directed(list) : [list];
  }

  private link(parts: readonly unknown[], depth: number): Node[] {
    const inlines = this.inlines(parts[1], depth);
    const target = (parts[2] as readonly unknown[] | undefined)?.[0];
    const url = typeof target === "string" ? target : "";
    if (ALLOWED_LINK.test(url) || (url.startsWith("#") && this.names.has(url.slice(1))))
      return [{ t: "Link", c: [NO_ATTRIBUTES, inlines, [url, ""]] }];
    this.warnings.add(`The link to ${shortened(url)} became text: links lead to http, https, mailto or a heading.`);
    return inlines;
  }

  private image(parts: readonly unknown[], depth: number): Node[] {
    const description = this.inlines(parts[1], depth);
    const target = (parts[2] as readonly unknown[] | undefined)?.[0];
    const source = typeof target === "string" ? target : "";
    const { images } = this.options;
    const found = images.get(source) ?? images.get(toImagePath(source)) ?? { why: "it did not come with the text" };
    if ("file" in found) return [{ t: "Image", c: [sizeOnly(parts[0]), description, [found.file, ""]] }];
    const isOnTheWeb = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(source);
    const why = isOnTheWeb ? "images are taken from the sandbox only" : found.why;
    this.warnings.add(`The image ${shortened(source)} is not in the document: ${why}.`);
    return description;
  }
}

/** The first letter decides, as the rule of the Unicode bidirectional algorithm has it (UAX #9, P2). */
export function isRightToLeft(text: string): boolean {
  const first = /\p{L}/u.exec(text)?.[0] ?? "";
  return RIGHT_TO_LEFT.test(first);
}

function languageOnly(attributes: unknown): Attributes {
  const [language = ""] = isAttributes(attributes) ? attributes[1] : [];
  return /^[A-Za-z][A-Za-z0-9_+-]{0,29}$/.test(language) ? ["", [language], []] : NO_ATTRIBUTES;
}

function classesOnly(attributes: unknown): Attributes {
  const classes = isAttributes(attributes) ? attributes[1].filter((name) => KEPT_CLASSES.has(name)) : [];
  return ["", classes, []];
}

/** Width and height in a unit that every writer knows. */
function sizeOnly(attributes: unknown): Attributes {
  const pairs = isAttributes(attributes) ? attributes[2] : [];
  const sizes = pairs.filter(
    ([key = "", value = ""]) =>
      /^(?:width|height)$/.test(key) && /^(?:[1-9]\d{0,3}(?:\.\d{1,3})?)(?:%|px|cm|mm|in|pt)?$/.test(value),
  );
  return ["", [], sizes];
}

function shortened(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}

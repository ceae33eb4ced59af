/**
 * Writes a page's tree as Markdown for a model to read: nothing is escaped, links are absolute, and marks without text
 * are left out. Recursion is as deep as the tree, which is bounded.
 */
import type { PageElement, PageNode } from "./page-tree.ts";
import { writeTable } from "./write-table.ts";

const BLOCKS: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body details div dd dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 " +
    "header hgroup hr legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);
const HEADING = /^h([1-6])$/;
const STRONG: ReadonlySet<string> = new Set(["b", "strong"]);
const EMPHASIS: ReadonlySet<string> = new Set(["em", "i"]);
const CODE: ReadonlySet<string> = new Set(["code", "kbd", "samp", "tt"]);
const STRUCK: ReadonlySet<string> = new Set(["del", "s", "strike"]);
const LANGUAGE = /(?:^|\s)(?:language|lang|highlight-source|brush:)[-\s]?([a-z0-9+#-]{1,20})/i;

/** Writes Markdown. `base` is the page's address. */
export function toMarkdown(element: PageElement, base: string): string {
  return new MarkdownWriter(base).writeBlocks(element.children).join("\n\n").trim();
}

/** Writes the parts of a page; tables write their cells with it. */
export class MarkdownWriter {
  readonly #base: string;
  readonly #withBlocks = new Map<PageElement, boolean>();

  constructor(base: string) {
    this.#base = base;
  }

  /** The blocks of these nodes; inline nodes between two blocks are a paragraph. */
  writeBlocks(nodes: readonly PageNode[]): string[] {
    const blocks: string[] = [];
    let line: PageNode[] = [];
    const endLine = (): void => {
      const text = this.writeLine(line);
      if (text !== "") blocks.push(text);
      line = [];
    };
    for (const node of nodes) {
      if (typeof node === "string" || !this.#isBlock(node)) {
        line.push(node);
        continue;
      }
      endLine();
      blocks.push(...this.#writeBlock(node));
    }
    endLine();
    return blocks;
  }

  /** These nodes as one paragraph. Blocks in it become part of the line. */
  writeLine(nodes: readonly PageNode[]): string {
    if (nodes.length === 0) return "";
    return this.#writeInline(nodes)
      .replaceAll(/ {2,}/g, " ")
      .replaceAll(/ ?\n ?/g, "\n")
      .trim();
  }

  #isBlock(element: PageElement): boolean {
    if (BLOCKS.has(element.name)) return true;
    const known = this.#withBlocks.get(element);
    if (known !== undefined) return known;
    const has = element.children.some((child) => typeof child !== "string" && this.#isBlock(child));
    this.#withBlocks.set(element, has);
    return has;
  }

  #writeBlock(element: PageElement): string[] {
    const { name, children } = element;
    const level = HEADING.exec(name)?.[1];
    if (level !== undefined) return mark(`${"#".repeat(Number(level))} `, this.#writeHeading(children));
    switch (name) {
      case "hr":
        return ["---"];
      case "pre":
        return writeCode(element);
      case "ul":
      case "ol":
        return this.#writeList(element);
      case "dl":
        return this.#writeTerms(children);
      case "blockquote":
        return mark("", this.writeBlocks(children).join("\n\n").replaceAll(/^/gm, "> ").replaceAll(/^> $/gm, ">"), ">");
      case "table":
        return writeTable(element, this);
      case "summary":
      case "dt":
        return mark("**", this.writeLine(children), "", "**");
      case "a":
        return this.#writeLinkedBlocks(element);
      default:
        return this.writeBlocks(children);
    }
  }

  #writeHeading(children: readonly PageNode[]): string {
    return this.writeLine(children).replaceAll("\n", " ");
  }

  #writeList({ name, attributes, children }: PageElement): string[] {
    const start = Number.parseInt(attributes["start"] ?? "1", 10) || 1;
    const items: string[] = [];
    let count = 0;
    for (const child of children) {
      const blocks = this.writeBlocks(typeof child === "string" || child.name !== "li" ? [child] : child.children);
      if (blocks.length === 0) continue;
      const bullet = name === "ol" ? `${start + count}. ` : "- ";
      count += 1;
      items.push(bullet + joinItem(blocks).replaceAll("\n", `\n${" ".repeat(bullet.length)}`));
    }
    return items.length === 0 ? [] : [items.join("\n")];
  }

  /** A list of terms: each with its descriptions in the next lines. */
  #writeTerms(children: readonly PageNode[]): string[] {
    const entries: string[] = [];
    for (const child of children) {
      if (typeof child !== "string" && child.name === "div") entries.push(...this.#writeTerms(child.children));
      else if (typeof child !== "string" && child.name === "dd") {
        const text = this.writeBlocks(child.children).join("\n");
        const term = entries.pop();
        entries.push(term === undefined ? text : `${term}\n${text}`);
      } else entries.push(...this.writeBlocks([child]));
    }
    return entries;
  }

  /** A link around blocks: the link of its first heading or line, or an address below them. */
  #writeLinkedBlocks({ attributes, children }: PageElement): string[] {
    const blocks = this.writeBlocks(children);
    const url = resolveUrl(attributes["href"], this.#base);
    const [first = "", ...others] = blocks;
    if (url === null || first === "") return blocks;
    const [, hashes = "", text = ""] = /^(#{1,6} )?([^\n]*)$/.exec(first) ?? [];
    return text === "" || /\]\(/.test(text) ? [...blocks, url] : [`${hashes}[${text}](${url})`, ...others];
  }

  #writeInline(nodes: readonly PageNode[]): string {
    return nodes.map((node) => (typeof node === "string" ? node : this.#writeElement(node))).join("");
  }

  #writeElement(element: PageElement): string {
    const { name, attributes, children } = element;
    if (name === "br") return "\n";
    if (name === "img") return this.#writeImage(attributes);
    if (name === "a") return this.#writeLink(attributes, this.#writeInline(children));
    if (STRONG.has(name)) return surround(this.#writeInline(children), "**");
    if (EMPHASIS.has(name)) return surround(this.#writeInline(children), "*");
    if (STRUCK.has(name)) return surround(this.#writeInline(children), "~~");
    if (CODE.has(name)) return surround(getText(element), getText(element).includes("`") ? "``" : "`");
    const text = this.#writeInline(children);
    return BLOCKS.has(name) ? ` ${text} ` : text;
  }

  #writeLink({ href }: PageElement["attributes"], content: string): string {
    const url = resolveUrl(href, this.#base);
    const text = content.replaceAll(/\s+/g, " ");
    if (url === null || text.trim() === "") return content;
    // A picture inside a link is its text.
    const image = /^!\[([^\]]*)\]\(\S*\)$/.exec(text.trim())?.[1];
    return image === undefined ? surround(text, "[", `](${url})`) : `[${image}](${url})`;
  }

  #writeImage(attributes: PageElement["attributes"]): string {
    const alt = (attributes["alt"] ?? "").replaceAll(/[\s[\]]+/g, " ").trim();
    const url = resolveUrl(attributes["src"], this.#base) ?? resolveUrl(attributes["data-src"], this.#base);
    if (alt === "") return "";
    return url === null ? alt : `![${alt}](${url})`;
  }
}

/** The text of an element, without marks. */
function getText({ children }: PageElement): string {
  return children
    .map((child) => (typeof child === "string" ? child : child.name === "br" ? "\n" : getText(child)))
    .join("");
}

/** The block with what is before and after it; nothing for one without text. */
function mark(before: string, text: string, empty = "", after = ""): string[] {
  return text === "" || text === empty ? [] : [before + text + after];
}

/** Marks a text, and keeps the space around it outside of the marks. */
function surround(text: string, open: string, close = open): string {
  const inner = text.trim();
  if (inner === "") return text;
  const start = text.indexOf(inner);
  return text.slice(0, start) + open + inner + close + text.slice(start + inner.length);
}

function writeCode(element: PageElement): string[] {
  const text = getText(element).replace(/^\n/, "").trimEnd();
  if (text === "") return [];
  const [inner] = element.children.filter((child) => typeof child !== "string" && child.name === "code");
  const names = [element, inner].map((one) => (typeof one === "object" ? (one.attributes["class"] ?? "") : ""));
  const fence = text.includes("```") ? "````" : "```";
  return [`${fence}${LANGUAGE.exec(names.join(" "))?.[1] ?? ""}\n${text}\n${fence}`];
}

/** The blocks of an item: lists follow its text at once. */
function joinItem(blocks: readonly string[]): string {
  return blocks.reduce((text, block) => `${text}${/^(?:- |\d+\. )/.test(block) ? "\n" : "\n\n"}${block}`);
}

/** The absolute address of a link to another page; null for any other link. */
function resolveUrl(href: string | undefined, base: string): string | null {
  if (href === undefined || href === "" || href.startsWith("#")) return null;
  const url = URL.parse(href, base);
  return url !== null && /^(?:https?|mailto|tel|ftp):$/.test(url.protocol) ? url.href : null;
}

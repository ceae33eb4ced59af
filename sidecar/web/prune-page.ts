/**
 * Takes out of a page what is the same on every page of its site: navigation, footers, banners for cookies, share bars,
 * lists of other articles. An element is judged by its meaning (name and role) first, and by its class only if it has
 * little of the page's text.
 */
import type { PageElement, PageNode, PageTree } from "./page-tree.ts";

/** Characters of an element's text, where an ideograph, which is a word, counts for three, and its links. */
export interface TextLength {
  readonly all: number;
  readonly inLinks: number;
  readonly links: number;
  /** Links to a part of the page itself. */
  readonly linksWithin: number;
}

const NOISE_ROLES: ReadonlySet<string> = new Set(
  "navigation banner contentinfo search dialog alertdialog menu menubar toolbar tablist status".split(" "),
);
/** Words of classes and ids, between hyphens, underscores, spaces or capital letters. */
const NOISE_WORDS: ReadonlySet<string> = new Set(
  (
    "cookie cookies consent gdpr newsletter subscribe subscription signup breadcrumb breadcrumbs share sharing social " +
    "sidebar related recommended recommendations promo promos promotion sponsor sponsored advert advertisement ad ads " +
    "popup modal overlay pagination pager skip sronly hidden masthead navbar nav navigation menu topbar footer toolbar " +
    "upsell teaser teasers trending popular widget widgets login paywall feedback edit editsection toc"
  ).split(" "),
);
/** An element with a larger share of the page's text is content in spite of its class. */
const MAX_NOISE_SHARE = 0.5;
/** The main part has so much of the text outside of links. */
const MAIN_SHARE = 0.6;
/** The least links to parts of the page in a block that is its table of contents. Other blocks of links lead to other pages. */
const MIN_LINKS = 4;
const LINK_SHARE = 0.85;
/** Elements in which a footer, a header or an aside is the author's. */
const ARTICLES: ReadonlySet<string> = new Set(["article", "main", "section", "blockquote"]);
const CONTAINERS: ReadonlySet<string> = new Set(["main", "article"]);
const BLOCKS_OF_LINKS: ReadonlySet<string> = new Set(["ul", "ol", "div", "section", "aside", "p"]);
const WIDE = /[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;

interface Judged {
  readonly total: number;
  readonly isInArticle: boolean;
}

/** The part of a page with its main text. */
export interface PrunedPage {
  readonly main: PageElement;
  readonly length: TextLength;
  /** True if the markup says which part that is: by `main`, or by the only heading of the first level. */
  readonly isMarked: boolean;
}

/** Finds the part of the page with its main text, and takes out what is noise in it. */
export function prunePage({ root }: PageTree): PrunedPage {
  const lengths = new Lengths();
  const main = findMain(root, lengths);
  const isMarked = main !== root;
  prune(main, { total: lengths.of(main).all, isInArticle: isMarked }, lengths);
  return { main, length: new Lengths().of(main), isMarked };
}

/** Takes out blocks of links only, unless they are most of what there is. */
export function dropLinkLists({ main, length }: PrunedPage): void {
  const lengths = new Lengths();
  const isLinkList = (element: PageElement): boolean => {
    const { all, inLinks, links } = lengths.of(element);
    return BLOCKS_OF_LINKS.has(element.name) && links >= MIN_LINKS && inLinks > all * LINK_SHARE;
  };
  const drop = (element: PageElement): PageElement => ({
    ...element,
    children: element.children.flatMap((child): PageNode[] => {
      if (typeof child === "string") return [child];
      return isLinkList(child) ? [] : [drop(child)];
    }),
  });
  const rest = drop(main);
  if (new Lengths().of(rest).all * 4 > length.all) main.children = rest.children;
}

/** Measures text once for each element. */
export class Lengths {
  readonly #known = new Map<PageElement, TextLength>();

  of(element: PageElement): TextLength {
    const known = this.#known.get(element);
    if (known !== undefined) return known;
    const sum = { all: 0, inLinks: 0, links: 0, linksWithin: 0 };
    for (const child of element.children) {
      if (typeof child === "string") {
        sum.all += measureText(child);
        continue;
      }
      const its = this.of(child);
      sum.all += its.all;
      sum.inLinks += its.inLinks;
      sum.links += its.links;
      sum.linksWithin += its.linksWithin;
    }
    const href = element.name === "a" ? element.attributes["href"] : undefined;
    const isWithin = href?.startsWith("#") === true;
    const length =
      href === undefined
        ? sum
        : { all: sum.all, inLinks: sum.all, links: sum.links + 1, linksWithin: sum.linksWithin + (isWithin ? 1 : 0) };
    this.#known.set(element, length);
    return length;
  }
}

/** Counts a text's characters; an ideograph, which is a word, counts for three. */
export function measureText(text: string): number {
  const trimmed = text.trim();
  return trimmed.length + 2 * (trimmed.match(WIDE)?.length ?? 0);
}

/** Counts the text outside of links. */
export function ownText({ all, inLinks }: Pick<TextLength, "all" | "inLinks">): number {
  return all - inLinks;
}

/**
 * Finds the smallest element around the only heading of the first level that has most of the page's own text; else the
 * one `main` of the page, if it has a good part of it; else the page.
 */
function findMain(root: PageElement, lengths: Lengths): PageElement {
  const main = findOnly(root, (element) => element.name === "main" || element.attributes["role"] === "main")?.at(-1);
  const own = ownText(lengths.of(root));
  const start = main !== undefined && ownText(lengths.of(main)) * 4 > own ? main : root;
  const around = findOnly(start, ({ name }) => name === "h1") ?? [];
  const least = MAIN_SHARE * ownText(lengths.of(start));
  return around.findLast((element) => ownText(lengths.of(element)) >= least) ?? start;
}

/** The elements from `root` down to the only one that `isWanted`; null when there are several or none. */
export function findOnly(root: PageElement, isWanted: (element: PageElement) => boolean): PageElement[] | null {
  let found: PageElement[] | null = null;
  let count = 0;
  const path: PageElement[] = [];
  const look = (element: PageElement): void => {
    path.push(element);
    if (isWanted(element)) {
      count += 1;
      found = [...path];
    } else for (const child of element.children) if (typeof child !== "string") look(child);
    path.pop();
  };
  look(root);
  return count === 1 ? found : null;
}

function prune(element: PageElement, judged: Judged, lengths: Lengths): void {
  const kept: PageNode[] = [];
  for (const child of element.children) {
    if (typeof child === "string") {
      kept.push(child);
      continue;
    }
    if (isNoise(child, judged, lengths)) continue;
    prune(child, { ...judged, isInArticle: judged.isInArticle || ARTICLES.has(child.name) }, lengths);
    kept.push(child);
  }
  element.children = kept;
}

function isNoise(element: PageElement, { total, isInArticle }: Judged, lengths: Lengths): boolean {
  const { name, attributes } = element;
  const text = lengths.of(element);
  if (isHidden(element, text)) return true;
  const role = attributes["role"] ?? "";
  if (name === "nav" || NOISE_ROLES.has(role) || attributes["aria-modal"] === "true") return true;
  const isOutside = !isInArticle;
  if (isOutside && (name === "footer" || name === "aside" || role === "complementary")) return true;
  if (isOutside && name === "header" && !hasTitle(element)) return true;
  if (CONTAINERS.has(name)) return false;
  const isSmall = text.all <= total * MAX_NOISE_SHARE;
  if (isSmall && hasNoiseWord(attributes)) return true;
  if (name === "aside" && text.inLinks * 2 > text.all) return true;
  // A table of contents.
  return BLOCKS_OF_LINKS.has(name) && text.links >= MIN_LINKS && text.linksWithin === text.links;
}

function isHidden({ name, attributes }: PageElement, { all }: TextLength): boolean {
  if (attributes["hidden"] !== undefined) return true;
  const style = attributes["style"] ?? "";
  if (style !== "" && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)) return true;
  // Dialogs hide a whole page from screen readers.
  return attributes["aria-hidden"] === "true" && (all < 40 || name === "i" || name === "span");
}

function hasTitle(element: PageElement): boolean {
  return element.children.some((child) => typeof child !== "string" && (child.name === "h1" || hasTitle(child)));
}

function hasNoiseWord({ class: names = "", id = "" }: Readonly<Record<string, string>>): boolean {
  if (names === "" && id === "") return false;
  const words = `${names} ${id}`.replaceAll(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();
  return words.split(/[\s_-]+/).some((word) => NOISE_WORDS.has(word));
}

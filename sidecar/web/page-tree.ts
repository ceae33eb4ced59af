/**
 * HTML as a small tree, in one linear pass. What no reader sees (scripts, styles, forms' controls) and attributes that
 * nobody needs are left out; depth, attributes and the number of elements are bounded, so that hostile HTML costs no
 * more than honest HTML of its size.
 */
import { Parser } from "htmlparser2";

/** Deeper elements become siblings: readers recurse. */
const MAX_DEPTH = 120;
/** An honest page has one element for each 40 bytes or more. */
const MAX_ELEMENTS = 50_000;
const MAX_URL_CHARACTERS = 2_000;
const MAX_VALUE_CHARACTERS = 200;

export interface PageElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  children: PageNode[];
}
export type PageNode = PageElement | string;

/** A page as it was parsed. `title` is that of its head; `language` as the page declares it. */
export interface PageTree {
  readonly root: PageElement;
  readonly title: string | null;
  /** By `name` or `property`, in lower case. */
  readonly meta: ReadonlyMap<string, string>;
  readonly language: string | null;
  /** The value of `<base href>`. */
  readonly base: string | null;
}

/** The page has more elements than are handled. */
export class TooManyElements extends Error {
  override readonly name = "TooManyElements";
}

/** Elements that are left out with all that is in them. */
const UNREAD: ReadonlySet<string> = new Set(
  "script style noscript template svg canvas iframe object embed applet audio video map frameset select option button input textarea datalist meter progress dialog".split(
    " ",
  ),
);
const URLS: ReadonlySet<string> = new Set(["href", "src", "data-src"]);
const VALUES: ReadonlySet<string> = new Set(
  "class id role alt title style hidden aria-hidden aria-modal colspan rowspan lang start itemprop datetime dir".split(
    " ",
  ),
);
/** Elements that say nothing of their own. A form may contain a whole page. */
const TRANSPARENT: ReadonlySet<string> = new Set([
  "html",
  "head",
  "body",
  "title",
  "meta",
  "link",
  "base",
  "form",
  "font",
  "center",
]);
const SPACE = /\s+/g;
/** No honest line is longer; converters take time that is quadratic in such a stretch. */
const LONG_SPACE = /\s{200,}/g;
const MAX_SPACE = 200;

/** Parses a page. Throws `TooManyElements`. */
export function parsePage(html: string): PageTree {
  const builder = new TreeBuilder();
  const parser = new Parser(builder, { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true });
  parser.write(html);
  parser.end();
  return builder.finish();
}

/** The events of the parser, which closes every element that it opened, in order. */
class TreeBuilder {
  readonly #root: MutableElement = newElement("body");
  readonly #open: MutableElement[] = [this.#root];
  readonly #meta = new Map<string, string>();
  #language: string | null = null;
  #base: string | null = null;
  #title = "";
  #elements = 0;
  /** Open elements since one that is not read; 0 outside. */
  #unread = 0;
  #inTitle = false;
  #pre = 0;
  #attributes: Record<string, string> = {};
  #name = "";

  onopentagname(name: string): void {
    this.#name = name;
    this.#attributes = {};
  }

  onattribute(name: string, value: string): void {
    if (this.#name === "meta") this.#attributes[name] ??= value.slice(0, MAX_VALUE_CHARACTERS * 4);
    else if (URLS.has(name)) {
      if (value.length <= MAX_URL_CHARACTERS) this.#attributes[name] ??= value;
    } else if (VALUES.has(name)) this.#attributes[name] ??= value.slice(0, MAX_VALUE_CHARACTERS);
  }

  onopentag(name: string): void {
    if (this.#unread > 0 || UNREAD.has(name)) {
      this.#unread += 1;
      return;
    }
    this.#elements += 1;
    if (this.#elements > MAX_ELEMENTS) throw new TooManyElements();
    this.#readHead(name, this.#attributes);
    if (name === "pre") this.#pre += 1;
    // Its children become those of its parent.
    if (TRANSPARENT.has(name)) {
      this.#open.push(this.#open.at(-1) ?? this.#root);
      return;
    }
    const parent = this.#open[Math.min(this.#open.length, MAX_DEPTH) - 1] ?? this.#root;
    const element = newElement(name, this.#attributes);
    parent.children.push(element);
    this.#open.push(element);
  }

  onclosetag(name: string): void {
    if (this.#unread > 0) {
      this.#unread -= 1;
      return;
    }
    if (name === "pre") this.#pre -= 1;
    if (name === "title") this.#inTitle = false;
    if (this.#open.length > 1) this.#open.pop();
  }

  ontext(data: string): void {
    if (this.#unread > 0) return;
    if (this.#inTitle) {
      this.#title += data;
      return;
    }
    const children = (this.#open.at(-1) ?? this.#root).children;
    const text =
      this.#pre > 0 ? data.replaceAll(LONG_SPACE, (run) => run.slice(0, MAX_SPACE)) : data.replaceAll(SPACE, " ");
    const last = children.length - 1;
    if (typeof children[last] === "string") children[last] += text;
    else children.push(text);
  }

  #readHead(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === "html") this.#language ??= attributes["lang"] ?? null;
    else if (name === "base") this.#base ??= attributes["href"] ?? null;
    else if (name === "title") this.#inTitle = this.#title === "";
    else if (name === "meta") {
      const key = (attributes["property"] ?? attributes["name"] ?? "").toLowerCase();
      if (key !== "" && !this.#meta.has(key)) this.#meta.set(key, attributes["content"] ?? "");
    }
  }

  finish(): PageTree {
    const title = this.#title.replaceAll(SPACE, " ").trim();
    return {
      root: this.#root,
      title: title === "" ? null : title.slice(0, MAX_VALUE_CHARACTERS * 2),
      meta: this.#meta,
      language: this.#language,
      base: this.#base,
    };
  }
}

interface MutableElement extends PageElement {
  readonly attributes: Record<string, string>;
}

function newElement(name: string, attributes: Record<string, string> = {}): MutableElement {
  return { name, attributes, children: [] };
}

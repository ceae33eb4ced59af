/** The parts of an Office document (ECMA-376, part 2), inside the process that reads it. */
import { Parser } from "saxen";
import { ok } from "../../../core/base/errors.ts";
import { inflateEntry, readZipDirectory, type ZipEntry } from "../zip.ts";
import { NotReadable } from "./not-readable.ts";

/** What is told of XML as it is read. Names come without their prefix, values decoded. */
export interface XmlListener {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close(name: string): void;
  text(text: string): void;
}

/** An element with what is in it. `text` is its own text, without its children's. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

export class Parts {
  readonly #entries: ReadonlyMap<string, ZipEntry>;

  constructor(bytes: Uint8Array) {
    const directory = readZipDirectory(bytes);
    if (!directory.ok) throw new NotReadable(directory.error.message);
    this.#entries = new Map(directory.value.map((entry) => [entry.name.toLowerCase(), entry]));
  }

  has(path: string): boolean {
    return this.#entries.has(path.toLowerCase());
  }

  /** Reads a part of XML as a stream. A part that is not there is read as an empty one. */
  async listen(path: string, listener: XmlListener): Promise<void> {
    const entry = this.#entries.get(path.toLowerCase());
    if (entry === undefined) return;
    const parser = new Parser();
    let error: Error | null = null;
    parser.on("openTag", (name, attributes, decode) => listener.open(local(name), decoded(attributes(), decode)));
    parser.on("closeTag", (name) => listener.close(local(name)));
    parser.on("text", (text, decode) => listener.text(decode(text)));
    parser.on("cdata", (text) => listener.text(text));
    parser.on("warn", () => undefined);
    parser.on("error", (found) => {
      error ??= found;
    });
    const decoder = new TextDecoder("utf-8");
    const inflated = await inflateEntry(entry, (chunk) => {
      parser.write(decoder.decode(chunk, { stream: true }));
      return ok(undefined);
    });
    parser.end();
    if (!inflated.ok || error !== null) throw new NotReadable(`The document is damaged: ${path} cannot be read.`);
  }

  /** A part of XML as a tree, or null where there is none. */
  async tree(path: string): Promise<Element | null> {
    const root: Element = { name: "", attributes: {}, children: [], text: "" };
    const open: Element[] = [root];
    await this.listen(path, {
      open(name, attributes) {
        const element: Element = { name, attributes, children: [], text: "" };
        open.at(-1)?.children.push(element);
        open.push(element);
      },
      close() {
        if (open.length > 1) open.pop();
      },
      text(text) {
        const element = open.at(-1);
        if (element !== undefined) element.text += text;
      },
    });
    return root.children[0] ?? null;
  }

  /** Where the relationships of a part lead, by their ids. Addresses outside are as they stand. */
  async relations(path: string): Promise<ReadonlyMap<string, Relation>> {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const tree = await this.tree(`${folder}_rels/${path.slice(folder.length)}.rels`);
    const relations = (tree?.children ?? []).map(({ attributes }): [string, Relation] => {
      const { Id: id = "", Target: target = "", Type: type = "", TargetMode: mode } = attributes;
      const isOutside = mode === "External";
      return [
        id,
        {
          type: type.slice(type.lastIndexOf("/") + 1),
          isOutside,
          target: isOutside ? target : resolve(folder, target),
        },
      ];
    });
    return new Map(relations);
  }
}

export interface Relation {
  /** The last word of its type: `slide`, `image`, `hyperlink`. */
  readonly type: string;
  readonly isOutside: boolean;
  readonly target: string;
}

function resolve(folder: string, target: string): string {
  const segments: string[] = [];
  for (const segment of (target.startsWith("/") ? target : folder + target).split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return segments.join("/");
}

function local(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** Attributes keep the prefix of `r:id`, and lose any other. */
function decoded(
  attributes: Readonly<Record<string, string>>,
  decode: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes ?? {}).map(([name, value]) => [
      name.startsWith("r:") ? name : local(name),
      decode(value),
    ]),
  );
}

/** The first child of this name. */
export function childOf(element: Element | null | undefined, name: string): Element | null {
  return element?.children.find((child) => child.name === name) ?? null;
}

/** All elements of this name below, in their order. */
export function allBelow(element: Element | null, name: string): Element[] {
  if (element === null) return [];
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...allBelow(child, name)]);
}

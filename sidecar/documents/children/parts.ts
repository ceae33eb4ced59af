/** Reads the parts of an Office document (ECMA-376, part 2) in the reading process. */
import { Parser } from "saxen";
import { ok } from "../../../core/base/errors.ts";
import { inflateEntry, readZipDirectory, type ZipEntry } from "../zip.ts";
import { NotReadable } from "./not-readable.ts";

/** Receives the events of an XML parser. Names have no prefix; values are decoded. */
export interface XmlListener {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close(name: string): void;
  text(text: string): void;
}

/** An element and its children. `text` excludes the children's text. */
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

  /** Parses an XML part as a stream. A missing part counts as empty. */
  async parse(path: string, listener: XmlListener): Promise<void> {
    const entry = this.#entries.get(path.toLowerCase());
    if (entry === undefined) return;
    const parser = new Parser();
    let error: Error | null = null;
    parser.on("openTag", (name, attributes, decode) =>
      listener.open(dropPrefix(name), decodeAttributes(attributes(), decode)),
    );
    parser.on("closeTag", (name) => listener.close(dropPrefix(name)));
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

  /** Reads an XML part as a tree. Null if it is missing. */
  async readTree(path: string): Promise<Element | null> {
    const root: Element = { name: "", attributes: {}, children: [], text: "" };
    const open: Element[] = [root];
    await this.parse(path, {
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

  /** Reads the relationships of a part by their ids. External targets stay unchanged. */
  async readRelations(path: string): Promise<ReadonlyMap<string, Relation>> {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const tree = await this.readTree(`${folder}_rels/${path.slice(folder.length)}.rels`);
    const relations = (tree?.children ?? []).map(({ attributes }): [string, Relation] => {
      const { Id: id = "", Target: target = "", Type: type = "", TargetMode: mode } = attributes;
      const isOutside = mode === "External";
      return [
        id,
        {
          type: type.slice(type.lastIndexOf("/") + 1),
          isOutside,
          target: isOutside ? target : resolvePath(folder, target),
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

function resolvePath(folder: string, target: string): string {
  const segments: string[] = [];
  for (const segment of (target.startsWith("/") ? target : folder + target).split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return segments.join("/");
}

function dropPrefix(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** Drops the prefixes of attributes except `r:`. */
function decodeAttributes(
  attributes: Readonly<Record<string, string>>,
  decode: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes ?? {}).map(([name, value]) => [
      name.startsWith("r:") ? name : dropPrefix(name),
      decode(value),
    ]),
  );
}

/** Returns the first child with this name, or null. */
export function findChild(element: Element | null | undefined, name: string): Element | null {
  return element?.children.find((child) => child.name === name) ?? null;
}

/** Returns all descendants with this name, in document order. */
export function findAll(element: Element | null, name: string): Element[] {
  if (element === null) return [];
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...findAll(child, name)]);
}

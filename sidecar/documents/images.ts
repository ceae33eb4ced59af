/** The pictures of a document: which of its parts are one, and the names under which they are handed over. */
import { createHash } from "node:crypto";
import { getOwn } from "../../core/base/own-field.ts";

const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  bmp: "image/bmp",
  tif: "image/tiff",
  tiff: "image/tiff",
  svg: "image/svg+xml",
  emf: "image/emf",
  wmf: "image/wmf",
};

export const MAX_IMAGES = 200;
/** Beyond these a text's own pictures are not even counted. */
const MAX_INLINE_IMAGES = 2_000;

/** A picture; its name has no folder. */
export interface FoundImage {
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
  bytes(): Promise<Uint8Array>;
}

/** By the end of its name; null: no picture. */
export function imageType(name: string): string | null {
  return getOwn(TYPES, name.slice(name.lastIndexOf(".") + 1).toLowerCase()) ?? null;
}

/** Gives each picture a name of its own, of letters, digits, dots and dashes. */
export class ImageNames {
  readonly #taken = new Set<string>();
  /** By the name without a number: the number that is tried next. */
  readonly #next = new Map<string, number>();

  nameFor(path: string): string {
    const base = path.slice(path.lastIndexOf("/") + 1);
    const dot = base.lastIndexOf(".");
    const stem = base
      .slice(0, dot)
      .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
      .slice(0, 60)
      .replaceAll(/^-+|-+$/g, "");
    const extension = base.slice(dot + 1).toLowerCase();
    const first = `${stem === "" ? "image" : stem}.${extension}`;
    for (let count = this.#next.get(first) ?? 1; ; count += 1) {
      const name = count === 1 ? first : `${stem === "" ? "image" : stem}-${count}.${extension}`;
      if (this.#taken.has(name)) continue;
      this.#next.set(first, count + 1);
      this.#taken.add(name);
      return name;
    }
  }
}

const DATA_IMAGE = /\]\(data:image\/([a-z+.-]{1,20})(?:;[a-z0-9=-]{1,40})*;base64,([A-Za-z0-9+/=\s]*)\)/gi;
const EXTENSION_OF: Readonly<Record<string, string>> = { "svg+xml": "svg", jpeg: "jpg" };

/** Takes pictures that stand in the text itself out of it. The same picture is one. */
export function takeInlineImages(markdown: string, names: ImageNames): { markdown: string; images: FoundImage[] } {
  const images = new Map<string, FoundImage>();
  const text = markdown.replaceAll(DATA_IMAGE, (_whole, type: string, base64: string) => {
    if (images.size >= MAX_INLINE_IMAGES) return "]()";
    const bytes = Buffer.from(base64, "base64");
    const hash = createHash("sha256").update(bytes).digest("hex");
    const kind = type.toLowerCase();
    const name = images.get(hash)?.name ?? names.nameFor(`inline.${getOwn(EXTENSION_OF, kind) ?? kind}`);
    const contentType = `image/${kind}`;
    images.set(hash, { name, contentType, size: bytes.length, bytes: () => Promise.resolve(bytes) });
    return `](${name})`;
  });
  return { markdown: text, images: [...images.values()] };
}

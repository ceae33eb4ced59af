/** Finds the pictures of a document and names them for the result. */
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
/** Further inline pictures are dropped without being counted. */
const MAX_INLINE_IMAGES = 2_000;

/** A picture. Its name has no folder. */
export interface FoundImage {
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
  bytes(): Promise<Uint8Array>;
}

/** Returns the content type by the extension. Null if it is not a picture. */
export function getImageType(name: string): string | null {
  return getOwn(TYPES, name.slice(name.lastIndexOf(".") + 1).toLowerCase()) ?? null;
}

/** Creates a unique name for each picture, of letters, digits, dots, dashes and underscores. */
export class ImageNames {
  readonly #taken = new Set<string>();
  /** The next number to try, by the name without a number. */
  readonly #next = new Map<string, number>();

  makeName(path: string): string {
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
const EXTENSIONS: Readonly<Record<string, string>> = { "svg+xml": "svg", jpeg: "jpg" };

/** Moves data URL pictures out of the text. Equal pictures become one. */
export function extractInlineImages(markdown: string, names: ImageNames): { markdown: string; images: FoundImage[] } {
  const images = new Map<string, FoundImage>();
  const text = markdown.replaceAll(DATA_IMAGE, (_whole, type: string, base64: string) => {
    if (images.size >= MAX_INLINE_IMAGES) return "]()";
    const bytes = Buffer.from(base64, "base64");
    const hash = createHash("sha256").update(bytes).digest("hex");
    const kind = type.toLowerCase();
    const name = images.get(hash)?.name ?? names.makeName(`inline.${getOwn(EXTENSIONS, kind) ?? kind}`);
    const contentType = `image/${kind}`;
    images.set(hash, { name, contentType, size: bytes.length, bytes: () => Promise.resolve(bytes) });
    return `](${name})`;
  });
  return { markdown: text, images: [...images.values()] };
}

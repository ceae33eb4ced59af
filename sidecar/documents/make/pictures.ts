/** Prepares the pictures of a document: files for the engines, and their names by the paths in the text. */
import { MAX_IMAGES_BYTES } from "../../../core/documents/make.ts";
import type { CleanOptions } from "./clean-ast.ts";
import { type DrawSvgs, type DrawResult, looksLikeSvg } from "./draw-svgs.ts";
import { judgeImage } from "./image-kind.ts";

export interface Pictures {
  readonly images: CleanOptions["images"];
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

/** `images` has the bytes, or the reason why they are missing, by the path in the text. Draws SVG as PNG. */
export async function preparePictures(
  images: ReadonlyMap<string, Uint8Array | string>,
  draw: DrawSvgs,
  signal: AbortSignal,
): Promise<Pictures> {
  const drawn = await drawAll(images, draw, signal);
  const files: { name: string; bytes: Uint8Array }[] = [];
  let total = 0;
  const judged = [...images].map(([path, given]): [string, { file: string } | { why: string }] => {
    const picture = drawn.get(path) ?? (typeof given === "string" ? { why: given } : { png: given });
    if ("why" in picture) return [path, picture];
    const { png: bytes } = picture;
    const verdict = judgeImage(bytes);
    if (!verdict.ok) return [path, { why: verdict.why }];
    if (total + bytes.length > MAX_IMAGES_BYTES) return [path, { why: TOO_MUCH }];
    total += bytes.length;
    const name = `image-${files.length + 1}.${verdict.extension}`;
    files.push({ name, bytes });
    return [path, { file: name }];
  });
  return { images: new Map(judged), files };
}

async function drawAll(
  images: ReadonlyMap<string, Uint8Array | string>,
  draw: DrawSvgs,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, DrawResult>> {
  const svgs = [...images].flatMap(([path, bytes]): [string, Uint8Array][] =>
    typeof bytes !== "string" && looksLikeSvg(bytes) ? [[path, bytes]] : [],
  );
  if (svgs.length === 0) return new Map();
  const drawn = await draw(
    svgs.map(([, bytes]) => bytes),
    signal,
  );
  return new Map(svgs.map(([path], index) => [path, drawn[index] ?? { why: TOO_MUCH }]));
}

const TOO_MUCH = `images have ${MAX_IMAGES_BYTES / 1_048_576} MB at most in total, including drawn ones`;

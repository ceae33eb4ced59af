/** Reads the facts of a picture: its kind, its size in pixels, and the description inside it. Its content is not looked at. */
import ExifReader from "exifreader";
import { Parser } from "saxen";
import { getOwn } from "../../../core/base/own-field.ts";
import { NotReadable } from "./not-readable.ts";
import type { ReadPart } from "./read-question.ts";
import { decodeText } from "./read-text.ts";

const MAX_DESCRIPTION_CHARACTERS = 5_000;
const NOT_LOOKED_AT =
  "Only facts of this picture were read. What it shows, and text in it, is not read: OCR is not supported.";
/** Where programs write what a picture shows, in the order of preference. */
const DESCRIPTIONS: readonly (readonly [group: string, name: string])[] = [
  ["xmp", "description"],
  ["iptc", "Caption/Abstract"],
  ["exif", "ImageDescription"],
  ["pngText", "Description"],
  ["xmp", "title"],
  ["pngText", "Title"],
  ["exif", "UserComment"],
  ["pngText", "Comment"],
];
const BMP_MARK = "BM";
/** An SVG's first tag is within as many bytes (`kind.ts`). */
const SVG_START_BYTES = 1_024;

interface PictureFacts {
  readonly kind: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly descriptions: readonly string[];
}

export function readPicture(bytes: Uint8Array): Promise<ReadPart> {
  const { kind, width, height, descriptions } = readFacts(bytes);
  const size = width === null || height === null ? "size unknown" : `${width} × ${height} pixels`;
  const texts = [...new Set(descriptions.map(cleanText).filter((text) => text !== ""))];
  const blocks = [
    `${kind} picture, ${size}, ${bytes.length} bytes.`,
    texts.length === 0 ? "It has no description." : `Description: ${texts.join(" · ")}`,
    `*${NOT_LOOKED_AT}*`,
  ];
  return Promise.resolve({ markdown: blocks.join("\n\n"), units: null, warnings: [NOT_LOOKED_AT] });
}

function cleanText(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_DESCRIPTION_CHARACTERS);
}

function readFacts(bytes: Uint8Array): PictureFacts {
  const data = Buffer.from(bytes);
  if (data.toString("latin1", 0, BMP_MARK.length) === BMP_MARK) return readBmp(data);
  // Every other kind begins with its mark, and none with a tag.
  const isMarkup = decodeText(bytes.subarray(0, SVG_START_BYTES)).trimStart().startsWith("<");
  return isMarkup ? readSvg(decodeText(bytes)) : readTags(data);
}

function readBmp(data: Buffer): PictureFacts {
  // The height is negative if the rows are stored from top to bottom.
  return {
    kind: "BMP",
    width: Math.abs(data.readInt32LE(18)),
    height: Math.abs(data.readInt32LE(22)),
    descriptions: [],
  };
}

type Tags = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

function readTags(data: Buffer): PictureFacts {
  let tags: Tags;
  try {
    tags = ExifReader.load(data, { expanded: true, includeUnknown: false }) as unknown as Tags;
  } catch {
    throw new NotReadable("The picture is damaged: its header cannot be read.");
  }
  const kind = describeTag(getTag(tags, "file", "FileType")) || "Unknown";
  const size = kind === "WebP" ? (readWebpSize(data) ?? findSize(tags)) : findSize(tags);
  const descriptions = DESCRIPTIONS.flatMap(([group, name]) => describeTag(getTag(tags, group, name)) || []);
  return { kind, ...size, descriptions };
}

function getTag(tags: Tags, group: string, name: string): unknown {
  const found = getOwn(tags, group);
  return found === undefined ? undefined : getOwn(found, name);
}

function describeTag(tag: unknown): string {
  const isTag = typeof tag === "object" && tag !== null && "description" in tag;
  return isTag && typeof tag.description === "string" ? tag.description : "";
}

function findSize(tags: Tags): { readonly width: number | null; readonly height: number | null } {
  const find = (names: readonly string[]) => {
    for (const group of ["file", "png", "gif", "riff", "exif"])
      for (const name of names) {
        const tag = getTag(tags, group, name);
        const value = typeof tag === "object" && tag !== null && "value" in tag ? tag.value : null;
        if (typeof value === "number" && value > 0) return value;
      }
    return null;
  };
  return {
    width: find(["Image Width", "ImageWidth", "PixelXDimension"]),
    height: find(["Image Height", "ImageLength", "PixelYDimension"]),
  };
}

/** RFC 9649, 2.5 to 2.7: the first chunk tells how the size is stored. */
function readWebpSize(data: Buffer): { readonly width: number; readonly height: number } | null {
  if (data.length < 30) return null;
  const chunk = data.toString("latin1", 12, 16);
  if (chunk === "VP8X") return { width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1 };
  if (chunk === "VP8 ") return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff };
  if (chunk !== "VP8L") return null;
  const bits = data.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** Reads the size and the title and description of an SVG's root (https://www.w3.org/TR/SVG2/struct.html#TitleElement). */
function readSvg(text: string): PictureFacts {
  const root: { attributes: Readonly<Record<string, string>> | null } = { attributes: null };
  const descriptions: string[] = [];
  let depth = 0;
  let isDescription = false;
  let current = "";
  const parser = new Parser();
  parser.on("openTag", (name, attributes, decode) => {
    depth += 1;
    if (depth === 1)
      root.attributes = Object.fromEntries(
        Object.entries(attributes()).map(([key, value]) => [key.toLowerCase(), decode(value)]),
      );
    isDescription = depth === 2 && /^(svg:)?(title|desc)$/.test(name);
    current = "";
  });
  parser.on("closeTag", () => {
    if (isDescription) descriptions.push(current);
    isDescription = false;
    depth -= 1;
  });
  parser.on("text", (value, decode) => {
    if (isDescription) current += decode(value);
  });
  parser.on("warn", () => undefined);
  parser.on("error", () => undefined);
  parser.write(text);
  parser.end();
  if (root.attributes === null) throw new NotReadable("The picture is damaged: it has no SVG root.");
  const { width, height } = root.attributes;
  const [, , boxWidth, boxHeight] = (root.attributes["viewbox"] ?? "").split(/[\s,]+/);
  return {
    kind: "SVG",
    width: readPixels(width) ?? readPixels(boxWidth),
    height: readPixels(height) ?? readPixels(boxHeight),
    descriptions,
  };
}

/** Null for a size relative to the page. */
function readPixels(length: string | undefined): number | null {
  const found = /^\s*(\d{1,6}(?:\.\d{1,6})?)(?:px)?\s*$/.exec(length ?? "")?.[1];
  return found === undefined ? null : Math.round(Number(found));
}

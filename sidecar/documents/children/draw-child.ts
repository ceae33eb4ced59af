/**
 * Draws SVG as PNG, in a process of its own: the library fetches nothing and runs no script, and its memory has a maximum
 * that the engine holds at every growth. When it breaks down over a picture, the process ends.
 */
import { readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import type { Frame } from "../frames.ts";
import { answerQuestions } from "./answer-questions.ts";
import { readFonts } from "./font-files.ts";
import { boundMemory } from "./wasm-memory.ts";

/** The answer's head; the one part is the PNG, and none is there when `error` is set. The question's one part is the SVG. */
export interface DrawAnswer {
  readonly error: string | null;
}

export const MAX_DRAW_QUESTION_BYTES = 9 * 1024 * 1024;
const MAX_MEMORY_PAGES = 3_072;
/** Dots for each of the picture's own, so that its letters stay sharp on paper. */
const ZOOM = 2;
const MAX_PIXELS = 8_000_000;
const MAX_SIDE = 8_000;
const DOTS_OF_AN_INCH = 96;
const METRES_OF_AN_INCH = 0.0254;
const SANS = "Liberation Sans";
const FONTS = [
  "LiberationSans-Regular.ttf",
  "LiberationSans-Bold.ttf",
  "LiberationSans-Italic.ttf",
  "LiberationSans-BoldItalic.ttf",
  "LiberationMono-Regular.ttf",
  "LiberationMono-Bold.ttf",
  "DejaVuSans.ttf",
  "DejaVuSans-Bold.ttf",
];
/** 19 MB, which a picture without such letters does not wait for. */
const EAST_ASIAN_FONTS = ["NotoSansCJK-Regular.ttc"];
/** A letter beyond these is written out, or by its number. */
const MAY_BE_EAST_ASIAN = /[\u1100-\u11ff\u2e80-\u{3ffff}]|&#/u;
const HAS_TEXT = /<(?:[\w.-]+:)?text[\s>]/;

/** Where the chunk IHDR of a PNG ends (https://www.w3.org/TR/png-3/#11IHDR). */
const HEADER_END = 33;

let fonts: Uint8Array[] | undefined;
let eastAsian: Uint8Array[] | undefined;

function draw(svg: Uint8Array): Uint8Array | string {
  const text = new TextDecoder().decode(svg);
  fonts ??= readFonts(FONTS);
  if (fonts.length === 0 && HAS_TEXT.test(text)) return "there is no font here to write its text with";
  const further = MAY_BE_EAST_ASIAN.test(text) ? (eastAsian ??= readFonts(EAST_ASIAN_FONTS)) : [];
  const fontBuffers = [...fonts, ...further];
  const wanted = open(text, fontBuffers, ZOOM);
  if (typeof wanted === "string") return wanted;
  const { width, height } = wanted;
  const zoom = Math.min(ZOOM, MAX_SIDE / width, MAX_SIDE / height, Math.sqrt(MAX_PIXELS / (width * height)));
  if (zoom === ZOOM) return pngOf(wanted, zoom);
  wanted.free();
  const smaller = open(text, fontBuffers, zoom);
  return typeof smaller === "string" ? smaller : pngOf(smaller, zoom);
}

/** Faces that are not here, and what a picture calls serif, are set in the one face that every document has. */
function open(text: string, fontBuffers: Uint8Array[], zoom: number): InstanceType<typeof Resvg> | string {
  try {
    return new Resvg(text, {
      font: {
        fontBuffers,
        defaultFontFamily: SANS,
        serifFamily: SANS,
        sansSerifFamily: SANS,
        monospaceFamily: "Liberation Mono",
      },
      fitTo: { mode: "zoom", value: zoom },
    });
  } catch (error) {
    // What the library says is an error of its own; a trap of the engine leaves it in pieces.
    if (!(error instanceof Error) || error.name === "RuntimeError") throw error;
    return `it is an SVG that cannot be drawn (${error.message.replace(/^SVG data parsing failed cause /, "").slice(0, 100)})`;
  }
}

function pngOf(picture: InstanceType<typeof Resvg>, zoom: number): Uint8Array {
  const image = picture.render();
  const png = image.asPng();
  image.free();
  picture.free();
  return withDensity(png, (DOTS_OF_AN_INCH * zoom) / METRES_OF_AN_INCH);
}

/** Says how many dots make a metre: by it a document gives the picture the size that the SVG has. */
function withDensity(png: Uint8Array, dotsOfAMetre: number): Uint8Array {
  const chunk = Buffer.alloc(21);
  chunk.writeUInt32BE(9, 0);
  chunk.write("pHYs", 4, "latin1");
  chunk.writeUInt32BE(Math.round(dotsOfAMetre), 8);
  chunk.writeUInt32BE(Math.round(dotsOfAMetre), 12);
  chunk.writeUInt8(1, 16);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 17)), 17);
  return Buffer.concat([png.subarray(0, HEADER_END), chunk, png.subarray(HEADER_END)]);
}

const place = new URL(import.meta.resolve("@resvg/resvg-wasm/index_bg.wasm"));
await initWasm(boundMemory(await readFile(place), MAX_MEMORY_PAGES));
await answerQuestions(MAX_DRAW_QUESTION_BYTES, ({ parts: [svg = new Uint8Array()] }: Frame) => {
  const drawn = draw(svg);
  const answer: DrawAnswer = { error: typeof drawn === "string" ? drawn : null };
  return Promise.resolve({ head: answer, parts: typeof drawn === "string" ? [] : [drawn] });
});

/**
 * Draws SVG as PNG in a separate process. The library fetches nothing and runs no script, and the WebAssembly engine limits its memory.
 * When a picture crashes it, the process exits.
 */
import { readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import type { Frame } from "../frames.ts";
import { answerQuestions } from "./answer-questions.ts";
import { readFonts } from "./font-files.ts";
import { boundMemory } from "./wasm-memory.ts";

/** The answer's head. Its one part is the PNG, absent when `error` is set. The question's one part is the SVG. */
export interface DrawAnswer {
  readonly error: string | null;
}

export const MAX_DRAW_QUESTION_BYTES = 9 * 1024 * 1024;
const MAX_MEMORY_PAGES = 3_072;
/** Scale factor, so that letters stay sharp on paper. */
const ZOOM = 2;
const MAX_PIXELS = 8_000_000;
const MAX_SIDE = 8_000;
const DOTS_PER_INCH = 96;
const METRES_PER_INCH = 0.0254;
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
/** 19 MB, loaded only for pictures with such letters. */
const EAST_ASIAN_FONTS = ["NotoSansCJK-Regular.ttc"];
/** Matches an East Asian letter or a numeric character reference. */
const EAST_ASIAN_LETTER = /[\u1100-\u11ff\u2e80-\u{3ffff}]|&#/u;
const HAS_TEXT = /<(?:[\w.-]+:)?text[\s>]/;

/** Where the chunk IHDR of a PNG ends (https://www.w3.org/TR/png-3/#11IHDR). */
const HEADER_END = 33;

let fonts: Uint8Array[] | undefined;
let eastAsian: Uint8Array[] | undefined;

function draw(svg: Uint8Array): Uint8Array | string {
  const text = new TextDecoder().decode(svg);
  fonts ??= readFonts(FONTS);
  if (fonts.length === 0 && HAS_TEXT.test(text)) return "no font is installed for its text";
  const extraFonts = EAST_ASIAN_LETTER.test(text) ? (eastAsian ??= readFonts(EAST_ASIAN_FONTS)) : [];
  const fontBuffers = [...fonts, ...extraFonts];
  const fullSize = parseSvg(text, fontBuffers, ZOOM);
  if (typeof fullSize === "string") return fullSize;
  const { width, height } = fullSize;
  const zoom = Math.min(ZOOM, MAX_SIDE / width, MAX_SIDE / height, Math.sqrt(MAX_PIXELS / (width * height)));
  if (zoom === ZOOM) return renderPng(fullSize, zoom);
  fullSize.free();
  const smaller = parseSvg(text, fontBuffers, zoom);
  return typeof smaller === "string" ? smaller : renderPng(smaller, zoom);
}

/** Replaces missing fonts and generic families by the font of all documents. */
function parseSvg(text: string, fontBuffers: Uint8Array[], zoom: number): InstanceType<typeof Resvg> | string {
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
    // A trap leaves the engine in an undefined state; any other error belongs to the picture.
    if (!(error instanceof Error) || error.name === "RuntimeError") throw error;
    return `it is an SVG that cannot be drawn (${error.message.replace(/^SVG data parsing failed cause /, "").slice(0, 100)})`;
  }
}

function renderPng(picture: InstanceType<typeof Resvg>, zoom: number): Uint8Array {
  const image = picture.render();
  const png = image.asPng();
  image.free();
  picture.free();
  return setDensity(png, (DOTS_PER_INCH * zoom) / METRES_PER_INCH);
}

/** Stores the pixel density, so that a document shows the picture at the SVG's size. */
function setDensity(png: Uint8Array, dotsPerMetre: number): Uint8Array {
  const chunk = Buffer.alloc(21);
  chunk.writeUInt32BE(9, 0);
  chunk.write("pHYs", 4, "latin1");
  chunk.writeUInt32BE(Math.round(dotsPerMetre), 8);
  chunk.writeUInt32BE(Math.round(dotsPerMetre), 12);
  chunk.writeUInt8(1, 16);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 17)), 17);
  return Buffer.concat([png.subarray(0, HEADER_END), chunk, png.subarray(HEADER_END)]);
}

const wasmUrl = new URL(import.meta.resolve("@resvg/resvg-wasm/index_bg.wasm"));
await initWasm(boundMemory(await readFile(wasmUrl), MAX_MEMORY_PAGES));
await answerQuestions(MAX_DRAW_QUESTION_BYTES, ({ parts: [svg = new Uint8Array()] }: Frame) => {
  const drawn = draw(svg);
  const answer: DrawAnswer = { error: typeof drawn === "string" ? drawn : null };
  return Promise.resolve({ head: answer, parts: typeof drawn === "string" ? [] : [drawn] });
});

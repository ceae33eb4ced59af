/**
 * PDF files by pdf.js: parsed in a worker from our own address, drawn onto a canvas. Forms, scripts and links of a file are
 * left out: only what it looks like comes through. This version of the library evaluates no code of a file at all.
 */
import {
  AnnotationMode,
  getDocument,
  GlobalWorkerOptions,
  type PDFDocumentProxy,
  type PDFPageProxy,
  version,
} from "pdfjs-dist";

GlobalWorkerOptions.workerSrc = new URL("pdfjs-dist/build/pdf.worker.min.mjs", import.meta.url).href;

/** Where the build puts what the library reads on demand: see web/pdf-data.ts. */
const DATA = `/assets/pdf-${version}/`;

/** Pixels of one image inside a file; a larger one is left out. */
const MAX_IMAGE_PIXELS = 64_000_000;
/** Pixels of a drawn page, and of one side of it: what every browser's canvas can hold. */
const MAX_CANVAS_PIXELS = 16_000_000;
const MAX_CANVAS_SIDE = 8_192;

export interface OpenedPdf {
  readonly document: Promise<PDFDocumentProxy>;
  /** Ends the work and gives the memory back. */
  readonly close: () => void;
}

export function openPdf(bytes: Uint8Array): OpenedPdf {
  const loading = getDocument({
    // The worker takes the bytes with it.
    data: bytes.slice(),
    enableXfa: false,
    cMapUrl: `${DATA}cmaps/`,
    standardFontDataUrl: `${DATA}standard_fonts/`,
    wasmUrl: `${DATA}wasm/`,
    // The page's policy compiles no WebAssembly: the same decoders come in JavaScript.
    useWasm: false,
    maxImageSize: MAX_IMAGE_PIXELS,
    disableWorkerRendering: true,
  });
  return { document: loading.promise, close: () => void loading.destroy() };
}

/** Draws a page as wide as `width` CSS pixels, sharp for the screen. Gives a function that stops it. */
export function drawPage(
  page: PDFPageProxy,
  canvas: HTMLCanvasElement,
  width: number,
): { done: Promise<void>; stop: () => void } {
  const plain = page.getViewport({ scale: 1 });
  const wanted = (width / plain.width) * window.devicePixelRatio;
  const most = Math.min(
    Math.sqrt(MAX_CANVAS_PIXELS / (plain.width * plain.height)),
    MAX_CANVAS_SIDE / Math.max(plain.width, plain.height),
  );
  const viewport = page.getViewport({ scale: Math.min(wanted, most) });
  canvas.width = Math.max(1, Math.floor(viewport.width));
  canvas.height = Math.max(1, Math.floor(viewport.height));
  const drawing = page.render({ canvas, viewport, annotationMode: AnnotationMode.ENABLE });
  return { done: drawing.promise, stop: () => drawing.cancel() };
}

/** The text of a page, line by line, as the file has it. */
export async function textOfPage(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent();
  return items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "")).join("");
}

/** Why a file was not opened, in a sentence. */
export function whyNotOpened(thrown: unknown): string {
  const name = thrown instanceof Error ? thrown.name : "";
  if (name === "PasswordException") return "It is protected by a password. Download it to open it with the password.";
  if (name === "InvalidPDFException") return "Its bytes are no valid PDF. The download has them as they are.";
  return "It could not be drawn. The download has it as it is.";
}

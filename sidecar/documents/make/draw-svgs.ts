/**
 * SVG as PNG, which is what every engine takes. It is drawn in a process that is started for the pictures of one document; a
 * picture that breaks it down, or takes too long, is left out, and the next one gets another process.
 */
import type { DrawAnswer } from "../children/draw-child.ts";
import { type ConverterProcess, type ConverterStart, startConverter } from "../converter-process.ts";
import { XmlScan } from "../xml-scan.ts";

/** A picture, or why there is none. */
export type Drawn = { readonly png: Uint8Array } | { readonly why: string };
/** Draws each of them, in their order. */
export type DrawSvgs = (svgs: readonly Uint8Array[], signal: AbortSignal) => Promise<readonly Drawn[]>;

export interface DrawLimits {
  readonly pictureMs: number;
  /** Of all pictures of a document: the engines need time too. */
  readonly documentMs: number;
}
const LIMITS: DrawLimits = { pictureMs: 5_000, documentMs: 10_000 };

const START: ConverterStart = {
  script: new URL("../children/draw-child.ts", import.meta.url),
  nodeFlags: ["--max-old-space-size=128"],
  dataBytes: 900_000_000,
  maxAnswerBytes: 64 * 1024 * 1024,
};

const HEAD_BYTES = 4_096;

/** By its beginning. It is text of UTF-8, and whether it is an SVG indeed is found when it is drawn. */
export function looksLikeSvg(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString("utf8");
  return /^\uFEFF?\s*<(?!!doctype\s+html|html)/i.test(head) && /<(?:[\w.-]{1,50}:)?svg[\s/>]/.test(head);
}

export async function drawSvgs(
  svgs: readonly Uint8Array[],
  signal: AbortSignal,
  { pictureMs, documentMs }: DrawLimits = LIMITS,
): Promise<readonly Drawn[]> {
  const end = performance.now() + documentMs;
  const drawn: Drawn[] = [];
  let process: ConverterProcess | null = null;
  try {
    for (const svg of svgs) {
      const left = end - performance.now();
      const refused = left <= 0 ? NO_TIME : whyNot(svg);
      if (refused === null) {
        if (process === null || process.hasEnded) process = await startConverter(START);
        drawn.push(await drawOne(process, svg, Math.min(left, pictureMs), signal));
      } else drawn.push({ why: refused });
    }
    return drawn;
  } finally {
    process?.end();
  }
}

/** Entities and nesting are judged here, as those of documents are. */
function whyNot(svg: Uint8Array): string | null {
  if (new XmlScan({ doctype: "by_name" }, { nodes: 0 }).scan(svg).ok) return null;
  return "it is an SVG that declares entities, nests its elements too deeply, or has too many of them";
}

async function drawOne(
  process: ConverterProcess,
  svg: Uint8Array,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Drawn> {
  const asked = await process.ask({ head: null, parts: [svg] }, timeoutMs, signal);
  if (asked.kind === "died")
    return { why: "it is an SVG that is damaged, or needs more memory than drawing one may use" };
  if (asked.kind !== "answered") return { why: NO_TIME };
  const { error } = asked.frame.head as DrawAnswer;
  return error === null ? { png: asked.frame.parts[0] ?? new Uint8Array() } : { why: error };
}

const NO_TIME = "it is an SVG that takes too long to draw";

/**
 * SVG as PNG, which is what every engine takes. It is drawn in a process that is started for the pictures of one document; a
 * picture that breaks it down, or takes too long, is left out, and the next one gets another process.
 */
import { ok, type Result } from "../../../core/base/errors.ts";
import type { DrawAnswer } from "../children/draw-child.ts";
import { type ConverterProcess, type ConverterStart, startConverter } from "../converter-process.ts";
import { type Death, isWorthAnother } from "../death.ts";
import { XmlScan } from "../xml-scan.ts";

/** A picture, or why there is none. */
export type Drawn = { readonly png: Uint8Array } | { readonly why: string };
/** Draws each of them, in their order. */
export type DrawSvgs = (
  svgs: readonly Uint8Array[],
  signal: AbortSignal,
  limits?: Partial<DrawLimits>,
) => Promise<readonly Drawn[]>;

export interface DrawLimits {
  readonly pictureMs: number;
  /** Of all pictures of a document: the engines need time too. */
  readonly documentMs: number;
}
/** For all pictures of a document, at most. */
export const DRAW_MS = 10_000;
const LIMITS: DrawLimits = { pictureMs: 5_000, documentMs: DRAW_MS };

const START: ConverterStart = {
  script: new URL("../children/draw-child.ts", import.meta.url),
  nodeFlags: ["--max-old-space-size=128"],
  dataBytes: 900_000_000,
  memoryMb: 192,
  maxAnswerBytes: 64 * 1024 * 1024,
};

const HEAD_BYTES = 4_096;

/** By its beginning. It is text of UTF-8, and whether it is an SVG indeed is found when it is drawn. */
export function looksLikeSvg(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString("utf8");
  return /^\uFEFF?\s*<(?!!doctype\s+html|html)/i.test(head) && /<(?:[\w.-]{1,50}:)?svg[\s/>]/.test(head);
}

/** `start` is another program in tests. */
export async function drawSvgs(
  svgs: readonly Uint8Array[],
  signal: AbortSignal,
  limits: Partial<DrawLimits> = {},
  start: ConverterStart = START,
): Promise<readonly Drawn[]> {
  const { pictureMs, documentMs } = { ...LIMITS, ...limits };
  const end = performance.now() + documentMs;
  const drawn: Drawn[] = [];
  const pen = makePen(start);
  try {
    for (const svg of svgs) {
      const left = end - performance.now();
      const refused = left <= 0 ? NO_TIME : whyNot(svg);
      drawn.push(refused === null ? await drawTwice(pen, svg, Math.min(left, pictureMs), signal) : { why: refused });
    }
    return drawn;
  } finally {
    pen.end();
  }
}

/** The process that draws, another one after each that ended. `hadServed`: it was taken before. */
interface Pen {
  take(): Promise<Result<{ readonly process: ConverterProcess; readonly hadServed: boolean }>>;
  end(): void;
}

function makePen(start: ConverterStart): Pen {
  let process: ConverterProcess | null = null;
  return {
    async take() {
      if (process !== null && !process.hasEnded) return ok({ process, hadServed: true });
      const started = await startConverter(start);
      if (!started.ok) return started;
      process = started.value;
      return ok({ process, hadServed: false });
    },
    end: () => process?.end(),
  };
}

/** Entities and nesting are judged here, as those of documents are. */
function whyNot(svg: Uint8Array): string | null {
  if (new XmlScan({ doctype: "by_name" }, { nodes: 0 }).scan(svg).ok) return null;
  return "it is an SVG that declares entities, nests its elements too deeply, or has too many of them";
}

/** Once more by another process where that may draw it. */
async function drawTwice(pen: Pen, svg: Uint8Array, timeoutMs: number, signal: AbortSignal): Promise<Drawn> {
  const end = performance.now() + timeoutMs;
  const first = await drawOne(pen, svg, timeoutMs, signal);
  if (!("death" in first)) return first;
  const second = first.isWorthAnother ? await drawOne(pen, svg, end - performance.now(), signal) : first;
  return "death" in second ? { why: whyDied(second.death) } : second;
}

/** The pen's process ended over the picture. */
interface NotDrawn {
  readonly death: Death;
  readonly isWorthAnother: boolean;
}

async function drawOne(pen: Pen, svg: Uint8Array, timeoutMs: number, signal: AbortSignal): Promise<Drawn | NotDrawn> {
  const taken = await pen.take();
  if (!taken.ok) return { why: taken.error.message };
  const { process, hadServed } = taken.value;
  const asked = await process.ask({ head: null, parts: [svg] }, Math.max(0, timeoutMs), signal);
  if (asked.kind === "died") return { death: asked.death, isWorthAnother: isWorthAnother(asked.death, hadServed) };
  if (asked.kind !== "answered") return { why: NO_TIME };
  const { error } = asked.frame.head as DrawAnswer;
  return error === null ? { png: asked.frame.parts[0] ?? new Uint8Array() } : { why: error };
}

function whyDied(death: Death): string {
  switch (death.cause) {
    case "outside":
      return "drawing it was ended from outside, twice; it may be drawn by the next try";
    case "limit":
      return `it is an SVG that needs more than drawing one may use (${death.limit})`;
    case "crash":
      return "it is an SVG that is damaged";
  }
}

const NO_TIME = "it is an SVG that takes too long to draw";

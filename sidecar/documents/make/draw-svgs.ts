/**
 * Draws SVG as PNG, which every engine accepts. Each document's pictures are drawn in a dedicated process. A picture that crashes it or
 * takes too long is omitted, and the next one gets a new process.
 */
import { ok, type Result } from "../../../core/base/errors.ts";
import type { DrawAnswer } from "../children/draw-child.ts";
import { type ConverterProcess, type ConverterStart, startConverter } from "../converter-process.ts";
import { type Death, isWorthRetry } from "../death.ts";
import { XmlScan } from "../xml-scan.ts";

/** A picture, or why it was not drawn. */
export type DrawResult = { readonly png: Uint8Array } | { readonly why: string };
/** Draws the pictures in order. */
export type DrawSvgs = (
  svgs: readonly Uint8Array[],
  signal: AbortSignal,
  limits?: Partial<DrawLimits>,
) => Promise<readonly DrawResult[]>;

export interface DrawLimits {
  readonly pictureMs: number;
  /** Limits all pictures of a document together, since the engines need time too. */
  readonly documentMs: number;
}
/** Time for all pictures of a document. */
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

/** Decides by the beginning. Drawing shows whether it is a valid SVG. */
export function looksLikeSvg(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString("utf8");
  return /^\uFEFF?\s*<(?!!doctype\s+html|html)/i.test(head) && /<(?:[\w.-]{1,50}:)?svg[\s/>]/.test(head);
}

/** Tests replace `start`. */
export async function drawSvgs(
  svgs: readonly Uint8Array[],
  signal: AbortSignal,
  limits: Partial<DrawLimits> = {},
  start: ConverterStart = START,
): Promise<readonly DrawResult[]> {
  const { pictureMs, documentMs } = { ...LIMITS, ...limits };
  const end = performance.now() + documentMs;
  const drawn: DrawResult[] = [];
  const pen = makeDrawer(start);
  try {
    for (const svg of svgs) {
      const left = end - performance.now();
      const refused = left <= 0 ? NO_TIME : checkSvg(svg);
      drawn.push(
        refused === null ? await drawWithRetry(pen, svg, Math.min(left, pictureMs), signal) : { why: refused },
      );
    }
    return drawn;
  } finally {
    pen.end();
  }
}

/** Provides the drawing process, a new one after each that ended. `hadServed` means that it was used before. */
interface Drawer {
  take(): Promise<Result<{ readonly process: ConverterProcess; readonly hadServed: boolean }>>;
  end(): void;
}

function makeDrawer(start: ConverterStart): Drawer {
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

/** Refuses entities and deep nesting, as in documents. */
function checkSvg(svg: Uint8Array): string | null {
  if (new XmlScan({ doctype: "by_name" }, { nodes: 0 }).scan(svg).ok) return null;
  return "it is an SVG that declares entities, nests its elements too deeply, or has too many of them";
}

/** Retries in another process if that may succeed. */
async function drawWithRetry(
  pen: Drawer,
  svg: Uint8Array,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<DrawResult> {
  const end = performance.now() + timeoutMs;
  const first = await drawOne(pen, svg, timeoutMs, signal);
  if (!("death" in first)) return first;
  const second = first.canRetry ? await drawOne(pen, svg, end - performance.now(), signal) : first;
  return "death" in second ? { why: describeDeath(second.death) } : second;
}

/** The process ended while it drew the picture. */
interface DrawDeath {
  readonly death: Death;
  readonly canRetry: boolean;
}

async function drawOne(
  pen: Drawer,
  svg: Uint8Array,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<DrawResult | DrawDeath> {
  const taken = await pen.take();
  if (!taken.ok) return { why: taken.error.message };
  const { process, hadServed } = taken.value;
  const answer = await process.ask({ head: null, parts: [svg] }, Math.max(0, timeoutMs), signal);
  if (answer.kind === "died") return { death: answer.death, canRetry: isWorthRetry(answer.death, hadServed) };
  if (answer.kind !== "answered") return { why: NO_TIME };
  const { error } = answer.frame.head as DrawAnswer;
  return error === null ? { png: answer.frame.parts[0] ?? new Uint8Array() } : { why: error };
}

function describeDeath(death: Death): string {
  switch (death.cause) {
    case "outside":
      return "it is an SVG whose drawing something outside stopped twice; try again";
    case "limit":
      return `it is an SVG that exceeds the limit for drawing (${death.limit})`;
    case "crash":
      return "it is an SVG that is damaged";
  }
}

const NO_TIME = "it is an SVG that takes too long to draw";

/**
 * pandoc for the sidecar: a small pool of processes that stay warm, each with one document at a time. A process is
 * replaced after a number of documents, and at once after any that failed to answer in time or ended it.
 */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { PandocAnswer, PandocQuestion } from "./children/pandoc-child.ts";
import { usedUp } from "./budget.ts";
import { type ConverterProcess, type ConverterStart, startConverter } from "./converter-process.ts";
import { type Death, failDocument, isOutOfMemory, isWorthAnother, memoryLimit } from "./death.ts";

/** One conversion. `from` and `to` are pandoc's formats with their extensions, such as `markdown-raw_html`. */
export interface Conversion {
  readonly from: string;
  readonly to: string;
  readonly input: Uint8Array;
  /** Further files that the conversion may open, by names without a slash: pictures, a template. */
  readonly resources?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** pandoc's options as its defaults files have them, such as `{"reference-doc": "word.docx"}`. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** With the time that it waits for a process. */
  readonly timeoutMs?: number;
}

export interface Converted {
  readonly bytes: Uint8Array;
  /** The pictures that the option `extract-media` took out of the input, by the names that the output has for them. */
  readonly media: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly warnings: readonly string[];
}

/**
 * Failures: `invalid_input` (pandoc says that it is no such document), `too_large` (it needs more than its limits), `timeout`,
 * `rate_limited` (no process was free in time), `upstream_failed` (something outside ended it twice), and those of `startProgram`.
 */
export type ConvertWithPandoc = (conversion: Conversion) => Promise<Result<Converted>>;

export interface PandocPool {
  readonly convert: ConvertWithPandoc;
  /** Ends its processes, and the conversions under way with them. */
  close(): void;
}

export interface PandocLimits {
  readonly processes: number;
  readonly documentsOfAProcess: number;
  /** A process that nothing was asked of for so long is ended: it holds 300 MB. */
  readonly idleMs: number;
  readonly timeoutMs: number;
}

export const PANDOC_LIMITS: PandocLimits = {
  processes: 2,
  documentsOfAProcess: 100,
  idleMs: 5 * 60_000,
  timeoutMs: 30_000,
};

/** Input and resources together. The process holds them three times while it hands them on. */
export const MAX_PANDOC_BYTES = 24 * 1024 * 1024;
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
/** Of pandoc's heap (`children/pandoc-child.ts`). */
const MEMORY_MB = 200;
const AGAIN_AFTER_MS = 1_000;

const PANDOC_START: ConverterStart = {
  script: new URL("children/pandoc-child.ts", import.meta.url),
  nodeFlags: ["--expose-gc", "--max-old-space-size=256"],
  // V8 reserves much that it never touches; below 1.1 GB it does not come up with this module.
  dataBytes: 1_200_000_000,
  memoryMb: MEMORY_MB,
  maxAnswerBytes: MAX_ANSWER_BYTES,
};

/** Makes a pool; a process is started when the first document comes. `start` is another program in tests. */
export function makePandocPool(limits: PandocLimits = PANDOC_LIMITS, start: ConverterStart = PANDOC_START): PandocPool {
  const idle: Worker[] = [];
  const busy = new Set<Worker>();
  const waiting: (() => void)[] = [];
  let taken = 0;
  let isClosed = false;

  async function takePlace(signal: AbortSignal, endsAt: number): Promise<Place> {
    if (taken < limits.processes) {
      taken += 1;
      return "taken";
    }
    // A place is handed on by whoever leaves it, so `taken` stays as it is.
    return await new Promise((resolve) => {
      const settle = (place: Place) => {
        clearTimeout(late);
        signal.removeEventListener("abort", giveUp);
        resolve(place);
      };
      const go = () => settle("taken");
      const leaveLine = (place: Place) => () => {
        waiting.splice(waiting.indexOf(go), 1);
        settle(place);
      };
      const giveUp = leaveLine("given up");
      const late = setTimeout(leaveLine("all busy"), Math.max(0, endsAt - performance.now()));
      waiting.push(go);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  function leavePlace(): void {
    const next = waiting.shift();
    if (next === undefined) taken -= 1;
    else next();
  }

  async function takeWorker(): Promise<Result<Worker>> {
    for (let worker = idle.pop(); worker !== undefined; worker = idle.pop()) {
      clearTimeout(worker.idleTimer);
      if (!worker.process.hasEnded) return ok(worker);
    }
    return await newWorker();
  }

  async function newWorker(): Promise<Result<Worker>> {
    const started = await startConverter(start);
    return started.ok ? ok({ process: started.value, documents: 0 }) : started;
  }

  function putBack(worker: Worker): void {
    if (worker.process.hasEnded) return;
    if (worker.documents >= limits.documentsOfAProcess) return worker.process.end();
    worker.idleTimer = setTimeout(() => {
      idle.splice(idle.indexOf(worker), 1);
      worker.process.end();
    }, limits.idleMs).unref();
    idle.push(worker);
  }

  async function convertInPlace(conversion: Conversion, endsAt: number): Promise<Result<Converted>> {
    const worker = await takeWorker();
    if (!worker.ok) return worker;
    const hadServed = worker.value.documents > 0;
    const first = await convertBy(worker.value, conversion, endsAt);
    if (!("cause" in first)) return first;
    if (isClosed || !isWorthAnother(first, hadServed)) return failDocument(first, "read");
    const another = await newWorker();
    if (!another.ok) return another;
    const second = await convertBy(another.value, conversion, endsAt);
    return "cause" in second ? failDocument(second, "read") : second;
  }

  async function convertBy(worker: Worker, conversion: Conversion, endsAt: number): Promise<Result<Converted> | Death> {
    busy.add(worker);
    worker.documents += 1;
    try {
      return await askPandoc(worker.process, conversion, endsAt);
    } finally {
      busy.delete(worker);
      putBack(worker);
    }
  }

  return {
    async convert(conversion) {
      const bytes = sizeOf(conversion);
      if (bytes > MAX_PANDOC_BYTES) {
        return failed("too_large", `The converter takes ${MAX_PANDOC_BYTES} bytes, and this has ${bytes}.`);
      }
      const { signal, timeoutMs = limits.timeoutMs } = conversion;
      if (signal.aborted) return failed("timeout", GIVEN_UP);
      const endsAt = performance.now() + Math.min(timeoutMs, limits.timeoutMs);
      const place = await takePlace(signal, endsAt);
      if (place === "given up") return failed("timeout", GIVEN_UP);
      if (place === "all busy") return failed("rate_limited", ALL_BUSY, { retryAfterMs: AGAIN_AFTER_MS });
      try {
        return await convertInPlace(conversion, endsAt);
      } finally {
        leavePlace();
      }
    },
    close() {
      isClosed = true;
      for (const { process, idleTimer } of [...idle.splice(0), ...busy]) {
        clearTimeout(idleTimer);
        process.end();
      }
    },
  };
}

type Place = "taken" | "given up" | "all busy";

interface Worker {
  readonly process: ConverterProcess;
  documents: number;
  idleTimer?: NodeJS.Timeout;
}

const GIVEN_UP = "The conversion was given up before it ended.";
const ALL_BUSY = "All converters were busy for as long as a document has. Try again later.";

/** Or why the process died before it answered. `endsAt`: by performance.now(). */
async function askPandoc(
  process: ConverterProcess,
  conversion: Conversion,
  endsAt: number,
): Promise<Result<Converted> | Death> {
  const { from, to, input, resources = [], options = {}, signal } = conversion;
  const question: PandocQuestion = { from, to, names: resources.map(({ name }) => name), options };
  const parts = [input, ...resources.map(({ bytes }) => bytes)];
  const asked = await process.ask({ head: question, parts }, Math.max(0, endsAt - performance.now()), signal);
  if (asked.kind === "cancelled") return failed("timeout", GIVEN_UP);
  if (asked.kind === "timeout") return failed("timeout", usedUp("Converting"));
  if (asked.kind === "died") return asked.death;
  const { error, warnings, media } = asked.frame.head as PandocAnswer;
  if (error !== null && isOutOfMemory(error)) {
    // Its memory never shrinks, so it would say the same of the next document.
    process.end();
    return memoryLimit(MEMORY_MB);
  }
  if (error !== null) return failed("invalid_input", `The converter cannot read this: ${error.trim().slice(0, 300)}`);
  const [bytes = new Uint8Array(), ...pictures] = asked.frame.parts;
  return ok({ bytes, warnings, media: pictures.map((one, index) => ({ name: media[index] ?? "", bytes: one })) });
}

function sizeOf({ input, resources = [] }: Conversion): number {
  return resources.reduce((sum, { bytes }) => sum + bytes.length, input.length);
}

let shared: PandocPool | undefined;

/** Ends the processes of the one pool. The next conversion starts others. */
export function endConverters(): void {
  shared?.close();
  shared = undefined;
}

/** Converts with the one pool of this process. */
export const convertWithPandoc: ConvertWithPandoc = async (conversion) => {
  shared ??= makePandocPool();
  return await shared.convert(conversion);
};

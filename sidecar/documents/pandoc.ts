/**
 * A pool of warm pandoc processes, each of which converts one document at a time. A process is replaced after a number of documents, and
 * after a timeout or a crash.
 */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { PandocAnswer, PandocQuestion } from "./children/pandoc-child.ts";
import { describeTimeout } from "./budget.ts";
import { type ConverterProcess, type ConverterStart, startConverter } from "./converter-process.ts";
import { type Death, failDocument, isOutOfMemory, isWorthRetry, makeMemoryLimit } from "./death.ts";

/** One conversion. `from` and `to` are pandoc's formats with their extensions, such as `markdown-raw_html`. */
export interface Conversion {
  readonly from: string;
  readonly to: string;
  readonly input: Uint8Array;
  /** Other files that the conversion may open, by names without a slash: pictures, a template. */
  readonly resources?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** pandoc's options as its defaults files have them, such as `{"reference-doc": "word.docx"}`. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Includes the wait for a process. */
  readonly timeoutMs?: number;
}

export interface Converted {
  readonly bytes: Uint8Array;
  /** The pictures that the option `extract-media` extracted, by their names in the output. */
  readonly media: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly warnings: readonly string[];
}

/**
 * Failures: `invalid_input` (pandoc cannot read the input), `too_large` (it exceeds pandoc's limits), `timeout`,
 * `rate_limited` (no process was free in time), `upstream_failed` (something outside ended it twice), and those of `startProgram`.
 */
export type ConvertWithPandoc = (conversion: Conversion) => Promise<Result<Converted>>;

export interface PandocPool {
  readonly convert: ConvertWithPandoc;
  /** Kills its processes, and thereby ends running conversions. */
  close(): void;
}

export interface PandocLimits {
  readonly processes: number;
  readonly documentsPerProcess: number;
  /** An idle process, which holds 300 MB, is stopped after this time. */
  readonly idleMs: number;
  readonly timeoutMs: number;
}

export const PANDOC_LIMITS: PandocLimits = {
  processes: 2,
  documentsPerProcess: 100,
  idleMs: 5 * 60_000,
  timeoutMs: 30_000,
};

/** Limits input and resources together. The process holds up to three copies. */
export const MAX_PANDOC_BYTES = 24 * 1024 * 1024;
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
/** Size of pandoc's heap (`children/pandoc-child.ts`). */
const MEMORY_MB = 200;
const RETRY_AFTER_MS = 1_000;

const PANDOC_START: ConverterStart = {
  script: new URL("children/pandoc-child.ts", import.meta.url),
  nodeFlags: ["--expose-gc", "--max-old-space-size=256"],
  // V8 reserves memory that it never uses; below 1.1 GB it does not start with this module.
  dataBytes: 1_200_000_000,
  memoryMb: MEMORY_MB,
  maxAnswerBytes: MAX_ANSWER_BYTES,
};

/** Creates a pool. Processes start with the first document. Tests replace `start`. */
export function makePandocPool(limits: PandocLimits = PANDOC_LIMITS, start: ConverterStart = PANDOC_START): PandocPool {
  const idle: Worker[] = [];
  const busy = new Set<Worker>();
  const waiting: (() => void)[] = [];
  let usedSlots = 0;
  let isClosed = false;

  async function takeSlot(signal: AbortSignal, endsAt: number): Promise<SlotResult> {
    if (usedSlots < limits.processes) {
      usedSlots += 1;
      return "taken";
    }
    // A released slot passes to the next in the queue, so `usedSlots` stays the same.
    return await new Promise((resolve) => {
      const settle = (slot: SlotResult) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", cancel);
        resolve(slot);
      };
      const grantSlot = () => settle("taken");
      const leaveQueue = (slot: SlotResult) => () => {
        waiting.splice(waiting.indexOf(grantSlot), 1);
        settle(slot);
      };
      const cancel = leaveQueue("given up");
      const timer = setTimeout(leaveQueue("all busy"), Math.max(0, endsAt - performance.now()));
      waiting.push(grantSlot);
      signal.addEventListener("abort", cancel, { once: true });
    });
  }

  function releaseSlot(): void {
    const next = waiting.shift();
    if (next === undefined) usedSlots -= 1;
    else next();
  }

  async function takeWorker(): Promise<Result<Worker>> {
    for (let worker = idle.pop(); worker !== undefined; worker = idle.pop()) {
      clearTimeout(worker.idleTimer);
      if (!worker.process.hasEnded) return ok(worker);
    }
    return await startWorker();
  }

  async function startWorker(): Promise<Result<Worker>> {
    const started = await startConverter(start);
    return started.ok ? ok({ process: started.value, documents: 0 }) : started;
  }

  function returnWorker(worker: Worker): void {
    if (worker.process.hasEnded) return;
    if (worker.documents >= limits.documentsPerProcess) return worker.process.end();
    worker.idleTimer = setTimeout(() => {
      idle.splice(idle.indexOf(worker), 1);
      worker.process.end();
    }, limits.idleMs).unref();
    idle.push(worker);
  }

  async function convertWithRetry(conversion: Conversion, endsAt: number): Promise<Result<Converted>> {
    const worker = await takeWorker();
    if (!worker.ok) return worker;
    const hadServed = worker.value.documents > 0;
    const first = await convertOnWorker(worker.value, conversion, endsAt);
    if (!("cause" in first)) return first;
    if (isClosed || !isWorthRetry(first, hadServed)) return failDocument(first, "read");
    const another = await startWorker();
    if (!another.ok) return another;
    const second = await convertOnWorker(another.value, conversion, endsAt);
    return "cause" in second ? failDocument(second, "read") : second;
  }

  async function convertOnWorker(
    worker: Worker,
    conversion: Conversion,
    endsAt: number,
  ): Promise<Result<Converted> | Death> {
    busy.add(worker);
    worker.documents += 1;
    try {
      return await askPandoc(worker.process, conversion, endsAt);
    } finally {
      busy.delete(worker);
      returnWorker(worker);
    }
  }

  return {
    async convert(conversion) {
      const bytes = getSize(conversion);
      if (bytes > MAX_PANDOC_BYTES) {
        return failed("too_large", `The converter accepts ${MAX_PANDOC_BYTES} bytes, but this has ${bytes}.`);
      }
      const { signal, timeoutMs = limits.timeoutMs } = conversion;
      if (signal.aborted) return failed("timeout", CANCELLED);
      const endsAt = performance.now() + Math.min(timeoutMs, limits.timeoutMs);
      const slot = await takeSlot(signal, endsAt);
      if (slot === "given up") return failed("timeout", CANCELLED);
      if (slot === "all busy") return failed("rate_limited", ALL_BUSY, { retryAfterMs: RETRY_AFTER_MS });
      try {
        return await convertWithRetry(conversion, endsAt);
      } finally {
        releaseSlot();
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

type SlotResult = "taken" | "given up" | "all busy";

interface Worker {
  readonly process: ConverterProcess;
  documents: number;
  idleTimer?: NodeJS.Timeout;
}

const CANCELLED = "The conversion was cancelled.";
const ALL_BUSY = "All converters stayed busy for the document's whole time limit. Try again later.";

/** Returns the conversion, or why the process died. `endsAt` is a time of performance.now(). */
async function askPandoc(
  process: ConverterProcess,
  conversion: Conversion,
  endsAt: number,
): Promise<Result<Converted> | Death> {
  const { from, to, input, resources = [], options = {}, signal } = conversion;
  const question: PandocQuestion = { from, to, names: resources.map(({ name }) => name), options };
  const parts = [input, ...resources.map(({ bytes }) => bytes)];
  const answer = await process.ask({ head: question, parts }, Math.max(0, endsAt - performance.now()), signal);
  if (answer.kind === "cancelled") return failed("timeout", CANCELLED);
  if (answer.kind === "timeout") return failed("timeout", describeTimeout("Converting"));
  if (answer.kind === "died") return answer.death;
  const { error, warnings, media } = answer.frame.head as PandocAnswer;
  if (error !== null && isOutOfMemory(error)) {
    // WebAssembly memory never shrinks, so the next document would fail too.
    process.end();
    return makeMemoryLimit(MEMORY_MB);
  }
  if (error !== null) return failed("invalid_input", `The converter cannot read this: ${error.trim().slice(0, 300)}`);
  const [bytes = new Uint8Array(), ...pictures] = answer.frame.parts;
  return ok({ bytes, warnings, media: pictures.map((one, index) => ({ name: media[index] ?? "", bytes: one })) });
}

function getSize({ input, resources = [] }: Conversion): number {
  return resources.reduce((sum, { bytes }) => sum + bytes.length, input.length);
}

let shared: PandocPool | undefined;

/** Stops the processes of the shared pool. The next conversion starts new ones. */
export function endConverters(): void {
  shared?.close();
  shared = undefined;
}

/** Converts with the shared pool of this process. */
export const convertWithPandoc: ConvertWithPandoc = async (conversion) => {
  shared ??= makePandocPool();
  return await shared.convert(conversion);
};

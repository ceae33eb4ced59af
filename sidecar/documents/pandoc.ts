/**
 * pandoc for the sidecar: a small pool of processes that stay warm, each with one document at a time. A process is
 * replaced after a number of documents, and at once after any that failed to answer in time or ended it.
 */
import { failed, ok, type Result } from "../../core/errors.ts";
import type { PandocAnswer, PandocQuestion } from "./children/pandoc-child.ts";
import { type ConverterProcess, type ConverterStart, startConverter } from "./converter-process.ts";

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
  readonly timeoutMs?: number;
}

export interface Converted {
  readonly bytes: Uint8Array;
  /** The pictures that the option `extract-media` took out of the input, by the names that the output has for them. */
  readonly media: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly warnings: readonly string[];
}

/** Failures: `invalid_input` (pandoc says that it is no such document), `too_large`, `timeout`, `upstream_failed`. */
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

const PANDOC_START: ConverterStart = {
  script: new URL("children/pandoc-child.ts", import.meta.url),
  nodeFlags: ["--expose-gc", "--max-old-space-size=256"],
  // V8 reserves much that it never touches; below 1.1 GB it does not come up with this module.
  dataBytes: 1_200_000_000,
  maxAnswerBytes: MAX_ANSWER_BYTES,
};

/** Makes a pool; a process is started when the first document comes. `start` is another program in tests. */
export function makePandocPool(limits: PandocLimits = PANDOC_LIMITS, start: ConverterStart = PANDOC_START): PandocPool {
  const idle: Worker[] = [];
  const busy = new Set<Worker>();
  const waiting: (() => void)[] = [];
  let taken = 0;

  async function takePlace(signal: AbortSignal): Promise<boolean> {
    if (taken < limits.processes) {
      taken += 1;
      return true;
    }
    // A place is handed on by whoever leaves it, so `taken` stays as it is.
    return await new Promise((resolve) => {
      const go = () => {
        signal.removeEventListener("abort", giveUp);
        resolve(true);
      };
      const giveUp = () => {
        waiting.splice(waiting.indexOf(go), 1);
        resolve(false);
      };
      waiting.push(go);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  function leavePlace(): void {
    const next = waiting.shift();
    if (next === undefined) taken -= 1;
    else next();
  }

  async function takeWorker(): Promise<Worker> {
    for (let worker = idle.pop(); worker !== undefined; worker = idle.pop()) {
      clearTimeout(worker.idleTimer);
      if (!worker.process.hasEnded) return worker;
    }
    return await newWorker();
  }

  async function newWorker(): Promise<Worker> {
    return { process: await startConverter(start), documents: 0 };
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

  /** Of a process that died while it waited, or dies of this document, nobody can tell which: a second one shows it. */
  async function convertInPlace(conversion: Conversion): Promise<Result<Converted>> {
    const worker = await takeWorker();
    const hadServed = worker.documents > 0;
    const converted = await convertBy(worker, conversion);
    if (converted !== null) return converted;
    const again = hadServed ? await convertBy(await newWorker(), conversion) : null;
    return again ?? failed("invalid_input", BROKE_DOWN);
  }

  async function convertBy(worker: Worker, conversion: Conversion): Promise<Result<Converted> | null> {
    busy.add(worker);
    worker.documents += 1;
    try {
      return await askPandoc(worker.process, conversion, limits.timeoutMs);
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
      if (conversion.signal.aborted || !(await takePlace(conversion.signal))) return failed("timeout", GIVEN_UP);
      try {
        return await convertInPlace(conversion);
      } finally {
        leavePlace();
      }
    },
    close() {
      for (const { process, idleTimer } of [...idle.splice(0), ...busy]) {
        clearTimeout(idleTimer);
        process.end();
      }
    },
  };
}

interface Worker {
  readonly process: ConverterProcess;
  documents: number;
  idleTimer?: NodeJS.Timeout;
}

const GIVEN_UP = "The conversion was given up before it ended.";
const BROKE_DOWN =
  "The converter broke down on this document: it is damaged, or needs more memory than a conversion may use. Try a smaller part of it.";

/** Null: the process died before it answered. */
async function askPandoc(
  process: ConverterProcess,
  conversion: Conversion,
  limitMs: number,
): Promise<Result<Converted> | null> {
  const { from, to, input, resources = [], options = {}, signal, timeoutMs = limitMs } = conversion;
  const question: PandocQuestion = { from, to, names: resources.map(({ name }) => name), options };
  const parts = [input, ...resources.map(({ bytes }) => bytes)];
  const asked = await process.ask({ head: question, parts }, Math.min(timeoutMs, limitMs), signal);
  if (asked.kind === "cancelled") return failed("timeout", GIVEN_UP);
  if (asked.kind === "timeout") return failed("timeout", `The conversion took longer than ${limitMs / 1_000} seconds.`);
  if (asked.kind === "died") return null;
  const { error, warnings, media } = asked.frame.head as PandocAnswer;
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

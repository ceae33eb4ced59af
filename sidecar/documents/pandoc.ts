/** Converts documents with pandoc, in a pool of warm processes. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { PandocAnswer, PandocQuestion } from "./children/pandoc-child.ts";
import { describeTimeout } from "./budget.ts";
import { CANCELLED, makeConverterPool, type PoolLimits } from "./converter-pool.ts";
import type { ConverterProcess, ConverterStart } from "./converter-process.ts";
import { type Death, isOutOfMemory, makeMemoryLimit } from "./death.ts";

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

/** An idle process holds 300 MB. */
export const PANDOC_LIMITS: PoolLimits = {
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

const PANDOC_START: ConverterStart = {
  script: new URL("children/pandoc-child.ts", import.meta.url),
  nodeFlags: ["--expose-gc", "--max-old-space-size=256"],
  // V8 reserves memory that it never uses; below 1.1 GB it does not start with this module.
  dataBytes: 1_200_000_000,
  memoryMb: MEMORY_MB,
  maxAnswerBytes: MAX_ANSWER_BYTES,
};

/** Creates a pool. Processes start with the first document. Tests replace `start`. */
export function makePandocPool(limits: PoolLimits = PANDOC_LIMITS, start: ConverterStart = PANDOC_START): PandocPool {
  const pool = makeConverterPool(limits, start);
  return {
    async convert(conversion) {
      const bytes = getSize(conversion);
      if (bytes > MAX_PANDOC_BYTES) {
        return failed("too_large", `The converter accepts ${MAX_PANDOC_BYTES} bytes, but this has ${bytes}.`);
      }
      return await pool.run(conversion, (process, endsAt) => askPandoc(process, conversion, endsAt));
    },
    close: () => pool.close(),
  };
}

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

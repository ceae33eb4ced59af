/**
 * A pool of warm processes that make documents, each one at a time. A crash or a timeout costs only its own process.
 */
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import type { MakeAnswer, MakeQuestion } from "../children/make-child.ts";
import { describeTimeout } from "../budget.ts";
import { type ConverterProcess, type ConverterStart, startConverter } from "../converter-process.ts";
import { type Death, failDocument, isOutOfMemory, isWorthRetry, makeMemoryLimit } from "../death.ts";

/** Also the maximum number of concurrent jobs of this kind. */
export const MAKERS = 2;
const MAKE_TIMEOUT_MS = 30_000;
const TASKS_PER_PROCESS = 200;
const IDLE_MS = 5 * 60_000;

const START: ConverterStart = {
  script: new URL("../children/make-child.ts", import.meta.url),
  nodeFlags: ["--max-old-space-size=256"],
  // V8 and the engines map 660 MB before the first document, so this leaves 300 MB for documents.
  dataBytes: 960_000_000,
  memoryMb: 480,
  maxAnswerBytes: 128 * 1024 * 1024,
};

interface Maker {
  readonly process: ConverterProcess;
  answered: number;
  idleTimer?: NodeJS.Timeout;
}

/**
 * Failures: `invalid_input` (the engine rejects it), `too_large` (it exceeds a maker's limits), `timeout`,
 * `upstream_failed` (something outside ended its process twice), and those of `startProgram`. `timeoutMs` is at most 30 seconds.
 */
export type AskMaker = (
  question: MakeQuestion,
  parts: readonly Uint8Array[],
  signal: AbortSignal,
  timeoutMs?: number,
) => Promise<Result<Uint8Array>>;

interface Work {
  readonly question: MakeQuestion;
  readonly parts: readonly Uint8Array[];
  readonly signal: AbortSignal;
}

export interface MakerPool {
  readonly ask: AskMaker;
  /** Stops its processes and their running work. */
  close(): void;
}

/** Creates a pool. Processes start on demand. It has no queue, since jobs limit its callers. */
export function makeMakerPool(timeoutMs = MAKE_TIMEOUT_MS, start: ConverterStart = START): MakerPool {
  const idle: Maker[] = [];
  const all = new Set<Maker>();
  let isClosed = false;

  async function take(): Promise<Result<Maker>> {
    for (let maker = idle.pop(); maker !== undefined; maker = idle.pop()) {
      clearTimeout(maker.idleTimer);
      if (!maker.process.hasEnded) return ok(maker);
      all.delete(maker);
    }
    return await startMaker();
  }

  async function startMaker(): Promise<Result<Maker>> {
    const started = await startConverter(start);
    if (!started.ok) return started;
    const maker = { process: started.value, answered: 0 };
    all.add(maker);
    return ok(maker);
  }

  function end(maker: Maker): void {
    maker.process.end();
    all.delete(maker);
  }

  function returnMaker(maker: Maker): void {
    if (maker.process.hasEnded || maker.answered >= TASKS_PER_PROCESS || idle.length >= MAKERS) return end(maker);
    maker.idleTimer = setTimeout(() => {
      idle.splice(idle.indexOf(maker), 1);
      end(maker);
    }, IDLE_MS).unref();
    idle.push(maker);
  }

  /** `endsAt` is a time of performance.now(). */
  async function askMaker(
    maker: Maker,
    { question, parts, signal }: Work,
    endsAt: number,
  ): Promise<Result<Uint8Array> | Death> {
    maker.answered += 1;
    try {
      const leftMs = Math.max(0, endsAt - performance.now());
      const answer = await maker.process.ask({ head: question, parts }, leftMs, signal);
      if (answer.kind === "cancelled") return failed("timeout", "The work was cancelled.");
      if (answer.kind === "timeout") return failed("timeout", describeTimeout("Making"));
      if (answer.kind === "died") return answer.death;
      const { error } = answer.frame.head as MakeAnswer;
      if (error === null) return ok(answer.frame.parts[0] ?? new Uint8Array());
      if (!isOutOfMemory(error)) return failed("invalid_input", `The document cannot be made: ${error.slice(0, 300)}`);
      // WebAssembly memory never shrinks, so the next document would fail too.
      maker.process.end();
      return makeMemoryLimit(start.memoryMb);
    } finally {
      returnMaker(maker);
    }
  }

  return {
    async ask(question, parts, signal, ownMs = timeoutMs) {
      const endsAt = performance.now() + Math.min(ownMs, timeoutMs);
      const work = { question, parts, signal };
      const maker = await take();
      if (!maker.ok) return maker;
      const hadServed = maker.value.answered > 0;
      const first = await askMaker(maker.value, work, endsAt);
      if (!("cause" in first)) return first;
      // Do not retry after close().
      if (isClosed || !isWorthRetry(first, hadServed)) return failDocument(first, "made");
      const another = await startMaker();
      if (!another.ok) return another;
      const second = await askMaker(another.value, work, endsAt);
      return "cause" in second ? failDocument(second, "made") : second;
    },
    close() {
      isClosed = true;
      for (const maker of all) {
        clearTimeout(maker.idleTimer);
        maker.process.end();
      }
      all.clear();
      idle.length = 0;
    },
  };
}

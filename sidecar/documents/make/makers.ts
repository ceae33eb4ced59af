/**
 * The processes that make documents: a few that stay warm, each with one piece of work at a time. What ended a process, or
 * took too long, costs that process and no other.
 */
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import type { MakeAnswer, MakeQuestion } from "../children/make-child.ts";
import { usedUp } from "../budget.ts";
import { type ConverterProcess, type ConverterStart, startConverter } from "../converter-process.ts";
import { type Death, failDocument, isOutOfMemory, isWorthAnother, memoryLimit } from "../death.ts";

/** As many as jobs of this kind run at once. */
export const MAKERS = 2;
const MAKE_TIMEOUT_MS = 30_000;
const PIECES_OF_A_PROCESS = 200;
const IDLE_MS = 5 * 60_000;

const START: ConverterStart = {
  script: new URL("../children/make-child.ts", import.meta.url),
  nodeFlags: ["--max-old-space-size=256"],
  // V8 and the engines map 660 MB before the first document and touch 150 MB of it, so this leaves 300 MB for what is made.
  dataBytes: 960_000_000,
  memoryMb: 480,
  maxAnswerBytes: 128 * 1024 * 1024,
};

interface Maker {
  readonly process: ConverterProcess;
  pieces: number;
  idleTimer?: NodeJS.Timeout;
}

/**
 * Failures: `invalid_input` (the engine does not take it), `too_large` (it needs more than a maker's limits), `timeout`,
 * `upstream_failed` (something outside ended its process twice), and those of `startProgram`. `timeoutMs`: 30 seconds at most.
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
  /** Ends its processes, and the work under way with them. */
  close(): void;
}

/** Makes a pool; a process is started when the first work comes. Its callers are few, so none waits here. */
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
    return await newMaker();
  }

  async function newMaker(): Promise<Result<Maker>> {
    const started = await startConverter(start);
    if (!started.ok) return started;
    const maker = { process: started.value, pieces: 0 };
    all.add(maker);
    return ok(maker);
  }

  function end(maker: Maker): void {
    maker.process.end();
    all.delete(maker);
  }

  function putBack(maker: Maker): void {
    if (maker.process.hasEnded || maker.pieces >= PIECES_OF_A_PROCESS || idle.length >= MAKERS) return end(maker);
    maker.idleTimer = setTimeout(() => {
      idle.splice(idle.indexOf(maker), 1);
      end(maker);
    }, IDLE_MS).unref();
    idle.push(maker);
  }

  /** By performance.now(), `endsAt` is when its time is used up. */
  async function askBy(
    maker: Maker,
    { question, parts, signal }: Work,
    endsAt: number,
  ): Promise<Result<Uint8Array> | Death> {
    maker.pieces += 1;
    try {
      const leftMs = Math.max(0, endsAt - performance.now());
      const asked = await maker.process.ask({ head: question, parts }, leftMs, signal);
      if (asked.kind === "cancelled") return failed("timeout", "The work was given up before it ended.");
      if (asked.kind === "timeout") return failed("timeout", usedUp("Making"));
      if (asked.kind === "died") return asked.death;
      const { error } = asked.frame.head as MakeAnswer;
      if (error === null) return ok(asked.frame.parts[0] ?? new Uint8Array());
      if (!isOutOfMemory(error)) return failed("invalid_input", `The document cannot be made: ${error.slice(0, 300)}`);
      // Its memory never shrinks, so it would say the same of the next piece.
      maker.process.end();
      return memoryLimit(start.memoryMb);
    } finally {
      putBack(maker);
    }
  }

  return {
    async ask(question, parts, signal, ownMs = timeoutMs) {
      const endsAt = performance.now() + Math.min(ownMs, timeoutMs);
      const work = { question, parts, signal };
      const maker = await take();
      if (!maker.ok) return maker;
      const hadServed = maker.value.pieces > 0;
      const first = await askBy(maker.value, work, endsAt);
      if (!("cause" in first)) return first;
      // After close() nobody wants another try.
      if (isClosed || !isWorthAnother(first, hadServed)) return failDocument(first, "made");
      const another = await newMaker();
      if (!another.ok) return another;
      const second = await askBy(another.value, work, endsAt);
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

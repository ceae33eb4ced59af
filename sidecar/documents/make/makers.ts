/**
 * The processes that make documents: a few that stay warm, each with one piece of work at a time. What ended a process, or
 * took too long, costs that process and no other.
 */
import { failed, ok, type Result } from "../../../core/errors.ts";
import type { MakeAnswer, MakeQuestion } from "../children/make-child.ts";
import { type ConverterProcess, type ConverterStart, startConverter } from "../converter-process.ts";

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
  maxAnswerBytes: 128 * 1024 * 1024,
};

interface Maker {
  readonly process: ConverterProcess;
  pieces: number;
  idleTimer?: NodeJS.Timeout;
}

/** Failures: `invalid_input` (the engine does not take it), `timeout`. */
export type AskMaker = (
  question: MakeQuestion,
  parts: readonly Uint8Array[],
  signal: AbortSignal,
) => Promise<Result<Uint8Array>>;

export interface MakerPool {
  readonly ask: AskMaker;
  /** Ends its processes, and the work under way with them. */
  close(): void;
}

/** Makes a pool; a process is started when the first work comes. Whoever asks is one of few: nobody waits here. */
export function makeMakerPool(timeoutMs = MAKE_TIMEOUT_MS, start: ConverterStart = START): MakerPool {
  const idle: Maker[] = [];
  const all = new Set<Maker>();

  async function take(): Promise<Maker> {
    for (let maker = idle.pop(); maker !== undefined; maker = idle.pop()) {
      clearTimeout(maker.idleTimer);
      if (!maker.process.hasEnded) return maker;
      all.delete(maker);
    }
    const maker = { process: await startConverter(start), pieces: 0 };
    all.add(maker);
    return maker;
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

  return {
    async ask(question, parts, signal) {
      const maker = await take();
      maker.pieces += 1;
      try {
        const asked = await maker.process.ask({ head: question, parts }, timeoutMs, signal);
        if (asked.kind === "cancelled") return failed("timeout", "The work was given up before it ended.");
        if (asked.kind === "timeout")
          return failed("timeout", `Making the document took longer than ${timeoutMs / 1_000} seconds.`);
        if (asked.kind === "died") return failed("invalid_input", BROKE_DOWN);
        const { error } = asked.frame.head as MakeAnswer;
        if (error !== null) return failed("invalid_input", `The document cannot be made: ${error.slice(0, 300)}`);
        return ok(asked.frame.parts[0] ?? new Uint8Array());
      } finally {
        putBack(maker);
      }
    },
    close() {
      for (const maker of all) {
        clearTimeout(maker.idleTimer);
        maker.process.end();
      }
      all.clear();
      idle.length = 0;
    },
  };
}

const BROKE_DOWN = "The document needs more memory than making one may use. Make a smaller one.";

/**
 * A process that converts one document at a time, over its pipes. Its crash, limit or timeout is an answer, never an exception.
 */
import { ok, type Result } from "../../core/base/errors.ts";
import type { Death } from "./death.ts";
import { type Frame, encodeFrame, FrameReader, FrameTooLarge } from "./frames.ts";
import { type ProgramStart, type Spawned, startProgram } from "./start-program.ts";

/** The result of a question. `died` means that the process exited or wrote an invalid answer. */
type Answer =
  | { readonly kind: "answered"; readonly frame: Frame }
  | { readonly kind: "died"; readonly death: Death }
  | { readonly kind: "timeout" }
  | { readonly kind: "cancelled" };

export interface ConverterProcess {
  /** Must not be called while another question is pending. */
  ask(question: Frame, timeoutMs: number, signal: AbortSignal): Promise<Answer>;
  /** Kills the process and ends the pending question. */
  end(): void;
  readonly hasEnded: boolean;
}

export interface ConverterStart extends ProgramStart {
  readonly maxAnswerBytes: number;
}

/** Starts the process. It may already have ended when this resolves. Failures are those of `startProgram`. */
export async function startConverter(start: ConverterStart): Promise<Result<ConverterProcess>> {
  const started = await startProgram(start);
  return started.ok ? ok(new PipedProcess(started.value, start.maxAnswerBytes)) : started;
}

class PipedProcess implements ConverterProcess {
  readonly #spawned: Spawned;
  readonly #reader: FrameReader;
  readonly #maxAnswerBytes: number;
  #death: Death = { cause: "outside" };
  #answer: ((answer: Answer) => void) | null = null;
  hasEnded = false;

  constructor(spawned: Spawned, maxAnswerBytes: number) {
    this.#spawned = spawned;
    this.#reader = new FrameReader(maxAnswerBytes);
    this.#maxAnswerBytes = maxAnswerBytes;
    void spawned.ended.then((death) => this.#close(death));
    // Ignore write errors: the exit is reported by `ended`.
    spawned.stdin.on("error", () => undefined);
    spawned.stdout.on("data", (chunk: Uint8Array) => this.#take(chunk));
  }

  async ask(question: Frame, timeoutMs: number, signal: AbortSignal): Promise<Answer> {
    if (this.hasEnded) return { kind: "died", death: this.#death };
    if (signal.aborted) return { kind: "cancelled" };
    const answered = new Promise<Answer>((resolve) => {
      this.#answer = resolve;
    });
    const timer = setTimeout(() => this.#settle({ kind: "timeout" }), timeoutMs);
    const cancel = () => this.#settle({ kind: "cancelled" });
    signal.addEventListener("abort", cancel, { once: true });
    for (const piece of encodeFrame(question)) this.#spawned.stdin.write(piece);
    const result = await answered;
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    // Its state is unknown, so never reuse it.
    if (result.kind !== "answered") this.end();
    return result;
  }

  end(): void {
    if (this.hasEnded) return;
    this.#spawned.kill();
    this.#close({ cause: "outside" });
  }

  #take(chunk: Uint8Array): void {
    try {
      const frame = this.#reader.push(chunk);
      if (frame !== null) this.#settle({ kind: "answered", frame });
    } catch (error) {
      this.#spawned.kill();
      const limit = `${this.#maxAnswerBytes / 1_000_000} MB of text and pictures`;
      this.#close(error instanceof FrameTooLarge ? { cause: "limit", limit } : { cause: "crash" });
    }
  }

  #settle(result: Answer): void {
    const answer = this.#answer;
    this.#answer = null;
    answer?.(result);
  }

  /** Stores the first cause only: later ones follow from this side's kill. */
  #close(death: Death): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.#death = death;
    this.#settle({ kind: "died", death });
  }
}

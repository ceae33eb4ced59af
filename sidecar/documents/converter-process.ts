/**
 * One process that converts documents, asked over its pipes, one document at a time. What happens to it, by a document or
 * by chance, is an answer here and never an exception.
 */
import { ok, type Result } from "../../core/base/errors.ts";
import type { Death } from "./death.ts";
import { type Frame, framePieces, FrameReader, FrameTooLarge } from "./frames.ts";
import { type ProgramStart, type Spawned, startProgram } from "./start-program.ts";

/** What a question comes to. `died`: the process ended, or said what is no answer, before it answered. */
type Asked =
  | { readonly kind: "answered"; readonly frame: Frame }
  | { readonly kind: "died"; readonly death: Death }
  | { readonly kind: "timeout" }
  | { readonly kind: "cancelled" };

export interface ConverterProcess {
  /** Must not be called while another question is under way. */
  ask(question: Frame, timeoutMs: number, signal: AbortSignal): Promise<Asked>;
  /** Ends the process at once, and with it the question that is under way. */
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
  #answer: ((asked: Asked) => void) | null = null;
  hasEnded = false;

  constructor(spawned: Spawned, maxAnswerBytes: number) {
    this.#spawned = spawned;
    this.#reader = new FrameReader(maxAnswerBytes);
    this.#maxAnswerBytes = maxAnswerBytes;
    void spawned.ended.then((death) => this.#close(death));
    // A process that ends while it is written to: its exit tells.
    spawned.stdin.on("error", () => undefined);
    spawned.stdout.on("data", (chunk: Uint8Array) => this.#take(chunk));
  }

  async ask(question: Frame, timeoutMs: number, signal: AbortSignal): Promise<Asked> {
    if (this.hasEnded) return { kind: "died", death: this.#death };
    if (signal.aborted) return { kind: "cancelled" };
    const asked = new Promise<Asked>((resolve) => {
      this.#answer = resolve;
    });
    const timer = setTimeout(() => this.#settle({ kind: "timeout" }), timeoutMs);
    const cancel = () => this.#settle({ kind: "cancelled" });
    signal.addEventListener("abort", cancel, { once: true });
    for (const piece of framePieces(question)) this.#spawned.stdin.write(piece);
    const result = await asked;
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    // It may be in the middle of anything: nobody can ask it again.
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

  #settle(asked: Asked): void {
    const answer = this.#answer;
    this.#answer = null;
    answer?.(asked);
  }

  /** The first who tells why is right: after that, this side ends it. */
  #close(death: Death): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.#death = death;
    this.#settle({ kind: "died", death });
  }
}

/**
 * One process that converts documents, asked over its pipes, one document at a time. What happens to it, by a document or
 * by chance, is an answer here and never an exception.
 */
import { type Frame, framePieces, FrameReader } from "./frames.ts";
import { type ProgramStart, type Spawned, startProgram } from "./spawned.ts";

/** What a question comes to. `died`: the process ended, or said what is no answer, before it answered. */
type Asked =
  | { readonly kind: "answered"; readonly frame: Frame }
  | { readonly kind: "died" }
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

/** Starts the process. It may already have ended when this resolves. */
export async function startConverter(start: ConverterStart): Promise<ConverterProcess> {
  return new PipedProcess(await startProgram(start), start.maxAnswerBytes);
}

class PipedProcess implements ConverterProcess {
  readonly #spawned: Spawned;
  readonly #reader: FrameReader;
  #answer: ((asked: Asked) => void) | null = null;
  hasEnded = false;

  constructor(spawned: Spawned, maxAnswerBytes: number) {
    this.#spawned = spawned;
    this.#reader = new FrameReader(maxAnswerBytes);
    void spawned.ended.then(() => this.#close());
    // A process that ends while it is written to: its exit tells.
    spawned.stdin.on("error", () => undefined);
    spawned.stdout.on("data", (chunk: Uint8Array) => this.#take(chunk));
  }

  async ask(question: Frame, timeoutMs: number, signal: AbortSignal): Promise<Asked> {
    if (this.hasEnded) return { kind: "died" };
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
    this.#close();
  }

  #take(chunk: Uint8Array): void {
    try {
      const frame = this.#reader.push(chunk);
      if (frame !== null) this.#settle({ kind: "answered", frame });
    } catch {
      this.end();
    }
  }

  #settle(asked: Asked): void {
    const answer = this.#answer;
    this.#answer = null;
    answer?.(asked);
  }

  #close(): void {
    this.hasEnded = true;
    this.#settle({ kind: "died" });
  }
}

/**
 * One process that converts documents: started with an empty environment and limits of its own, asked over its pipes, one
 * document at a time. What happens to it, by a document or by chance, is an answer here and never an exception.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { access } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { type Frame, framePieces, FrameReader } from "./frames.ts";

/** What a question comes to. `died`: the process ended, or said what is no answer, before it answered. */
export type Asked =
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

/** What a process is started with. `dataBytes` bounds the private memory that it may map for writing. */
export interface ConverterStart {
  /** The program: a module that Node runs. */
  readonly script: URL;
  readonly nodeFlags: readonly string[];
  readonly dataBytes: number;
  readonly maxAnswerBytes: number;
}

/** Of the whole life of a process that reads one document after another. */
const OPEN_FILES = 64;
const PRLIMIT = ["/usr/bin/prlimit", "/bin/prlimit"];

/** Where util-linux's `prlimit` stands; null: the process gets no limits of the system, only those of Node and of the clock. */
let prlimit: Promise<string | null> | undefined;

async function findPrlimit(): Promise<string | null> {
  for (const path of PRLIMIT) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return null;
}

/** Starts the process. It may already have ended when this resolves. */
export async function startConverter(start: ConverterStart): Promise<ConverterProcess> {
  prlimit ??= findPrlimit();
  const limiter = await prlimit;
  const node = [
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    ...start.nodeFlags,
    fileURLToPath(start.script),
  ];
  const limits = ["--core=0", "--fsize=0", `--nofile=${OPEN_FILES}`, `--data=${start.dataBytes}`];
  const [program = "", ...args] = limiter === null ? node : [limiter, ...limits, ...node];
  const child = spawn(program, args, { env: {}, cwd: "/", stdio: ["pipe", "pipe", "ignore"], detached: true });
  return new PipedProcess(child, start.maxAnswerBytes);
}

class PipedProcess implements ConverterProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #reader: FrameReader;
  #answer: ((asked: Asked) => void) | null = null;
  hasEnded = false;

  constructor(child: ChildProcessByStdio<Writable, Readable, null>, maxAnswerBytes: number) {
    this.#child = child;
    this.#reader = new FrameReader(maxAnswerBytes);
    child.once("exit", () => this.#close());
    child.once("error", () => this.#close());
    // A process that ends while it is written to: its exit tells.
    child.stdin.on("error", () => undefined);
    child.stdout.on("data", (chunk: Uint8Array) => this.#take(chunk));
    // What waits in a pool must not keep the sidecar alive.
    child.unref();
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
    for (const piece of framePieces(question)) this.#child.stdin.write(piece);
    const result = await asked;
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    // It may be in the middle of anything: nobody can ask it again.
    if (result.kind !== "answered") this.end();
    return result;
  }

  end(): void {
    if (this.hasEnded) return;
    const { pid } = this.#child;
    // It leads a group of its own, so whatever it started ends with it.
    if (pid !== undefined) killGroup(pid);
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

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** Runs one process of an MCP server: its pipes, its greeting, its limits, and the message when it ends. */
import type { Readable, Writable } from "node:stream";
import { createRedactor } from "../../core/web/redact-secrets.ts";
import { type Exchange, type ExchangeFailure, openExchange } from "./exchange.ts";
import { greet, type GreetingResult } from "./greet.ts";
import { GREETING_MS, MAX_LINE_BYTES, MAX_STDERR_BYTES, MAX_STRAY_BYTES, MAX_UNREAD_BYTES } from "./limits.ts";
import { readLines } from "./read-lines.ts";

/** A program to start in a cage of its own. */
export interface Program {
  readonly tenant: string;
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Empty means no network. */
  readonly network: readonly string[];
}

/** A running program. */
export interface Running {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How it ended, as a phrase after "it ended": `(exit code 1)`. Never rejects. */
  readonly ended: Promise<string>;
  /** Kills it and everything that it started. */
  kill(): void;
}

/** Starts a program, or returns why it cannot be started here. */
export type StartProgram = (
  program: Program,
) => Promise<
  | { readonly ok: true; readonly running: Running }
  | { readonly ok: false; readonly code: "not_available" | "rate_limited"; readonly message: string }
>;

export interface ServerProcess {
  readonly exchange: Exchange;
  /** Never rejects. It has a time limit of its own. */
  readonly greeted: Promise<GreetingResult>;
  /** Resolves when the process has ended, to the reason. Never rejects. */
  readonly gone: Promise<ExchangeFailure>;
  /** Whether too much unread input waits for it. */
  isStuck(): boolean;
  /** Stops the process. `why` is a phrase after "it ". */
  end(why: string): void;
}

/** Shorter values are not redacted, since they could be ordinary words. */
const MIN_REDACTED = 4;

/** `canDiscover` is that of `greet`. */
export function runServer(running: Running, env: Program["env"], canDiscover: boolean): ServerProcess {
  const { stdin, stdout, stderr } = running;
  const readStderr = readTail(stderr, env);
  let stray = 0;
  let why: string | null = null;

  function end(reason: string): void {
    why ??= reason;
    running.kill();
  }

  const exchange = openExchange((line) => stdin.write(line), {
    onStray(bytes) {
      stray += bytes;
      if (stray > MAX_STRAY_BYTES) end(`wrote more than ${MAX_STRAY_BYTES} bytes that answer no request`);
    },
    onAnswer() {
      stray = 0;
    },
  });
  // Ignore write errors: `ended` reports that the process has exited.
  stdin.on("error", () => undefined);
  readLines(stdout, MAX_LINE_BYTES, {
    onLine: (line) => exchange.receive(line),
    onTooLong: () => end(`wrote a line of more than ${MAX_LINE_BYTES} bytes`),
  });
  const gone = running.ended.then((how): ExchangeFailure => {
    const words = readStderr();
    const message = `it ${why ?? `ended ${how}`}${words === "" ? "" : `, and had written: ${words}`}`;
    const failure = { code: "upstream_failed", message } as const;
    exchange.end(failure);
    return failure;
  });
  const late = setTimeout(
    () => end(`did not answer as an MCP server within ${GREETING_MS / 1_000} seconds`),
    GREETING_MS,
  );
  const greeted = greet(exchange, canDiscover).then((done) => {
    clearTimeout(late);
    if (!done.ok) end(done.failure.message.replace(/^it /, ""));
    return done;
  });
  return { exchange, greeted, gone, isStuck: () => stdin.writableLength > MAX_UNREAD_BYTES, end };
}

/** Returns the end of a stream with the values of the process's environment redacted. */
function readTail(stream: Readable, env: Program["env"]): () => string {
  const secrets = Object.entries(env)
    .filter(([, value]) => value.length >= MIN_REDACTED)
    .map(([name, value]) => ({ name, value }));
  const redactor = createRedactor(secrets);
  // Truncation can split a value, so drop as many bytes as the longest value has.
  const longest = Math.max(0, ...secrets.map(({ value }) => Buffer.byteLength(value)));
  let tail = Buffer.alloc(0);
  let isComplete = true;
  stream.on("data", (chunk: Buffer) => {
    const joined = Buffer.concat([tail, chunk]);
    const limit = MAX_STDERR_BYTES + longest;
    if (joined.length > limit) isComplete = false;
    tail = joined.length > limit ? joined.subarray(joined.length - limit) : joined;
  });
  return () => {
    const text = redactor.text(tail.toString("utf8")).trim();
    return (isComplete ? text : text.slice(longest)).slice(-MAX_STDERR_BYTES);
  };
}

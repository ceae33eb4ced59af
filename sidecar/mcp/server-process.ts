/** One life of an MCP server as a process: its pipes, its greeting, what it may write, and what is said when it is gone. */
import type { Readable, Writable } from "node:stream";
import { createRedactor } from "../../core/web/redact-secrets.ts";
import { type Exchange, type ExchangeFailure, openExchange } from "./exchange.ts";
import { greet, type Greeted } from "./greet.ts";
import { GREETING_MS, MAX_LINE_BYTES, MAX_STDERR_BYTES, MAX_STRAY_BYTES, MAX_UNREAD_BYTES } from "./limits.ts";
import { readLines } from "./read-lines.ts";

/** A program to start in a cage of its own. */
export interface Program {
  readonly tenant: string;
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Empty: none. */
  readonly network: readonly string[];
}

/** A program that runs. */
export interface Running {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How it ended, in words that follow "it ended": `(exit code 1)`. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends it and everything that it started. */
  kill(): void;
}

/** Starts a program, or says why it cannot be started here. */
export type StartProgram = (
  program: Program,
) => Promise<
  | { readonly ok: true; readonly running: Running }
  | { readonly ok: false; readonly code: "not_available" | "rate_limited"; readonly message: string }
>;

export interface ServerProcess {
  readonly exchange: Exchange;
  /** Never rejects. It ends by itself. */
  readonly greeted: Promise<Greeted>;
  /** Why it is gone, once it is. Never rejects. */
  readonly gone: Promise<ExchangeFailure>;
  /** True while it does not read what it is told. */
  isStuck(): boolean;
  /** `why` follows "it ". */
  end(why: string): void;
}

/** Values shorter than this could not be told from other words. */
const MIN_REDACTED = 4;

/** `mayAsk`: as `greet` has it. */
export function runServer(running: Running, env: Program["env"], mayAsk: boolean): ServerProcess {
  const { stdin, stdout, stderr } = running;
  const said = tailOf(stderr, env);
  let stray = 0;
  let why: string | null = null;

  function end(reason: string): void {
    why ??= reason;
    running.kill();
  }

  const exchange = openExchange((line) => stdin.write(line), {
    onStray(bytes) {
      stray += bytes;
      if (stray > MAX_STRAY_BYTES) end(`wrote more than ${MAX_STRAY_BYTES} bytes that answer nobody`);
    },
    onAnswer() {
      stray = 0;
    },
  });
  // A pipe whose other end is gone says so here; that the process is gone is told by `ended`.
  stdin.on("error", () => undefined);
  readLines(stdout, MAX_LINE_BYTES, {
    onLine: (line) => exchange.hear(line),
    onTooLong: () => end(`wrote a line of more than ${MAX_LINE_BYTES} bytes`),
  });
  const gone = running.ended.then((how): ExchangeFailure => {
    const words = said();
    const message = `it ${why ?? `ended ${how}`}${words === "" ? "" : `, and had written: ${words}`}`;
    const failure = { code: "upstream_failed", message } as const;
    exchange.end(failure);
    return failure;
  });
  const late = setTimeout(
    () => end(`did not answer as an MCP server within ${GREETING_MS / 1_000} seconds`),
    GREETING_MS,
  );
  const greeted = greet(exchange, mayAsk).then((done) => {
    clearTimeout(late);
    if (!done.ok) end(done.failure.message.replace(/^it /, ""));
    return done;
  });
  return { exchange, greeted, gone, isStuck: () => stdin.writableLength > MAX_UNREAD_BYTES, end };
}

/** The end of what a stream said, without the values that the process was given. */
function tailOf(stream: Readable, env: Program["env"]): () => string {
  const secrets = Object.entries(env)
    .filter(([, value]) => value.length >= MIN_REDACTED)
    .map(([name, value]) => ({ name, value }));
  const redactor = createRedactor(secrets);
  // What is cut off at the front can cut a value in two: so much after it is not shown either.
  const longest = Math.max(0, ...secrets.map(({ value }) => Buffer.byteLength(value)));
  let kept = Buffer.alloc(0);
  let whole = true;
  stream.on("data", (chunk: Buffer) => {
    const joined = Buffer.concat([kept, chunk]);
    const most = MAX_STDERR_BYTES + longest;
    if (joined.length > most) whole = false;
    kept = joined.length > most ? joined.subarray(joined.length - most) : joined;
  });
  return () => {
    const text = redactor.text(kept.toString("utf8")).trim();
    return (whole ? text : text.slice(longest)).slice(-MAX_STDERR_BYTES);
  };
}

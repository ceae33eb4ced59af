/**
 * A child process that is kept alive: started again when it died, with backoff, and ended with its whole process group.
 * Its output goes to a log; what it writes to stderr is a problem and is shown, too.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { CappedLog } from "./capped-log.ts";
import { type ChildReport, MALLOC_ENV, PING, PONG } from "./child-channel.ts";
import { computeBackoffMs } from "../../core/base/backoff.ts";
import { type RecordedProcess, endGroup, startTime } from "./processes.ts";

/**
 * Node's default lets the young generation of a process take 48 MB, which a child that is busy for a moment keeps. A quarter of it
 * costs a few per cent of its CPU.
 */
const NODE_FLAGS = ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=4"];
const FIRST_DELAY_MS = 50;
/** A child that has worked before is back within a second, however often it dies. */
const MAX_DELAY_MS = 800;
const MAX_DELAY_NEVER_READY_MS = 5_000;
/** A child that died after it had worked for this long is started as if it had not died before. */
const PROVEN_AFTER_MS = 1_000;
const PING_EVERY_MS = 5_000;
/** Pings in a row without an answer after which a child counts as hung. */
const MAX_UNANSWERED_PINGS = 6;
const STOP_TIMEOUT_MS = 5_000;
/** Lines of a child's stderr that are shown a minute; the log has them all. */
const MAX_PROBLEM_LINES_PER_MINUTE = 20;

export interface ChildSpec {
  readonly name: string;
  /** A TypeScript file, run by this Node. */
  readonly script: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: CappedLog;
}

export interface ChildHooks {
  /** A new process runs (null: none does, for the moment). */
  readonly onProcess: (running: RecordedProcess | null) => void;
  readonly onProgress: (message: string) => void;
  readonly onProblem: (message: string) => void;
  /** The child can never work, and never did. It is not started again. */
  readonly onFatal: (message: string) => void;
}

export interface SupervisedChild {
  /** Resolves when the child was ready for the first time. */
  readonly ready: Promise<void>;
  /** Ends the child and does not restart it. */
  stop(): Promise<void>;
}

/** How long to wait before a child is started again that died `deaths` times in short order. */
export function restartDelayMs(deaths: number, wasReady: boolean): number {
  return computeBackoffMs(deaths, wasReady ? MAX_DELAY_MS : MAX_DELAY_NEVER_READY_MS, FIRST_DELAY_MS);
}

/** Starts the child and keeps it alive until `stop`. */
export function superviseChild(spec: ChildSpec, hooks: ChildHooks): SupervisedChild {
  const first = Promise.withResolvers<void>();
  let running: { process: ChildProcess; recorded: RecordedProcess; ended: Promise<void> } | null = null;
  let restart: NodeJS.Timeout | undefined;
  let over = false;
  let deaths = 0;
  let everReady = false;
  const showProblem = limitedPerMinute(MAX_PROBLEM_LINES_PER_MINUTE, (line) =>
    hooks.onProblem(`${spec.name}: ${line}`),
  );

  function start(): void {
    let child: ChildProcess;
    try {
      child = spawn(process.execPath, [...NODE_FLAGS, spec.script], {
        stdio: ["ignore", "pipe", "pipe", "ipc"],
        env: { ...MALLOC_ENV, ...spec.env },
        // A group of its own: a Ctrl-C at the terminal reaches the supervisor only, which ends things in order.
        detached: true,
      });
    } catch (error) {
      // Some of the system's refusals are thrown and others are an event (https://nodejs.org/api/child_process.html#event-error).
      return startFailed(error instanceof Error ? error : new Error(String(error)));
    }
    const ended = Promise.withResolvers<void>();
    const pid = child.pid;
    if (pid === undefined) {
      child.once("error", startFailed);
      return;
    }
    child.on("error", (error) => hooks.onProblem(`${spec.name}: ${error.message}`));
    const recorded = { pid, started: startTime(pid) ?? "" };
    running = { process: child, recorded, ended: ended.promise };
    hooks.onProcess(recorded);
    spec.log.write(`${new Date().toISOString()} started as ${pid}\n`);
    let unanswered = 0;
    let readyAtMs: number | null = null;

    eachLine(child.stdout, (line) => spec.log.write(`${line}\n`));
    eachLine(child.stderr, (line) => {
      spec.log.write(`${line}\n`);
      if (line.trim() !== "") showProblem(line);
    });

    const pings = setInterval(() => {
      if (readyAtMs === null) return;
      if (unanswered >= MAX_UNANSWERED_PINGS) {
        hooks.onProblem(`${spec.name} has not answered for ${(PING_EVERY_MS * unanswered) / 1_000} s and is ended`);
        child.kill("SIGKILL");
      }
      unanswered += 1;
      if (child.connected) child.send(PING, () => undefined);
    }, PING_EVERY_MS);

    child.on("message", (message) => {
      if (message === PONG) {
        unanswered = 0;
        return;
      }
      const said = message as ChildReport;
      if (said.type === "ready") {
        readyAtMs = Date.now();
        everReady = true;
        first.resolve();
      } else if (said.type === "progress") hooks.onProgress(said.message);
      else if (said.type === "problem") hooks.onProblem(said.message);
      // It worked before, so what stops it now may pass: another program at its port, for one. It ends, and is started again.
      else if (everReady) hooks.onProblem(`${spec.name}: ${said.message}`);
      else {
        over = true;
        hooks.onFatal(`${spec.name}: ${said.message}`);
      }
    });

    child.once("exit", (code, signal) => {
      clearInterval(pings);
      // A workerd that outlived its host still holds the port.
      endGroup(recorded);
      running = null;
      hooks.onProcess(null);
      const how = signal === null ? `with status ${String(code)}` : `by ${signal}`;
      spec.log.write(`${new Date().toISOString()} ended ${how}\n`);
      ended.resolve();
      const proven = readyAtMs !== null && Date.now() - readyAtMs > PROVEN_AFTER_MS;
      startLater(`${spec.name} ended ${how}`, proven ? 1 : deaths + 1);
    });
  }

  function startFailed(error: Error): void {
    if (everReady || isPassing(error)) startLater(`${spec.name} could not be started (${error.message})`, deaths + 1);
    else hooks.onFatal(`${spec.name} cannot be started: ${error.message}`);
  }

  function startLater(problem: string, count: number): void {
    if (over) return;
    deaths = count;
    const delayMs = restartDelayMs(deaths, everReady);
    hooks.onProblem(`${problem}; started again in ${delayMs} ms`);
    restart = setTimeout(start, delayMs);
  }

  start();
  return {
    ready: first.promise,
    async stop() {
      over = true;
      clearTimeout(restart);
      if (running === null) return;
      const { process: child, recorded, ended } = running;
      child.kill("SIGTERM");
      const late = setTimeout(() => endGroup(recorded), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(late);
    },
  };
}

/** The machine has too few files, processes or bytes of memory for the moment. */
function isPassing(error: Error): boolean {
  return "code" in error && ["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"].includes(String(error.code));
}

function eachLine(stream: Readable | null, use: (line: string) => void): void {
  if (stream === null) return;
  // What cannot be read of a child that died is lost; without a listener the error would end this process.
  createInterface({ input: stream })
    .on("line", use)
    .on("error", () => undefined);
}

function limitedPerMinute(limit: number, show: (line: string) => void): (line: string) => void {
  let minute = 0;
  let shown = 0;
  return (line) => {
    const now = Math.floor(Date.now() / 60_000);
    if (now !== minute) [minute, shown] = [now, 0];
    shown += 1;
    if (shown <= limit) show(line);
    else if (shown === limit + 1) show("… more in its log");
  };
}

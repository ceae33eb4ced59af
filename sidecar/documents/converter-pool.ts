/**
 * A pool of warm converter processes, each of which converts one document at a time. A process is replaced after a number
 * of documents, and after a timeout or a crash.
 */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { type ConverterProcess, type ConverterStart, startConverter } from "./converter-process.ts";
import { type Death, failDocument, isWorthRetry } from "./death.ts";

export interface PoolLimits {
  readonly processes: number;
  readonly documentsPerProcess: number;
  /** An idle process is stopped after this time. */
  readonly idleMs: number;
  /** Includes the wait for a process. */
  readonly timeoutMs: number;
}

/** Converts one document on a process. Returns the result, or why the process died. `endsAt`: by performance.now(). */
export type UseProcess<T> = (process: ConverterProcess, endsAt: number) => Promise<Result<T> | Death>;

export interface PoolRequest {
  readonly signal: AbortSignal;
  /** Lowers the limit of the pool. */
  readonly timeoutMs?: number;
}

export interface ConverterPool {
  /**
   * Runs `use` on a free process, and again on a new one when that is worth it. Failures: those of `use`, of
   * `startProgram` and of `failDocument`, `timeout` (cancelled), `rate_limited` (no process was free in time).
   */
  run<T>(request: PoolRequest, use: UseProcess<T>): Promise<Result<T>>;
  /** Kills its processes, and thereby ends running conversions. */
  close(): void;
}

export const CANCELLED = "The conversion was cancelled.";
const ALL_BUSY = "All converters stayed busy for the document's whole time limit. Try again later.";
const RETRY_AFTER_MS = 1_000;

/** Creates a pool. Processes start with the first document. */
export function makeConverterPool(limits: PoolLimits, start: ConverterStart): ConverterPool {
  const idle: Worker[] = [];
  const busy = new Set<Worker>();
  const waiting: (() => void)[] = [];
  let usedSlots = 0;
  let isClosed = false;

  async function takeSlot(signal: AbortSignal, endsAt: number): Promise<SlotResult> {
    if (usedSlots < limits.processes) {
      usedSlots += 1;
      return "taken";
    }
    // A released slot passes to the next in the queue, so `usedSlots` stays the same.
    return await new Promise((resolve) => {
      const settle = (slot: SlotResult) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", cancel);
        resolve(slot);
      };
      const grantSlot = () => settle("taken");
      const leaveQueue = (slot: SlotResult) => () => {
        waiting.splice(waiting.indexOf(grantSlot), 1);
        settle(slot);
      };
      const cancel = leaveQueue("given up");
      const timer = setTimeout(leaveQueue("all busy"), Math.max(0, endsAt - performance.now()));
      waiting.push(grantSlot);
      signal.addEventListener("abort", cancel, { once: true });
    });
  }

  function releaseSlot(): void {
    const next = waiting.shift();
    if (next === undefined) usedSlots -= 1;
    else next();
  }

  async function takeWorker(): Promise<Result<Worker>> {
    for (let worker = idle.pop(); worker !== undefined; worker = idle.pop()) {
      clearTimeout(worker.idleTimer);
      if (!worker.process.hasEnded) return ok(worker);
    }
    return await startWorker();
  }

  async function startWorker(): Promise<Result<Worker>> {
    const started = await startConverter(start);
    return started.ok ? ok({ process: started.value, documents: 0 }) : started;
  }

  function returnWorker(worker: Worker): void {
    if (worker.process.hasEnded) return;
    if (worker.documents >= limits.documentsPerProcess) return worker.process.end();
    worker.idleTimer = setTimeout(() => {
      idle.splice(idle.indexOf(worker), 1);
      worker.process.end();
    }, limits.idleMs).unref();
    idle.push(worker);
  }

  async function runWithRetry<T>(use: UseProcess<T>, endsAt: number): Promise<Result<T>> {
    const worker = await takeWorker();
    if (!worker.ok) return worker;
    const hadServed = worker.value.documents > 0;
    const first = await runOnWorker(worker.value, use, endsAt);
    if (!("cause" in first)) return first;
    if (isClosed || !isWorthRetry(first, hadServed)) return failDocument(first, "read");
    const another = await startWorker();
    if (!another.ok) return another;
    const second = await runOnWorker(another.value, use, endsAt);
    return "cause" in second ? failDocument(second, "read") : second;
  }

  async function runOnWorker<T>(worker: Worker, use: UseProcess<T>, endsAt: number): Promise<Result<T> | Death> {
    busy.add(worker);
    worker.documents += 1;
    try {
      return await use(worker.process, endsAt);
    } finally {
      busy.delete(worker);
      returnWorker(worker);
    }
  }

  return {
    async run({ signal, timeoutMs = limits.timeoutMs }, use) {
      if (signal.aborted) return failed("timeout", CANCELLED);
      const endsAt = performance.now() + Math.min(timeoutMs, limits.timeoutMs);
      const slot = await takeSlot(signal, endsAt);
      if (slot === "given up") return failed("timeout", CANCELLED);
      if (slot === "all busy") return failed("rate_limited", ALL_BUSY, { retryAfterMs: RETRY_AFTER_MS });
      try {
        return await runWithRetry(use, endsAt);
      } finally {
        releaseSlot();
      }
    },
    close() {
      isClosed = true;
      for (const { process, idleTimer } of [...idle.splice(0), ...busy]) {
        clearTimeout(idleTimer);
        process.end();
      }
    },
  };
}

type SlotResult = "taken" | "given up" | "all busy";

interface Worker {
  readonly process: ConverterProcess;
  documents: number;
  idleTimer?: NodeJS.Timeout;
}

/**
 * Manages the process of one MCP server of a tenant. The first request starts it. After a death it is restarted with growing pauses, and
 * after several consecutive deaths only after a cooldown.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { computeBackoffMs } from "../../core/base/backoff.ts";
import { awaitUnlessAborted } from "../../core/base/deadline.ts";
import type { Exchange, ExchangeFailure } from "./exchange.ts";
import type { Greeting } from "./greet.ts";
import { COOLDOWN_MS, MAX_DEATHS, MAX_PENDING, MAX_RESTART_MS, STABLE_AFTER_MS } from "./limits.ts";
import { type Program, runServer, type ServerProcess, type StartProgram } from "./server-process.ts";

/** A greeted process for one request. `done` ends the lease. */
export interface Lease {
  readonly greeting: Greeting;
  readonly exchange: Exchange;
  done(): void;
}

/** Why there is no lease. Nothing was sent to a process. */
export interface LeaseFailure {
  readonly code: ExchangeFailure["code"] | "not_available" | "timeout";
  readonly message: string;
}

export type LeaseResult =
  | { readonly ok: true; readonly lease: Lease }
  | { readonly ok: false; readonly failure: LeaseFailure };

export interface ManagedServerDeps {
  readonly program: Program;
  readonly start: StartProgram;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly idleMs: number;
  /** The first pause between two starts. */
  readonly restartMs: number;
  /** Checks before a start whether another process may run. Null if it may. */
  readonly checkCapacity: () => LeaseFailure | null;
  /** Called when the server can be forgotten. */
  readonly onClosed: () => void;
}

export interface ManagedServer {
  /** Waits for the process to start, until `signal` aborts. */
  lease(signal: AbortSignal): Promise<LeaseResult>;
  /** Stops the process at once, or after its last request. */
  close(when: "now" | "when idle"): void;
  /** Whether a process runs or is starting. */
  readonly isRunning: boolean;
  /** Whether the process runs without requests. */
  readonly isIdle: boolean;
  /** The time of its last request. */
  readonly usedAt: number;
}

interface Live {
  readonly process: ServerProcess;
  readonly greeting: Greeting;
}

type Started = { readonly ok: true; readonly live: Live } | { readonly ok: false; readonly failure: LeaseFailure };

const CLOSED: LeaseFailure = { code: "upstream_failed", message: "it was stopped before it was ready" };

export function openManagedServer({
  program,
  start,
  now,
  idleMs,
  restartMs,
  checkCapacity,
  onClosed,
}: ManagedServerDeps): ManagedServer {
  let live: Live | null = null;
  let starting: Promise<Started> | null = null;
  /** The process that is being started. */
  let starter: ServerProcess | null = null;
  let isTaken = false;
  let isClosing = false;
  let leases = 0;
  let usedAt = now();
  let idleTimer: ReturnType<typeof setTimeout> | undefined;
  const restarts = makeRestartPolicy(now, restartMs);
  /** False once it exited at a message before `initialize`. */
  let canDiscover = true;

  function closeNow(): void {
    isClosing = true;
    isTaken = false;
    clearTimeout(idleTimer);
    starter?.end("is no longer needed");
    live?.process.end("is no longer needed");
    live = null;
    onClosed();
  }

  function startIdleTimer(): void {
    usedAt = now();
    if (leases > 0) return;
    if (isClosing) return closeNow();
    clearTimeout(idleTimer);
    idleTimer = setTimeout(closeNow, idleMs);
    idleTimer.unref();
  }

  function recordDeath({ message }: ExchangeFailure): void {
    isTaken = false;
    restarts.died(message);
    closeLater();
  }

  /** Forgets the server and its configuration if no further request comes. */
  function closeLater(): void {
    clearTimeout(idleTimer);
    idleTimer = setTimeout(closeNow, COOLDOWN_MS);
    idleTimer.unref();
  }

  async function startServer(): Promise<Started> {
    clearTimeout(idleTimer);
    const started = await tryToStart();
    if (!started.ok) closeLater();
    return started;
  }

  async function tryToStart(): Promise<Started> {
    const waitMs = restarts.waitMs();
    if (waitMs === null) return { ok: false, failure: { code: "upstream_failed", message: restarts.givenUp() } };
    if (waitMs > 0) await sleep(waitMs, undefined, { ref: false });
    if (isClosing) return { ok: false, failure: CLOSED };
    const capacityFailure = checkCapacity();
    if (capacityFailure !== null) return { ok: false, failure: capacityFailure };
    isTaken = true;
    restarts.began();
    return await run();
  }

  async function run(): Promise<Started> {
    const started = await start(program).catch((error: unknown) => {
      console.error("an MCP server could not be started:", error instanceof Error ? error.message : "no error");
      return { ok: false, code: "not_available", message: "it could not be started here" } as const;
    });
    if (!started.ok) {
      isTaken = false;
      return { ok: false, failure: { code: started.code, message: started.message } };
    }
    const process = runServer(started.running, program.env, canDiscover);
    starter = process;
    if (isClosing) process.end("is no longer needed");
    const greeted = await process.greeted;
    starter = null;
    if (greeted.ok) {
      const ready: Live = { process, greeting: greeted.greeting };
      live = ready;
      void process.gone.then((failure) => {
        if (live !== ready) return;
        live = null;
        recordDeath(failure);
      });
      return { ok: true, live: ready };
    }
    const failure = await process.gone;
    if (greeted.sentDiscover && canDiscover && !isClosing) {
      canDiscover = false;
      return await run();
    }
    recordDeath(failure);
    return { ok: false, failure };
  }

  function grantLease({ process, greeting }: Live): LeaseResult {
    if (process.exchange.pending >= MAX_PENDING || process.isStuck()) {
      const message = "it has too many pending requests";
      return { ok: false, failure: { code: "rate_limited", message } };
    }
    leases += 1;
    usedAt = now();
    clearTimeout(idleTimer);
    let isDone = false;
    const done = () => {
      if (isDone) return;
      isDone = true;
      leases -= 1;
      startIdleTimer();
    };
    return { ok: true, lease: { greeting, exchange: process.exchange, done } };
  }

  return {
    async lease(signal) {
      if (live === null) {
        starting ??= startServer().finally(() => {
          starting = null;
        });
        const started = await awaitUnlessAborted(signal, starting, null);
        if (started === null) {
          return {
            ok: false,
            failure: { code: "timeout", message: "it was not ready in time; try again" },
          };
        }
        if (!started.ok) return started;
        return grantLease(started.live);
      }
      return grantLease(live);
    },
    close(when) {
      isClosing = true;
      if (when === "now" || leases === 0) closeNow();
    },
    get isRunning() {
      return isTaken;
    },
    get isIdle() {
      return live !== null && leases === 0;
    },
    get usedAt() {
      return usedAt;
    },
  };
}

/** Counts consecutive deaths and delays restarts. */
function makeRestartPolicy(now: () => number, restartMs: number) {
  let deaths = 0;
  let beganAt = 0;
  let diedAt = 0;
  let lastMessage = "";
  return {
    began(): void {
      beganAt = now();
    },
    died(words: string): void {
      diedAt = now();
      deaths = diedAt - beganAt >= STABLE_AFTER_MS ? 1 : deaths + 1;
      lastMessage = words;
    },
    /** Returns the pause before the next start. Null during the cooldown. */
    waitMs(): number | null {
      if (deaths === 0) return 0;
      if (deaths >= MAX_DEATHS) return now() - diedAt >= COOLDOWN_MS ? 0 : null;
      return Math.max(0, beganAt + computeBackoffMs(deaths, MAX_RESTART_MS, restartMs) - now());
    },
    givenUp(): string {
      const minutes = Math.max(1, Math.ceil((diedAt + COOLDOWN_MS - now()) / 60_000));
      return `it died ${deaths} times in a row and is not started for ${minutes} min; the last time ${lastMessage}`;
    },
  };
}

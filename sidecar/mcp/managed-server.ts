/**
 * The place of one MCP server of a tenant: the process that runs there, if one does, and how the ones before it fared. It is
 * started by the first request, and again after it died, later each time; after some deaths in a row not for a while.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { computeBackoffMs } from "../../core/base/backoff.ts";
import { awaitUnlessAborted } from "../../core/base/deadline.ts";
import type { Exchange, ExchangeFailure } from "./exchange.ts";
import type { Greeting } from "./greet.ts";
import { GIVEN_UP_MS, MAX_DEATHS, MAX_PENDING, MAX_RESTART_MS, STABLE_MS } from "./limits.ts";
import { type Program, runServer, type ServerProcess, type StartProgram } from "./server-process.ts";

/** A process that has greeted, for one request; `done` gives it back. */
export interface Lease {
  readonly greeting: Greeting;
  readonly exchange: Exchange;
  done(): void;
}

/** Why there is none: nothing was sent to a process. */
export interface NoLease {
  readonly code: ExchangeFailure["code"] | "not_available" | "timeout";
  readonly message: string;
}

export type Leased = { readonly ok: true; readonly lease: Lease } | { readonly ok: false; readonly failure: NoLease };

export interface PlaceDeps {
  readonly program: Program;
  readonly start: StartProgram;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  readonly idleMs: number;
  /** The first wait between two starts. */
  readonly restartMs: number;
  /** Asked before a start; null: there is room for it. */
  readonly makeRoom: () => NoLease | null;
  /** There is nothing to remember of it any more. */
  readonly onLeft: () => void;
}

export interface Place {
  /** Waits for the process to be started, and not longer than `signal` lasts. */
  lease(signal: AbortSignal): Promise<Leased>;
  /** Ends the process: at once, or with the last request that it has. */
  leave(when: "now" | "when idle"): void;
  /** Whether there is a process, or will be at once. */
  readonly isTaken: boolean;
  /** Whether nobody waits for an answer of it. */
  readonly isIdle: boolean;
  /** When it was asked last. */
  readonly usedAt: number;
}

interface Live {
  readonly process: ServerProcess;
  readonly greeting: Greeting;
}

type Started = { readonly ok: true; readonly live: Live } | { readonly ok: false; readonly failure: NoLease };

const LEFT: NoLease = { code: "upstream_failed", message: "it was ended before it was ready" };

export function openPlace({ program, start, now, idleMs, restartMs, makeRoom, onLeft }: PlaceDeps): Place {
  let live: Live | null = null;
  let starting: Promise<Started> | null = null;
  /** The process of the start that is under way. */
  let young: ServerProcess | null = null;
  let isTaken = false;
  let isLeaving = false;
  let leases = 0;
  let usedAt = now();
  let idle: ReturnType<typeof setTimeout> | undefined;
  const row = openRow(now, restartMs);
  /** False: it ends at any word before `initialize`. */
  let mayAsk = true;

  function leaveNow(): void {
    isLeaving = true;
    isTaken = false;
    clearTimeout(idle);
    young?.end("is not needed any more");
    live?.process.end("is not needed any more");
    live = null;
    onLeft();
  }

  function rest(): void {
    usedAt = now();
    if (leases > 0) return;
    if (isLeaving) return leaveNow();
    clearTimeout(idle);
    idle = setTimeout(leaveNow, idleMs);
    idle.unref();
  }

  function died({ message }: ExchangeFailure): void {
    isTaken = false;
    row.died(message);
    leaveLater();
  }

  /** Where nobody comes back, the place is forgotten with what its process is given. */
  function leaveLater(): void {
    clearTimeout(idle);
    idle = setTimeout(leaveNow, GIVEN_UP_MS);
    idle.unref();
  }

  async function begin(): Promise<Started> {
    clearTimeout(idle);
    const started = await tryToStart();
    if (!started.ok) leaveLater();
    return started;
  }

  async function tryToStart(): Promise<Started> {
    const waitMs = row.waitMs();
    if (waitMs === null) return { ok: false, failure: { code: "upstream_failed", message: row.givenUp() } };
    if (waitMs > 0) await sleep(waitMs, undefined, { ref: false });
    if (isLeaving) return { ok: false, failure: LEFT };
    const noRoom = makeRoom();
    if (noRoom !== null) return { ok: false, failure: noRoom };
    isTaken = true;
    row.began();
    return await run();
  }

  async function run(): Promise<Started> {
    const started = await start(program).catch((error: unknown) => {
      console.error("an MCP server was not started:", error instanceof Error ? error.message : "no error");
      return { ok: false, code: "not_available", message: "it could not be started here" } as const;
    });
    if (!started.ok) {
      isTaken = false;
      return { ok: false, failure: { code: started.code, message: started.message } };
    }
    const process = runServer(started.running, program.env, mayAsk);
    young = process;
    if (isLeaving) process.end("is not needed any more");
    const greeted = await process.greeted;
    young = null;
    if (greeted.ok) {
      const came: Live = { process, greeting: greeted.greeting };
      live = came;
      void process.gone.then((failure) => {
        if (live !== came) return;
        live = null;
        died(failure);
      });
      return { ok: true, live: came };
    }
    const failure = await process.gone;
    if (greeted.wasAsked && mayAsk && !isLeaving) {
      mayAsk = false;
      return await run();
    }
    died(failure);
    return { ok: false, failure };
  }

  function leaseOf({ process, greeting }: Live): Leased {
    if (process.exchange.pending >= MAX_PENDING || process.isStuck()) {
      const message = "it has too much to answer already";
      return { ok: false, failure: { code: "rate_limited", message } };
    }
    leases += 1;
    usedAt = now();
    clearTimeout(idle);
    let isDone = false;
    const done = () => {
      if (isDone) return;
      isDone = true;
      leases -= 1;
      rest();
    };
    return { ok: true, lease: { greeting, exchange: process.exchange, done } };
  }

  return {
    async lease(signal) {
      if (live === null) {
        starting ??= begin().finally(() => {
          starting = null;
        });
        const started = await awaitUnlessAborted(signal, starting, null);
        if (started === null) {
          return {
            ok: false,
            failure: { code: "timeout", message: "it was not ready in time, and may be by the next try" },
          };
        }
        if (!started.ok) return started;
        return leaseOf(started.live);
      }
      return leaseOf(live);
    },
    leave(when) {
      isLeaving = true;
      if (when === "now" || leases === 0) leaveNow();
    },
    get isTaken() {
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

/** Deaths in a row, and what follows from them. */
function openRow(now: () => number, restartMs: number) {
  let deaths = 0;
  let beganAt = 0;
  let diedAt = 0;
  let lastWords = "";
  return {
    began(): void {
      beganAt = now();
    },
    died(words: string): void {
      diedAt = now();
      deaths = diedAt - beganAt >= STABLE_MS ? 1 : deaths + 1;
      lastWords = words;
    },
    /** Until it may be started; null: not for a while. */
    waitMs(): number | null {
      if (deaths === 0) return 0;
      if (deaths >= MAX_DEATHS) return now() - diedAt >= GIVEN_UP_MS ? 0 : null;
      return Math.max(0, beganAt + computeBackoffMs(deaths, MAX_RESTART_MS, restartMs) - now());
    },
    givenUp(): string {
      const minutes = Math.max(1, Math.ceil((diedAt + GIVEN_UP_MS - now()) / 60_000));
      return `it died ${deaths} times in a row and is not started for ${minutes} min; the last time ${lastWords}`;
    },
  };
}

/** Idempotent requests: the first attempt runs, and repeats wait for its reply. */
import {
  judgeRepeat,
  REPEAT_RETRY_AFTER_MS,
  REPEAT_WAIT_MS,
  type IdempotencyState,
  type IdempotentRequest,
  type StoredReply,
} from "../../core/tenant/idempotency.ts";
import { toHex } from "../../core/base/hex.ts";
import type { TenantStore } from "./store.ts";
import type { TenantTables } from "./tables.ts";

export class TenantRepeats {
  /** Identifies this instance. Attempts of an earlier instance were interrupted. */
  private readonly incarnation = crypto.randomUUID();
  private readonly tables: TenantTables;
  private readonly store: TenantStore;
  private readonly arm: () => void;
  /** Waiting repeats by ticket. */
  private readonly waiting = new Map<string, Set<() => void>>();

  /** `arm` sets the object's alarm for the next expiry. */
  constructor(tables: TenantTables, store: TenantStore, arm: () => void) {
    this.tables = tables;
    this.store = store;
    this.arm = arm;
  }

  /** Starts the request, or waits for the reply of the running attempt. */
  async judge(ticket: string, { fingerprint }: IdempotentRequest): Promise<IdempotencyState> {
    const until = Date.now() + REPEAT_WAIT_MS;
    for (;;) {
      const now = Date.now();
      if (this.tables.isErased()) return { kind: "busy", retryAfterMs: REPEAT_RETRY_AFTER_MS };
      const attempt = { fingerprint, incarnation: this.incarnation, newSeed: makeSeed() };
      const verdict = judgeRepeat(this.store.findRepeat(ticket), attempt, now);
      if (verdict.kind === "mismatch") return verdict;
      if (verdict.kind === "replay") {
        const reply = this.store.readReply(ticket);
        return reply === null ? { kind: "busy", retryAfterMs: REPEAT_RETRY_AFTER_MS } : { kind: "replay", reply };
      }
      if (verdict.kind === "begin") {
        this.store.startAttempt(ticket, verdict.row);
        this.arm();
        return { kind: "fresh", ticket, seed: verdict.row.seed, startedAt: verdict.row.startedAt };
      }
      if (now >= until) return { kind: "busy", retryAfterMs: REPEAT_RETRY_AFTER_MS };
      await this.waitForReply(ticket, until - now);
    }
  }

  /** Ends a first attempt. Returns the reply of another attempt that finished earlier. */
  settle(ticket: string, reply: StoredReply | null): StoredReply | null {
    const row = this.store.findRepeat(ticket);
    if (row === null) return null;
    if (row.doneAt !== null) return this.store.readReply(ticket);
    if (reply === null) this.store.endAttempt(ticket);
    else this.store.storeReply(ticket, reply, Date.now());
    this.arm();
    this.wake(ticket);
    return null;
  }

  wakeAll(): void {
    for (const ticket of this.waiting.keys()) this.wake(ticket);
  }

  /** Resolves when the ticket is settled or `timeoutMs` has passed. */
  private waitForReply(ticket: string, timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.waiting.get(ticket) ?? new Set();
      this.waiting.set(ticket, waiters);
      const done = () => {
        clearTimeout(timer);
        waiters.delete(done);
        if (waiters.size === 0 && this.waiting.get(ticket) === waiters) this.waiting.delete(ticket);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      waiters.add(done);
    });
  }

  private wake(ticket: string): void {
    for (const done of this.waiting.get(ticket) ?? []) done();
  }
}

function makeSeed(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(32)));
}

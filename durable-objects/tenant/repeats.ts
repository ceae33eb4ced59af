/** Requests that may be sent again: the first one runs, its repeats wait for its reply. */
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
  /** Names this instance: tries that another one let in were cut off. */
  private readonly incarnation = crypto.randomUUID();
  private readonly tables: TenantTables;
  private readonly store: TenantStore;
  private readonly arm: () => void;
  /** Repeats that wait for a reply, by ticket. */
  private readonly waiting = new Map<string, Set<() => void>>();

  /** `arm` sets the object's alarm for what is to be forgotten. */
  constructor(tables: TenantTables, store: TenantStore, arm: () => void) {
    this.tables = tables;
    this.store = store;
    this.arm = arm;
  }

  /** Begins the request, or waits for the try that runs until its reply is there. */
  async judge(ticket: string, { fingerprint }: IdempotentRequest): Promise<IdempotencyState> {
    const until = Date.now() + REPEAT_WAIT_MS;
    for (;;) {
      const now = Date.now();
      if (this.tables.isErased()) return { kind: "busy", retryAfterMs: REPEAT_RETRY_AFTER_MS };
      const asked = { fingerprint, incarnation: this.incarnation, newSeed: newSeed() };
      const verdict = judgeRepeat(this.store.repeat(ticket), asked, now);
      if (verdict.kind === "mismatch") return verdict;
      if (verdict.kind === "replay") {
        const reply = this.store.reply(ticket);
        return reply === null ? { kind: "busy", retryAfterMs: REPEAT_RETRY_AFTER_MS } : { kind: "replay", reply };
      }
      if (verdict.kind === "begin") {
        this.store.begin(ticket, verdict.row);
        this.arm();
        return { kind: "fresh", ticket, seed: verdict.row.seed, startedAt: verdict.row.startedAt };
      }
      if (now >= until) return { kind: "busy", retryAfterMs: REPEAT_RETRY_AFTER_MS };
      await this.settled(ticket, until - now);
    }
  }

  /** Ends a first try. Gives the reply of another try that was first. */
  settle(ticket: string, reply: StoredReply | null): StoredReply | null {
    const row = this.store.repeat(ticket);
    if (row === null) return null;
    if (row.doneAt !== null) return this.store.reply(ticket);
    if (reply === null) this.store.cutOff(ticket);
    else this.store.finish(ticket, reply, Date.now());
    this.arm();
    this.wake(ticket);
    return null;
  }

  wakeAll(): void {
    for (const ticket of this.waiting.keys()) this.wake(ticket);
  }

  /** Resolves when the ticket is settled, or after `timeoutMs`. */
  private settled(ticket: string, timeoutMs: number): Promise<void> {
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

function newSeed(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(32)));
}

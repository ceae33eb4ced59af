/**
 * One tenant. It admits requests (key, rate, repeats) in one hop, and carries its tasks' index rows to Postgres. Postgres
 * has the truth about keys; the object keeps every key that it was shown, so that requests go on while Postgres is away.
 */
import { DurableObject } from "cloudflare:workers";
import { databaseFromEnv, settingsFromEnv, type Env } from "../adapters/from-env.ts";
import type { Database } from "../core/database.ts";
import { toFailure, type Failure, type Result } from "../core/errors.ts";
import {
  judgeRepeat,
  REPEAT_RETRY_AFTER_MS,
  REPEAT_WAIT_MS,
  type IdempotencyState,
  type IdempotentRequest,
  type StoredReply,
} from "../core/idempotency.ts";
import { toHex } from "../core/hex.ts";
import { REFUSED_RETRY_MS, sendDelayMs } from "../core/index-outbox.ts";
import type { Admission, KeyRecord, TaskReport, TenantRpc } from "../core/objects.ts";
import { countRequest, type RateDecision, type RateWindow } from "../core/rate-limit.ts";
import { TenantOutbox, type OutboxRow } from "./tenant-outbox.ts";
import { TenantStore } from "./tenant-store.ts";
import { TenantTables } from "./tenant-tables.ts";

/** Keys whose requests are counted at once; the one that was counted first gives way. */
const MAX_WINDOWS = 10_000;
/** Forgetting waits for the end of the minute, so that one alarm forgets all that a minute brought. */
const FORGET_EVERY_MS = 60_000;
/** Tasks that one call of `erase` gives. */
const MAX_TO_ERASE = 100;

export class TenantObject extends DurableObject<Env> implements TenantRpc {
  /** Names this instance: tries that another one let in were cut off. */
  private readonly incarnation = crypto.randomUUID();
  private readonly tables = new TenantTables(this.ctx.storage, this.ctx.id.name);
  private readonly store = new TenantStore(this.tables);
  private readonly outbox = new TenantOutbox(this.tables);
  private readonly windows = new Map<string, RateWindow>();
  /** Repeats that wait for a reply, by ticket. */
  private readonly waiting = new Map<string, Set<() => void>>();
  private armedFor: number | null = null;
  private failures = 0;
  private sending: Promise<boolean> | null = null;

  async admit(request: Parameters<TenantRpc["admit"]>[0]): Promise<Admission> {
    const { keyHash, keyRecord, idempotency } = request;
    const now = Date.now();
    if (this.tables.isErased()) return { kind: "dead_key" };
    const key = this.store.key(keyHash) ?? keyRecord;
    if (key === null) return { kind: "unknown_key" };
    if (this.store.isRevoked(key.id) || (key.expiresAt !== null && key.expiresAt <= now)) return { kind: "dead_key" };
    if (keyRecord !== null) this.store.keepKey(keyHash, keyRecord);
    const { rate, retryAfterMs } = this.count(key, now);
    if (retryAfterMs !== null) return { kind: "limited", rate, retryAfterMs };
    if (idempotency === null) return { kind: "admitted", key, rate, idempotency: null };
    return { kind: "admitted", key, rate, idempotency: await this.repeat(`${key.id} ${idempotency.key}`, idempotency) };
  }

  async settle(ticket: string, reply: StoredReply | null): Promise<StoredReply | null> {
    const row = this.store.repeat(ticket);
    if (row === null) return null;
    if (row.doneAt !== null) return this.store.reply(ticket);
    if (reply === null) this.store.cutOff(ticket);
    else this.store.finish(ticket, reply, Date.now());
    this.arm();
    this.wake(ticket);
    return null;
  }

  async revoke(keyId: string): Promise<void> {
    if (this.tables.isErased()) return;
    this.store.revoke(keyId, Date.now());
    const tenant = this.tables.tenant();
    if (tenant === null || this.store.hasKey(keyId)) return;
    const found = await databaseFromEnv(this.env).keys.get(tenant, keyId);
    if (!found.ok && found.error.code === "not_found") this.store.forgetRevoked(keyId);
  }

  async isRevoked(keyId: string): Promise<boolean> {
    return this.tables.isErased() || this.store.isRevoked(keyId);
  }

  async report(row: TaskReport): Promise<{ readonly erased: boolean }> {
    const erased = this.tables.isErased();
    if (erased) this.outbox.putForgotten(row.task);
    else this.outbox.putReport(row);
    this.arm();
    return { erased };
  }

  async forget(task: string): Promise<void> {
    if (this.tables.isErased()) {
      this.outbox.markErased(task);
      return;
    }
    this.outbox.putForgotten(task);
    this.arm();
    await this.flush();
  }

  async flush(): Promise<boolean> {
    this.sending ??= this.send().finally(() => {
      this.sending = null;
    });
    return await this.sending;
  }

  async erase(): Promise<readonly string[]> {
    const tenant = this.tables.tenant();
    if (tenant === null) throw new Error("a tenant's object is asked by its name");
    if (!this.tables.isErased()) {
      this.ctx.storage.transactionSync(() => {
        this.store.erase(tenant, Date.now());
        this.outbox.erase();
      });
      this.windows.clear();
      this.armedFor = null;
      void this.ctx.storage.deleteAlarm();
      for (const ticket of this.waiting.keys()) this.wake(ticket);
    }
    return this.outbox.toErase(MAX_TO_ERASE);
  }

  override async alarm(): Promise<void> {
    this.armedFor = null;
    try {
      const now = Date.now();
      this.store.forgetOld(now);
      this.outbox.forgetOld(now);
      await this.flush();
    } catch (thrown) {
      this.failures += 1;
      console.error("tenant alarm failed", this.tables.tenant(), thrown);
    } finally {
      this.arm();
    }
  }

  private count(key: KeyRecord, now: number): RateDecision {
    const counted = countRequest(this.windows.get(key.id) ?? null, settingsFromEnv(this.env).requestsPerMinute, now);
    const [first] = this.windows.keys();
    if (this.windows.size >= MAX_WINDOWS && first !== undefined && !this.windows.has(key.id))
      this.windows.delete(first);
    this.windows.set(key.id, counted.window);
    return counted;
  }

  /** Begins the request, or waits for the try that runs until its reply is there. */
  private async repeat(ticket: string, { fingerprint }: IdempotentRequest): Promise<IdempotencyState> {
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

  /** Sends what is unsent to Postgres. False: it did not take all of it. */
  private async send(): Promise<boolean> {
    const tenant = this.tables.tenant();
    for (;;) {
      // Postgres takes nothing of an erased tenant; its outbox names what is still to be erased.
      if (tenant === null || this.tables.isErased()) return true;
      const rows = this.outbox.unsent(Date.now());
      if (rows.length === 0) {
        this.failures = 0;
        return this.outbox.nextUnsentAt() === null;
      }
      const failure = await this.sendRows(tenant, rows);
      if (failure !== null) {
        this.failures += 1;
        console.error("the task index waits for the database", tenant, failure.code, failure.details);
        return false;
      }
    }
  }

  /** Sends a batch; one that is refused for what it holds goes row by row, so that no row stops the others. */
  private async sendRows(tenant: string, rows: readonly OutboxRow[]): Promise<Failure | null> {
    const written = await deliver(databaseFromEnv(this.env), tenant, rows);
    if (this.tables.isErased()) return null;
    if (written.ok) this.outbox.markSent(rows, Date.now());
    else if (!isOfTheRow(written.error)) return written.error;
    else if (rows.length === 1 && rows[0] !== undefined) {
      console.error("the database refused a row of the task index", tenant, rows[0].task, written.error.details);
      this.outbox.setAside(rows[0], Date.now() + REFUSED_RETRY_MS);
    } else {
      for (const row of rows) {
        const failure = await this.sendRows(tenant, [row]);
        if (failure !== null) return failure;
      }
    }
    return null;
  }

  /** Sets the one alarm: for the next sending, or for the next thing to forget. An erased tenant needs none. */
  private arm(): void {
    if (this.tables.isErased()) return;
    const unsentAt = this.outbox.nextUnsentAt() ?? Infinity;
    const sendAt = Math.max(unsentAt, Date.now() + sendDelayMs(this.failures));
    const oldAt = Math.min(this.store.nextForgottenAt() ?? Infinity, this.outbox.nextForgottenAt() ?? Infinity);
    const at = Math.min(sendAt, Math.ceil(oldAt / FORGET_EVERY_MS) * FORGET_EVERY_MS);
    if (at === Infinity || (this.armedFor !== null && this.armedFor <= at)) return;
    this.armedFor = at;
    void this.ctx.storage.setAlarm(at);
  }
}

async function deliver(database: Database, tenant: string, rows: readonly OutboxRow[]): Promise<Result<void>> {
  try {
    const reports = rows.flatMap(({ report }) => (report === null ? [] : [report]));
    const upserted = await database.tasks.upsert(tenant, reports);
    if (!upserted.ok) return upserted;
    return await database.tasks.remove(
      tenant,
      rows.flatMap(({ task, report }) => (report === null ? [task] : [])),
    );
  } catch (thrown) {
    return { ok: false, error: toFailure(thrown) };
  }
}

/** True when Postgres refused what a row holds (SQLSTATE classes 22, 23), and would refuse it again. */
function isOfTheRow({ code, details }: Failure): boolean {
  return code === "invalid_input" || code === "conflict" || String(details?.["sqlstate"]).startsWith("23");
}

function newSeed(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(32)));
}

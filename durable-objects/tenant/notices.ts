/**
 * What happened to the tenant's tasks that somebody outside wants to hear of: kept until the runner of channels has put
 * it into the outboxes. A notice that is told twice is spread twice at most, and what comes of it leaves once. One that fails
 * holds up no other.
 */
import { channelsFromEnv } from "../../adapters/env/channels.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { Notice, NoticeFacts, NoticeType, ReportedNotice } from "../../core/task/notice.ts";
import type { ChannelsRpc } from "../../core/channels/rpc.ts";
import { hasRecipient, isWantedByEndpoint } from "../../core/channels/webhooks/interest.ts";
import { CallBudget } from "../../core/base/call-budget.ts";
import { toFailure } from "../../core/base/errors.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import { computeSendDelayMs } from "../../core/tenant/index-outbox.ts";
import { JOB_VERSION } from "../../core/steps/job-version.ts";
import type { TenantTables } from "./tables.ts";
import { awaitWithin } from "../../core/base/deadline.ts";

/** Notices that go to the runner at once. */
const BATCH = 50;
/** A runner that has not answered by then is given up: a moment longer than it gives itself. */
const HANGS_AFTER_MS = 60_000;
/** `not_before` of a notice that nobody tried yet. */
const FRESH = 0;
/** What could not be spread for so long is dropped: nobody waits for it any more, and the task itself shows it. */
const KEPT_MS = 3 * 24 * 3_600_000;

export class TenantNotices {
  private readonly env: Env;
  private readonly tables: TenantTables;
  /** Null: not read yet. */
  private interests: readonly NoticeType[] | null = null;
  /** Another whenever the endpoints may have changed. */
  private stamp: string = crypto.randomUUID();
  /** While everything fails that is tried again: batches that did, and when to try the next. */
  private failures = 0;
  private retryAt = 0;
  private spreading: Promise<void> | null = null;
  /** True: nothing is kept, which needs no look at the table. */
  private isEmpty = false;

  constructor(env: Env, tables: TenantTables) {
    this.env = env;
    this.tables = tables;
  }

  /** What endpoints want from now on, beside what they wanted. */
  addInterests(types: readonly NoticeType[]): string {
    for (const type of types) this.tables.write("INSERT OR IGNORE INTO interests VALUES (?)", type);
    this.interests = null;
    this.stamp = crypto.randomUUID();
    return this.stamp;
  }

  /** Who read the endpoints before another change began may not know what that made them want. */
  setInterests(types: readonly NoticeType[], stamp: string): void {
    if (stamp !== this.stamp) return;
    this.tables.storage.transactionSync(() => {
      this.tables.empty("interests");
      for (const type of types) this.tables.write("INSERT INTO interests VALUES (?)", type);
    });
    this.interests = types;
  }

  /** Keeps what somebody wants to hear of a report. */
  hear({ facts, notices }: NonNullable<TaskReport["news"]>): void {
    this.interests ??= this.tables.read<{ type: NoticeType }>("SELECT type FROM interests").map(({ type }) => type);
    for (const notice of notices) {
      if (!hasRecipient(facts, notice, this.interests)) continue;
      const forEndpoints = isWantedByEndpoint(facts, notice, this.interests);
      this.isEmpty = false;
      this.tables.write(
        "INSERT OR IGNORE INTO notices VALUES (?, ?, ?, 0, 0, ?)",
        facts.task,
        notice.seq,
        Date.now(),
        JSON.stringify({ facts, notice, forEndpoints } satisfies StoredNotice),
      );
    }
  }

  /** The task is erased: nobody hears any more of it. */
  forget(task: string): void {
    this.tables.write("DELETE FROM notices WHERE task = ?", task);
  }

  /** When to spread next; null: nothing is kept. While some are spread, that is when a crash is made good. */
  nextAt(now: number): number | null {
    if (this.isEmpty) return null;
    const [row] = this.tables.read<{ at: number | null }>("SELECT MIN(not_before) AS at FROM notices");
    const at = row?.at ?? null;
    this.isEmpty = at === null;
    if (at === null) return null;
    const due = Math.max(at === FRESH ? now : Math.max(at, this.retryAt), now);
    return this.spreading === null ? due : Math.max(due, now + computeSendDelayMs(1));
  }

  /** Spreads what is due, as far as the calls of one run reach. Never throws: a later alarm tries again what fails. */
  async spread(): Promise<void> {
    this.spreading ??= this.spreadAll().finally(() => {
      this.spreading = null;
    });
    await this.spreading;
  }

  erase(): void {
    this.tables.empty("notices", "interests");
    this.interests = null;
  }

  private async spreadAll(): Promise<void> {
    for (const calls = new CallBudget(); calls.hasRoom(); calls.count()) {
      const tenant = this.tables.tenant();
      if (tenant === null || this.tables.isErased()) return;
      const kept = this.due(Date.now());
      if (kept.length === 0) return;
      this.settle(tenant, kept, await this.spreadSome(tenant, kept), Date.now());
    }
  }

  /** What nobody tried yet, and then what failed and is due again, in the order in which it was kept. */
  private due(now: number): readonly KeptNotice[] {
    const query = `SELECT task, seq, kept_at, tries, notice FROM notices WHERE not_before <= ?
      ORDER BY not_before, rowid LIMIT ?`;
    return this.tables.read<KeptNotice>(query, this.retryAt <= now ? now : FRESH, BATCH);
  }

  /** One for each: why it failed; null: it did not. Never throws. */
  private async spreadSome(tenant: string, kept: readonly KeptNotice[]): Promise<Failures> {
    try {
      const notices = kept.map(({ notice }) => this.read(notice));
      const spread = channelsFromEnv(this.env).spread(tenant, notices, JOB_VERSION);
      const failures = await awaitWithin(globalThis, HANGS_AFTER_MS, spread, null);
      if (failures === null) throw new Error("the runner of channels hangs");
      return failures;
    } catch (thrown) {
      return kept.map(() => toFailure(thrown));
    }
  }

  private read(text: string): Notice {
    const { facts, notice, forEndpoints } = JSON.parse(text) as StoredNotice;
    return { ...notice, facts, ...(forEndpoints ? { endpointsStamp: this.stamp } : {}) };
  }

  /** Each that failed waits by itself. While all fail that are tried again, the others of those wait as well. */
  private settle(tenant: string, kept: readonly KeptNotice[], failures: Failures, now: number): void {
    const failed = kept.filter((_, index) => failures[index] !== null);
    const dropped = failed.filter(({ kept_at: keptAt }) => now - keptAt >= KEPT_MS);
    const isOver = (one: KeptNotice) => dropped.includes(one) || !failed.includes(one);
    this.tables.storage.transactionSync(() => {
      for (const one of kept) {
        if (isOver(one)) this.tables.write("DELETE FROM notices WHERE task = ? AND seq = ?", one.task, one.seq);
        else this.putOff(one, now);
      }
    });
    const retried = kept.filter(({ tries }) => tries > 0);
    if (retried.length > 0) {
      this.failures = retried.every((one) => failed.includes(one)) ? this.failures + 1 : 0;
      this.retryAt = this.failures === 0 ? 0 : now + computeSendDelayMs(this.failures);
    }
    const why = failures.find((failure) => failure !== null);
    if (why != null) console.error("notices of tasks wait", tenant, failed.length, why.code, why.message, why.details);
    for (const { task, seq } of dropped) console.error("a notice was dropped", tenant, task, seq);
  }

  private putOff({ task, seq, tries }: KeptNotice, now: number): void {
    const query = "UPDATE notices SET tries = tries + 1, not_before = ? WHERE task = ? AND seq = ?";
    this.tables.write(query, now + computeSendDelayMs(tries + 1), task, seq);
  }
}

interface StoredNotice {
  readonly facts: NoticeFacts;
  readonly notice: ReportedNotice;
  readonly forEndpoints: boolean;
}

interface KeptNotice extends Record<string, SqlStorageValue> {
  readonly task: string;
  readonly seq: number;
  readonly kept_at: number;
  /** How often it failed. */
  readonly tries: number;
  /** A `StoredNotice`. */
  readonly notice: string;
}

/** Why each notice of a batch has to be spread again; null: it need not. */
type Failures = Awaited<ReturnType<ChannelsRpc["spread"]>>;

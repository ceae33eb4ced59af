/**
 * Notices of the tenant's tasks for people, endpoints and conversations, stored until the channel runner has put them
 * into the outboxes. A repeated report fans out at most twice, and each delivery leaves once. A failing notice delays
 * no other.
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

/** Notices per call of the runner. */
const BATCH = 50;
/** Timeout of a runner call: slightly more than the runner's own. */
const RUNNER_TIMEOUT_MS = 60_000;
/** `not_before` of a notice without an attempt. */
const UNTRIED = 0;
/** A notice that fails for this long is dropped. The task itself still shows the event. */
const MAX_AGE_MS = 3 * 24 * 3_600_000;

export class TenantNotices {
  private readonly env: Env;
  private readonly tables: TenantTables;
  /** Null until read. */
  private interests: readonly NoticeType[] | null = null;
  /** Changes whenever the endpoints may have changed. */
  private stamp: string = crypto.randomUUID();
  /** Failed batches in a row in which every retry failed, and when the next retry is due. */
  private failures = 0;
  private retryAt = 0;
  private sending: Promise<void> | null = null;
  /** True when the table is known to be empty. */
  private isEmpty = false;

  constructor(env: Env, tables: TenantTables) {
    this.env = env;
    this.tables = tables;
  }

  /** Adds types of events that endpoints subscribe to. */
  addInterests(types: readonly NoticeType[]): string {
    if (this.tables.isErased()) return "";
    for (const type of types) this.tables.write("INSERT OR IGNORE INTO interests VALUES (?)", type);
    this.interests = null;
    this.stamp = crypto.randomUUID();
    return this.stamp;
  }

  /** Replaces the types. An outdated stamp changes nothing: another change began after its endpoints were read. */
  setInterests(types: readonly NoticeType[], stamp: string): void {
    if (stamp !== this.stamp || this.tables.isErased()) return;
    this.tables.storage.transactionSync(() => {
      this.tables.clear("interests");
      for (const type of types) this.tables.write("INSERT INTO interests VALUES (?)", type);
    });
    this.interests = types;
  }

  /** Stores the notices of a report that have a recipient. */
  store({ facts, notices }: NonNullable<TaskReport["news"]>): void {
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

  deleteOfTask(task: string): void {
    this.tables.write("DELETE FROM notices WHERE task = ?", task);
  }

  /**
   * Returns when to fan out next; null when no notice is stored. During a run, that is when a crash would be recovered.
   */
  nextAt(now: number): number | null {
    if (this.isEmpty) return null;
    const [row] = this.tables.read<{ at: number | null }>("SELECT MIN(not_before) AS at FROM notices");
    const at = row?.at ?? null;
    this.isEmpty = at === null;
    if (at === null) return null;
    const due = Math.max(at === UNTRIED ? now : Math.max(at, this.retryAt), now);
    return this.sending === null ? due : Math.max(due, now + computeSendDelayMs(1));
  }

  /** Fans out the due notices, within the call limit of one run. Never throws: a later alarm retries failures. */
  async fanOut(): Promise<void> {
    this.sending ??= this.sendDue().finally(() => {
      this.sending = null;
    });
    await this.sending;
  }

  erase(): void {
    this.tables.clear("notices", "interests");
    this.interests = null;
  }

  private async sendDue(): Promise<void> {
    for (const calls = new CallBudget(); calls.hasRoom(); calls.count()) {
      const tenant = this.tables.getTenant();
      if (tenant === null || this.tables.isErased()) return;
      const rows = this.readDue(Date.now());
      if (rows.length === 0) return;
      this.settle(tenant, rows, await this.sendBatch(tenant, rows), Date.now());
    }
  }

  /** Reads untried notices first, then due retries, in stored order. */
  private readDue(now: number): readonly NoticeRow[] {
    const query = `SELECT task, seq, kept_at, tries, notice FROM notices WHERE not_before <= ?
      ORDER BY not_before, rowid LIMIT ?`;
    return this.tables.read<NoticeRow>(query, this.retryAt <= now ? now : UNTRIED, BATCH);
  }

  /** Returns a failure, or null for success, for each notice. Never throws. */
  private async sendBatch(tenant: string, rows: readonly NoticeRow[]): Promise<Failures> {
    try {
      const notices = rows.map(({ notice }) => this.parseNotice(notice));
      const spread = channelsFromEnv(this.env).spread(tenant, notices, JOB_VERSION);
      const failures = await awaitWithin(globalThis, RUNNER_TIMEOUT_MS, spread, null);
      if (failures === null) throw new Error("the channel runner timed out");
      return failures;
    } catch (thrown) {
      return rows.map(() => toFailure(thrown));
    }
  }

  private parseNotice(text: string): Notice {
    const { facts, notice, forEndpoints } = JSON.parse(text) as StoredNotice;
    return { ...notice, facts, ...(forEndpoints ? { endpointsStamp: this.stamp } : {}) };
  }

  /** Deletes the sent notices and postpones the failed ones. While every retry fails, the other retries wait too. */
  private settle(tenant: string, rows: readonly NoticeRow[], failures: Failures, now: number): void {
    const failed = rows.filter((_, index) => failures[index] !== null);
    const dropped = failed.filter(({ kept_at: keptAt }) => now - keptAt >= MAX_AGE_MS);
    const isDone = (one: NoticeRow) => dropped.includes(one) || !failed.includes(one);
    this.tables.storage.transactionSync(() => {
      for (const one of rows) {
        if (isDone(one)) this.tables.write("DELETE FROM notices WHERE task = ? AND seq = ?", one.task, one.seq);
        else this.postpone(one, now);
      }
    });
    const retried = rows.filter(({ tries }) => tries > 0);
    if (retried.length > 0) {
      this.failures = retried.every((one) => failed.includes(one)) ? this.failures + 1 : 0;
      this.retryAt = this.failures === 0 ? 0 : now + computeSendDelayMs(this.failures);
    }
    const why = failures.find((failure) => failure !== null);
    if (why != null)
      console.error(
        "notices of tasks could not be fanned out",
        tenant,
        failed.length,
        why.code,
        why.message,
        why.details,
      );
    for (const { task, seq } of dropped) console.error("a notice was dropped", tenant, task, seq);
  }

  private postpone({ task, seq, tries }: NoticeRow, now: number): void {
    const query = "UPDATE notices SET tries = tries + 1, not_before = ? WHERE task = ? AND seq = ?";
    this.tables.write(query, now + computeSendDelayMs(tries + 1), task, seq);
  }
}

interface StoredNotice {
  readonly facts: NoticeFacts;
  readonly notice: ReportedNotice;
  readonly forEndpoints: boolean;
}

interface NoticeRow extends Record<string, SqlStorageValue> {
  readonly task: string;
  readonly seq: number;
  readonly kept_at: number;
  /** Failed attempts so far. */
  readonly tries: number;
  /** A `StoredNotice` as JSON. */
  readonly notice: string;
}

/** The failure of each notice of a batch; null for success. */
type Failures = Awaited<ReturnType<ChannelsRpc["spread"]>>;

/** Applies the reports and permit requests of a tenant's tasks. What arrives within a moment shares one storage write. */
import type { PermitReply, PermitRequest, ReportReply } from "../../core/tenant/rpc.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import type { ShortPermit } from "../../core/task/short-permit.ts";
import { STOPPED_RETRY_MS } from "../../core/task/admission.ts";
import { mayLeaveSummary } from "../../core/tenant/admission.ts";
import { getRowDelayMs } from "../../core/tenant/index-outbox.ts";
import { formatStopMessage } from "../../core/tenant/stop-message.ts";
import { Batcher } from "../base/batcher.ts";
import type { TenantAlarm } from "./alarm.ts";
import type { TenantConnectionWaits } from "./connection-waits.ts";
import type { TenantFeed } from "./feed.ts";
import type { TenantNotices } from "./notices.ts";
import type { TenantOutbox } from "./outbox.ts";
import type { TenantSlots } from "./slots.ts";
import type { TenantSummaries } from "./summaries.ts";
import type { TenantKillSwitch } from "./kill-switch.ts";
import type { TenantTables } from "./tables.ts";
import type { TenantTaskIndex } from "./task-index.ts";

/** How long a report waits for others. */
const REPORTS_WAIT_MS = 2;

/** The reply to a task that was erased, or whose tenant was. */
const GONE: PermitReply = { kind: "stopped", message: "This task was erased.", askAgainAfterMs: STOPPED_RETRY_MS };

/** A permit request with the task's report. */
interface PermitEntry {
  readonly request: PermitRequest;
  readonly report: TaskReport | null;
}

interface Parts {
  readonly tables: Pick<TenantTables, "isErased">;
  readonly outbox: Pick<TenantOutbox, "isForgotten" | "markErased" | "putForgotten" | "putReport">;
  readonly index: Pick<TenantTaskIndex, "schedule">;
  readonly notices: Pick<TenantNotices, "store" | "deleteOfTask">;
  readonly waits: Pick<TenantConnectionWaits, "record" | "deleteOfTask">;
  readonly slots: Pick<TenantSlots, "enter" | "permitNew" | "report" | "forget">;
  readonly summaries: Pick<TenantSummaries, "schedule" | "deleteOfTask">;
  readonly killSwitch: Pick<TenantKillSwitch, "getStop" | "requestHalt">;
  readonly feed: Pick<TenantFeed, "publish" | "publishErased">;
  readonly alarms: Pick<TenantAlarm, "arm">;
}

export class TenantReports {
  private readonly parts: Parts;
  /** A permit request waits for its reply, so its batch is only what has already arrived. */
  private readonly permits = new Batcher(0, (entries: readonly PermitEntry[]) =>
    this.armAfter(entries.map((entry) => this.enter(entry))),
  );
  private readonly rows = new Batcher(REPORTS_WAIT_MS, (rows: readonly TaskReport[]) =>
    this.armAfter(rows.map((row) => this.apply(row))),
  );

  constructor(parts: Parts) {
    this.parts = parts;
  }

  async requestPermit(request: PermitRequest, report: TaskReport | null): Promise<PermitReply> {
    return await this.permits.add({ request, report });
  }

  async report(row: TaskReport): Promise<ReportReply> {
    return await this.rows.add(row);
  }

  /** Returns a short permit for each of `count` new subtasks of a payer; null if each has to request its own. */
  permitSubtasks(key: string | null, count: number): ShortPermit | null {
    const { tables, slots, killSwitch } = this.parts;
    return tables.isErased() || killSwitch.getStop() !== null ? null : slots.permitNew(key, count);
  }

  /** Resolves once the reports that have arrived are stored. */
  async waitForPending(): Promise<void> {
    await this.rows.waitForPending();
  }

  /** Deletes everything of an erased task except the record of its deletion. */
  forget(task: string, retainsSummary: boolean): void {
    const { tables, outbox, index, summaries, notices, waits, slots, feed, alarms } = this.parts;
    if (tables.isErased()) {
      outbox.markErased(task);
      return;
    }
    outbox.putForgotten(task, retainsSummary);
    index.schedule(Date.now());
    summaries.deleteOfTask(task);
    notices.deleteOfTask(task);
    waits.deleteOfTask(task);
    slots.forget(task);
    feed.publishErased(task);
    alarms.arm();
  }

  private enter({ request, report }: PermitEntry): PermitReply {
    const { tables, outbox, slots, killSwitch } = this.parts;
    if (tables.isErased()) {
      outbox.putForgotten(request.task);
      return GONE;
    }
    if (outbox.isForgotten(request.task)) return GONE;
    if (report !== null) this.store(report, Date.now());
    const stop = killSwitch.getStop();
    return slots.enter(request, stop === null ? null : formatStopMessage(stop));
  }

  private apply(row: TaskReport): ReportReply {
    const { tables, outbox, slots, summaries, killSwitch } = this.parts;
    if (tables.isErased()) {
      outbox.putForgotten(row.task);
      return { erased: true };
    }
    if (!outbox.isForgotten(row.task)) {
      const now = Date.now();
      this.store(row, now);
      slots.report(row);
      if (mayLeaveSummary(row)) summaries.schedule(now);
      if (row.view.status === "running" && killSwitch.getStop() !== null) killSwitch.requestHalt(row.task);
    }
    return { erased: false };
  }

  /**
   * Stores a report for the index, its waits and its notices, in one turn and so in one transaction. Publishes it to the
   * watchers.
   */
  private store({ news, ...row }: TaskReport, now: number): void {
    this.parts.outbox.putReport(row);
    this.parts.waits.record(row);
    this.parts.index.schedule(now, getRowDelayMs(row.view.status));
    if (news !== undefined) this.parts.notices.store(news);
    this.parts.feed.publish(row);
  }

  /** Arms the alarm for what a batch stored: notices, index rows and summaries. */
  private armAfter<T>(replies: T): T {
    this.parts.alarms.arm();
    return replies;
  }
}

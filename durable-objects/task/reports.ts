/**
 * Schedules the reports of a task to its tenant and parent: important ones at once, the others soon, failed ones again.
 */
import type { TaskRelations } from "./relations.ts";
import type { TaskStore } from "./store.ts";
import { computeBackoffMs } from "../../core/base/backoff.ts";

/** A report that can wait is sent after this long, with those that followed. */
const SOON_MS = 100;
const MAX_BACKOFF_MS = 60_000;
/** The same during a run. Below the 30 seconds within which a stop holds after a lost message. */
const MAX_RUN_BACKOFF_MS = 10_000;

export class TaskReports {
  private readonly store: TaskStore;
  private readonly relations: TaskRelations;
  private readonly onTenantErased: () => Promise<void>;
  private sending: Promise<void> | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private failures = 0;

  /** `onTenantErased` runs when the tenant was erased; a failure is retried like a report. */
  constructor(store: TaskStore, relations: TaskRelations, onTenantErased: () => Promise<void>) {
    this.store = store;
    this.relations = relations;
    this.onTenantErased = onTenantErased;
  }

  /** Schedules a report of a running task. A waiting task has no timer. */
  schedule(report: () => void): void {
    this.timer ??= setTimeout(report, SOON_MS);
  }

  /**
   * Schedules a failed report again during a run, whose end the alarm awaits. A stop halts only tasks that the tenant
   * knows to run.
   */
  scheduleRetry(report: () => void): void {
    if (this.failures > 0 && this.store.hasUnpublished())
      this.timer ??= setTimeout(report, computeBackoffMs(this.failures, MAX_RUN_BACKOFF_MS));
  }

  /** Sends every unpublished report. Never throws; failures are retried. */
  async sendPending(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.sending ??= this.sendAll().finally(() => {
      this.sending = null;
    });
    await this.sending;
  }

  /** Returns when to retry; null when everything is reported. */
  computeRetryAt(now: number): number | null {
    if (!this.store.hasUnpublished()) return null;
    return now + computeBackoffMs(this.failures + 1, MAX_BACKOFF_MS);
  }

  private async sendAll(): Promise<void> {
    try {
      for (let stored = this.store.load(); stored !== null && this.store.hasUnpublished(); stored = this.store.load()) {
        const unpublished = this.store.log.readUnpublished(stored);
        if (await this.relations.report(stored, this.store.toView(stored.state), unpublished.notices))
          return await this.onTenantErased();
        this.store.markPublished(stored.version, unpublished);
      }
      this.failures = 0;
    } catch (thrown) {
      this.failures += 1;
      console.error("report to the tenant failed", thrown);
    }
  }
}

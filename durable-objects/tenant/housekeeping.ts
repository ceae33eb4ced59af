/** What a tenant's object does on its alarm and on request of the sweep: sends the index, writes summaries, deletes what expired. */
import { awaitWithin } from "../../core/base/deadline.ts";
import type { TenantAlarm } from "./alarm.ts";
import type { TenantBackgroundJobs } from "./background-jobs.ts";
import type { TenantOutbox } from "./outbox.ts";
import type { TenantReports } from "./reports.ts";
import type { TenantRowCheck } from "./row.ts";
import type { TenantSlots } from "./slots.ts";
import type { TenantStore } from "./store.ts";
import type { TenantSummaries } from "./summaries.ts";
import type { TenantTables } from "./tables.ts";
import type { TenantTaskIndex } from "./task-index.ts";

/** The alarm handler waits this long for the index; the send continues in the background. */
const ALARM_SEND_MS = 500;

interface Parts {
  readonly tables: Pick<TenantTables, "isErased">;
  readonly alarms: Pick<TenantAlarm, "arm" | "run">;
  readonly jobs: Omit<TenantBackgroundJobs, "nextAt">;
  readonly store: Pick<TenantStore, "deleteExpired">;
  readonly outbox: Pick<TenantOutbox, "deleteExpired">;
  readonly slots: Pick<TenantSlots, "deleteOld">;
  readonly reports: Pick<TenantReports, "waitForPending">;
  readonly index: Pick<TenantTaskIndex, "flush" | "isDue">;
  readonly row: Pick<TenantRowCheck, "compareForIndex">;
  readonly summaries: Pick<TenantSummaries, "writeAll">;
}

export class TenantHousekeeping {
  private readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** Handles the alarm. Never throws. `name` is for the log. */
  async runAlarm(name: string): Promise<void> {
    await this.parts.alarms.run(name, (dueBy) => this.runJobs(dueBy));
  }

  /** Sends the index rows of every report so far. False if Postgres did not accept all of them. */
  async send(): Promise<boolean> {
    await this.parts.reports.waitForPending();
    return await this.parts.index.flush();
  }

  /** Sends the index rows and compares the tenant's row, before a read of the index. */
  async flush(): Promise<boolean> {
    const isSent = await this.send();
    await this.parts.row.compareForIndex();
    return isSent;
  }

  /** Writes the summaries of all completed tasks. False if some failed. */
  async writeSummaries(): Promise<boolean> {
    await this.parts.reports.waitForPending();
    return this.parts.tables.isErased() || (await this.parts.summaries.writeAll());
  }

  private async runJobs(dueBy: number): Promise<void> {
    const { jobs, index } = this.parts;
    jobs.notifyTasks();
    this.deleteExpired(Date.now());
    jobs.writeSummaries(dueBy);
    jobs.fanOutNotices();
    jobs.wakeConnected();
    jobs.rebuild();
    jobs.sweep();
    if (index.isDue(dueBy)) await this.sendWithin(ALARM_SEND_MS);
  }

  private deleteExpired(now: number): void {
    this.parts.store.deleteExpired(now);
    this.parts.outbox.deleteExpired(now);
    this.parts.slots.deleteOld(now);
  }

  /** Continues a slow send in the background: no alarm fires during its own handler, and notices wait for the next one. */
  private async sendWithin(ms: number): Promise<void> {
    const sent = this.send();
    void sent.catch(() => undefined).then(() => this.parts.alarms.arm());
    await awaitWithin(globalThis, ms, sent, null);
  }
}

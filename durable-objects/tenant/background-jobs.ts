/**
 * Starts the background jobs of a tenant's object: notifying tasks of a stop or release, writing summaries, fanning out
 * notices, waking tasks whose connection is active, rebuilding the index, and the retention sweep. The alarm restarts a job that a crash interrupted. No job
 * delays another.
 */
import type { TenantConnectionWaits } from "./connection-waits.ts";
import type { TenantNotices } from "./notices.ts";
import type { TenantReindex } from "./reindex.ts";
import type { TenantRetention } from "./retention.ts";
import type { TenantSummaries } from "./summaries.ts";
import type { TenantKillSwitch } from "./kill-switch.ts";
import type { TenantTables } from "./tables.ts";

export class TenantBackgroundJobs {
  private readonly tables: TenantTables;
  private readonly killSwitch: TenantKillSwitch;
  private readonly summaries: TenantSummaries;
  private readonly notices: TenantNotices;
  private readonly waits: TenantConnectionWaits;
  private readonly reindex: TenantReindex;
  private readonly retention: TenantRetention;
  private readonly rearm: () => void;

  /** `rearm` runs after each job, for the work that is left. */
  constructor(
    tables: TenantTables,
    parts: {
      readonly killSwitch: TenantKillSwitch;
      readonly summaries: TenantSummaries;
      readonly notices: TenantNotices;
      readonly waits: TenantConnectionWaits;
      readonly reindex: TenantReindex;
      readonly retention: TenantRetention;
    },
    rearm: () => void,
  ) {
    this.tables = tables;
    this.killSwitch = parts.killSwitch;
    this.summaries = parts.summaries;
    this.notices = parts.notices;
    this.waits = parts.waits;
    this.reindex = parts.reindex;
    this.retention = parts.retention;
    this.rearm = rearm;
  }

  /** Notifies tasks that the tenant was stopped or released. */
  notifyTasks(): void {
    if (this.tables.isErased() || this.killSwitch.nextNotifyAt(0) === null) return;
    this.killSwitch
      .notifyTasks()
      .catch((thrown: unknown) => console.error("the telling of tasks failed", this.tables.getTenant(), thrown))
      .finally(this.rearm);
  }

  /** Writes the summaries when some are due. */
  writeSummaries(now: number): void {
    const at = this.tables.isErased() ? null : this.summaries.nextAt(now);
    if (at !== null && at <= now) void this.summaries.write().then(this.rearm);
  }

  /** Fans out the notices that are due. */
  fanOutNotices(): void {
    const now = Date.now();
    const at = this.tables.isErased() ? null : this.notices.nextAt(now);
    if (at !== null && at <= now) void this.notices.fanOut().then(this.rearm);
  }

  /** Wakes the tasks that wait for a connection that is active. */
  wakeConnected(): void {
    const now = Date.now();
    const at = this.tables.isErased() ? null : this.waits.nextAt(now);
    if (at !== null && at <= now) void this.waits.wake().then(this.rearm);
  }

  /** Runs the next batch of a rebuild that is due. */
  rebuild(): void {
    const now = Date.now();
    const at = this.reindex.nextAt(now);
    if (at !== null && at <= now) void this.reindex.run().then(this.rearm);
  }

  /** Deletes what is past its retention, as much as a minute allows. */
  sweep(): void {
    const now = Date.now();
    const at = this.retention.nextAt(now);
    if (at !== null && at <= now) void this.retention.run().then(this.rearm);
  }

  /** Returns when the next job is due; Infinity when no work is left. */
  nextAt(now: number): number {
    const due = [
      this.killSwitch.nextNotifyAt(now),
      this.summaries.nextAt(now),
      this.notices.nextAt(now),
      this.waits.nextAt(now),
      this.reindex.nextAt(now),
      this.retention.nextAt(now),
    ];
    return Math.min(...due.map((at) => at ?? Infinity));
  }
}

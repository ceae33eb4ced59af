/**
 * What a tenant's object does for others in the background: it tells tasks of a stop or a release, keeps the summaries of
 * tasks, spreads what happened to them, rebuilds the index, and removes what is past its retention. Each is begun here and made good by the alarm when a crash cuts
 * it off, and none holds up anything else.
 */
import type { TenantNotices } from "./notices.ts";
import type { TenantReindex } from "./reindex.ts";
import type { TenantRetention } from "./retention.ts";
import type { TenantSummaries } from "./summaries.ts";
import type { TenantSwitch } from "./kill-switch.ts";
import type { TenantTables } from "./tables.ts";

export class TenantErrands {
  private readonly tables: TenantTables;
  private readonly switch: TenantSwitch;
  private readonly summaries: TenantSummaries;
  private readonly notices: TenantNotices;
  private readonly reindex: TenantReindex;
  private readonly retention: TenantRetention;
  private readonly rearm: () => void;

  /** `rearm` is called after each: what is left has to be done later. */
  constructor(
    tables: TenantTables,
    parts: {
      readonly switch: TenantSwitch;
      readonly summaries: TenantSummaries;
      readonly notices: TenantNotices;
      readonly reindex: TenantReindex;
      readonly retention: TenantRetention;
    },
    rearm: () => void,
  ) {
    this.tables = tables;
    this.switch = parts.switch;
    this.summaries = parts.summaries;
    this.notices = parts.notices;
    this.reindex = parts.reindex;
    this.retention = parts.retention;
    this.rearm = rearm;
  }

  /** Tells tasks that the tenant was stopped or released. */
  tell(): void {
    if (this.tables.isErased() || this.switch.nextTellAt(0) === null) return;
    this.switch
      .tell()
      .catch((thrown: unknown) => console.error("the telling of tasks failed", this.tables.tenant(), thrown))
      .finally(this.rearm);
  }

  /** Keeps the summaries that are due. */
  summarise(): void {
    if (!this.tables.isErased() && this.summaries.nextAt(0) !== null) void this.summaries.write().then(this.rearm);
  }

  /** Spreads the notices that are due. */
  spread(): void {
    if (this.hasNotices()) void this.notices.spread().then(this.rearm);
  }

  /** True while notices are due that the alarm has to spread. */
  hasNotices(): boolean {
    const now = Date.now();
    const at = this.tables.isErased() ? null : this.notices.nextAt(now);
    return at !== null && at <= now;
  }

  /** Does the next batch of a rebuilding that is due. */
  rebuild(): void {
    const now = Date.now();
    const at = this.reindex.nextAt(now);
    if (at !== null && at <= now) void this.reindex.run().then(this.rearm);
  }

  /** Removes what is past its retention, as much as a minute allows. */
  sweep(): void {
    const now = Date.now();
    const at = this.retention.nextAt(now);
    if (at !== null && at <= now) void this.retention.run().then(this.rearm);
  }

  /** When any of them is due; infinity: nothing is left. */
  nextAt(now: number): number {
    const due = [
      this.switch.nextTellAt(now),
      this.summaries.nextAt(now),
      this.notices.nextAt(now),
      this.reindex.nextAt(now),
      this.retention.nextAt(now),
    ];
    return Math.min(...due.map((at) => at ?? Infinity));
  }
}

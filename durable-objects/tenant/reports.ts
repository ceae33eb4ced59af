/** What a tenant hears of its tasks: how each stands, and that one asks for leave to begin hops. */
import type { PermitReply, PermitRequest, ReportReply } from "../../core/tenant/rpc.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import { STOPPED_RETRY_MS } from "../../core/task/admission.ts";
import { formatStopMessage } from "../../core/tenant/stop-message.ts";
import type { TenantErrands } from "./background-jobs.ts";
import type { TenantFeed } from "./feed.ts";
import type { TenantNotices } from "./notices.ts";
import type { TenantOutbox } from "./outbox.ts";
import type { TenantPlaces } from "./slots.ts";
import type { TenantSummaries } from "./summaries.ts";
import type { TenantSwitch } from "./kill-switch.ts";
import type { TenantTables } from "./tables.ts";

/** What a task hears that is still heard of after it, or its tenant, was erased. */
const GONE: PermitReply = { kind: "stopped", message: "This task was erased.", askAgainAfterMs: STOPPED_RETRY_MS };

/** A task that asks for leave, with its news. */
export interface Asked {
  readonly request: PermitRequest;
  readonly report: TaskReport | null;
}

interface Parts {
  readonly tables: TenantTables;
  readonly outbox: TenantOutbox;
  readonly notices: TenantNotices;
  readonly places: TenantPlaces;
  readonly summaries: TenantSummaries;
  readonly switch: TenantSwitch;
  readonly errands: TenantErrands;
  readonly feed: TenantFeed;
}

/** Every method is one synchronous piece of work. */
export class TenantReports {
  private readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  letIn({ request, report }: Asked): PermitReply {
    const { tables, outbox, places } = this.parts;
    if (tables.isErased()) {
      outbox.putForgotten(request.task);
      return GONE;
    }
    if (outbox.isForgotten(request.task)) return GONE;
    if (report !== null) this.keep(report);
    const stop = this.parts.switch.stopped();
    return places.enter(request, stop === null ? null : formatStopMessage(stop));
  }

  hear(row: TaskReport): ReportReply {
    const { tables, outbox, places, summaries, errands } = this.parts;
    if (tables.isErased()) {
      outbox.putForgotten(row.task);
      return { erased: true };
    }
    if (!outbox.isForgotten(row.task)) {
      this.keep(row);
      summaries.hear(row);
      places.report(row);
      if (row.view.status === "running" && this.parts.switch.stopped() !== null) {
        this.parts.switch.halt(row.task);
        errands.tell();
      }
    }
    return { erased: false };
  }

  /** The task was erased: nothing of it is kept or told any more, but that it was. */
  forget(task: string, keepsMemory: boolean): void {
    const { outbox, summaries, notices, places, feed } = this.parts;
    outbox.putForgotten(task, keepsMemory);
    summaries.forget(task);
    notices.forget(task);
    places.forget(task);
    feed.forget(task);
  }

  /** Keeps a report for the index, and what happened for those who want to hear of it; tells who watches. */
  private keep({ news, ...row }: TaskReport): void {
    this.parts.outbox.putReport(row);
    if (news !== undefined) this.parts.notices.hear(news);
    this.parts.feed.hear(row);
  }
}

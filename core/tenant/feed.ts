/**
 * The live feed of a tenant's tasks: what is told of a report, and how much of it. Changes of one task within a window are
 * told as one, the last; when more tasks change than a reader could follow, only that is told. Nothing is kept: who was not
 * there reads again what it shows.
 */
import { MICROS_PER_DOLLAR } from "../task/amounts.ts";
import type { TaskReport } from "../task/rpc.ts";
import { lineOf, type OwnUsage, type TaskLine } from "../task/line.ts";
import type { TaskStatus } from "../task/status.ts";

/** What follows a quiet time is told this soon, with what comes at the same moment. */
const FIRST_MS = 20;
/** Between two tellings. */
const WINDOW_MS = 250;
/** After one that told of no task by itself, because there were too many. */
const CROWDED_WINDOW_MS = 1000;
/** Tasks of one telling. */
const MAX_CHANGES = 200;

/** How a task stands now. `version` only grows: a change with a lower one than was seen is old. */
export interface TaskChange {
  readonly task_id: string;
  readonly parent_id: string | null;
  /** The root of its tree, itself where it has no parent. Null: erased. */
  readonly root_id: string | null;
  /** `erased`: the task is gone, and `task` is null. */
  readonly status: TaskStatus | "erased";
  readonly version: number | null;
  /** ISO 8601, when it was told. */
  readonly at: string;
  /** True for a call over the API, which is in no list of tasks. */
  readonly hidden: boolean;
  /** How much of the task itself waits for a person. */
  readonly pending: number;
  readonly task: (TaskLine & { readonly usage: OwnUsage }) | null;
}

/** What a watcher's WebSocket carries, as JSON text. `skipped`: more tasks changed than it tells. */
export type FeedFrame = { readonly changes: readonly TaskChange[] } | { readonly skipped: true };

export function changeOf({ task, version, view, hidden, used, waits, root }: TaskReport, now: number): TaskChange {
  const { steps, tool_calls } = view.usage;
  const usage = { steps, tool_calls, tokens: used.tokens, cost_usd: used.costMicros / MICROS_PER_DOLLAR };
  return {
    task_id: task,
    parent_id: view.parent_id,
    root_id: root ?? task,
    status: view.status,
    version,
    at: new Date(now).toISOString(),
    hidden,
    pending: waits?.length ?? 0,
    task: { ...lineOf(view), usage },
  };
}

export function erasedChange(task: string, now: number): TaskChange {
  const at = new Date(now).toISOString();
  const rest = { parent_id: null, root_id: null, version: null, hidden: false, pending: 0, task: null };
  return { task_id: task, status: "erased", at, ...rest };
}

/** What is to be told next. */
export class FeedWindow {
  private changes = new Map<string, TaskChange>();
  private isCrowded = false;
  private nextAt = 0;

  /** Takes a change. Gives when to tell it. */
  put(change: TaskChange, now: number): number {
    const before = this.changes.get(change.task_id);
    if (this.isCrowded || isOlder(change, before)) return this.dueAt(now);
    // What changed last is told last.
    this.changes.delete(change.task_id);
    this.changes.set(change.task_id, change);
    if (this.changes.size > MAX_CHANGES) {
      this.changes.clear();
      this.isCrowded = true;
    }
    return this.dueAt(now);
  }

  /** What has come since the last time; null: nothing. */
  take(now: number): FeedFrame | null {
    const frame: FeedFrame = this.isCrowded ? { skipped: true } : { changes: [...this.changes.values()] };
    if ("changes" in frame && frame.changes.length === 0) return null;
    this.nextAt = now + (this.isCrowded ? CROWDED_WINDOW_MS : WINDOW_MS);
    this.changes = new Map();
    this.isCrowded = false;
    return frame;
  }

  private dueAt(now: number): number {
    return Math.max(now + FIRST_MS, this.nextAt);
  }
}

/** An erased task stays erased. */
function isOlder({ version }: TaskChange, before: TaskChange | undefined): boolean {
  if (before === undefined) return false;
  return before.version === null || (version !== null && version < before.version);
}

/**
 * The live feed of a tenant's tasks. Publishes only the last change of each task in a window; when more tasks change
 * than a reader could follow, it publishes only that. Nothing is stored: a reader that missed changes reads its page
 * again.
 */
import { MICROS_PER_DOLLAR } from "../task/amounts.ts";
import type { TaskReport } from "../task/rpc.ts";
import { toTaskLine, type OwnUsage, type TaskLine } from "../task/line.ts";
import type { TaskStatus } from "../task/status.ts";

/** Delay of the first change after a quiet time, together with simultaneous ones. */
const FIRST_MS = 20;
/** Time between two frames. */
const WINDOW_MS = 250;
/** Time after a `skipped` frame. */
const CROWDED_WINDOW_MS = 1000;
/** The most tasks of one frame. */
const MAX_CHANGES = 200;

/** The current state of a task. `version` only grows: a change with a lower one is old. */
export interface TaskChange {
  readonly task_id: string;
  readonly parent_id: string | null;
  /** The root of its tree; its own id for a root; null when erased. */
  readonly root_id: string | null;
  /** `erased`: the task was deleted, and `task` is null. */
  readonly status: TaskStatus | "erased";
  readonly version: number | null;
  /** The time of publication, in ISO 8601. */
  readonly at: string;
  /** True for the hidden task of an API call, which lists omit. */
  readonly hidden: boolean;
  /** The number of the task's own waits for a person. */
  readonly pending: number;
  readonly task: (TaskLine & { readonly usage: OwnUsage }) | null;
}

/** The JSON text on a watcher's WebSocket. `skipped`: more tasks changed than a frame can list. */
export type FeedFrame = { readonly changes: readonly TaskChange[] } | { readonly skipped: true };

export function toTaskChange({ task, version, view, hidden, used, waits, root }: TaskReport, now: number): TaskChange {
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
    task: { ...toTaskLine(view), usage },
  };
}

export function createErasedChange(task: string, now: number): TaskChange {
  const at = new Date(now).toISOString();
  const rest = { parent_id: null, root_id: null, version: null, hidden: false, pending: 0, task: null };
  return { task_id: task, status: "erased", at, ...rest };
}

/** The changes of the next frame. */
export class FeedWindow {
  private changes = new Map<string, TaskChange>();
  private isCrowded = false;
  private nextAt = 0;

  /** Adds a change and returns when to publish it. */
  put(change: TaskChange, now: number): number {
    const before = this.changes.get(change.task_id);
    if (this.isCrowded || isOlder(change, before)) return this.computeDueAt(now);
    // The last change comes last.
    this.changes.delete(change.task_id);
    this.changes.set(change.task_id, change);
    if (this.changes.size > MAX_CHANGES) {
      this.changes.clear();
      this.isCrowded = true;
    }
    return this.computeDueAt(now);
  }

  /** Returns the changes since the last frame; null if there were none. */
  take(now: number): FeedFrame | null {
    const frame: FeedFrame = this.isCrowded ? { skipped: true } : { changes: [...this.changes.values()] };
    if ("changes" in frame && frame.changes.length === 0) return null;
    this.nextAt = now + (this.isCrowded ? CROWDED_WINDOW_MS : WINDOW_MS);
    this.changes = new Map();
    this.isCrowded = false;
    return frame;
  }

  private computeDueAt(now: number): number {
    return Math.max(now + FIRST_MS, this.nextAt);
  }
}

/** Nothing is newer than an erased task. */
function isOlder({ version }: TaskChange, before: TaskChange | undefined): boolean {
  if (before === undefined) return false;
  return before.version === null || (version !== null && version < before.version);
}

/** What the live feed has told since the last reading, and which of the answers that the page holds it makes old. */
import type { StreamEvent } from "./stream-event.ts";

/** What is known of a task that changed. */
export interface TaskChange {
  readonly id: string;
  readonly parentId: string | null;
  /** Null: the task is erased. */
  readonly rootId: string | null;
  readonly status: string;
  /** A call over the API, which is in no list of tasks. */
  readonly isHidden: boolean;
  readonly agent: string | null;
  readonly project: string | null;
}

/** What was told. `isAll`: anything may have changed. */
export interface News {
  readonly isAll: boolean;
  /** What waits for people may have changed. */
  readonly isInbox: boolean;
  readonly changes: readonly TaskChange[];
}

/** More than this many tasks are taken as all of them: to look each up would be more work than to read. */
const MOST_CHANGES = 500;
/** Tasks of which is kept how much of them waits. */
const MOST_REMEMBERED = 5_000;

/** Collects the changes that the live feed reports. */
export class FeedNews {
  private changes = new Map<string, TaskChange>();
  private isAll = false;
  private isInbox = false;
  /** How much of each task waits for people, as it was told last. */
  private waiting = new Map<string, number>();

  /** Takes an event. The feed keeps nothing, so one that is no change of one task means that all is to be read again. */
  add({ event, data }: StreamEvent): void {
    const change = event === "task.changed" ? readChange(data) : null;
    if (change === null) {
      this.isAll = true;
      this.waiting.clear();
      return;
    }
    const waits = readNumber(data, "pending") ?? 1;
    // A task that asked nothing and asks nothing leaves what waits as it was.
    if (waits > 0 || this.waiting.get(change.id) !== 0) this.isInbox = true;
    if (this.waiting.size >= MOST_REMEMBERED) this.waiting.clear();
    this.waiting.set(change.id, waits);
    if (this.changes.size >= MOST_CHANGES) this.isAll = true;
    else this.changes.set(change.id, change);
  }

  /** What was told since the last time. */
  take(): News {
    const news = { isAll: this.isAll, isInbox: this.isInbox, changes: [...this.changes.values()] };
    this.changes = new Map();
    this.isAll = false;
    this.isInbox = false;
    return news;
  }
}

/** Null: it is not what was expected. */
function readChange(data: unknown): TaskChange | null {
  const id = readText(data, "task_id");
  if (id === null) return null;
  const task = readPart(data, "task");
  return {
    id,
    parentId: readText(data, "parent_id"),
    rootId: readText(data, "root_id"),
    status: readText(data, "status") ?? "",
    isHidden: readPart(data, "hidden") === true,
    agent: readText(task, "agent"),
    project: readText(task, "project"),
  };
}

function readPart(data: unknown, name: string): unknown {
  return typeof data === "object" && data !== null ? (data as Record<string, unknown>)[name] : undefined;
}

function readText(data: unknown, name: string): string | null {
  const part = readPart(data, name);
  return typeof part === "string" ? part : null;
}

function readNumber(data: unknown, name: string): number | null {
  const part = readPart(data, name);
  return typeof part === "number" ? part : null;
}

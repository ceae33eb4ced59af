/** The index of tasks. */
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest, PagePosition } from "../base/page-cursor.ts";
import type { OwnUsage, TaskLine } from "../task/line.ts";
import type { OpenWait } from "../task/open-waits.ts";
import type { TaskReport } from "../task/rpc.ts";
import type { ShortTask } from "../task/short.ts";
import type { TaskStatus } from "../task/status.ts";
import type { TaskView } from "../task/view.ts";

/** The filter of a list of tasks; null or absent matches all. */
export interface TaskFilter {
  /** Any of these. */
  readonly status: readonly TaskStatus[] | null;
  readonly project: string | null;
  /** Any of these projects. */
  readonly projects?: readonly string[];
  /** The id or the name of an agent. */
  readonly agent?: string;
  /** Tasks without a parent, or those of this one. */
  readonly parent?: { readonly id: string | null };
  /** Matches the start of the input in any case; with six or more characters, also the id. */
  readonly text?: string;
  /** Created from this time on, and before this time. */
  readonly from?: number;
  readonly before?: number;
}

/** The filter of the inbox; null matches all. `person` is the id of a person's record, or a name that a task used. */
export interface InboxFilter {
  readonly kind: OpenWait["kind"] | null;
  readonly person: string | null;
  /** Only tasks of these projects. */
  readonly projects?: readonly string[];
  /** Absent for the oldest first. */
  readonly order?: InboxOrder;
}

export const INBOX_ORDERS = ["oldest", "newest"] as const;

export type InboxOrder = (typeof INBOX_ORDERS)[number];

/** Entries of the inbox, each with its task, and their total. An entry's position is its `since` and its id. */
export interface InboxPage extends Page<OpenWait & { readonly task: TaskLine }> {
  readonly total: number;
}

/** A task in its tree. */
export interface TreeNode extends TaskLine {
  readonly usage: OwnUsage;
}

export interface TaskIndex {
  /**
   * Stores rows with a higher version than the stored one. Drops rows of a deleted tenant. With `counter`, that of the
   * tenant's object, increments the counter of the tenant's row; `isTogether` is false if the row has another counter,
   * or is missing or deleted, and was not incremented.
   */
  upsert(
    tenant: string,
    reports: readonly TaskReport[],
    counter?: number,
  ): Promise<Result<{ readonly isTogether: boolean }>>;
  /** The tenant's tasks without hidden ones. A page ends early when it is large (over 8 MB). */
  page(tenant: string, filter: TaskFilter, request: PageRequest): Promise<Result<Page<TaskView>>>;
  /** The same in the short form. */
  shortPage(tenant: string, filter: TaskFilter, request: PageRequest): Promise<Result<Page<ShortTask>>>;
  /** Open waits for people, including those of hidden tasks. */
  inbox(tenant: string, filter: InboxFilter, request: PageRequest): Promise<Result<InboxPage>>;
  /** The tasks below a task, the nearest first and then the earliest, without hidden ones. */
  listBelow(tenant: string, task: string, limit: number): Promise<Result<readonly TreeNode[]>>;
  /** Ids of tasks of the tenant, including hidden ones, in no order, for deletion. */
  some(tenant: string, limit: number): Promise<Result<readonly string[]>>;
  /** The ids after one (null: from the start), including hidden ones, in order. */
  ids(tenant: string, after: string | null, limit: number): Promise<Result<readonly string[]>>;
  /** The roots that ended before `before`, the earliest first. Their position is the end time. */
  listEnded(tenant: string, before: number, request: PageRequest): Promise<Result<readonly PagePosition[]>>;
  count(tenant: string): Promise<Result<StoredTasks>>;
  remove(tenant: string, ids: readonly string[]): Promise<Result<void>>;
  /**
   * The last report of a task, even a hidden one, without its waits and its root; null if the index does not list it.
   */
  find(tenant: string, id: string): Promise<Result<TaskReport | null>>;
  /**
   * Tasks of any tenant whose alarm was due before `before`, the longest overdue first. Their position is the due time.
   */
  overdue(before: number, request: PageRequest): Promise<Result<Page<{ tenant: string; task: string }>>>;
}

/** Counts of a tenant's stored tasks, without hidden ones. */
interface StoredTasks {
  readonly tasks: number;
  readonly ended: number;
  /** When the earliest stored one ended, in milliseconds since the epoch; null if none did. */
  readonly earliestEnd: number | null;
}

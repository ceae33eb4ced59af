/** The index of tasks. */
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest, Place } from "../base/page-cursor.ts";
import type { OwnUsage, TaskLine } from "../task/line.ts";
import type { OpenWait } from "../task/open-waits.ts";
import type { TaskReport } from "../task/rpc.ts";
import type { ShortTask } from "../task/short.ts";
import type { TaskStatus } from "../task/status.ts";
import type { TaskView } from "../task/view.ts";

/** What narrows a list of tasks; null, or absent: it does not. */
export interface TaskFilter {
  /** Any of these. */
  readonly status: readonly TaskStatus[] | null;
  readonly project: string | null;
  /** Any of these projects. */
  readonly projects?: readonly string[];
  /** The id or the name of an agent. */
  readonly agent?: string;
  /** The tasks of no parent, or those of this one. */
  readonly parent?: { readonly id: string | null };
  /** Stands in the beginning of the input, in any case; from six characters on, also in the id. */
  readonly text?: string;
  /** Made at that moment or later, and before that moment. */
  readonly from?: number;
  readonly before?: number;
}

/** What narrows the inbox; null: it does not. `person` is the id of a person's record, or a name as a task used it. */
export interface InboxFilter {
  readonly kind: OpenWait["kind"] | null;
  readonly person: string | null;
  /** Of tasks of any of these projects. */
  readonly projects?: readonly string[];
  /** Absent: the oldest first. */
  readonly order?: InboxOrder;
}

export const INBOX_ORDERS = ["oldest", "newest"] as const;

export type InboxOrder = (typeof INBOX_ORDERS)[number];

/** Entries of the inbox, each with its task, and how many there are in all. The place of one is its `since` and its id. */
export interface InboxPage extends Page<OpenWait & { readonly task: TaskLine }> {
  readonly total: number;
}

/** A task in the picture of its tree. */
export interface TreeNode extends TaskLine {
  readonly usage: OwnUsage;
}

export interface TaskIndex {
  /**
   * Takes rows whose version is higher than what is there. Rows of an erased tenant are dropped. With `counter`, the one that
   * the tenant's object has, the tenant's row advances to the next one; `isTogether` false: its counter is another, or it is
   * gone or erased, and it did not.
   */
  upsert(
    tenant: string,
    reports: readonly TaskReport[],
    counter?: number,
  ): Promise<Result<{ readonly isTogether: boolean }>>;
  /** The tenant's tasks that are not hidden. A page ends early when what it holds is large (over 8 MB). */
  page(tenant: string, filter: TaskFilter, request: PageRequest): Promise<Result<Page<TaskView>>>;
  /** The same in the short form. */
  shortPage(tenant: string, filter: TaskFilter, request: PageRequest): Promise<Result<Page<ShortTask>>>;
  /** What waits for people; that of hidden tasks too. */
  inbox(tenant: string, filter: InboxFilter, request: PageRequest): Promise<Result<InboxPage>>;
  /** The tasks below one, the nearest first and then the earliest, without the hidden ones. */
  below(tenant: string, task: string, limit: number): Promise<Result<readonly TreeNode[]>>;
  /** The ids of tasks of the tenant, hidden ones too, in no order: what there is to erase. */
  some(tenant: string, limit: number): Promise<Result<readonly string[]>>;
  /** The ids after one (null: from the start), hidden ones too, in their order. */
  ids(tenant: string, after: string | null, limit: number): Promise<Result<readonly string[]>>;
  /** The roots that ended before `before`, the earliest first. Their place is that moment. */
  ended(tenant: string, before: number, request: PageRequest): Promise<Result<readonly Place[]>>;
  count(tenant: string): Promise<Result<StoredTasks>>;
  remove(tenant: string, ids: readonly string[]): Promise<Result<void>>;
  /** What a task reported last, a hidden one too, without its waits and its root; null: the index does not list it. */
  find(tenant: string, id: string): Promise<Result<TaskReport | null>>;
  /** Tasks of any tenant whose wake-up was due before `before`, the longest overdue first. Their place is that moment. */
  overdue(before: number, request: PageRequest): Promise<Result<Page<{ tenant: string; task: string }>>>;
}

/** How much of a tenant's tasks is stored. Hidden tasks are not counted. */
interface StoredTasks {
  readonly tasks: number;
  readonly ended: number;
  /** When the first of those that are stored ended, in milliseconds since the epoch; null: none did. */
  readonly earliestEnd: number | null;
}

/**
 * Keeps in memory what only counts: the use of a task that holds a slot while none of its budgets has a limit. It is stored
 * with the task's next message that changes more, such as the one that returns the slot, with every eighth message, and
 * when a limit is set. A restart forgets it until the task's next message, because use is a total.
 */
import { NO_AMOUNT } from "../task/amounts.ts";
import type { Amount } from "../task/state.ts";
import type { AdmissionStore, Spending, TaskRow } from "./admission.ts";
import type { AccountFigures } from "./budget-book.ts";
import { addAmounts, toMonth } from "./budget-tree.ts";

/** After this many messages of a task in a row, the last one is stored. Bounds what a restart forgets of a task in a long call. */
const MAX_MESSAGES = 8;

/** A row that is newer than the stored one, with the use between them, and the number of its messages. */
interface DeferredRow {
  readonly row: TaskRow;
  readonly spending: Spending | null;
  readonly messages: number;
}

/** At most one entry for each task that holds a slot. */
export class DeferredUse implements AdmissionStore {
  private readonly store: AdmissionStore;
  private readonly deferred = new Map<string, DeferredRow>();

  constructor(store: AdmissionStore) {
    this.store = store;
  }

  task(task: string): TaskRow | null {
    return this.deferred.get(task)?.row ?? this.store.task(task);
  }

  holders(): readonly TaskRow[] {
    return this.store.holders().map((row) => this.deferred.get(row.task)?.row ?? row);
  }

  hasLimits(): boolean {
    return this.store.hasLimits();
  }

  /** Defers a row if only its amounts change. */
  save(row: TaskRow, spending: Spending | null): void {
    const earlier = this.deferred.get(row.task) ?? null;
    const before = earlier?.row ?? this.store.task(row.task);
    const isSameDay = isOfOneDay(earlier?.spending ?? null, spending);
    const joined = isSameDay ? joinSpending(earlier?.spending ?? null, spending) : spending;
    const messages = (earlier?.messages ?? 0) + 1;
    if (before !== null && isSameDay && messages < MAX_MESSAGES && mayDefer(before, row)) {
      this.deferred.set(row.task, { row, spending: joined, messages });
      return;
    }
    if (earlier !== null && !isSameDay) this.store.save(earlier.row, earlier.spending);
    this.store.save(row, joined);
    this.deferred.delete(row.task);
  }

  remove(task: string): void {
    const earlier = this.deferred.get(task);
    if (earlier !== undefined) this.store.save(earlier.row, earlier.spending);
    this.store.remove(task);
    this.deferred.delete(task);
  }

  /** Stores everything that is deferred. */
  storeAll(): void {
    for (const { row, spending } of this.deferred.values()) this.store.save(row, spending);
    this.deferred.clear();
  }

  /** The accounts whose use is deferred. */
  listAccounts(): string[] {
    return [...this.deferred.values()].flatMap(({ spending }) => spending?.accounts ?? []);
  }

  readonly figures = (account: string, day: string): AccountFigures => {
    const { limit, spent } = this.store.figures(account, day);
    const open = [...this.deferred.values()].flatMap(({ spending }) =>
      spending?.accounts.includes(account) === true ? [spending] : [],
    );
    const sum = (period: string): Amount =>
      open.filter((use) => use.day.startsWith(period)).reduce((all, { more }) => addAmounts(all, more), NO_AMOUNT);
    return {
      limit,
      spent: {
        day: addAmounts(spent.day, sum(day)),
        month: addAmounts(spent.month, sum(toMonth(day))),
        total: addAmounts(spent.total, sum("")),
      },
    };
  };
}

/** True for a holder that leases nothing and whose amounts alone change. */
function mayDefer(before: TaskRow, row: TaskRow): boolean {
  const isUnlimited = ({ granted }: TaskRow): boolean => granted.tokens === null && granted.costMicros === null;
  return (
    before.holdsSlot &&
    row.holdsSlot &&
    isUnlimited(before) &&
    isUnlimited(row) &&
    before.status === row.status &&
    before.summary === row.summary
  );
}

function isOfOneDay(earlier: Spending | null, later: Spending | null): boolean {
  return earlier === null || later === null || earlier.day === later.day;
}

function joinSpending(earlier: Spending | null, later: Spending | null): Spending | null {
  if (earlier === null || later === null) return later ?? earlier;
  return { ...later, more: addAmounts(earlier.more, later.more) };
}

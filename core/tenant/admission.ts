/**
 * The admission controller of a tenant: grants permits to its tasks, with slots and slices of the budgets, and takes
 * both back. Pure; the store saves every row before a reply leaves. Each message of a task has the task's version,
 * which only grows: a late, older one changes neither slot nor lease. Use is a total that never decreases, so a
 * repeated, late or lost message is counted once.
 */
import { NO_LIMIT, NO_AMOUNT } from "../task/amounts.ts";
import { BudgetBook, type ReadFigures } from "./budget-book.ts";
import {
  listAccounts,
  type BudgetAccount,
  toDay,
  subtractAmounts,
  isZero,
  judgeBudget,
  toGreater,
  listNearLimits,
  getUnusedLease,
  addAmounts,
  roundUp,
} from "./budget-tree.ts";
import { FairQueue } from "./fair-queue.ts";
import type { PermitReply, PermitRequest } from "./rpc.ts";
import type { TaskReport } from "../task/rpc.ts";
import { LONGEST_PERMIT_MS, type SlotLimits, Slots } from "./slots.ts";
import type { SlotUse } from "./fair-share.ts";
import { STOPPED_RETRY_MS } from "../task/admission.ts";
import { type ShortPermit, SHORT_PERMIT_MS } from "../task/short-permit.ts";
import type { Amount, AmountLimit } from "../task/state.ts";
import { hasEnded, isWaiting, type TaskStatus } from "../task/status.ts";

/** Permit lifetime. Bounds how long a tenant can exceed its fair share. */
const PERMIT_MS = SHORT_PERMIT_MS;
/**
 * Permit lifetime while no other tenant is active and an eighth of the slots is free for one that arrives. A renewal
 * costs two writes.
 */
const CALM_PERMIT_MS = LONGEST_PERMIT_MS;
/** A queued task asks again after 4 to 6 seconds, in case its call is lost. */
const RETRY_MS = 4000;
const RETRY_JITTER_MS = 2000;
/** The version of a task that has reported nothing, below every other. */
const NO_VERSION = -1;

/** A task's summary for memory: to be stored, or stored, or not needed by the task's own judgement. Null before its end. */
export type SummaryNote = "due" | "stored" | null;

/**
 * What a tenant stores of one task until the task is deleted. `granted` is valid while the task holds a slot. `summary`
 * stays with the row, so that a repeated report stores no second summary.
 */
export interface TaskRow {
  readonly task: string;
  readonly version: number;
  readonly key: string | null;
  readonly agent: string;
  readonly status: TaskStatus;
  readonly holdsSlot: boolean;
  readonly granted: AmountLimit;
  readonly used: Amount;
  readonly summary: SummaryNote;
}

/** The use that is stored with a row: its accounts, and its day. */
export interface Spending {
  readonly accounts: readonly string[];
  readonly day: string;
  readonly more: Amount;
}

export interface AdmissionStore {
  task(task: string): TaskRow | null;
  /** The tasks that hold a slot. */
  holders(): readonly TaskRow[];
  /** Stores the row and its use, both or neither. */
  save(row: TaskRow, spending: Spending | null): void;
  remove(task: string): void;
  /** True if an account has a limit. */
  hasLimits(): boolean;
  readonly figures: ReadFigures;
}

/** The time of a message, the slots that the tenant may use now, and a random number from 0 to 1 for jitter. */
export interface Moment {
  readonly now: number;
  readonly limits: SlotLimits;
  /** True while no other tenant of this process is active. */
  readonly isAlone: boolean;
  readonly random: number;
}

export class AdmissionController {
  private readonly store: AdmissionStore;
  private readonly book: BudgetBook;
  private readonly slots: Slots;
  /** Tasks that wait for budget that others lease, and those of them that were called. */
  private readonly budgetQueue = new FairQueue();
  private readonly calledForBudget = new Set<string>();
  private budgetCameFree = false;

  constructor(store: AdmissionStore) {
    this.store = store;
    this.book = new BudgetBook(store.figures);
    const holders = store.holders();
    this.slots = new Slots(holders);
    for (const row of holders) this.book.lease(listAccounts(row), getLease(row));
  }

  /** What the tenant's tasks hold, and how many of them wait for a slot or for budget. */
  get use(): SlotUse {
    return { held: this.slots.heldCount, queued: this.slots.queuedCount + this.budgetQueue.size };
  }

  /** True while a task waits for a slot. */
  get hasQueue(): boolean {
    return this.slots.queuedCount > 0;
  }

  /** Requests a permit. With `stopped`, the task returns its slot and lease and receives that message. */
  enter(request: PermitRequest, stopped: string | null, moment: Moment): PermitReply {
    const row = this.store.task(request.task) ?? createRow(request);
    const used = toGreater(row.used, roundUp(request.used));
    if (request.version < row.version || hasEnded(row.status)) {
      this.saveRow(row, { ...row, used }, moment.now);
      return toQueuedReply("queue", null, moment);
    }
    // A task that requests a permit is running, even if it reported otherwise.
    const status = isWaiting(row.status) ? "running" : row.status;
    const requested = { ...row, version: request.version, status, used };
    if (stopped !== null) {
      this.dequeue(row.task);
      this.releaseSlot(row, requested, moment.now);
      return { kind: "stopped", message: stopped, askAgainAfterMs: STOPPED_RETRY_MS };
    }
    const more = subtractAmounts(used, row.used);
    const uses = this.book.getUses(listAccounts(row), { own: getLease(row), more }, moment.now);
    const verdict = judgeBudget(uses, {
      used,
      need: roundUp(request.need),
      want: roundUp(request.want),
      isPriced: request.isPriced,
    });
    // A called task that found budget lets the next queued task try.
    if (this.calledForBudget.delete(request.task)) this.budgetCameFree ||= verdict.kind !== "wait";
    if (verdict.kind === "exceeded") {
      this.dequeue(row.task);
      this.releaseSlot(row, requested, moment.now);
      return verdict;
    }
    if (verdict.kind === "wait") {
      this.slots.dequeue(row.task);
      this.budgetQueue.add(row.task, row.key);
      this.releaseSlot(row, requested, moment.now);
      return toQueuedReply("budget", verdict.message, moment);
    }
    this.budgetQueue.remove(row.task);
    const holdsSlot = this.slots.request(row.task, row.key, moment.limits, moment.now);
    this.saveRow(row, { ...requested, holdsSlot, granted: holdsSlot ? verdict.grant : NO_LIMIT }, moment.now);
    if (!holdsSlot) return toQueuedReply("queue", null, moment);
    const isCalm = this.isCalm(moment);
    return {
      kind: "admitted",
      forMs: isCalm ? CALM_PERMIT_MS : PERMIT_MS,
      grant: verdict.grant,
      near: listNearLimits(uses),
      ...(isCalm && !this.store.hasLimits() ? { isTransferable: true } : {}),
    };
  }

  /**
   * Returns a short permit for each of `count` tasks of a key that are about to begin, and reserves their slots. Null
   * while a budget has a limit, because a short permit leases nothing, and without spare slots.
   */
  permitNew(key: string | null, count: number, { now, limits }: Pick<Moment, "now" | "limits">): ShortPermit | null {
    if (this.store.hasLimits() || !this.slots.reserve(key, count, limits, now)) return null;
    return { forMs: SHORT_PERMIT_MS };
  }

  /**
   * Applies a task's report. A task that waits or has ended returns its slot and lease. A `queued` one keeps them: it
   * was admitted and has not begun. A report of the same version as the permit request was sent before it, and is old.
   * A task that runs without a slot came with a short permit, and takes the slot that was reserved for it. A completed
   * task that leaves a summary is noted once, in the same write.
   */
  report(report: TaskReport, now: number): void {
    const { version, view } = report;
    const row = this.store.task(report.task) ?? createRow({ ...report, agent: view.agent.id });
    const used = toGreater(row.used, roundUp(report.used));
    const summary = row.summary ?? (mayLeaveSummary(report) ? "due" : null);
    if (version <= row.version) {
      this.saveRow(row, { ...row, used, summary }, now);
      return;
    }
    const reported = { ...row, version, status: view.status, used, summary };
    if (view.status === "running" || view.status === "queued") {
      // Its permit request stored the slot. The version between it and what releases the slot decides nothing.
      if (row.holdsSlot && isSame({ ...reported, version: row.version, status: row.status }, row)) return;
      const takesSlot = !row.holdsSlot && view.status === "running" && this.slots.takeReserved(row.task, row.key, now);
      this.saveRow(row, takesSlot ? { ...reported, holdsSlot: true, granted: NO_LIMIT } : reported, now);
      return;
    }
    // A known task may never have had a reservation, as a draft, a wait and an ended task.
    if (row.version === NO_VERSION) this.slots.releaseReserved(row.key);
    this.dequeue(row.task);
    this.releaseSlot(row, reported, now);
  }

  /** Adds a task that the store does not know because its object was lost. Its use was counted on its day. */
  adopt({ task, key, version, view, used }: TaskReport): void {
    if (this.store.task(task) !== null) return;
    const row = createRow({ task, key, agent: view.agent.id });
    this.store.save({ ...row, version, status: view.status, used: roundUp(used) }, null);
  }

  /** Deletes a task; its use remains counted. */
  forget(task: string): void {
    const row = this.store.task(task);
    if (row === null) return;
    this.dequeue(task);
    this.store.remove(task);
    this.changeLease(row, NO_AMOUNT, NO_AMOUNT);
  }

  /** Returns the tasks to call now: those with an offered slot, and one for freed budget. */
  takeTasksToCall({ now, limits }: Pick<Moment, "now" | "limits">): string[] {
    const called = this.slots.takeTasksToCall(limits, now);
    const next = this.budgetCameFree ? this.budgetQueue.next() : null;
    this.budgetCameFree = false;
    if (next === null) return called;
    this.calledForBudget.add(next.task);
    return [...called, next.task];
  }

  getNextOfferEnd(): number | null {
    return this.slots.getNextOfferEnd();
  }

  account(account: string, now: number): BudgetAccount {
    return this.book.account(account, now);
  }

  /** Applies a stored limit of an account. Tasks that wait for budget may get some. */
  applyLimitChange(account: string): void {
    this.book.forgetFigures(account);
    this.budgetCameFree = true;
  }

  private isCalm({ now, limits, isAlone }: Moment): boolean {
    return isAlone && this.budgetQueue.size === 0 && this.slots.hasSpare(0, limits, now);
  }

  private releaseSlot(row: TaskRow, next: TaskRow, now: number): void {
    this.saveRow(row, { ...next, holdsSlot: false, granted: NO_LIMIT }, now);
  }

  private dequeue(task: string): void {
    this.slots.dequeue(task);
    this.budgetQueue.remove(task);
    this.calledForBudget.delete(task);
  }

  /** Stores a changed row with its use, then updates the figures. */
  private saveRow(row: TaskRow, next: TaskRow, now: number): void {
    const more = subtractAmounts(next.used, row.used);
    const accounts = listAccounts(row);
    if (isSame(row, next)) return;
    this.store.save(next, isZero(more) ? null : { accounts, day: toDay(now), more });
    this.book.spend(accounts, more, now);
    this.changeLease(row, getLease(next), more);
  }

  /** Changes a lease, of which `more` was used. Waiting tasks may try again when a lease shrinks unused or ends. */
  private changeLease(row: TaskRow, lease: Amount, more: Amount): void {
    const change = subtractAmounts(lease, getLease(row));
    if (isZero(change)) return;
    this.book.lease(listAccounts(row), change);
    const cameBack = addAmounts(change, more);
    this.budgetCameFree ||= isZero(lease) || cameBack.tokens < 0 || cameBack.costMicros < 0;
  }
}

/** True for a completed task that may leave a summary. The task itself decides later whether it does. */
export function mayLeaveSummary({ hidden, view }: TaskReport): boolean {
  return !hidden && view.parent_id === null && view.status === "completed";
}

function getLease(row: TaskRow): Amount {
  return row.holdsSlot ? getUnusedLease(row.granted, row.used) : NO_AMOUNT;
}

/** Creates the row of a new task. */
function createRow({ task, key, agent }: Pick<PermitRequest, "task" | "key" | "agent">): TaskRow {
  const row = { task, key, agent, version: NO_VERSION, holdsSlot: false, granted: NO_LIMIT, used: NO_AMOUNT };
  return { ...row, status: "queued", summary: null };
}

function isSame(left: TaskRow, right: TaskRow): boolean {
  return (
    left.version === right.version &&
    left.status === right.status &&
    left.holdsSlot === right.holdsSlot &&
    left.summary === right.summary &&
    left.granted.tokens === right.granted.tokens &&
    left.granted.costMicros === right.granted.costMicros &&
    left.used.tokens === right.used.tokens &&
    left.used.costMicros === right.used.costMicros
  );
}

function toQueuedReply(why: "queue" | "budget", message: string | null, { random }: Moment): PermitReply {
  const askAgainAfterMs = Math.round(RETRY_MS + random * RETRY_JITTER_MS);
  return { kind: "queued", why, message, askAgainAfterMs };
}

/**
 * The desk where a tenant's tasks ask for leave to run: it hands out places and slices of the budgets and takes both
 * back. Pure; the store keeps every row before an answer leaves. Each message of a task carries the task's version, which
 * grows: an older one that comes late changes nothing of place and lease. Use is a total that never goes down, so whatever
 * comes twice, late or not at all is counted once.
 */
import { NO_LIMIT, NOTHING } from "../task/amounts.ts";
import { BudgetBook, type ReadFigures } from "./budget-book.ts";
import {
  accountsOf,
  type BudgetAccount,
  dayOf,
  difference,
  isNothing,
  judgeBudget,
  most,
  nearLimits,
  outstanding,
  sum,
  whole,
} from "./budget-tree.ts";
import { FairQueue } from "./fair-queue.ts";
import type { EnterReply, EnterRequest } from "./rpc.ts";
import type { TaskReport } from "../task/rpc.ts";
import { Places } from "./slots.ts";
import { STOPPED_ASK_AGAIN_MS } from "../task/admission.ts";
import type { Amount, AmountLimit } from "../task/state.ts";
import { hasEnded, isWaiting, type TaskStatus } from "../task/status.ts";

/** How long a leave lasts: so soon does a tenant that is over its share shrink to it. */
const LEAVE_MS = 2000;
/**
 * While no other tenant is active and an eighth of the places is free there is nobody to make room for, and asking again
 * costs two writes. Who comes next finds that eighth.
 */
const CALM_LEAVE_MS = 6000;
/** A task in line asks again after 4 to 6 seconds, should its call be lost. */
const ASK_AGAIN_MS = 4000;
const ASK_AGAIN_SPREAD_MS = 2000;

/** What a tenant keeps of one task until the task is forgotten. `granted` means something while it holds a place. */
export interface TaskRow {
  readonly task: string;
  readonly version: number;
  readonly key: string | null;
  readonly agent: string;
  readonly status: TaskStatus;
  readonly holdsPlace: boolean;
  readonly granted: AmountLimit;
  readonly used: Amount;
}

/** What is spent with a row: of these accounts, on this day. */
export interface Spending {
  readonly accounts: readonly string[];
  readonly day: string;
  readonly more: Amount;
}

export interface DeskStore {
  task(task: string): TaskRow | null;
  /** The tasks that hold a place. */
  holders(): readonly TaskRow[];
  /** Keeps the row and counts what is spent, both or neither. */
  save(row: TaskRow, spending: Spending | null): void;
  remove(task: string): void;
  readonly figures: ReadFigures;
}

/** The moment of a message: the places that the tenant may use now, and a number from 0 to 1 for spreading. */
export interface Moment {
  readonly now: number;
  readonly share: number;
  /** True while no other tenant of this process is active. */
  readonly isAlone: boolean;
  readonly random: number;
}

export class TenantDesk {
  private readonly store: DeskStore;
  private readonly book: BudgetBook;
  private readonly places: Places;
  /** Tasks that wait for budget which others hold, and those of them that were called. */
  private readonly short = new FairQueue();
  private readonly shortCalled = new Set<string>();
  private budgetCameFree = false;

  constructor(store: DeskStore) {
    this.store = store;
    this.book = new BudgetBook(store.figures);
    const holders = store.holders();
    this.places = new Places(holders);
    for (const row of holders) this.book.lease(accountsOf(row), leaseOf(row));
  }

  get isInUse(): boolean {
    return this.places.isInUse || this.short.size > 0;
  }

  /** Asks for leave. With `stopped`, the task gives back what it has and hears that message. */
  enter(request: EnterRequest, stopped: string | null, moment: Moment): EnterReply {
    const row = this.store.task(request.task) ?? firstRow(request);
    const used = most(row.used, whole(request.used));
    if (request.version < row.version || hasEnded(row.status)) {
      this.keep(row, { ...row, used }, moment.now);
      return inLine("queue", null, moment);
    }
    // Who asks waits for nothing else any more, whatever it reported last.
    const status = isWaiting(row.status) ? "running" : row.status;
    const asked = { ...row, version: request.version, status, used };
    if (stopped !== null) {
      this.leave(row.task);
      this.giveBack(row, asked, moment.now);
      return { kind: "stopped", message: stopped, askAgainAfterMs: STOPPED_ASK_AGAIN_MS };
    }
    const more = difference(used, row.used);
    const uses = this.book.usesOf(accountsOf(row), { own: leaseOf(row), more }, moment.now);
    const verdict = judgeBudget(uses, {
      used,
      need: whole(request.need),
      want: whole(request.want),
      isPriced: request.isPriced,
    });
    // One that was called and found budget leaves the next one in line a try.
    if (this.shortCalled.delete(request.task)) this.budgetCameFree ||= verdict.kind !== "wait";
    if (verdict.kind === "exceeded") {
      this.leave(row.task);
      this.giveBack(row, asked, moment.now);
      return verdict;
    }
    if (verdict.kind === "wait") {
      this.places.leave(row.task);
      this.short.join(row.task, row.key);
      this.giveBack(row, asked, moment.now);
      return inLine("budget", verdict.message, moment);
    }
    this.short.leave(row.task);
    const holdsPlace = this.places.ask(row.task, row.key, moment.share, moment.now);
    this.keep(row, { ...asked, holdsPlace, granted: holdsPlace ? verdict.grant : NO_LIMIT }, moment.now);
    if (!holdsPlace) return inLine("queue", null, moment);
    const isCalm = moment.isAlone && this.places.held * 8 <= moment.share * 7 && this.short.size === 0;
    return { kind: "admitted", forMs: isCalm ? CALM_LEAVE_MS : LEAVE_MS, grant: verdict.grant, near: nearLimits(uses) };
  }

  /**
   * Takes how a task stands. One that waits or has ended gives back its place and what it leased. One that is still
   * `queued` keeps them: it was let in and has not begun. A report of the very version at which the task asked was sent
   * before it asked, and is as old.
   */
  report(report: TaskReport, now: number): void {
    const { version, view } = report;
    const row = this.store.task(report.task) ?? firstRow({ ...report, agent: view.agent.id });
    const used = most(row.used, whole(report.used));
    if (version <= row.version) {
      this.keep(row, { ...row, used }, now);
      return;
    }
    const told = { ...row, version, status: view.status, used };
    if (view.status === "running" || view.status === "queued") {
      this.keep(row, told, now);
      return;
    }
    this.leave(row.task);
    this.giveBack(row, told, now);
  }

  /** A task that the store does not know: of an object that was lost. What it used was counted in its day. */
  adopt({ task, key, version, view, used }: TaskReport): void {
    if (this.store.task(task) !== null) return;
    const row = firstRow({ task, key, agent: view.agent.id });
    this.store.save({ ...row, version, status: view.status, used: whole(used) }, null);
  }

  /** The task was erased: nothing is kept of it but what it spent. */
  forget(task: string): void {
    const row = this.store.task(task);
    if (row === null) return;
    this.leave(task);
    this.store.remove(task);
    this.changeLease(row, NOTHING, NOTHING);
  }

  /** The tasks that are to be called now: places are kept for some, and budget came back for one. */
  toCall({ now, share }: Pick<Moment, "now" | "share">): string[] {
    const called = this.places.toCall(share, now);
    const next = this.budgetCameFree ? this.short.next() : null;
    this.budgetCameFree = false;
    if (next === null) return called;
    this.shortCalled.add(next.task);
    return [...called, next.task];
  }

  nextOfferEndsAt(): number | null {
    return this.places.nextOfferEndsAt();
  }

  account(account: string, now: number): BudgetAccount {
    return this.book.account(account, now);
  }

  /** The limit of an account was stored: it holds from now on, and who waits for budget may have some. */
  limitChanged(account: string): void {
    this.book.forgetFigures(account);
    this.budgetCameFree = true;
  }

  private giveBack(row: TaskRow, next: TaskRow, now: number): void {
    this.keep(row, { ...next, holdsPlace: false, granted: NO_LIMIT }, now);
  }

  private leave(task: string): void {
    this.places.leave(task);
    this.short.leave(task);
    this.shortCalled.delete(task);
  }

  /** Stores what changed of a row, and with it what was spent; then the figures follow. */
  private keep(row: TaskRow, next: TaskRow, now: number): void {
    const more = difference(next.used, row.used);
    const accounts = accountsOf(row);
    if (isSame(row, next)) return;
    this.store.save(next, isNothing(more) ? null : { accounts, day: dayOf(now), more });
    this.book.spend(accounts, more, now);
    this.changeLease(row, leaseOf(next), more);
  }

  /** `more` of what was leased was used. Who waits gets a try when the rest came back, and when a lease is over. */
  private changeLease(row: TaskRow, lease: Amount, more: Amount): void {
    const change = difference(lease, leaseOf(row));
    if (isNothing(change)) return;
    this.book.lease(accountsOf(row), change);
    const cameBack = sum(change, more);
    this.budgetCameFree ||= isNothing(lease) || cameBack.tokens < 0 || cameBack.costMicros < 0;
  }
}

function leaseOf(row: TaskRow): Amount {
  return row.holdsPlace ? outstanding(row.granted, row.used) : NOTHING;
}

/** A task that the tenant hears of for the first time: below every version. */
function firstRow({ task, key, agent }: Pick<EnterRequest, "task" | "key" | "agent">): TaskRow {
  const row = { task, key, agent, version: -1, holdsPlace: false, granted: NO_LIMIT, used: NOTHING };
  return { ...row, status: "queued" };
}

function isSame(left: TaskRow, right: TaskRow): boolean {
  return (
    left.version === right.version &&
    left.status === right.status &&
    left.holdsPlace === right.holdsPlace &&
    left.granted.tokens === right.granted.tokens &&
    left.granted.costMicros === right.granted.costMicros &&
    left.used.tokens === right.used.tokens &&
    left.used.costMicros === right.used.costMicros
  );
}

function inLine(why: "queue" | "budget", message: string | null, { random }: Moment): EnterReply {
  const askAgainAfterMs = Math.round(ASK_AGAIN_MS + random * ASK_AGAIN_SPREAD_MS);
  return { kind: "queued", why, message, askAgainAfterMs };
}

/**
 * The admission controller of a tenant's object with its stored rows and the tenant's share of this process. Wakes
 * waiting tasks.
 */
import { costFromEnv, shareFromEnv } from "../../adapters/env/tenants.ts";
import { settingsFromEnv } from "../../adapters/env/settings.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { type BudgetAccount, type BudgetLimit, toDay, toMonth } from "../../core/tenant/budget-tree.ts";
import { type FairShare, MIN_SLOTS } from "../../core/tenant/fair-share.ts";
import type { SlotLimits } from "../../core/tenant/slots.ts";
import type { PermitReply, PermitRequest } from "../../core/tenant/rpc.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import type { ShortPermit } from "../../core/task/short-permit.ts";
import { AdmissionController } from "../../core/tenant/admission.ts";
import { DeferredUse } from "../../core/tenant/deferred-use.ts";
import { TenantAdmissionStore } from "./admission-store.ts";
import type { TenantTables } from "./tables.ts";

/** A task that waits for a slot gets one this soon after another begins to wait for its model. */
const RECHECK_MS = 200;

/** Every method decides and stores synchronously; tasks are woken afterwards. */
export class TenantSlots {
  private readonly env: Env;
  private readonly tables: TenantTables;
  private readonly store: TenantAdmissionStore;
  private readonly tenants: FairShare;
  /** Loaded from the stored rows when first needed, and again after a failed write. */
  private loaded: { readonly controller: AdmissionController; readonly deferred: DeferredUse } | null = null;
  /** The month before which daily use was deleted. */
  private deletedBefore: string | null = null;
  /** The next check for free slots. */
  private timer: { readonly id: ReturnType<typeof setTimeout>; readonly at: number } | null = null;

  constructor(env: Env, tables: TenantTables) {
    this.env = env;
    this.tables = tables;
    this.tenants = shareFromEnv(env);
    this.store = new TenantAdmissionStore(tables);
  }

  /** Requests a permit. With `stopped`, the task returns what it holds and receives that message. */
  enter(request: PermitRequest, stopped: string | null): PermitReply {
    return this.withController((controller, now) => {
      const isAlone = this.tenants.isAlone(this.tables.getTenant() ?? "", now);
      return controller.enter(request, stopped, {
        now,
        limits: this.computeLimits(now),
        isAlone,
        random: Math.random(),
      });
    });
  }

  report(report: TaskReport): void {
    this.withController((controller, now) => controller.report(report, now));
  }

  forget(task: string): void {
    this.withController((controller) => controller.forget(task));
  }

  /** Adds a task that this object did not know, without counting its use again. */
  adopt(report: TaskReport): void {
    this.withController((controller) => controller.adopt(report));
  }

  /** Returns a short permit for each of `count` tasks of a key that are about to begin; null if they have to ask. */
  permitNew(key: string | null, count: number): ShortPermit | null {
    return this.withController((controller, now) =>
      controller.permitNew(key, count, { now, limits: this.computeLimits(now) }),
    );
  }

  /** Lists every account with a limit or with use. */
  listAccounts(): BudgetAccount[] {
    return this.withController((controller, now, deferred) =>
      [...new Set([...this.store.listAccounts(), ...deferred.listAccounts()])]
        .toSorted()
        .map((account) => controller.account(account, now)),
    );
  }

  setLimit(account: string, limit: BudgetLimit | null): BudgetAccount {
    if (this.tables.isErased()) throw new Error("an erased tenant has no budgets");
    return this.withController((controller, now, deferred) => {
      // A restart must not forget use that a limit includes.
      deferred.storeAll();
      this.store.setLimit(account, limit);
      controller.applyLimitChange(account);
      return controller.account(account, now);
    });
  }

  /** Deletes the daily use of months that no limit covers. */
  deleteOld(now: number): void {
    const month = toMonth(toDay(now));
    if (this.deletedBefore === month) return;
    this.store.deleteDaysBefore(month);
    this.deletedBefore = month;
  }

  erase(): void {
    this.store.erase();
    this.loaded = null;
    const tenant = this.tables.getTenant();
    if (tenant !== null) this.tenants.record(tenant, { held: 0, queued: 0 }, Date.now());
  }

  private withController<T>(decide: (controller: AdmissionController, now: number, deferred: DeferredUse) => T): T {
    const now = Date.now();
    try {
      this.loaded ??= this.load();
      const { controller, deferred } = this.loaded;
      const answer = decide(controller, now, deferred);
      this.wakeNext(controller, now);
      return answer;
    } catch (thrown) {
      this.loaded = null;
      throw thrown;
    }
  }

  private load(): NonNullable<TenantSlots["loaded"]> {
    const deferred = new DeferredUse(this.store);
    return { controller: new AdmissionController(deferred), deferred };
  }

  /**
   * Returns the tenant's slots. While it exceeds its pace or its fair share of the process it has the minimum, and tasks
   * that wait for their models count too: they would all return to work.
   */
  private computeLimits(now: number): SlotLimits {
    const { maxRunningTasks, sharedRunningTasks } = settingsFromEnv(this.env);
    const tenant = this.tables.getTenant() ?? "";
    const costs = costFromEnv(this.env);
    const isCostly = costs.findRefusalMs(tenant, now) !== null || costs.findTurnWaitMs(tenant, now) > 0;
    const own = isCostly ? Math.min(MIN_SLOTS, maxRunningTasks) : maxRunningTasks;
    const share = this.tenants.computeSlots(tenant, { own, shared: sharedRunningTasks }, now);
    const held = isCostly ? share : Math.max(share, this.tenants.computeHeld(tenant, own));
    return { share, held, isWaiting: (task) => this.tenants.isWaiting(tenant, task, now) };
  }

  /** Wakes tasks that can now run; re-checks when an offered slot expires unused. */
  private wakeNext(controller: AdmissionController, now: number): void {
    const tenant = this.tables.getTenant();
    if (tenant === null) return;
    for (const task of controller.takeTasksToCall({ now, limits: this.computeLimits(now) }))
      void this.wakeTask(tenant, task);
    this.tenants.record(tenant, controller.use, now);
    const recheckAt = controller.hasQueue ? now + RECHECK_MS : Infinity;
    this.checkAgainAt(tenant, Math.min(controller.getNextOfferEnd() ?? Infinity, recheckAt), now);
  }

  private checkAgainAt(tenant: string, at: number, now: number): void {
    if (at === Infinity || (this.timer !== null && this.timer.at <= at)) return;
    if (this.timer !== null) clearTimeout(this.timer.id);
    this.timer = { id: setTimeout(() => this.reofferSlots(tenant), Math.max(0, at - now)), at };
  }

  /** Offers unused slots to the next tasks. After a failure, the next message does it. */
  private reofferSlots(tenant: string): void {
    this.timer = null;
    try {
      if (!this.tables.isErased()) this.withController(() => undefined);
    } catch (thrown) {
      console.error("unused slots could not be offered again", tenant, thrown);
    }
  }

  /** A lost call does no harm: the task requests its permit again. */
  private async wakeTask(tenant: string, task: string): Promise<void> {
    try {
      await tasksFromEnv(this.env)(tenant, task).called();
    } catch (thrown) {
      console.error("a waiting task could not be woken", tenant, task, thrown);
    }
  }
}

/**
 * The admission controller of a tenant's object with its stored rows and the tenant's share of this process. Wakes
 * waiting tasks.
 */
import { costFromEnv } from "../../adapters/env/tenants.ts";
import { settingsFromEnv } from "../../adapters/env/settings.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { type BudgetAccount, type BudgetLimit, toDay, toMonth } from "../../core/tenant/budget-tree.ts";
import { FairShare, MIN_SLOTS } from "../../core/tenant/fair-share.ts";
import type { PermitReply, PermitRequest } from "../../core/tenant/rpc.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import { AdmissionController } from "../../core/tenant/admission.ts";
import { TenantAdmissionStore } from "./admission-store.ts";
import type { TenantTables } from "./tables.ts";

/** The fair share of the tenants in this process. */
export const processShare = new FairShare();

/** Every method decides and stores synchronously; tasks are woken afterwards. */
export class TenantSlots {
  private readonly env: Env;
  private readonly tables: TenantTables;
  private readonly store: TenantAdmissionStore;
  private readonly tenants = processShare;
  /** Loaded from the stored rows when first needed, and again after a failed write. */
  private controller: AdmissionController | null = null;
  /** The month before which daily use was deleted. */
  private deletedBefore: string | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(env: Env, tables: TenantTables) {
    this.env = env;
    this.tables = tables;
    this.store = new TenantAdmissionStore(tables);
  }

  /** Requests a permit. With `stopped`, the task returns what it holds and receives that message. */
  enter(request: PermitRequest, stopped: string | null): PermitReply {
    return this.withController((controller, now, share) => {
      const isAlone = this.tenants.isAlone(this.tables.getTenant() ?? "", now);
      return controller.enter(request, stopped, { now, share, isAlone, random: Math.random() });
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

  /** Lists every account with a limit or with use. */
  listAccounts(): BudgetAccount[] {
    return this.withController((controller, now) =>
      this.store.listAccounts().map((account) => controller.account(account, now)),
    );
  }

  setLimit(account: string, limit: BudgetLimit | null): BudgetAccount {
    if (this.tables.isErased()) throw new Error("an erased tenant has no budgets");
    return this.withController((controller, now) => {
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
    this.controller = null;
    const tenant = this.tables.getTenant();
    if (tenant !== null) this.tenants.markIdle(tenant);
  }

  private withController<T>(decide: (controller: AdmissionController, now: number, share: number) => T): T {
    const now = Date.now();
    try {
      this.controller ??= new AdmissionController(this.store);
      const answer = decide(this.controller, now, this.computeShare(now));
      this.wakeNext(this.controller, now);
      return answer;
    } catch (thrown) {
      this.controller = null;
      throw thrown;
    }
  }

  /** Returns the tenant's slots: the minimum while it exceeds its CPU pace or its fair share of the process. */
  private computeShare(now: number): number {
    const { maxRunningTasks, sharedRunningTasks } = settingsFromEnv(this.env);
    const tenant = this.tables.getTenant() ?? "";
    const costs = costFromEnv(this.env);
    const isCostly = costs.findRefusalMs(tenant, now) !== null || costs.findTurnWaitMs(tenant, now) > 0;
    const own = isCostly ? Math.min(MIN_SLOTS, maxRunningTasks) : maxRunningTasks;
    return this.tenants.computeSlots(tenant, { own, shared: sharedRunningTasks }, now);
  }

  /** Wakes tasks that can now run; re-checks when an offered slot expires unused. */
  private wakeNext(controller: AdmissionController, now: number): void {
    const tenant = this.tables.getTenant();
    if (tenant === null) return;
    if (controller.isInUse) this.tenants.markActive(tenant, now);
    else this.tenants.markIdle(tenant);
    for (const task of controller.takeTasksToCall({ now, share: this.computeShare(now) }))
      void this.wakeTask(tenant, task);
    const endsAt = controller.getNextOfferEnd();
    if (endsAt === null || this.timer !== null) return;
    this.timer = setTimeout(() => this.reofferSlots(tenant), Math.max(0, endsAt - now));
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

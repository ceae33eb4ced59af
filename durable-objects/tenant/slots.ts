/** The desk of a tenant's object: its stored rows, the tenant's part of this process, and the calling of tasks in line. */
import { costFromEnv } from "../../adapters/env/tenants.ts";
import { settingsFromEnv } from "../../adapters/env/settings.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { type BudgetAccount, type BudgetLimit, toDay, toMonth } from "../../core/tenant/budget-tree.ts";
import { FairShare, MIN_SLOTS } from "../../core/tenant/fair-share.ts";
import type { PermitReply, PermitRequest } from "../../core/tenant/rpc.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import { AdmissionController } from "../../core/tenant/admission.ts";
import { TenantDeskStore } from "./admission-store.ts";
import type { TenantTables } from "./tables.ts";

/** The fair share of the tenants whose objects live in this process. */
export const processShare = new FairShare();

/** Every method decides and stores without an await in between; tasks are called afterwards. */
export class TenantPlaces {
  private readonly env: Env;
  private readonly tables: TenantTables;
  private readonly store: TenantDeskStore;
  private readonly tenants = processShare;
  /** Read from the stored rows when it is first needed, and again after a failure to store. */
  private desk: AdmissionController | null = null;
  /** The month before which every day was forgotten. */
  private forgotBefore: string | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(env: Env, tables: TenantTables) {
    this.env = env;
    this.tables = tables;
    this.store = new TenantDeskStore(tables);
  }

  /** Asks for leave. With `stopped`, the task gives back what it has and hears that message. */
  enter(request: PermitRequest, stopped: string | null): PermitReply {
    return this.ask((desk, now, share) => {
      const isAlone = this.tenants.isAlone(this.tables.tenant() ?? "", now);
      return desk.enter(request, stopped, { now, share, isAlone, random: Math.random() });
    });
  }

  report(report: TaskReport): void {
    this.ask((desk, now) => desk.report(report, now));
  }

  forget(task: string): void {
    this.ask((desk) => desk.forget(task));
  }

  /** Takes in a task that this object did not know, without counting again what it used. */
  adopt(report: TaskReport): void {
    this.ask((desk) => desk.adopt(report));
  }

  /** Every account that has a limit or was used. */
  accounts(): BudgetAccount[] {
    return this.ask((desk, now) => this.store.accounts().map((account) => desk.account(account, now)));
  }

  setLimit(account: string, limit: BudgetLimit | null): BudgetAccount {
    return this.ask((desk, now) => {
      this.store.setLimit(account, limit);
      desk.applyLimitChange(account);
      return desk.account(account, now);
    });
  }

  /** Forgets what was spent on days that no limit counts any more. */
  forgetOld(now: number): void {
    const month = toMonth(toDay(now));
    if (this.forgotBefore === month) return;
    this.store.forgetDaysBefore(month);
    this.forgotBefore = month;
  }

  /** Forgets it all. */
  erase(): void {
    this.store.erase();
    this.desk = null;
    const tenant = this.tables.tenant();
    if (tenant !== null) this.tenants.markIdle(tenant);
  }

  private ask<T>(question: (desk: AdmissionController, now: number, share: number) => T): T {
    const now = Date.now();
    try {
      this.desk ??= new AdmissionController(this.store);
      const answer = question(this.desk, now, this.share(now));
      this.callNext(this.desk, now);
      return answer;
    } catch (thrown) {
      this.desk = null;
      throw thrown;
    }
  }

  /** The slots that the tenant may use now: the fewest while it exceeds its pace or its fair share of the process. */
  private share(now: number): number {
    const { maxRunningTasks, sharedRunningTasks } = settingsFromEnv(this.env);
    const tenant = this.tables.tenant() ?? "";
    const costs = costFromEnv(this.env);
    const isCostly = costs.findRefusalMs(tenant, now) !== null || costs.findTurnWaitMs(tenant, now) > 0;
    const own = isCostly ? Math.min(MIN_SLOTS, maxRunningTasks) : maxRunningTasks;
    return this.tenants.computeSlots(tenant, { own, shared: sharedRunningTasks }, now);
  }

  /** Calls the tasks that a place or budget came free for, and comes back when a place was kept in vain. */
  private callNext(desk: AdmissionController, now: number): void {
    const tenant = this.tables.tenant();
    if (tenant === null) return;
    if (desk.isInUse) this.tenants.markActive(tenant, now);
    else this.tenants.markIdle(tenant);
    for (const task of desk.takeTasksToCall({ now, share: this.share(now) })) void this.call(tenant, task);
    const endsAt = desk.getNextOfferEnd();
    if (endsAt === null || this.timer !== null) return;
    this.timer = setTimeout(() => this.passOn(tenant), Math.max(0, endsAt - now));
  }

  /** Gives the places that were kept in vain to the next in line. When that fails, the next message does it. */
  private passOn(tenant: string): void {
    this.timer = null;
    try {
      if (!this.tables.isErased()) this.ask(() => undefined);
    } catch (thrown) {
      console.error("the places that were kept in vain could not be passed on", tenant, thrown);
    }
  }

  /** A call that is lost does no harm: the task asks again by itself. */
  private async call(tenant: string, task: string): Promise<void> {
    try {
      await tasksFromEnv(this.env)(tenant, task).called();
    } catch (thrown) {
      console.error("a task in line could not be called", tenant, task, thrown);
    }
  }
}

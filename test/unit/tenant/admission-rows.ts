/** The admission controller of a tenant with its rows in memory, and the messages of its tasks. */
import { listAccounts, type BudgetLimit, getUnusedLease } from "../../../core/tenant/budget-tree.ts";
import type { PermitRequest } from "../../../core/tenant/rpc.ts";
import type { TaskReport } from "../../../core/task/rpc.ts";
import type { Amount } from "../../../core/task/state.ts";
import type { TaskStatus } from "../../../core/task/status.ts";
import { type AdmissionStore, type TaskRow, AdmissionController } from "../../../core/tenant/admission.ts";
import { report as reportOf } from "../../contracts/database/rows.ts";

export const NOON = Date.UTC(2026, 10, 30, 12);
export const both = (count: number): Amount => ({ tokens: count, costMicros: count * 2 });

/** What a tenant's object stores, in memory; it outlives an admission controller as SQLite does. */
export class Rows implements AdmissionStore {
  readonly rows = new Map<string, TaskRow>();
  readonly spent = new Map<string, Amount>();
  readonly limits = new Map<string, BudgetLimit>();

  task(task: string): TaskRow | null {
    return this.rows.get(task) ?? null;
  }

  holders(): TaskRow[] {
    return [...this.rows.values()].filter(({ holdsSlot }) => holdsSlot);
  }

  save(row: TaskRow, spending: Parameters<AdmissionStore["save"]>[1]): void {
    this.rows.set(row.task, row);
    for (const account of spending?.accounts ?? []) {
      const name = `${account} ${spending?.day}`;
      const before = this.spent.get(name) ?? both(0);
      const more = spending?.more ?? both(0);
      this.spent.set(name, {
        tokens: before.tokens + more.tokens,
        costMicros: before.costMicros + more.costMicros,
      });
    }
  }

  remove(task: string): void {
    this.rows.delete(task);
  }

  hasLimits(): boolean {
    return this.limits.size > 0;
  }

  readonly figures: AdmissionStore["figures"] = (account, day) => ({
    limit: this.limits.get(account) ?? null,
    spent: {
      day: this.sum(`${account} ${day}`),
      month: this.sum(`${account} ${day.slice(0, 7)}`),
      total: this.sum(`${account} `),
    },
  });

  sum(prefix: string): Amount {
    const all = [...this.spent].filter(([name]) => name.startsWith(prefix)).map(([, amount]) => amount);
    return {
      tokens: all.reduce((total, { tokens }) => total + tokens, 0),
      costMicros: all.reduce((total, { costMicros }) => total + costMicros, 0),
    };
  }

  leased(account: string): number {
    return this.holders()
      .filter((row) => listAccounts(row).includes(account))
      .reduce((total, row) => total + getUnusedLease(row.granted, row.used).tokens, 0);
  }
}

export const limitsOf = (share: number) => ({ share, held: share, isWaiting: () => false });
export const moment = (now = NOON, share = 100, isAlone = false) => ({
  now,
  limits: limitsOf(share),
  isAlone,
  random: 0.5,
});
export const request = (task: string, version: number, more: Partial<PermitRequest> = {}): PermitRequest => ({
  task,
  version,
  key: "key_a",
  agent: "agent_a",
  used: both(0),
  need: both(1),
  want: both(10),
  isPriced: true,
  ...more,
});
export const taskReport = (task: string, version: number, status: TaskStatus, used = 0): TaskReport => {
  const row = reportOf({ task, version, status });
  return { ...row, view: { ...row.view, agent: { id: "agent_a", version: 1 } }, key: "key_a", used: both(used) };
};
export const limited = (tokens: number, period: BudgetLimit["period"] = "total") => {
  const rows = new Rows();
  rows.limits.set("tenant", { tokens, costMicros: null, period });
  return { rows, controller: new AdmissionController(rows) };
};

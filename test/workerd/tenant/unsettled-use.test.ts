/** The use of tasks that hold a slot: it stays in their rows, and every account counts it at once. */
import { runInDurableObject } from "cloudflare:test";
import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_LIMIT } from "../../../core/task/amounts.ts";
import type { Amount } from "../../../core/task/state.ts";
import type { TaskRow } from "../../../core/tenant/admission.ts";
import { addAmounts, listAccounts } from "../../../core/tenant/budget-tree.ts";
import { DeferredUse } from "../../../core/tenant/deferred-use.ts";
import { TenantAdmissionStore } from "../../../durable-objects/tenant/admission-store.ts";
import { TenantTables } from "../../../durable-objects/tenant/tables.ts";
import { newId } from "../../contracts/database/rows.ts";
import { tenantStub } from "./client.ts";

const DAYS = ["2026-10-31", "2026-11-01", "2026-11-02"];
const NOTHING: Amount = { tokens: 0, costMicros: 0 };
const amountOf = (tokens: number): Amount => ({ tokens, costMicros: 3 * tokens });

const rowOf = (task: number, version: number, used: Amount, holdsSlot: boolean): TaskRow => ({
  task: `task_${task}`,
  version,
  key: task % 2 === 0 ? `key_${task}` : null,
  agent: `agent_${task % 3}`,
  status: holdsSlot ? "running" : "completed",
  holdsSlot,
  granted: NO_LIMIT,
  used,
  summary: null,
});

async function withStore<T>(work: (open: () => TenantAdmissionStore, tables: TenantTables) => T): Promise<T> {
  const tenant = newId("tenant");
  return await runInDurableObject(tenantStub(tenant), (_, { storage }) => {
    const tables = new TenantTables(storage, tenant);
    return work(() => new TenantAdmissionStore(tables), tables);
  });
}

/** One message of a task: how much it has used since, whether it holds its slot afterwards, and if a day has passed. */
const step = fc.record({
  task: fc.nat(4),
  more: fc.nat(50),
  holdsSlot: fc.boolean(),
  isNextDay: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  isErased: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
});

test("counts in every account as if it were settled at once, on its day, also after a restart and an erasure", async () => {
  await withStore((open, tables) => {
    const property = fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      tables.clear("tasks", "accounts", "spent");
      const expected = new Map<string, Amount>();
      const used = new Map<number, Amount>();
      let day = 0;
      for (const [version, { task, more, holdsSlot, isNextDay, isErased }] of steps.entries()) {
        if (isNextDay && day + 1 < DAYS.length) day += 1;
        // A new store each time: nothing is in memory.
        const store = open();
        const row = rowOf(task, version, addAmounts(used.get(task) ?? NOTHING, amountOf(more)), holdsSlot);
        const today = DAYS[day] ?? "";
        const accounts = listAccounts(row);
        store.save(row, more === 0 ? null : { accounts, day: today, more: amountOf(more) });
        used.set(task, row.used);
        if (isErased) {
          store.remove(row.task);
          used.delete(task);
        }
        for (const name of accounts.map((account) => `${account} ${today}`))
          expected.set(name, addAmounts(expected.get(name) ?? NOTHING, amountOf(more)));
        const sum = (prefix: string) =>
          [...expected]
            .filter(([name]) => name.startsWith(prefix))
            .reduce((all, [, one]) => addAmounts(all, one), NOTHING);
        for (const account of new Set([...expected.keys()].map((name) => name.split(" ")[0] ?? ""))) {
          expect([account, open().figures(account, today).spent]).toEqual([
            account,
            {
              day: sum(`${account} ${today}`),
              month: sum(`${account} ${today.slice(0, 7)}`),
              total: sum(`${account} `),
            },
          ]);
          if (sum(`${account} `).tokens > 0) expect(open().listAccounts()).toContain(account);
        }
      }
    });
    fc.assert(property, { numRuns: 60 });
  });
});

test("is deferred in memory while nothing is limited, and counts at once after every change", async () => {
  await withStore((open, tables) => {
    const property = fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      tables.clear("tasks", "accounts", "spent");
      const stored = open();
      const deferred = new DeferredUse(stored);
      const expected = new Map<string, Amount>();
      const used = new Map<number, Amount>();
      let day = 0;
      for (const [version, { task, more, holdsSlot, isNextDay, isErased }] of steps.entries()) {
        if (isNextDay && day + 1 < DAYS.length) day += 1;
        const row = rowOf(task, version, addAmounts(used.get(task) ?? NOTHING, amountOf(more)), holdsSlot);
        const today = DAYS[day] ?? "";
        const accounts = listAccounts(row);
        deferred.save(row, more === 0 ? null : { accounts, day: today, more: amountOf(more) });
        expect(deferred.task(row.task)).toEqual(row);
        used.set(task, row.used);
        if (isErased) {
          deferred.remove(row.task);
          expect(deferred.task(row.task)).toBeNull();
          used.delete(task);
        }
        for (const account of accounts)
          expected.set(account, addAmounts(expected.get(account) ?? NOTHING, amountOf(more)));
        for (const [account, total] of expected) {
          expect(deferred.figures(account, today).spent.total).toEqual(total);
          if (total.tokens > 0) expect([...stored.listAccounts(), ...deferred.listAccounts()]).toContain(account);
        }
      }
    });
    fc.assert(property, { numRuns: 60 });
  });
});

test("of a renewed permit takes no write while nothing is limited, and all of it is stored with the slot's return", async () => {
  await withStore((open, { storage }) => {
    const written = () => storage.sql.exec<{ count: number }>("SELECT total_changes() AS count").one().count;
    const deferred = new DeferredUse(open());
    const save = (version: number, holdsSlot: boolean) => {
      const row = rowOf(2, version, amountOf(10 * version), holdsSlot);
      deferred.save(row, { accounts: listAccounts(row), day: DAYS[0] ?? "", more: amountOf(10) });
    };
    save(1, true);
    const before = written();
    save(2, true);
    save(3, true);
    expect(written()).toBe(before);
    expect(open().figures("tenant", DAYS[0] ?? "").spent.total).toEqual(amountOf(10));
    save(4, false);
    expect(open().figures("tenant", DAYS[0] ?? "").spent.total).toEqual(amountOf(40));
  });
});

test("of a task that is never without its slot is stored with every eighth message", async () => {
  await withStore((open) => {
    const deferred = new DeferredUse(open());
    const forgotten = Array.from({ length: 20 }, (_, index) => {
      const row = rowOf(2, index + 1, amountOf(10 * (index + 1)), true);
      deferred.save(row, { accounts: listAccounts(row), day: DAYS[0] ?? "", more: amountOf(10) });
      return row.used.tokens - open().figures("tenant", DAYS[0] ?? "").spent.total.tokens;
    });
    expect(Math.max(...forgotten)).toBe(70);
    expect(forgotten.filter((tokens) => tokens === 0)).toHaveLength(3);
  });
});

test("of a renewed permit takes one write, and three accounts are written when the slot is returned", async () => {
  await withStore((open, { storage }) => {
    const countWritten = (work: () => void): number => {
      const read = () => storage.sql.exec<{ count: number }>("SELECT total_changes() AS count").one().count;
      const before = read();
      work();
      return read() - before;
    };
    const save = (version: number, holdsSlot: boolean) => {
      const row = rowOf(2, version, amountOf(10 * version), holdsSlot);
      open().save(row, { accounts: listAccounts(row), day: DAYS[0] ?? "", more: amountOf(10) });
    };
    save(1, true);
    expect(countWritten(() => save(2, true))).toBe(1);
    expect(countWritten(() => save(3, true))).toBe(1);
    expect(countWritten(() => save(4, false))).toBe(1 + 3 + 3);
    expect(open().figures("tenant", DAYS[0] ?? "").spent.total).toEqual(amountOf(40));
  });
});

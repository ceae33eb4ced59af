/** The sums of usage equal a recomputation from the tasks after any reports, repeats, erasures and rebuilds. */
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { UsagePart } from "../../../core/ports/usage-table.ts";
import type { TaskReport } from "../../../core/task/rpc.ts";
import { migrate } from "../../../scripts/database/migrate.ts";
import { openEmptyDatabase } from "../../../scripts/database/test-database.ts";
import { type CountedDatabase, startCountedDatabase } from "./counted-database.ts";
import { makeTenant, newId, report, START } from "./rows.ts";

const MIGRATIONS = "migrations";
const DAY = 86_400_000;
const TASKS = 6;
const RUNS = 40;

let counted: CountedDatabase;

beforeAll(async () => {
  counted = await startCountedDatabase();
});
afterAll(() => counted.close());

/** What a task has from its creation on. */
interface Fixed {
  readonly task: string;
  readonly at: number;
  readonly key: string | null;
  readonly project: string | null;
}

/** What is done to the index: a batch of reports, or tasks that are erased. */
type Act =
  | { readonly kind: "report"; readonly rows: readonly Change[] }
  | { readonly kind: "erase"; readonly tasks: readonly number[] };

interface Change {
  readonly task: number;
  readonly version: number;
  readonly tokens: number;
  readonly steps: number;
  readonly hidden: boolean;
}

const change = fc.record({
  task: fc.nat(TASKS - 1),
  version: fc.integer({ min: 1, max: 6 }),
  tokens: fc.nat(1000),
  steps: fc.nat(20),
  hidden: fc.boolean(),
});
const acts = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("report" as const), rows: fc.array(change, { maxLength: 4 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("erase" as const),
        tasks: fc.array(fc.nat(TASKS - 1), { maxLength: 2 }),
      }),
    },
  ),
  { maxLength: 14 },
);

function makeFixed(): readonly Fixed[] {
  return Array.from({ length: TASKS }, (_, index) => {
    const at = START + (index % 3) * DAY;
    return { task: newId("task", at), at, key: index % 2 === 0 ? "key_a" : null, project: index < 3 ? "sales" : null };
  });
}

function toReport({ task, at, key, project }: Fixed, { version, tokens, steps, hidden }: Change): TaskReport {
  const made = report({ task, at, key, project, version, tokens, hidden });
  return { ...made, view: { ...made.view, usage: { ...made.view.usage, steps, tool_calls: steps + 1 } } };
}

/** The index as it should be: the latest report of each task, and what erased ones had used. */
class ExpectedUse {
  private readonly stored = new Map<string, TaskReport>();
  private readonly used: TaskReport[] = [];

  report(row: TaskReport): void {
    const known = this.stored.get(row.task);
    if (known === undefined || known.version < row.version) this.stored.set(row.task, row);
  }

  erase(task: string): void {
    const known = this.stored.get(task);
    if (known !== undefined) this.used.push(known);
    this.stored.delete(task);
  }

  /** Rows as they are listed, by their parts. */
  sum(by: readonly UsagePart[]): Map<string, readonly number[]> {
    const sums = new Map<string, readonly number[]>();
    for (const { view, key, hidden, used } of [...this.stored.values(), ...this.used]) {
      const parts = { day: view.created_at.slice(0, 10), agent: view.agent.id, key, project: view.project };
      const group = JSON.stringify(by.map((part) => parts[part]));
      const own = [hidden ? 0 : 1, view.usage.steps, view.usage.tool_calls, used.tokens, used.costMicros];
      const before = sums.get(group) ?? own.map(() => 0);
      sums.set(
        group,
        own.map((amount, index) => amount + (before[index] ?? 0)),
      );
    }
    return sums;
  }
}

async function readSums(tenant: string, by: readonly UsagePart[]): Promise<Map<string, readonly number[]>> {
  const read = await counted.database.usage.read(tenant, { from: "2000-01-01", to: "2100-01-01", by, limit: 100 });
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return new Map(
    read.value.map(({ parts, tasks, steps, toolCalls, tokens, costMicros }) => [
      JSON.stringify(by.map((part) => parts[part])),
      [tasks, steps, toolCalls, tokens, costMicros],
    ]),
  );
}

/** The rows of both tables of sums and texts, as the owner sees them. */
async function readTables(tenant: string): Promise<{ sums: (string | null)[][]; texts: number; tasks: number }> {
  return await counted.backend.asOwner(async (connection) => {
    const query = async (text: string) => (await connection.query({ query: text, params: [tenant] })).rows;
    const sums = await query("select summed, tokens from usage_days where tenant = $1 order by day, key, project");
    const [texts] = await query("select count(*) from task_texts where tenant = $1");
    const [tasks] = await query("select count(*) from tasks where tenant = $1");
    return { sums: sums.map((row) => [...row]), texts: Number(texts?.[0]), tasks: Number(tasks?.[0]) };
  });
}

test("sums equal a recomputation after any reports and erasures, and the same again change nothing", async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (done: readonly Act[]) => {
      const { tenant } = await makeTenant(counted.database);
      const [fixed, expected] = [makeFixed(), new ExpectedUse()];
      const get = (index: number) => fixed[index] ?? fixed[0]!;
      for (const one of done) {
        if (one.kind === "erase") {
          const tasks = [...new Set(one.tasks.map((index) => get(index).task))];
          for (const task of tasks) expected.erase(task);
          expect((await counted.database.tasks.remove(tenant.id, tasks)).ok).toBe(true);
          continue;
        }
        // A batch has one row for a task.
        const rows = [...new Map(one.rows.map((row) => [row.task, toReport(get(row.task), row)])).values()];
        for (const row of rows) expected.report(row);
        for (const _ of ["once", "again"]) expect((await counted.database.tasks.upsert(tenant.id, rows)).ok).toBe(true);
      }
      for (const by of [["day", "agent", "key", "project"], ["project"], ["day"]] as const)
        expect(await readSums(tenant.id, by)).toEqual(expected.sum(by));
      const { sums, texts, tasks } = await readTables(tenant.id);
      expect([texts, sums.reduce((all, [summed]) => all + Number(summed), 0)]).toEqual([tasks, tasks]);
      expect(sums.filter(([summed]) => Number(summed) <= 0)).toEqual([]);
    }),
    { numRuns: RUNS },
  );
}, 120_000);

test("a report that changes no sum writes none", async () => {
  const { tenant } = await makeTenant(counted.database);
  const row = report({ tokens: 5 });
  await counted.database.tasks.upsert(tenant.id, [row]);
  const readVersion = async () =>
    await counted.backend.asOwner(async (connection) => {
      const query =
        "select xmin::text from usage_days where tenant = $1 union all select xmin::text from task_texts where tenant = $1";
      return (await connection.query({ query, params: [tenant.id] })).rows;
    });
  const before = await readVersion();
  await counted.database.tasks.upsert(tenant.id, [{ ...row, version: 2, view: { ...row.view, status: "completed" } }]);
  expect(await readVersion()).toEqual(before);
  await counted.database.tasks.upsert(tenant.id, [{ ...row, version: 3, used: { ...row.used, tokens: 6 } }]);
  expect(await readVersion()).not.toEqual(before);
});

test.each([
  "update task_texts set text = 'x'",
  "delete from task_texts",
  "update usage_days set tokens = 0",
  "delete from usage_days",
  "insert into usage_days select * from usage_days",
  "select otto_text_keys('x', 'text')",
  "select otto_purge_sums()",
])("the Worker's role reads sums and texts, and is refused: %s", async (query) => {
  const options = { role: "otto_app", isolation: null, readOnly: false, deferrable: false } as const;
  await expect(counted.backend.transact([{ query, params: [] }], options)).rejects.toThrow(/permission denied/);
});

test("a purged tenant leaves no sum and no text", async () => {
  const { tenant } = await makeTenant(counted.database);
  await counted.database.tasks.upsert(tenant.id, [report({ tokens: 5 }), report({ tokens: 6 })]);
  await counted.backend.asOwner(async (connection) => {
    await connection.query({ query: "update tenants set erased_at = now() where id = $1", params: [tenant.id] });
    await connection.query({ query: "select otto_purge_tenant($1)", params: [tenant.id] });
  });
  expect(await readTables(tenant.id)).toEqual({ sums: [], texts: 0, tasks: 0 });
});

test("the tasks of an earlier release are summed and found", async () => {
  const folder = await mkdtemp(join(tmpdir(), "otto-migrations-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const backend = await openEmptyDatabase();
  onTestFinished(() => backend.close());
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql")).toSorted();
  const own = names.find((name) => name.endsWith("_task_search_and_usage_sums.sql")) ?? "";
  for (const name of names.filter((one) => one < own)) await cp(join(MIGRATIONS, name), join(folder, name));
  await migrate(backend, { folder, appPassword: null });
  const insert = (id: string, day: number, more: string) =>
    `insert into tasks (tenant, id, version, status, hidden, agent, created_at, updated_at, view, key, project, tokens, search_text)
      values ('ten_1', '${id}', 1, 'completed', false, 'agent_default', '2026-11-0${day}T23:59:59Z', now(), '{}', ${more});`;
  await backend.asOwner(async (connection) => {
    await connection.script(
      [
        "insert into tenants values ('ten_1', 'Acme', now());",
        insert("task_old_one", 1, "'key_a', null, 10, 'write the report'"),
        insert("task_old_two", 1, "'key_a', null, 20, null"),
        insert("task_old_three", 2, "null, 'sales', 40, 'отчёт за год'"),
      ].join("\n"),
    );
  });
  await cp(join(MIGRATIONS, own), join(folder, own));
  await migrate(backend, { folder, appPassword: null });
  const read = async (query: string) =>
    await backend.asOwner(async (connection) => {
      await connection.script("set app.tenant = 'ten_1'");
      return (await connection.query({ query, params: [] })).rows;
    });
  expect(await read("select day, key, project, summed, tasks, tokens from usage_days order by day")).toEqual([
    ["2026-11-01", "key_a", "", "2", "2", "30"],
    ["2026-11-02", "", "sales", "1", "1", "40"],
  ]);
  expect(await read("select id from otto_find_texts('report', false, 10)")).toEqual([["task_old_one"]]);
  expect(await read("select id from otto_find_texts('тчёт', false, 10)")).toEqual([["task_old_three"]]);
  expect(await read("select id from otto_find_texts('old_two', true, 10)")).toEqual([["task_old_two"]]);
  // The release before this one deletes a task as it always did.
  await backend.asOwner(async (connection) => await connection.script("delete from tasks where id = 'task_old_one'"));
  expect(await read("select summed, tokens from usage_days where day = '2026-11-01'")).toEqual([["1", "20"]]);
});

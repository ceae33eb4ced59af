/** Lists, searches and usage read no more rows in a tenant of many tasks, and find all that they should. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TaskFilter } from "../../../core/ports/task-index.ts";
import type { TaskReport } from "../../../core/task/rpc.ts";
import { visitTables } from "../../../scripts/database/table-upkeep.ts";
import { type CountedDatabase, startCountedDatabase } from "./counted-database.ts";
import { makeTenant, report, START } from "./rows.ts";

const SMALL = 100;
const LARGE = 4_000;
const BATCH = 500;
const PAGE = 20;
/** More tasks than are sorted by a search, so it walks the list. */
const COMMON = "weekly";

let counted: CountedDatabase;
let small: Tenant;
let large: Tenant;

beforeAll(async () => {
  counted = await startCountedDatabase();
  [small, large] = [await fillTenant(SMALL), await fillTenant(LARGE)];
  await visitTables(counted.backend);
}, 120_000);
afterAll(() => counted.close());

interface Tenant {
  readonly id: string;
  readonly rows: readonly TaskReport[];
}

async function fillTenant(count: number): Promise<Tenant> {
  const { tenant } = await makeTenant(counted.database);
  const rows = Array.from({ length: count }, (_, index) => {
    const input = `The ${index % 4 === 3 ? "monthly" : COMMON} report number ${index} of Ötztal 報告書`;
    return report({ input, tokens: index, at: START + index, key: "key_a", project: "sales" });
  });
  for (let from = 0; from < count; from += BATCH) await must(tenant.id, rows.slice(from, from + BATCH));
  return { id: tenant.id, rows };
}

async function must(tenant: string, rows: readonly TaskReport[]): Promise<void> {
  const written = await counted.database.tasks.upsert(tenant, rows);
  if (!written.ok) throw new Error(JSON.stringify(written.error));
}

async function list(tenant: Tenant, filter: Partial<TaskFilter>): Promise<readonly string[]> {
  const page = await counted.database.tasks.shortPage(
    tenant.id,
    { status: null, project: null, ...filter },
    { after: null, limit: PAGE },
  );
  if (!page.ok) throw new Error(JSON.stringify(page.error));
  return page.value.items.map(({ id }) => id);
}

const countList = async (tenant: Tenant, filter: Partial<TaskFilter>) =>
  await counted.countRows(async () => await list(tenant, filter));

describe.each([
  ["of few tasks", () => small],
  ["of many tasks", () => large],
])("in a tenant %s", (_, getTenant) => {
  test("a page reads its rows and one more, also among many others", async () => {
    const tenant = getTenant();
    expect(await countList(tenant, {})).toEqual({ tasks: PAGE + 1 });
    expect(await countList(tenant, { status: ["running"], project: "sales" })).toEqual({ tasks: PAGE + 1 });
  });

  test.each(["no task has this text", "zzz", "報告者", "ötztaler", "report number 99999"])(
    "a search for %s, which no task contains, reads hardly a row",
    async (text) => {
      expect(await list(getTenant(), { text })).toEqual([]);
      const { tasks = 0, task_texts: texts = 0 } = await countList(getTenant(), { text });
      expect(tasks).toBe(0);
      // Texts with all the same sequences of characters in other places.
      expect(texts).toBeLessThanOrEqual(PAGE);
    },
  );

  test("a search for a rare text, or for an id, reads what it finds", async () => {
    const tenant = getTenant();
    const { rows } = tenant;
    const task = rows[57]?.task ?? "";
    for (const text of ["number 57 of", task, task.slice(-8)]) {
      expect(await list(tenant, { text })).toEqual([task]);
      const { tasks = 0, task_texts: texts = 0 } = await countList(tenant, { text });
      expect([text, tasks]).toEqual([text, 1]);
      expect(texts).toBeLessThanOrEqual(PAGE);
    }
  });

  test("a search for a common text is in list order", async () => {
    const tenant = getTenant();
    for (const text of [COMMON, "weekly report", "報告書", "we"]) {
      const expected = tenant.rows.filter(({ view }) => JSON.stringify(view.input).includes(text)).toReversed();
      expect(await list(tenant, { text })).toEqual(expected.slice(0, PAGE).map(({ task }) => task));
    }
  });

  test("usage reads a row for each day, agent, key and project", async () => {
    const tenant = getTenant();
    const day = new Date(START).toISOString().slice(0, 10);
    const read = async () =>
      await counted.database.usage.read(tenant.id, { from: day, to: day, by: ["day"], limit: 10 });
    const tokens = (tenant.rows.length * (tenant.rows.length - 1)) / 2;
    expect(await read()).toMatchObject({ ok: true, value: [{ tasks: tenant.rows.length, tokens }] });
    const { usage_days: sums = 0, ...others } = await counted.countRows(read);
    expect(others).toEqual({});
    // The index may still name an older version of the row.
    expect(sums).toBeLessThanOrEqual(3);
  });
});

test("a search finds no task of another tenant, and none where no tenant is named", async () => {
  const { tenant: other } = await makeTenant(counted.database);
  const id = small.rows[3]?.task ?? "";
  const find = async (tenant: string, text: string) => {
    const call = { query: "select id from otto_find_texts($1, true, 10)", params: [text] };
    const name = { query: "select set_config('app.tenant', $1, true)", params: [tenant] };
    const options = { role: "otto_app", isolation: null, readOnly: true, deferrable: false } as const;
    return (await counted.backend.transact([name, call], options)).at(-1)?.rows;
  };
  for (const text of [COMMON, "number 3 of", id]) {
    expect(await list({ id: other.id, rows: [] }, { text })).toEqual([]);
    expect(await find(other.id, text)).toEqual([]);
    expect(await find("", text)).toEqual([]);
    expect(await find(small.id, text)).not.toEqual([]);
  }
});

test("a search of few characters walks the list", async () => {
  expect((await countList(large, { text: "qx" }))["tasks"]).toBe(LARGE);
  // Two characters that are four UTF-16 units.
  expect(await list(large, { text: "🐟🐟" })).toEqual([]);
});

test("a common text walks the list, and a rare one reads by id: Postgres runs one of both plans", async () => {
  const common = await counted.explain(async () => await list(large, { text: COMMON }));
  expect(common).toMatch(/Index Scan using tasks_page on tasks tasks_1 .*\(actual rows=21/);
  const rare = await counted.explain(async () => await list(large, { text: "number 57 of" }));
  expect(rare).toMatch(/Index Scan using tasks_pkey on tasks .*\(actual rows=1/);
  expect(rare).toMatch(/Index Scan using tasks_page on tasks tasks_1 .*\(never executed/);
});

test("the index of texts serves a search under row-level security", async () => {
  const { rows } = await counted.backend.asOwner(async (connection) => {
    await connection.script(`set app.tenant = '${large.id}'`);
    return await connection.query({
      query: `explain select id from task_texts t where otto_text_keys(t.tenant || ' text', t.text)
        || otto_text_keys(t.tenant || ' id', t.id) @> otto_text_keys('${large.id} text', 'weekly') and t.tenant || '' = '${large.id}'`,
      params: [],
    });
  });
  expect(rows.flat().join("\n")).toContain("Bitmap Index Scan on task_texts_search");
});

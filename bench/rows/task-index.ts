/** What lists, searches and usage take in a tenant of 50,000 tasks, next to one of 100: by the adapters and the embedded database. */
import { openDatabase } from "../../adapters/database/database.ts";
import type { Result } from "../../core/base/errors.ts";
import type { Database } from "../../core/ports/database.ts";
import { visitTables } from "../../scripts/database/table-upkeep.ts";
import { startTestDatabase } from "../../scripts/database/test-database.ts";
import { quantile } from "../../test/drill/random.ts";
import { makeReport, makeTenant } from "../made-tasks.ts";
import type { Section } from "./section.ts";

const OURS = "Otto";
const [FEW, MANY] = [100, 50_000];
const BATCH = 500;
const DAYS = 28;
const DAY_MS = 86_400_000;
const WARM_UP = 10;
const RUNS = 60;
const PAGE = { after: null, limit: 50 };
const EVERY_TASK = { status: null, project: null };

type Read = (database: Database, tenant: string, run: number) => Promise<Result<unknown>>;

const READS = {
  list: async (database, tenant) => await database.tasks.shortPage(tenant, EVERY_TASK, PAGE),
  miss: async (database, tenant, run) =>
    await database.tasks.shortPage(tenant, { ...EVERY_TASK, text: `missing text ${run}` }, PAGE),
  usage: async (database, tenant) =>
    await database.usage.read(tenant, { from: "2026-01-01", to: "2026-01-31", by: ["day"], limit: 100 }),
} as const satisfies Readonly<Record<string, Read>>;

export const TASK_INDEX: Section = {
  name: "task-index",
  once: true,
  rows: [
    { key: "tasks-list", label: `a page of 50 of ${MANY} tasks, ms (p50)`, digits: 2, target: "" },
    { key: "tasks-list-times", label: `– × that of ${FEW} tasks`, digits: 2, target: "≤ 1.3", must: 1.3 },
    { key: "tasks-miss", label: `a search that finds none of ${MANY} tasks, ms (p50)`, digits: 2, target: "" },
    { key: "tasks-miss-times", label: `– × that of ${FEW} tasks`, digits: 2, target: "≤ 1.3", must: 1.3 },
    { key: "tasks-usage", label: `usage of a month with ${MANY} tasks, ms (p50)`, digits: 2, target: "" },
    { key: "tasks-usage-times", label: `– × that of ${FEW} tasks`, digits: 2, target: "≤ 1.3", must: 1.3 },
  ],
  async measure(stage, note) {
    if (!stage.contenders.some(({ name }) => name === OURS)) return;
    const server = await startTestDatabase();
    try {
      const database = openDatabase(server.url, server.endpoint);
      const [few, many] = [await fillTenant(database, FEW), await fillTenant(database, MANY)];
      await visitTables(server.backend);
      for (const [name, read] of Object.entries(READS)) {
        const [small, large] = await measureBoth(read, database, [few, many]);
        note(`tasks-${name}`, OURS, large);
        note(`tasks-${name}-times`, OURS, large / small);
      }
    } finally {
      await server.close();
    }
  },
};

/** Tasks of four weeks. No two have the same text. */
async function fillTenant(database: Database, count: number): Promise<string> {
  const { id: tenant } = await makeTenant(database);
  const start = Date.parse("2026-01-02T00:00:00Z");
  for (let from = 0; from < count; from += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - from) }, (_, index) => {
      const number = from + index;
      const input = `Write the report number ${number} about river ${number % 97} and invoice ${number % 1009} of the customer`;
      return makeReport(input, start + number * Math.floor((DAYS * DAY_MS) / count));
    });
    const written = await database.tasks.upsert(tenant, rows);
    if (!written.ok) throw new Error(written.error.message);
  }
  return tenant;
}

/** The medians of a read of each tenant, in turns, in milliseconds. */
async function measureBoth(
  read: Read,
  database: Database,
  tenants: readonly [string, string],
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let run = 0; run < WARM_UP + RUNS; run += 1) {
    for (const [which, tenant] of tenants.entries()) {
      const startedAt = performance.now();
      const found = await read(database, tenant, run);
      if (!found.ok) throw new Error(found.error.message);
      if (run >= WARM_UP) times[which === 0 ? 0 : 1].push(performance.now() - startedAt);
    }
  }
  return [quantile(times[0], 0.5), quantile(times[1], 0.5)];
}

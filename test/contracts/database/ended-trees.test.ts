/** The index rows that retention reads: the trees that ended, and how many tasks there are. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { makeTenant, report } from "./rows.ts";
import { valueOf } from "../value-of.ts";

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

describe("the trees that ended", () => {
  const at = (day: number) => `2026-11-0${day}T00:00:00.000Z`;
  const endedOn = (day: number, parent: string | null = null) => {
    const row = report({ status: "completed" });
    return { ...row, view: { ...row.view, ended_at: at(day), parent_id: parent } };
  };

  test("are listed in the order of their end, roots only, before a time and after a cursor", async () => {
    const { tenant } = await makeTenant(database);
    const [third, first, second, same] = [endedOn(3), endedOn(1), endedOn(2), endedOn(2)];
    const rows = [third, first, second, same, endedOn(1, first.task), report()];
    valueOf(await database.tasks.upsert(tenant.id, rows));
    const read = async (before: string, after: { at: number; id: string } | null, limit = 10) =>
      valueOf(await database.tasks.listEnded(tenant.id, Date.parse(before), { after, limit }));
    const seconds = [second.task, same.task].toSorted();
    const all = await read(at(4), null);
    expect(all.map(({ id }) => id)).toEqual([first.task, ...seconds, third.task]);
    expect((await read(at(3), null)).map(({ id }) => id)).toEqual([first.task, ...seconds]);
    expect((await read(at(4), all[1] ?? null)).map(({ id }) => id)).toEqual([seconds[1], third.task]);
    expect(await read(at(4), null, 1)).toEqual([{ id: first.task, at: Date.parse(at(1)) }]);
    expect(valueOf(await database.tasks.count(tenant.id))).toEqual({
      tasks: 6,
      ended: 5,
      earliestEnd: Date.parse(at(1)),
    });
  });
});

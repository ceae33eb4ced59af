/** The rows of schedules. */
import { neon } from "@neondatabase/serverless";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import { MAX_STORED_SCHEDULES, MAX_SCHEDULES } from "../../../core/schedules/schedule.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { act, makeTenant, personOf, scheduleRow, START } from "./rows.ts";
import { valueOf } from "../value-of.ts";

let server: TestDatabase;
let database: Database;
let tenant: string;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
  tenant = (await makeTenant(database)).tenant.id;
});
afterAll(() => server.close());

const create = (row: ReturnType<typeof scheduleRow>, whose = tenant) =>
  database.schedules.create(whose, row, act("schedule.create", row.state.id));
const listed = async (whose = tenant) =>
  valueOf(await database.schedules.page(whose, { after: null, limit: 100 })).items;

test("a row is made once, takes later reports and no earlier one, and is removed", async () => {
  const row = scheduleRow(tenant);
  valueOf(await create(row));
  valueOf(await create({ ...row, state: { ...row.state, paused: true } }));
  expect(await listed()).toEqual([row.state]);
  const later = { ...row.state, paused: true };
  valueOf(await database.schedules.report(tenant, { state: later, report: 3, wakeAt: null }));
  valueOf(await database.schedules.report(tenant, { ...row, report: 2 }));
  expect(await listed()).toEqual([later]);
  const removing = act("schedule.delete", row.state.id);
  expect(valueOf(await database.schedules.remove(tenant, row.state.id, removing))).toEqual(later);
  expect(await database.schedules.remove(tenant, row.state.id, removing)).toMatchObject({
    error: { code: "not_found" },
  });
  valueOf(await database.schedules.report(tenant, { state: later, report: 4, wakeAt: null }));
  expect(await listed()).toEqual([]);
  const acts = valueOf(await database.audit.page(tenant, { after: null, limit: 100 })).items;
  expect(acts.filter(({ target }) => target === row.state.id)).toHaveLength(2);
});

test("the list shows people by their present names, and not those who were deleted", async () => {
  const { id } = (await makeTenant(database)).tenant;
  const ana = personOf("Ana");
  valueOf(await database.people.create(id, ana, act("person.create", ana.id)));
  const row = scheduleRow(id);
  const actsFor = { person: ana.id, name: "Ana", version: 1, at: START };
  const state = { ...row.state, actsFor };
  valueOf(await create({ ...row, state }, id));
  const callers = async () => (await listed(id)).map((one) => one.actsFor);
  expect(await callers()).toEqual([actsFor]);
  const renamed = { id: ana.id, fields: { ...ana, name: "Ana Alves" }, ifVersion: null };
  valueOf(await database.people.update(id, renamed, act("person.update", ana.id)));
  expect(await callers()).toEqual([{ ...actsFor, name: "Ana Alves" }]);
  const columns = async () =>
    await neon(server.ownerUrl, { disableWarningInBrowsers: true }).query(
      `select acts_for from schedules where tenant = '${id}'`,
    );
  expect(await columns()).toEqual([{ acts_for: ana.id }]);
  valueOf(await database.schedules.report(id, { ...row, state: { ...state, version: 2 }, report: 2 }));
  expect(await columns()).toEqual([{ acts_for: null }]);
  valueOf(await database.schedules.restore(id, { ...row, state, report: 3 }));
  expect(await columns()).toEqual([{ acts_for: ana.id }]);
  valueOf(await database.people.remove(id, ana.id, act("person.delete", ana.id)));
  expect(await callers()).toEqual([null]);
});

test("a row of an earlier release is tracked from its object's next report on, but never for an erased tenant", async () => {
  const { id } = (await makeTenant(database)).tenant;
  const row = scheduleRow(id);
  const find = async () => await database.schedules.find(id, row.state.id);
  expect(await find()).toMatchObject({ ok: false, error: { code: "not_found" } });
  valueOf(await create(row, id));
  expect(valueOf(await find())).toEqual({ state: row.state, report: 1, isTracked: true });
  await neon(server.ownerUrl, { disableWarningInBrowsers: true }).query(
    `update schedules set is_tracked = default where tenant = '${id}'`,
  );
  expect(valueOf(await find()).isTracked).toBe(false);
  valueOf(await database.schedules.report(id, { ...row, report: 2 }));
  expect(valueOf(await find())).toMatchObject({ report: 2, isTracked: true });
  valueOf(await database.tenants.erase(id, act("tenant.erase", id)));
  expect(await find()).toMatchObject({ ok: false, error: { code: "not_found" } });
});

test("those that are overdue are found, the longest overdue first, and those that sleep are not", async () => {
  const rows = [3, 1, 2].map((at) => ({ ...scheduleRow(tenant), wakeAt: START + at }));
  const asleep = { ...scheduleRow(tenant), wakeAt: null };
  for (const row of [...rows, asleep]) valueOf(await create(row));
  const found = valueOf(await database.schedules.overdue(START + 3, 10));
  expect(found).toEqual([rows[1], rows[2]].map((row) => ({ tenant, schedule: row?.state.id })));
  expect(valueOf(await database.schedules.overdue(START + 4, 2))).toHaveLength(2);
});

test.each([
  ["NUL", "\u0000"],
  ["half a surrogate pair", "\ud800"],
  ["half a pair behind a backslash", "\\\ud800"],
])("an ended schedule blocks no other, although its text contains %s", async (_, odd) => {
  const { id } = (await makeTenant(database)).tenant;
  const { state } = scheduleRow(id);
  const task = { input: `${odd}" and \\u0000`, metadata: { paused: true } };
  const config = { ...state.config, name: `odd ${odd}`, task };
  valueOf(await create({ state: { ...state, config, next: null }, report: 1, wakeAt: null }, id));
  const other = scheduleRow(id);
  valueOf(await create(other, id));
  expect((await listed(id)).map((one) => one.id).toSorted()).toEqual([state.id, other.state.id].toSorted());
});

test("one that is paused counts whatever its text holds, and fails nothing", async () => {
  const { id } = (await makeTenant(database)).tenant;
  const { state } = scheduleRow(id);
  const config = { ...state.config, name: `\u0000 \\\\ " \ud800`, task: { input: "\\" } };
  const paused = JSON.stringify({ ...state, config, paused: true, next: null });
  const rows = `select '${id}', 'sch_' || n, 1, null, $1, now() from generate_series(1, ${MAX_SCHEDULES}) n`;
  await neon(server.ownerUrl, { disableWarningInBrowsers: true }).query(`insert into schedules ${rows}`, [paused]);
  expect(await create(scheduleRow(id), id)).toMatchObject({ ok: false, error: { code: "quota_exceeded" } });
});

test("no text of a tenant makes an ended schedule count as paused", async () => {
  const { id } = (await makeTenant(database)).tenant;
  const { state } = scheduleRow(id);
  const task = { input: `"paused":true,`, metadata: { paused: true, '"paused":true,"': "\\" } };
  const over = { ...state, config: { ...state.config, task }, next: null };
  const rows = `select '${id}', 'sch_' || n, 1, null, $1, now() from generate_series(1, ${MAX_SCHEDULES}) n`;
  const owner = neon(server.ownerUrl, { disableWarningInBrowsers: true });
  await owner.query(`insert into schedules ${rows}`, [JSON.stringify(over)]);
  valueOf(await create(scheduleRow(id), id));
  await owner.query(`update schedules set state = $1 where tenant = '${id}' and wake_at is null`, [
    JSON.stringify({ ...over, paused: true }),
  ]);
  expect(await create(scheduleRow(id), id)).toMatchObject({ ok: false, error: { code: "quota_exceeded" } });
});

test("an ended schedule can be reactivated while the tenant is below its limit, its own row excluded", async () => {
  const { id } = (await makeTenant(database)).tenant;
  const { state } = scheduleRow(id);
  const owner = neon(server.ownerUrl, { disableWarningInBrowsers: true });
  const rows = `select '${id}', 'sch_' || n, 1, now(), '{}', now() from generate_series(1, ${MAX_SCHEDULES - 1}) n`;
  await owner.query(`insert into schedules ${rows}`);
  const mayReturn = async () => await database.schedules.checkReactivation(id, state.id);
  expect(await mayReturn()).toMatchObject({ ok: false, error: { code: "not_found" } });
  valueOf(await create({ state: { ...state, next: null }, report: 1, wakeAt: null }, id));
  valueOf(await mayReturn());
  valueOf(await database.schedules.report(id, { state, report: 2, wakeAt: START }));
  valueOf(await mayReturn());
  await owner.query(`insert into schedules values ('${id}', 'sch_paused', 1, null, '{"paused":true}', now())`);
  expect(await mayReturn()).toMatchObject({ ok: false, error: { code: "quota_exceeded" } });
});

test("a tenant has no more than fit, of which those that are over count little, and its rows go with it", async () => {
  const { id } = (await makeTenant(database)).tenant;
  const fill = async (from: number, to: number, state: string) => {
    const rows = `select '${id}', 'sch_' || n, 1, null, '${state}', now() from generate_series(${from}, ${to}) n`;
    await neon(server.ownerUrl, { disableWarningInBrowsers: true }).query(`insert into schedules ${rows}`);
  };
  const full = { ok: false, error: { code: "quota_exceeded" } };
  await fill(1, 2 * MAX_SCHEDULES, `{"paused":false}`);
  valueOf(await create(scheduleRow(id), id));
  await fill(2 * MAX_SCHEDULES + 2, 3 * MAX_SCHEDULES, `{"paused":true}`);
  expect(await create(scheduleRow(id), id)).toMatchObject(full);
  await fill(3 * MAX_SCHEDULES + 1, MAX_STORED_SCHEDULES, `{"paused":false}`);
  await neon(server.ownerUrl, { disableWarningInBrowsers: true }).query(
    `delete from schedules where tenant = '${id}' and state like '%true%'`,
  );
  await fill(2 * MAX_SCHEDULES + 2, 3 * MAX_SCHEDULES, `{"paused":false}`);
  expect(await create(scheduleRow(id), id)).toMatchObject(full);
  valueOf(await database.tenants.erase(id, act("tenant.erase", id)));
  valueOf(await database.tenants.purge(id));
  expect(valueOf(await database.schedules.listIds(id, 10))).toEqual([]);
});

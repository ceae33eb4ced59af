/** Schedules whose object was lost, and deletions that were cut off: docs/decisions/0089-deleted-and-lost-schedules.md. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test, vi } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { schedulesFromEnv } from "../../../adapters/env/schedules.ts";
import type { AuditEntry } from "../../../core/ports/audit.ts";
import { sweep } from "../../../workers/sweep.ts";
import { expectProblem, makeCaller, type Caller } from "../http/entry.ts";
import { asOwner } from "../tenants/reindex-client.ts";
import { config, HOUR, schedulesOf } from "./client.ts";
import { watchDatabase } from "../tenant/client.ts";

const DAY = 24 * HOUR;

let caller: Caller;
beforeAll(async () => {
  caller = await makeCaller();
});

const { stub, make, until } = schedulesOf(() => caller);
const object = (id: string) => schedulesFromEnv(env)(caller.tenant, id);
const view = async (id: string) => await caller.send("GET", `/v1/schedules/${id}`);

async function listed(id: string) {
  const { data } = (await caller.send("GET", "/v1/schedules?limit=100")).json as { data: { id: string }[] };
  return data.find((one) => one.id === id) ?? null;
}

async function acts(id: string): Promise<string[]> {
  const { data } = (await caller.send("GET", `/v1/audit?target=${id}`)).json as { data: { action: string }[] };
  return data.map(({ action }) => action);
}

/** The object of a schedule is lost: it is as empty as one that never was. */
async function lose(id: string): Promise<void> {
  await runInDurableObject(stub(id), async (_, state) => {
    await state.storage.deleteAlarm();
    await state.storage.deleteAll();
  });
  await abortAllDurableObjects();
}

/** The sweep at a time when every schedule of this file is overdue. */
async function sweepLate(): Promise<void> {
  await sweep(env, Date.now() + 3 * HOUR);
}

/** The rest of a deletion that was cut off: the object knows that it was deleted, and its row is there. */
async function deleteHalf(id: string): Promise<AuditEntry> {
  const act: AuditEntry = {
    id: `aud_${id.slice(4)}`,
    at: Date.now(),
    actor: "key_1",
    action: "schedule.delete",
    target: id,
    requestId: "req_1",
  };
  expect(await object(id).remove(act)).toEqual({ ok: true, value: undefined });
  return act;
}

test("a lost schedule is created again from its row, with a line in the log, and continues to run and to report", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const { id } = await make();
  const changed = await caller.send("PUT", `/v1/schedules/${id}`, config({ name: "changed" }));
  await lose(id);
  expectProblem(await view(id), 404);
  await sweepLate();
  expect((await view(id)).json).toEqual({ ...changed.json, apps: [] });
  expect(warned.mock.calls.flat().join("\n")).toContain(`the object of ${id} was lost and is created again`);
  await runInDurableObject(stub(id), async (_, state) => {
    expect(await state.storage.getAlarm()).toBeLessThanOrEqual(Date.parse(changed.json.next_at));
  });
  expect((await caller.send("POST", `/v1/schedules/${id}/run`)).status).toBe(202);
  await until(id, ([first]) => first?.["state"] === "finished");
  expect((await caller.send("POST", `/v1/schedules/${id}/pause`)).status).toBe(200);
  await vi.waitFor(async () => expect(await listed(id)).toMatchObject({ name: "changed", paused: true }), {
    timeout: 15_000,
    interval: 50,
  });
});

test("a deletion that was cut off is finished by the sweep, with the entry of who deleted it", async () => {
  const { id } = await make();
  await deleteHalf(id);
  expect(await listed(id)).not.toBeNull();
  await sweepLate();
  expect(await listed(id)).toBeNull();
  expectProblem(await view(id), 404);
  expect(await acts(id)).toEqual(["schedule.delete", "schedule.create"]);
});

test("a deletion that was cut off is finished by the object's alarm as soon as the database is back", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const { id } = await make();
  await caller.send("POST", `/v1/schedules/${id}/pause`);
  await deleteHalf(id);
  const database = watchDatabase();
  database.isAway = true;
  expect(await runDurableObjectAlarm(stub(id))).toBe(true);
  database.isAway = false;
  expect(await listed(id)).not.toBeNull();
  await runDurableObjectAlarm(stub(id));
  await vi.waitFor(async () => expect(await listed(id)).toBeNull(), { timeout: 15_000, interval: 50 });
  expect(await acts(id)).toContain("schedule.delete");
});

test("a row that an older database brings back is of a deleted schedule for 90 days", async () => {
  const { id } = await make();
  const row = await databaseFromEnv(env).schedules.find(caller.tenant, id);
  if (!row.ok) throw new Error(row.error.message);
  expect((await caller.send("DELETE", `/v1/schedules/${id}`)).status).toBe(200);
  await runDurableObjectAlarm(stub(id));
  await databaseFromEnv(env).schedules.restore(caller.tenant, { ...row.value, wakeAt: Date.now() });
  await sweepLate();
  expect(await listed(id)).toBeNull();
  expectProblem(await view(id), 404);
  await runInDurableObject(stub(id), (_, state) => {
    state.storage.sql.exec("UPDATE removal SET removal = json_set(removal, '$.at', ?)", Date.now() - 91 * DAY);
  });
  await runDurableObjectAlarm(stub(id));
  await runInDurableObject(stub(id), async (_, state) => {
    expect(await state.storage.getAlarm()).toBeNull();
    expect(state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'removal'").toArray()).toEqual([]);
  });
});

test("an empty object restores the schedule of an earlier release's row as paused, and a deleted schedule stays deleted", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const { id } = await make();
  await asOwner("update schedules set is_tracked = false where id = $1", id);
  await lose(id);
  await sweepLate();
  expect((await view(id)).json).toMatchObject({ id, paused: true, next_at: null });
  await vi.waitFor(async () => expect(await listed(id)).toMatchObject({ paused: true }), {
    timeout: 15_000,
    interval: 50,
  });
  expect((await caller.send("DELETE", `/v1/schedules/${id}`)).status).toBe(200);
  await sweepLate();
  expectProblem(await view(id), 404);
  expect(await listed(id)).toBeNull();
});

test("a deletion that finds the object empty removes the row, and the schedule is not restored", async () => {
  const { id } = await make();
  await lose(id);
  expect((await caller.send("DELETE", `/v1/schedules/${id}`)).status).toBe(200);
  await sweepLate();
  expectProblem(await view(id), 404);
  expect(await acts(id)).toEqual(["schedule.delete", "schedule.create"]);
});

import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import type { PermitRequest } from "../../../core/tenant/rpc.ts";
import type { TaskReport } from "../../../core/task/rpc.ts";
import { report } from "../../contracts/database/rows.ts";
import { newTenant, tenantStub, watchDatabase } from "./client.ts";

const NOTHING = { tokens: 0, costMicros: 0 };

/** A task that requests a permit, and needs no budget. */
function enterRequest(task: string): PermitRequest {
  return { task, version: 9, key: null, agent: "agent_x", used: NOTHING, need: NOTHING, want: NOTHING, isPriced: true };
}

describe("the index of tasks", () => {
  const all = { status: null, project: null };
  const page = { after: null, limit: 100 };
  const listed = async (of: string) => {
    const read = await databaseFromEnv(env).tasks.page(of, all, page);
    return read.ok ? read.value.items : [];
  };
  const outbox = async (of: string) =>
    await runInDurableObject(tenantStub(of), (_, state) =>
      state.storage.sql.exec("SELECT task, version FROM outbox").toArray(),
    );

  const partSizes = async (of: string) =>
    await runInDurableObject(tenantStub(of), (_, state) =>
      state.storage.sql
        .exec<{ size: number }>("SELECT LENGTH(bytes) AS size FROM reports ORDER BY part")
        .toArray()
        .map(({ size }) => size),
    );

  test("is updated by the object's alarm, without a request", async () => {
    const { id } = await newTenant();
    const row = report();
    await tenantsFromEnv(env)(id).report(row);
    await vi.waitFor(async () => expect(await listed(id)).toEqual([row.view]), { timeout: 20_000, interval: 50 });
    await vi.waitFor(async () => expect(await outbox(id)).toEqual([]), { timeout: 20_000, interval: 50 });
  });

  test("gets a report that arrived just before the request to send everything", async () => {
    const { id } = await newTenant();
    const rpc = tenantsFromEnv(env)(id);
    for (let i = 0; i < 5; i += 1) {
      const row = report();
      const reporting = rpc.report(row);
      expect(await rpc.flush()).toBe(true);
      expect(await listed(id)).toContainEqual(row.view);
      await reporting;
    }
  });

  test("gets the latest of many reports, in whatever order they come", async () => {
    const { id } = await newTenant();
    const rpc = tenantsFromEnv(env)(id);
    const { task } = report();
    await rpc.report(report({ task, version: 2, status: "completed" }));
    await rpc.report(report({ task, version: 1, status: "queued" }));
    expect(await rpc.flush()).toBe(true);
    expect((await listed(id)).map(({ status }) => status)).toEqual(["completed"]);
    await rpc.report(report({ task, version: 1, status: "queued" }));
    expect(await rpc.flush()).toBe(true);
    expect((await listed(id)).map(({ status }) => status)).toEqual(["completed"]);
  });

  test("loses nothing while the database is away and the object crashes, and catches up when it is back", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await newTenant();
    const rows = Array.from({ length: 130 }, () => report());
    const watch = watchDatabase();
    watch.isAway = true;
    for (const row of rows) await tenantsFromEnv(env)(id).report(row);
    expect(await tenantsFromEnv(env)(id).flush()).toBe(false);
    await abortAllDurableObjects();
    expect(await outbox(id)).toHaveLength(130);
    expect(await runInDurableObject(tenantStub(id), (_, state) => state.storage.getAlarm())).not.toBeNull();
    watch.isAway = false;
    await vi.waitFor(async () => expect(await outbox(id)).toEqual([]), { timeout: 25_000, interval: 100 });
    const some = await databaseFromEnv(env).tasks.some(id, 1000);
    expect(some.ok && some.value.toSorted()).toEqual(rows.map(({ task }) => task).toSorted());
    expect(log).toHaveBeenCalled();
  });

  test("is not stopped for the others by a row that the database refuses", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await newTenant();
    const rpc = tenantsFromEnv(env)(id);
    const [good, bad, alsoGood] = [report(), report(), report()];
    await rpc.report(good);
    await rpc.report({ ...bad, view: { ...bad.view, created_at: "no time at all" } });
    await rpc.report(alsoGood);
    expect(await rpc.flush()).toBe(false);
    expect((await listed(id)).map((view) => view.id).toSorted()).toEqual([good.task, alsoGood.task].toSorted());
    expect(await outbox(id)).toEqual([{ task: bad.task, version: 1 }]);
  });

  test("forgets a task, whatever is still reported of it", async () => {
    const { id } = await newTenant();
    const rpc = tenantsFromEnv(env)(id);
    const row = report();
    await rpc.report(row);
    await rpc.flush();
    await rpc.forget(row.task);
    expect(await listed(id)).toEqual([]);
  });

  test("forgets a task also when the database was away for it", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await newTenant();
    const rpc = tenantsFromEnv(env)(id);
    const row = report();
    await rpc.report(row);
    await rpc.flush();
    const watch = watchDatabase();
    watch.isAway = true;
    await rpc.forget(row.task);
    await rpc.report({ ...row, version: 7 });
    watch.isAway = false;
    expect(await rpc.flush()).toBe(true);
    expect(await listed(id)).toEqual([]);
  });

  test("does not take a forgotten task back by a report that comes late, for a day and over a crash", async () => {
    const { id } = await newTenant();
    const row = report();
    await tenantsFromEnv(env)(id).report(row);
    await tenantsFromEnv(env)(id).forget(row.task);
    expect(await outbox(id)).toEqual([]);
    await abortAllDurableObjects();
    expect(await tenantsFromEnv(env)(id).report({ ...row, version: 7 })).toEqual({ erased: false });
    expect(await tenantsFromEnv(env)(id).flush()).toBe(true);
    expect(await listed(id)).toEqual([]);
  });

  test("does not remember a forgotten task for longer than its day", async () => {
    const { id } = await newTenant();
    await tenantsFromEnv(env)(id).forget(report().task);
    const look = async () =>
      await runInDurableObject(tenantStub(id), async (_, state) => ({
        forgotten: state.storage.sql.exec("SELECT * FROM forgotten").toArray().length,
        alarm: await state.storage.getAlarm(),
      }));
    await runDurableObjectAlarm(tenantStub(id));
    const { forgotten, alarm } = await look();
    expect(forgotten).toBe(1);
    expect(alarm).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    vi.setSystemTime(alarm ?? 0);
    await runDurableObjectAlarm(tenantStub(id));
    vi.useRealTimers();
    expect(await look()).toEqual({ forgotten: 0, alarm: null });
  });

  test("stores a report larger than a row in full, and only the latest one of a task", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await newTenant();
    const rpc = tenantsFromEnv(env)(id);
    const watch = watchDatabase();
    watch.isAway = true;
    const small = report();
    const [input, text] = ["\u{1F9A6}".repeat(200_000), "\u0001".repeat(500_000)];
    const large: TaskReport = {
      ...small,
      version: 2,
      view: { ...small.view, status: "completed", input, output: { text, files: [] } },
    };
    for (const row of [small, large, { ...large, version: 3 }, small]) await rpc.report(row);
    await abortAllDurableObjects();
    expect(await outbox(id)).toEqual([{ task: small.task, version: 3 }]);
    // The platform's limit of a row, which the local runtime does not hold.
    expect(await partSizes(id)).toEqual([1_000_000, 1_000_000, 1_000_000, expect.any(Number)]);
    watch.isAway = false;
    expect(await tenantsFromEnv(env)(id).flush()).toBe(true);
    expect(await listed(id)).toEqual([large.view]);
    expect(await partSizes(id)).toEqual([]);
  });

  test.each([
    ["large", "small"],
    ["small", "large"],
  ] as const)("gets the newest of a %s report and a %s one after it, and keeps no part of either", async (...sizes) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await newTenant();
    const { task } = report();
    const inputs = { small: "short", large: "\u{1F9A6}".repeat(400_000) };
    const [older, newer] = sizes.map((size, at) => report({ task, version: at + 2, input: inputs[size] }));
    if (older === undefined || newer === undefined) throw new Error("two reports were made");
    const watch = watchDatabase();
    watch.isAway = true;
    // A late one, of before both, changes nothing.
    for (const row of [older, newer, older, report({ task, input: "late" })]) await tenantsFromEnv(env)(id).report(row);
    await abortAllDurableObjects();
    expect(await outbox(id)).toEqual([{ task, version: 3 }]);
    watch.isAway = false;
    expect(await tenantsFromEnv(env)(id).flush()).toBe(true);
    expect(await listed(id)).toEqual([newer.view]);
    expect([await outbox(id), await partSizes(id)]).toEqual([[], []]);
  });

  test("does not take back a task that was forgotten while the database was away, before and after a restart", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await newTenant();
    const row = report({ input: "x".repeat(200_000) });
    const other = report();
    const again = async () => {
      await tenantsFromEnv(env)(id).report({ ...row, version: row.version + 7 });
      return await tenantsFromEnv(env)(id).enter(enterRequest(row.task), { ...row, version: row.version + 8 });
    };
    const watch = watchDatabase();
    watch.isAway = true;
    for (const each of [row, other]) await tenantsFromEnv(env)(id).report(each);
    await tenantsFromEnv(env)(id).forget(row.task);
    const gone = await again();
    expect([gone.kind, (await tenantsFromEnv(env)(id).enter(enterRequest(other.task), null)).kind]).toEqual([
      "stopped",
      "admitted",
    ]);
    await abortAllDurableObjects();
    expect(await again()).toEqual(gone);
    watch.isAway = false;
    expect(await tenantsFromEnv(env)(id).flush()).toBe(true);
    for (const restart of [() => Promise.resolve(), abortAllDurableObjects]) {
      await restart();
      expect(await again()).toEqual(gone);
      expect(await tenantsFromEnv(env)(id).flush()).toBe(true);
      expect((await listed(id)).map((view) => view.id)).toEqual([other.task]);
    }
    expect(await partSizes(id)).toEqual([]);
  });

  test("gets many large reports in batches that an answer and a request have room for", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await newTenant();
    const watch = watchDatabase();
    watch.isAway = true;
    const rows = Array.from({ length: 12 }, () => report({ input: "日".repeat(200_000) }));
    for (const row of rows) await tenantsFromEnv(env)(id).report(row);
    watch.isAway = false;
    watch.queries = 0;
    expect(await tenantsFromEnv(env)(id).flush()).toBe(true);
    // Three of them are almost 2 MB.
    expect(watch.queries).toBeGreaterThanOrEqual(rows.length / 3);
    expect((await listed(id)).length).toBe(rows.length);
  });
});

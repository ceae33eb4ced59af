/** What could stop a rebuild but does not: an unavailable database, and single tasks, rows and keys. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import type { TaskReport, TaskRpc } from "../../../core/task/rpc.ts";
import type { ScheduleRpc } from "../../../core/schedules/rpc.ts";
import {
  asOwner,
  hold,
  listed,
  loseRows,
  quiet,
  readLater,
  type Reindexed,
  reindexOf,
  SOON,
  startReindex,
  untilDone,
} from "../tenants/reindex-client.ts";
import { newKey, newTenant, send, sendJson, tenantStub, type TestTenant } from "./client.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("a rebuild under failures", () => {
  const indexOf = (object: unknown) => (object as { jobs: { index: { sendAll(): Promise<boolean> } } }).jobs.index;

  /** The task answers with another row, as its object would. Calls reach methods of the class alone. */
  async function changeIndexRow(
    tenant: TestTenant,
    task: string,
    change: (row: TaskReport) => TaskReport | Promise<TaskReport>,
  ): Promise<void> {
    const stub = env.TASKS.get(env.TASKS.idFromName(`${tenant.id}/${task}`));
    await runInDurableObject(stub, (object) => {
      const methods = Object.getPrototypeOf(object) as Pick<TaskRpc, "indexRow">;
      const { indexRow } = methods;
      vi.spyOn(methods, "indexRow").mockImplementation(async function (this: unknown) {
        const row = await indexRow.call(this as TaskRpc);
        return this === object && row.ok ? { ok: true, value: await change(row.value) } : row;
      });
    });
  }

  /** Lets the next tries come due. */
  async function untilDoneAfterTries(tenant: TestTenant): Promise<Reindexed> {
    return await vi.waitFor(async () => {
      vi.setSystemTime(Date.now() + 40_000);
      await runDurableObjectAlarm(tenantStub(tenant.id));
      const reindex = await reindexOf(tenant);
      expect(reindex.state).toBe("done");
      return reindex;
    }, SOON);
  }

  test("continues after the database was away, without another request", async () => {
    quiet();
    const tenant = await newTenant();
    const task = await hold(tenant);
    await readLater(tenant);
    const sendAll = await runInDurableObject(tenantStub(tenant.id), (object) =>
      vi.spyOn(indexOf(object), "sendAll").mockResolvedValueOnce(false),
    );
    await loseRows(tenant.id);
    expect((await startReindex(tenant)).body.reason).toBe("missing");
    // Nothing but its own alarm: the next try is due at one moment, however often something else asks for it.
    await vi.waitFor(async () => expect((await reindexOf(tenant)).state).toBe("done"), SOON);
    expect(sendAll.mock.calls.length).toBeGreaterThan(1);
    expect(await listed(tenant)).toEqual([task]);
  });

  test("skips a task that does not answer, and retains its other data", async () => {
    quiet();
    const tenant = await newTenant();
    const [silent, task] = [await hold(tenant), await hold(tenant)];
    await readLater(tenant);
    await changeIndexRow(tenant, silent, () => {
      throw new Error("damaged");
    });
    await loseRows(tenant.id);
    await startReindex(tenant);
    expect(await untilDoneAfterTries(tenant)).toMatchObject({ missing: 1, removed: 0, rebuilt: { tasks: 1 } });
    vi.useRealTimers();
    expect(await listed(tenant)).toEqual([task]);
    vi.restoreAllMocks();
    quiet();
    expect((await startReindex(tenant)).status).toBe(202);
    expect(await untilDone(tenant)).toMatchObject({ missing: 0, rebuilt: { tasks: 2 } });
    expect(await listed(tenant)).toEqual([silent, task].toSorted());
  });

  test("passes over a schedule that does not answer, and counts it", async () => {
    quiet();
    const tenant = await newTenant();
    const schedule = {
      name: "hourly",
      when: { kind: "interval", every_seconds: 3600 },
      task: { input: "Look." },
    };
    const ids = [];
    for (let made = 0; made < 2; made += 1) {
      const call = { method: "POST", path: "/v1/schedules", key: tenant.key, body: schedule };
      ids.push((await sendJson<{ id: string }>(call)).body.id);
    }
    const [silent = ""] = ids;
    await readLater(tenant);
    await runInDurableObject(env.SCHEDULES.get(env.SCHEDULES.idFromName(`${tenant.id}/${silent}`)), (object) => {
      const methods = Object.getPrototypeOf(object) as Pick<ScheduleRpc, "restore">;
      const { restore } = methods;
      vi.spyOn(methods, "restore").mockImplementation(async function (this: unknown) {
        if (this === object) throw new Error("damaged");
        return await restore.call(this as ScheduleRpc);
      });
    });
    await loseRows(tenant.id);
    await startReindex(tenant);
    expect(await untilDoneAfterTries(tenant)).toMatchObject({ missing_schedules: 1, rebuilt: { schedules: 1 } });
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  test("stores nothing again of a tenant that is erased meanwhile", async () => {
    quiet();
    const tenant = await newTenant();
    const task = await hold(tenant);
    await readLater(tenant);
    await changeIndexRow(tenant, task, async (row) => {
      await tenantsFromEnv(env)(tenant.id).erase();
      return row;
    });
    expect((await startReindex(tenant)).status).toBe(202);
    const isErased = async () =>
      await runInDurableObject(tenantStub(tenant.id), (_, { storage }) => {
        const count = (table: string) => storage.sql.exec(`SELECT COUNT(*) AS n FROM ${table}`).one()["n"];
        const reports = storage.sql.exec("SELECT COUNT(*) AS n FROM outbox WHERE report IS NOT NULL").one()["n"];
        const erased = storage.sql.exec("SELECT erased_at FROM tenant").one()["erased_at"];
        return { isErased: erased !== null, left: [reports, count("counter"), count("reindex"), count("reports")] };
      });
    await vi.waitFor(async () => expect(await isErased()).toMatchObject({ isErased: true }), SOON);
    await runDurableObjectAlarm(tenantStub(tenant.id));
    expect(await isErased()).toEqual({ isErased: true, left: [0, 0, 0, 0] });
  });

  test("passes over a row that the database refuses, and a key that another tenant has", async () => {
    quiet();
    const tenant = await newTenant();
    const [refused, task] = [await hold(tenant), await hold(tenant)];
    const spare = await newKey(tenant, ["tasks:read"]);
    await send({ path: "/v1/tasks", key: spare.key });
    await readLater(tenant);
    // Beyond what the column holds.
    await changeIndexRow(tenant, refused, (row) => ({ ...row, used: { ...row.used, tokens: 2 ** 70 } }));
    const hash = await runInDurableObject(tenantStub(tenant.id), (_, { storage }) => {
      const query = "SELECT hash FROM keys WHERE json_extract(record, '$.id') = ?";
      return storage.sql.exec<{ hash: string }>(query, spare.id).one().hash;
    });
    await loseRows(tenant.id);
    const other = await newTenant();
    await asOwner("update keys set hash = $1 where tenant = $2", hash, other.id);
    await startReindex(tenant);
    expect(await untilDone(tenant)).toMatchObject({ rebuilt: { keys: 1 }, not_rebuilt: { keys: 1 } });
    expect(await listed(tenant)).toEqual([task]);
    vi.restoreAllMocks();
  });
});

import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, inject, test, vi } from "vitest";
import { asTenant, openConnection } from "../../../adapters/database/connection.ts";
import { schedulesFromEnv } from "../../../adapters/env/schedules.ts";
import { MAX_SCHEDULES } from "../../../core/schedules/schedule.ts";
import { isUnanswered } from "../../../core/base/unanswered.ts";
import { TaskObject } from "../../../durable-objects/task/object.ts";
import { TenantObject } from "../../../durable-objects/tenant/object.ts";
import { createTaskFromOrder } from "../../../workers/tasks/create.ts";
import { sweep } from "../../../workers/sweep.ts";
import { expectProblem, makeCaller, type Caller } from "../http/entry.ts";
import { config, HOUR, quick, schedulesOf, waits } from "./client.ts";
import { watchDatabase } from "../tenant/client.ts";

let caller: Caller;
beforeAll(async () => {
  caller = await makeCaller();
});

const { stub, make, wasDue, ledger, until } = schedulesOf(() => caller);

const tasksOf = async (who: Caller) => (await who.send("GET", "/v1/tasks?limit=100")).json.data as { id: string }[];

describe("a due moment", () => {
  test("creates one task, whose end the ledger records", async () => {
    const { id } = await make();
    const due = await wasDue(id, 1_000);
    await runDurableObjectAlarm(stub(id));
    const [row] = await until(id, ([first]) => first?.["state"] === "finished");
    expect(row).toMatchObject({ due_at: new Date(due).toISOString(), task_status: "completed", is_manual: false });
    const task = (await caller.send("GET", `/v1/tasks/${String(row?.["task_id"])}`)).json;
    expect(task).toMatchObject({ status: "completed", created_at: new Date(due).toISOString() });
    expect((await caller.send("GET", `/v1/schedules/${id}`)).json.next_at).toBe(new Date(due + HOUR).toISOString());
  });

  test("accepts the end of a task from an earlier release, without a reason", async () => {
    const { id } = await make({ task: waits });
    await caller.send("POST", `/v1/schedules/${id}/run`);
    const [row] = await until(id, ([first]) => first?.["state"] === "fired");
    await schedulesFromEnv(env)(caller.tenant, id).taskEnded(String(row?.["task_id"]), "completed");
    expect(await ledger(id)).toMatchObject([{ state: "finished", task_status: "completed", why: null }]);
  });

  test("makes exactly one task when the object dies between storing it and hearing that its task was made", async () => {
    const who = await makeCaller();
    const { id } = await make({}, who);
    await wasDue(id, 1_000, who.tenant);
    await runDurableObjectAlarm(stub(id, who.tenant));
    const made = async () => (await until(id, ([row]) => row?.["state"] === "finished", who))[0]?.["task_id"];
    const task = await made();
    // What a crash leaves: the occurrence is stored, its task may be made.
    for (let kills = 0; kills < 3; kills += 1) {
      await runInDurableObject(stub(id, who.tenant), (_, state) => {
        const [row] = state.storage.sql.exec<{ occurrence: string }>("SELECT occurrence FROM occurrences").toArray();
        const occurrence = { ...JSON.parse(row?.occurrence ?? "{}"), state: "starting", task: null, mayExist: true };
        const forgotten = JSON.stringify(occurrence);
        state.storage.sql.exec("UPDATE occurrences SET occurrence = ?, task = NULL, is_open = 1", forgotten);
      });
      await abortAllDurableObjects();
      await runInDurableObject(stub(id, who.tenant), (_, state) => state.storage.setAlarm(Date.now()));
      await runDurableObjectAlarm(stub(id, who.tenant));
      expect(await made()).toBe(task);
    }
    expect(await ledger(id, who)).toHaveLength(1);
    expect((await tasksOf(who)).map((one) => one.id)).toEqual([task]);
  });

  test("is acted on once the database is back", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const agent = (
      await caller.send("POST", "/v1/agents", {
        name: "scheduled",
        instructions: "Work.",
        tools: [],
        permissions: [],
      })
    ).json;
    const { id } = await make({ task: quick({ agent: agent.id }) });
    await wasDue(id, 1_000);
    const database = watchDatabase();
    database.isAway = true;
    await runDurableObjectAlarm(stub(id));
    const [begun, ...more] = await ledger(id);
    expect([begun?.["state"], more]).toEqual(["starting", []]);
    expect(begun?.["attempts_failed"]).toBeGreaterThan(0);
    database.isAway = false;
    await until(id, ([first]) => first?.["state"] === "finished");
  });

  /** A schedule whose tasks need the database: their agent is looked up. */
  const makeWithAgent = async (name: string) => {
    const agent = { name, instructions: "Work.", tools: ["ask_human"], permissions: [] };
    expect((await caller.send("POST", "/v1/agents", agent)).status).toBe(201);
    return (await make({ overlap: "cancel_previous", task: { ...waits, agent: name } })).id;
  };

  test("has its task cancelled by the next one, also when it was made unheard and a later attempt was refused", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const id = await makeWithAgent("unheard");
    await wasDue(id, 1_000);
    await runDurableObjectAlarm(stub(id));
    const [made] = await until(id, ([row]) => row?.["state"] === "fired");
    await runInDurableObject(stub(id), (_, state) => {
      const query = `UPDATE occurrences SET task = NULL,
        occurrence = json_set(occurrence, '$.state', 'starting', '$.task', NULL, '$.mayExist', json('true'))`;
      state.storage.sql.exec(query);
    });
    await abortAllDurableObjects();
    const database = watchDatabase();
    database.isAway = true;
    await runInDurableObject(stub(id), (_, state) => state.storage.setAlarm(Date.now()));
    await runDurableObjectAlarm(stub(id));
    expect(await ledger(id)).toMatchObject([{ state: "starting", attempts_failed: 1 }]);
    expect((await caller.send("POST", `/v1/schedules/${id}/run`)).status).toBe(202);
    expect((await ledger(id))[1]).toMatchObject({ state: "starting", why: expect.stringContaining("superseded") });
    database.isAway = false;
    const rows = await until(id, (all) => all[1]?.["state"] === "failed");
    expect(rows[1]).toMatchObject({ task_id: made?.["task_id"], task_status: "cancelled" });
    expect((await caller.send("GET", `/v1/tasks/${String(made?.["task_id"])}`)).json.status).toBe("cancelled");
  });

  test("gets no task when it was skipped because of overlap while its start was refused", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const id = await makeWithAgent("refused");
    await wasDue(id, 1_000);
    const database = watchDatabase();
    database.hangs = true;
    const alarm = runDurableObjectAlarm(stub(id));
    await vi.waitFor(() => expect(database.queries).toBeGreaterThan(0), { timeout: 5_000 });
    expect(await ledger(id)).toMatchObject([{ state: "starting" }]);
    const run = caller.send("POST", `/v1/schedules/${id}/run`);
    await until(id, (all) => all.length === 2);
    database.isAway = true;
    database.hangs = false;
    await Promise.all([alarm, run]);
    const [later, first] = await ledger(id);
    expect(first).toMatchObject({ state: "skipped", task_id: null, why: expect.stringContaining("superseded") });
    expect(later?.["state"]).toBe("starting");
    database.isAway = false;
    await until(id, ([row]) => row?.["state"] === "fired");
    expect((await ledger(id))[1]?.["state"]).toBe("skipped");
  });

  test("is known to have a task, perhaps, where the object of its task did not answer, and only there", async () => {
    const at = Date.now();
    const via = { channel: "schedule", id: "sch_1" } as const;
    const order = { tenant: caller.tenant, request: quick(), via, seed: "sch_1/unheard", at };
    vi.spyOn(TaskObject.prototype, "create").mockRejectedValue(new Error("the object was reset"));
    const unheard = await createTaskFromOrder(env, order);
    expect(unheard).toMatchObject({ ok: false, error: { code: "internal", happened: "unknown" } });
    vi.spyOn(TenantObject.prototype, "standing").mockRejectedValue(new Error("the object was reset"));
    const refused = await createTaskFromOrder(env, order);
    expect(refused).toMatchObject({ ok: false, error: { code: "internal" } });
    expect(refused.ok || isUnanswered(refused.error)).toBe(false);
  });

  test("that was missed is decided about by the policy", async () => {
    const { id } = await make({ missed: { policy: "once", window_seconds: 3600 } });
    await wasDue(id, 2.5 * HOUR);
    await runDurableObjectAlarm(stub(id));
    const rows = await until(id, ([first]) => first?.["state"] === "finished");
    expect(rows.map(({ state }) => state)).toEqual(["finished", "coalesced", "coalesced"]);
  });

  test("is found by the sweep when its alarm was lost", async () => {
    const { id } = await make();
    const due = Date.parse((await caller.send("GET", `/v1/schedules/${id}`)).json.next_at);
    await wasDue(id, 1_000);
    await runInDurableObject(stub(id), (_, state) => state.storage.deleteAlarm());
    await sweep(env, Date.now());
    expect(await ledger(id)).toEqual([]);
    await sweep(env, due + 2 * 60_000);
    await until(id, ([first]) => first?.["state"] === "finished");
  });
});

test("an object of a schedule that cannot read its rows holds up no notice of its tenant", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const who = await makeCaller();
  const { id } = await make({ task: waits }, who);
  await who.send("POST", `/v1/schedules/${id}/run`);
  const [row] = await until(id, ([first]) => first?.["state"] === "fired", who);
  const task = String(row?.["task_id"]);
  await runInDurableObject(stub(id, who.tenant), (_, state) => {
    state.storage.sql.exec("UPDATE schedule SET state = '{'");
  });
  await abortAllDurableObjects();
  errors.mockClear();
  await who.send("POST", `/v1/tasks/${task}/cancel`);
  await vi.waitFor(() => expect(errors).toHaveBeenCalled(), { timeout: 20_000, interval: 50 });
  const tenant = () => env.TENANTS.get(env.TENANTS.idFromName(who.tenant));
  await vi.waitFor(
    async () =>
      await runInDurableObject(tenant(), (_, state) => {
        expect(state.storage.sql.exec("SELECT * FROM notices").toArray()).toEqual([]);
      }),
    { timeout: 20_000, interval: 50 },
  );
});

describe("a schedule that is due once", () => {
  const soon = () => ({ when: { kind: "once", at: new Date(Date.now() + HOUR).toISOString() } });

  /** It was due so long ago. */
  async function wasDueOnce(id: string, agoMs: number): Promise<void> {
    await runInDurableObject(stub(id), (_, state) => {
      const due = Date.now() - agoMs;
      const [next, at] = [JSON.stringify({ due, at: due }), new Date(due).toISOString()];
      const query = "UPDATE schedule SET state = json_set(state, '$.next', json(?), '$.config.when.at', ?)";
      state.storage.sql.exec(query, next, at);
    });
    await abortAllDurableObjects();
    await runDurableObjectAlarm(stub(id));
  }

  test("checks its task if its end was not reported", async () => {
    const { id } = await make({ ...soon(), task: waits });
    await wasDueOnce(id, 1_000);
    const [row] = await until(id, ([first]) => first?.["state"] === "fired");
    await runInDurableObject(stub(id), async (_, state) => {
      const alarm = await vi.waitFor(
        async () => {
          const at = await state.storage.getAlarm();
          if (at === null || at < Date.now() + HOUR / 2) throw new Error(`the alarm is at ${at}`);
          return at;
        },
        { timeout: 20_000 },
      );
      expect(alarm).toBeGreaterThanOrEqual(Date.parse(String(row?.["fired_at"])) + HOUR);
      // The notice of the end finds nothing.
      state.storage.sql.exec("UPDATE occurrences SET task = 'another'");
    });
    await caller.send("POST", `/v1/tasks/${String(row?.["task_id"])}/cancel`);
    await caller.until(String(row?.["task_id"]), ({ status }) => status === "cancelled");
    await runDurableObjectAlarm(stub(id));
    expect(await ledger(id)).toMatchObject([{ state: "failed", task_status: "cancelled" }]);
  });

  test("can be reactivated only while the tenant is below its limit, even if it is paused first", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const who = await makeCaller();
    const { id } = await make({ ...soon(), task: quick() }, who);
    const path = `/v1/schedules/${id}`;
    await runInDurableObject(stub(id, who.tenant), (_, state) => {
      state.storage.sql.exec(
        "UPDATE schedule SET state = json_set(state, '$.next', json('null')), report = report + 1",
      );
    });
    await abortAllDurableObjects();
    const connection = openConnection(env.DATABASE_URL ?? "", inject("servers").databaseEndpoint);
    const others = sql`insert into schedules (tenant, id, report, wake_at, state, created_at)
      select ${who.tenant}::text, 'sch_' || n, 1, now() + interval '1 day', '{}', now()
      from generate_series(1, ${MAX_SCHEDULES}) n`;
    const isOver = sql`update schedules set wake_at = null where tenant = ${who.tenant} and id = ${id}`;
    const filled = await asTenant(connection, who.tenant, (query) => [query.execute(others), query.execute(isOver)]);
    expect(filled).toMatchObject({ ok: true });
    for (const refused of [await who.send("PUT", path, config()), await who.send("POST", `${path}/pause`)])
      expect([refused.status, refused.json.code], refused.text).toEqual([403, "quota_exceeded"]);
    expect((await who.send("GET", path)).json).toMatchObject({ version: 1, paused: false, next_at: null });
    const fewer = sql`delete from schedules where tenant = ${who.tenant} and id = 'sch_1'`;
    await asTenant(connection, who.tenant, (query) => [query.execute(fewer)]);
    const database = watchDatabase();
    database.isAway = true;
    expectProblem(await who.send("PUT", path, config()), 503);
    database.isAway = false;
    expect((await who.send("PUT", path, config())).json).toMatchObject({ version: 2, next_at: expect.any(String) });
    database.isAway = true;
    expect((await who.send("PUT", path, config())).status).toBe(200);
    database.isAway = false;
    // A sweep of a later file would recreate objects from these rows, whose states cannot be read.
    const rest = sql`delete from schedules where tenant = ${who.tenant} and state = '{}'`;
    expect(await asTenant(connection, who.tenant, (query) => [query.execute(rest)])).toMatchObject({ ok: true });
  });

  /** It was over a month ago. */
  async function waitForEnd(id: string): Promise<void> {
    await wasDueOnce(id, 1_000);
    await until(id, ([first]) => first?.["state"] === "finished");
    await runInDurableObject(stub(id), (_, state) => {
      const then = Date.now() - 31 * 24 * HOUR;
      const query = `UPDATE schedule SET state = json_set(state, '$.updatedAt', ?, '$.last', ?), reported = report`;
      state.storage.sql.exec(query, then, then);
    });
    await abortAllDurableObjects();
  }

  test("rejects new items while it is being deleted, so that no accepted item is erased", async () => {
    const { id } = await make({ ...soon(), task: quick() });
    await waitForEnd(id);
    const path = `/v1/schedules/${id}`;
    const database = watchDatabase();
    database.hangs = true;
    const alarm = runDurableObjectAlarm(stub(id));
    await vi.waitFor(() => expect(database.queries).toBe(1), { timeout: 5_000 });
    const answers = Promise.all([caller.send("PUT", path, config()), caller.send("POST", `${path}/run`)]);
    const said = await Promise.race([answers, scheduler.wait(3_000).then(() => [])]);
    database.hangs = false;
    await alarm;
    expect(said.map(({ status }) => status)).toEqual([404, 404]);
    expectProblem(await caller.send("GET", path), 404);
  });

  test("takes everything again when it could not go", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await make({ ...soon(), task: quick() });
    await waitForEnd(id);
    const path = `/v1/schedules/${id}`;
    const database = watchDatabase();
    database.isAway = true;
    await runDurableObjectAlarm(stub(id));
    expect(database.queries).toBeGreaterThan(0);
    database.isAway = false;
    expect((await caller.send("PUT", path, config())).json).toMatchObject({ version: 2, next_at: expect.any(String) });
  });

  test("goes with its row a month after it was over", async () => {
    const { id } = await make({ ...soon(), task: quick() });
    await waitForEnd(id);
    await runDurableObjectAlarm(stub(id));
    expectProblem(await caller.send("GET", `/v1/schedules/${id}`), 404);
    const { data } = (await caller.send("GET", "/v1/schedules?limit=100")).json as { data: { id: string }[] };
    expect(data.map((one) => one.id)).not.toContain(id);
    await runInDurableObject(stub(id), async (_, state) => expect(await state.storage.getAlarm()).toBeNull());
  });
});

test("the budget of a schedule holds for all of its runs together, and for no other's", async () => {
  const [{ id }, other] = [await make({ overlap: "allow" }), await make()];
  await caller.send("POST", `/v1/schedules/${id}/run`);
  await until(id, ([row]) => row?.["state"] === "finished");
  const limited = await caller.send("PUT", `/v1/budgets/${id}`, { max_tokens: 1, period: "total" });
  expect(limited.json, limited.text).toMatchObject({ account: id, limit: { max_tokens: 1 } });
  expect(limited.json.used.tokens).toBeGreaterThan(1);
  await caller.send("POST", `/v1/schedules/${id}/run`);
  const [row] = await until(id, ([latest, ...rest]) => rest.length === 1 && latest?.["state"] === "failed");
  const task = (await caller.send("GET", `/v1/tasks/${String(row?.["task_id"])}`)).json;
  expect(task).toMatchObject({ status: "failed", reason: "budget_exceeded" });
  expect(row?.["why"]).toBe(`the task failed: ${task.error.message}`);
  await caller.send("POST", `/v1/schedules/${other.id}/run`);
  await until(other.id, ([first]) => first?.["state"] === "finished");
  const strange = (await makeCaller()).send("PUT", `/v1/budgets/${id}`, { max_tokens: 1, period: "total" });
  expectProblem(await strange, 404);
});

describe("a run on request", () => {
  test("is made once for one Idempotency-Key", async () => {
    const { id } = await make({ overlap: "allow" });
    const headers = { "idempotency-key": `run-${id}` };
    const [first, again] = [
      await caller.send("POST", `/v1/schedules/${id}/run`, {}, headers),
      await caller.send("POST", `/v1/schedules/${id}/run`, {}, headers),
    ];
    expect(first.status, first.text).toBe(202);
    expect(again.text).toBe(first.text);
    expect(await until(id, ([row]) => row?.["state"] === "finished")).toMatchObject([{ is_manual: true }]);
  });

  test("is skipped, waits, or replaces the one before, as the schedule says", async () => {
    const ask = async (overlap: string) => {
      const { id } = await make({ overlap, task: waits });
      await caller.send("POST", `/v1/schedules/${id}/run`);
      await until(id, ([row]) => row?.["state"] === "fired");
      await caller.send("POST", `/v1/schedules/${id}/run`);
      return id;
    };
    expect((await ledger(await ask("skip"))).map(({ state }) => state)).toEqual(["skipped", "fired"]);

    const queued = await ask("queue");
    const [second, first] = await ledger(queued);
    expect(second).toMatchObject({ state: "queued" });
    await caller.send("POST", `/v1/tasks/${String(first?.["task_id"])}/cancel`);
    await until(queued, ([row]) => row?.["state"] === "fired");

    const rows = await until(await ask("cancel_previous"), (all) => all[1]?.["state"] === "failed");
    expect(rows[1]).toMatchObject({ task_status: "cancelled", why: expect.stringContaining("superseded") });
    expect(rows[0]?.["state"]).toMatch(/starting|fired/);
  });
});

test("the ledger stores a thousand ended occurrences, and every open one", async () => {
  const { id } = await make({ missed: { policy: "once", window_seconds: 86_400 }, task: waits });
  await wasDue(id, 1_500 * HOUR);
  await runDurableObjectAlarm(stub(id));
  await runInDurableObject(stub(id), (_, state) => {
    const [row] = state.storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM occurrences").toArray();
    expect(row?.n).toBe(1_001);
  });
  const page = await caller.send("GET", `/v1/schedules/${id}/occurrences?limit=2`);
  expect(page.json.data).toHaveLength(2);
  const next = await caller.send("GET", `/v1/schedules/${id}/occurrences?limit=2&cursor=${page.json.next_cursor}`);
  expect(next.json.data[0].due_at < page.json.data[1].due_at).toBe(true);
});

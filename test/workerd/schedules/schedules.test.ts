import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { schedulesFromEnv } from "../../../adapters/env/schedules.ts";
import { createReminder } from "../../../workers/schedules/reminders.ts";
import { sweep } from "../../../workers/sweep.ts";
import { expectProblem, makeCaller, type Caller } from "../http/entry.ts";
import { config, quick, schedulesOf, waits } from "./client.ts";
import { newTenant, operatorKey, send, watchDatabase } from "../tenant/client.ts";

let caller: Caller;
beforeAll(async () => {
  caller = await makeCaller();
});

const { stub, make, wasDue, ledger, until } = schedulesOf(() => caller);

describe("a schedule", () => {
  test("can be created, read, listed, changed at its version, and deleted", async () => {
    const made = await make({ when: { kind: "cron", expression: "0 9 * * MON-FRI" }, time_zone: "Europe/Lisbon" });
    expect(made).toMatchObject({ version: 1, paused: false, overlap: "skip", missed: { policy: "once" } });
    expect(new Date(made.next_at).getTime()).toBeGreaterThan(Date.now());
    const path = `/v1/schedules/${made.id}`;
    const read = await caller.send("GET", path);
    expect(read.json).toEqual({ ...made, apps: [] });
    expect(read.headers.get("etag")).toBe('"1"');
    const changed = await caller.send("PUT", path, config({ name: "hourly" }), { "if-match": '"1"' });
    expect(changed.json).toMatchObject({ name: "hourly", version: 2 });
    expectProblem(await caller.send("PUT", path, config(), { "if-match": '"1"' }), 409);
    const listed = await caller.send("GET", "/v1/schedules");
    expect(listed.json.data).toContainEqual(changed.json);
    expect((await caller.send("DELETE", path)).json).toEqual(changed.json);
    expectProblem(await caller.send("GET", path), 404);
    expectProblem(await caller.send("DELETE", path), 404);
    expect((await caller.send("GET", "/v1/schedules")).json.data).not.toContainEqual(changed.json);
    const acts = (await caller.send("GET", "/v1/audit")).json.data as { action: string; target: string }[];
    expect(acts.filter(({ target }) => target === made.id).map(({ action }) => action)).toEqual([
      "schedule.delete",
      "schedule.update",
      "schedule.create",
    ]);
  });

  test("is made once for one Idempotency-Key", async () => {
    const headers = { "idempotency-key": "nightly" };
    const first = await caller.send("POST", "/v1/schedules", config(), headers);
    const again = await caller.send("POST", "/v1/schedules", config(), headers);
    expect(again.text).toBe(first.text);
  });

  test.each([
    [{ when: { kind: "cron", expression: "61 * * * *" } }, "when.expression"],
    [{ when: { kind: "interval", every_seconds: 59 } }, "when.every_seconds"],
    [{ when: { kind: "once", at: "2020-01-01T00:00:00Z" } }, "when.at"],
    [{ time_zone: "Mars/Olympus" }, "time_zone"],
    [{ task: undefined }, "task"],
    [{ task: { input: "" } }, "task.input"],
    [{ overlap: "both" }, "overlap"],
    [{ missed: { policy: "some", window_seconds: 60 } }, "missed.policy"],
    [{ colour: "red" }, "colour"],
  ])("is refused: %j", async (more, field) => {
    expectProblem(await caller.send("POST", "/v1/schedules", config(more)), 422, field);
  });

  test("is refused for an agent that there is not", async () => {
    expectProblem(await caller.send("POST", "/v1/schedules", config({ task: quick({ agent: "nobody" }) })), 404);
  });

  test("is refused with a budget that its agent does not allow, when it is made and when it is changed", async () => {
    const agent = { name: "frugal", instructions: "", tools: [], permissions: [], budget: { max_steps: 5 } };
    expect((await caller.send("POST", "/v1/agents", agent)).status).toBe(201);
    const { id } = await make({ task: quick({ agent: "frugal", budget: { max_steps: 5 } }) });
    for (const [task, field] of [
      [quick({ agent: "frugal", budget: { max_steps: 6 } }), "task.budget.max_steps"],
      [quick({ agent: "frugal", budget: { max_steps: 100 } }), "task.budget.max_steps"],
    ] as const) {
      const made = await caller.send("POST", "/v1/schedules", config({ task }));
      expectProblem(made, 422, field);
      expect(made.json.detail).toMatch(/^task\.budget\.max_steps is \d+; the agent allows at most \d+/);
      expectProblem(await caller.send("PUT", `/v1/schedules/${id}`, config({ task })), 422, field);
    }
  });

  test("whose agent allows less by now says so in its ledger", async () => {
    const agent = { name: "shrinking", instructions: "", tools: [], permissions: [], budget: { max_steps: 5 } };
    const { json } = await caller.send("POST", "/v1/agents", agent);
    const { id } = await make({ task: quick({ agent: "shrinking", budget: { max_steps: 5 } }) });
    const less = { ...agent, budget: { max_steps: 2 } };
    expect((await caller.send("PUT", `/v1/agents/${json.id}`, less)).status).toBe(200);
    expect((await caller.send("POST", `/v1/schedules/${id}/run`)).status).toBe(202);
    const [row] = await until(id, ([one]) => one?.["state"] === "failed");
    expect(row?.["why"]).toBe("budget.max_steps is 5; the agent allows at most 2.");
  });

  test("lists its next due times, created or not", async () => {
    const timing = { when: { kind: "cron", expression: "30 1 * * *" }, time_zone: "America/New_York" };
    const preview = await caller.send("POST", "/v1/schedules/preview", { ...timing, count: 3 });
    expect(preview.json.data).toHaveLength(3);
    const { id } = await make(timing);
    const next = await caller.send("GET", `/v1/schedules/${id}/next?count=3`);
    expect(next.json).toEqual(preview.json);
    expectProblem(await caller.send("GET", `/v1/schedules/${id}/next?count=101`), 422, "count");
    expectProblem(await caller.send("POST", "/v1/schedules/preview", { ...timing, time_zone: "x" }), 422, "time_zone");
  });

  test("is not due while it is paused", async () => {
    const { id } = await make();
    const paused = await caller.send("POST", `/v1/schedules/${id}/pause`);
    expect(paused.json).toMatchObject({ paused: true, next_at: null });
    await runInDurableObject(stub(id), async (_, state) => expect(await state.storage.getAlarm()).toBeNull());
    const resumed = await caller.send("POST", `/v1/schedules/${id}/resume`);
    expect(resumed.json.paused).toBe(false);
    expect(new Date(resumed.json.next_at).getTime()).toBeGreaterThan(Date.now());
  });
});

describe("while the database is away", () => {
  test("a schedule is paused, resumed, changed and run, and the audit log receives it later, once", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await make();
    const database = watchDatabase();
    database.isAway = true;
    const path = `/v1/schedules/${id}`;
    const [paused, resumed, changed, run] = [
      await caller.send("POST", `${path}/pause`),
      await caller.send("POST", `${path}/resume`),
      await caller.send("PUT", path, config({ name: "hourly" })),
      await caller.send("POST", `${path}/run`),
    ];
    expect([paused, resumed, changed, run].map(({ status }) => status)).toEqual([200, 200, 200, 202]);
    expect([paused.json.paused, resumed.json.paused, changed.json.name]).toEqual([true, false, "hourly"]);
    database.isAway = false;
    const acts = async () =>
      ((await caller.send("GET", "/v1/audit")).json.data as { action: string; target: string }[])
        .filter(({ target }) => target === id)
        .map(({ action }) => action)
        .toSorted();
    const all = ["schedule.create", "schedule.pause", "schedule.resume", "schedule.run", "schedule.update"];
    await vi.waitFor(async () => expect(await acts()).toEqual(all), { timeout: 25_000, interval: 50 });
  });

  test("a schedule that was paused is not deleted before the audit log knows of it, and then both are in it", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await make();
    const path = `/v1/schedules/${id}`;
    const database = watchDatabase();
    database.isAway = true;
    expect((await caller.send("POST", `${path}/pause`)).status).toBe(200);
    expectProblem(await caller.send("DELETE", path), 503);
    expect((await caller.send("GET", path)).json.paused).toBe(true);
    database.isAway = false;
    expect((await caller.send("DELETE", path)).json).toMatchObject({ id, paused: true });
    const { data } = (await caller.send("GET", `/v1/audit?target=${id}`)).json as { data: { action: string }[] };
    expect(data.map(({ action }) => action).toSorted()).toEqual([
      "schedule.create",
      "schedule.delete",
      "schedule.pause",
    ]);
    expectProblem(await caller.send("DELETE", path), 404);
  });

  test("a deletion that the audit log could not record is not reported as done, and a repeat completes it", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await make();
    const path = `/v1/schedules/${id}`;
    const database = watchDatabase();
    database.isAway = true;
    expectProblem(await caller.send("DELETE", path), 503);
    expectProblem(await caller.send("GET", path), 404);
    database.isAway = false;
    expect((await caller.send("DELETE", path)).json).toMatchObject({ id });
    const { data } = (await caller.send("GET", `/v1/audit?target=${id}`)).json as { data: { action: string }[] };
    expect(data.map(({ action }) => action).toSorted()).toEqual(["schedule.create", "schedule.delete"]);
  });

  test("a schedule that has been over for a month stays until the audit log knows what was done to it", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await make();
    await runInDurableObject(stub(id), (_, state) => {
      const act = {
        id: "aud_1",
        at: Date.now(),
        actor: "key_1",
        action: "schedule.run",
        target: id,
        requestId: "req_1",
      };
      state.storage.sql.exec("INSERT INTO acts VALUES (?, ?)", act.id, JSON.stringify(act));
      const query = "UPDATE schedule SET state = json_set(state, '$.next', json('null'), '$.updatedAt', 1)";
      state.storage.sql.exec(query);
    });
    await abortAllDurableObjects();
    const database = watchDatabase();
    // Only the first that is asked of it is lost.
    Object.defineProperty(database, "isAway", { get: () => database.queries <= 1 });
    await runDurableObjectAlarm(stub(id));
    const acts = async () =>
      ((await caller.send("GET", `/v1/audit?target=${id}`)).json.data as { action: string }[]).map(
        ({ action }) => action,
      );
    await vi.waitFor(async () => expect(await acts()).toContain("schedule.run"), { timeout: 15_000, interval: 50 });
    await vi.waitFor(async () => expectProblem(await caller.send("GET", `/v1/schedules/${id}`), 404), {
      timeout: 15_000,
      interval: 50,
    });
  });

  test("a schedule goes with its tenant, whatever the audit log misses", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await make();
    const database = watchDatabase();
    database.isAway = true;
    expect((await caller.send("POST", `/v1/schedules/${id}/pause`)).status).toBe(200);
    await schedulesFromEnv(env)(caller.tenant, id).erase();
    expectProblem(await caller.send("GET", `/v1/schedules/${id}`), 404);
    database.isAway = false;
    expect((await caller.send("DELETE", `/v1/schedules/${id}`)).status).toBe(200);
  });
});

test("the schedules of an erased tenant go with it", async () => {
  const tenant = await newTenant();
  const body = config();
  const made = await send({ method: "POST", path: "/v1/schedules", key: tenant.key, body });
  const { id } = await made.json<{ id: string }>();
  await send({ method: "DELETE", path: `/v1/tenants/${tenant.id}`, key: operatorKey() });
  await sweep(env, Date.now());
  await runInDurableObject(stub(id, tenant.id), async (_, state) => {
    expect(await state.storage.getAlarm()).toBeNull();
    expect(state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'schedule'").toArray()).toEqual([]);
  });
});

describe("the notifications of people", () => {
  const ops = [{ channel: "email", to: "ops@example.com" }];
  const deliveries = async () =>
    (await caller.send("GET", "/v1/deliveries?limit=100")).json.data as { kind: string; to: string }[];
  const countEvents = async (kind: string, count: number) =>
    await vi.waitFor(async () => expect((await deliveries()).filter((one) => one.kind === kind)).toHaveLength(count), {
      timeout: 20_000,
      interval: 50,
    });

  test("are a reminder once for each due time, also when it was sent before a crash", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { id } = await make({ task: undefined, reminder: { text: "Stand up.", to: ops } });
    await wasDue(id, 1_000);
    await runDurableObjectAlarm(stub(id));
    expect(await ledger(id)).toMatchObject([{ state: "finished", task_id: null }]);
    await countEvents("reminder", 1);
    await runInDurableObject(stub(id), (_, state) => {
      state.storage.sql.exec(
        "UPDATE occurrences SET is_open = 1, occurrence = json_set(occurrence, '$.state', 'starting')",
      );
      void state.storage.setAlarm(Date.now());
    });
    await abortAllDurableObjects();
    await runDurableObjectAlarm(stub(id));
    expect(await ledger(id)).toMatchObject([{ state: "finished" }]);
    await countEvents("reminder", 1);
  });

  test("is a run that failed, and one that did not end in time", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const alert = { deliver: ops, if_not_finished_within_seconds: 1 };
    const { id } = await make({ task: waits, alert });
    await caller.send("POST", `/v1/schedules/${id}/run`);
    const [row] = await until(id, ([first]) => first?.["is_late"] === true);
    await countEvents("alert", 1);
    await caller.send("POST", `/v1/tasks/${String(row?.["task_id"])}/cancel`);
    expect(await until(id, ([first]) => first?.["state"] === "failed")).toMatchObject([{ task_status: "cancelled" }]);
    await countEvents("alert", 2);
  });

  test("are refused for an unknown destination", async () => {
    for (const [more, field] of [
      [{ alert: { deliver: [{ channel: "email", to: "nobody" }] } }, "alert.deliver.0.to"],
      [{ task: quick({ deliver: [{ channel: "webhook", to: "whk_1" }] }) }, "task.deliver.0.to"],
      [{ task: undefined, reminder: { text: "x", to: [{ channel: "email", to: "x" }] } }, "reminder.to.0.to"],
    ] as const)
      expectProblem(await caller.send("POST", "/v1/schedules", config(more)), 422, field);
  });

  test("can be requested in words, once per request", async () => {
    const made = await caller.send("POST", "/v1/people", {
      name: "Ana Silva",
      addresses: [{ kind: "email", address: "ana@example.com" }],
      time_zone: "Europe/Lisbon",
    });
    expect(made.status, made.text).toBe(201);
    const person = { id: made.json.id, name: "Ana Silva", timeZone: "Europe/Lisbon" };
    const to = [{ channel: "person", to: person.id }] as const;
    const order = { tenant: caller.tenant, person, to, now: Date.now(), seed: "Ev1" };
    const first = await createReminder(env, { ...order, text: "me in 20 minutes to call Bo" });
    const again = await createReminder(env, { ...order, text: "me in 20 minutes to call Bo" });
    expect(again).toEqual(first);
    if (!first.ok) throw new Error(first.error.message);
    const read = (await caller.send("GET", `/v1/schedules/${first.value.id}`)).json;
    expect(read).toMatchObject({ name: "Reminder: call Bo", reminder: { text: "call Bo", to } });
    const other = await createReminder(env, { ...order, seed: "Ev2", text: "@Ana every weekday at 9: plan" });
    expect(other).toMatchObject({ value: { config: { reminder: { text: "Ana Silva: plan", to } } } });
    expect(await createReminder(env, { ...order, seed: "Ev3", text: "@Zoe in 1 hour to x" })).toMatchObject({
      ok: false,
    });
    expect(await createReminder(env, { ...order, seed: "Ev4", text: "me soon" })).toMatchObject({
      error: { code: "invalid_input" },
    });
  });
});

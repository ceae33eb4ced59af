/** Webhooks from what happens to a task until their receiver took them: tries, crashes, replays, and who hears nothing. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { type Caller, makeCaller } from "../../http/entry.ts";
import { answerBy, isVerifiedBy, makeWebhook, newReceiver, postedTo, type TestWebhook, verified } from "./client.ts";

const SOON = { timeout: 20_000, interval: 50 };
const DONE = [{ text: "All done \u{1f41f}." }];

function outboxOf({ tenant }: Caller, { id }: TestWebhook) {
  return env.OUTBOXES.get(env.OUTBOXES.idFromName(`${tenant}/webhook/${id}`));
}

/** How its deliveries stand, the earliest first. */
async function standing(caller: Caller, webhook: TestWebhook): Promise<string[]> {
  return await runInDurableObject(outboxOf(caller, webhook), (_, { storage }) =>
    storage.sql
      .exec<{ state: string }>("SELECT state FROM deliveries ORDER BY place")
      .toArray()
      .map(({ state }) => state),
  );
}

/** Lets what waits be due now. */
async function hurry(caller: Caller, webhook: TestWebhook): Promise<void> {
  const stub = outboxOf(caller, webhook);
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec("UPDATE deliveries SET due_at = 0 WHERE state = 'waiting'");
  });
  await runDurableObjectAlarm(stub);
}

/** Until the tenant's object has heard that so many tasks completed. */
async function untilReported(caller: Caller, count: number): Promise<void> {
  await vi.waitFor(
    async () => expect((await caller.send("GET", "/v1/tasks?status=completed")).json.data).toHaveLength(count),
    SOON,
  );
}

async function untilPosted(url: string, count: number) {
  return await vi.waitFor(async () => {
    const posted = await postedTo(url);
    expect(posted).toHaveLength(count);
    return posted;
  }, SOON);
}

describe("the events of a task", () => {
  test("reach the endpoints that want them, verified, each under an id of its own, and no other tenant's", async () => {
    const [caller, stranger] = [await makeCaller(), await makeCaller()];
    const every = await makeWebhook(caller, await newReceiver(), ["*"]);
    const ends = await makeWebhook(caller, await newReceiver(), ["task.completed", "task.failed"]);
    const foreign = await makeWebhook(stranger, await newReceiver(), ["*"]);
    const task = await caller.makeTask(DONE, { metadata: { order: 7 } });
    const [end] = await untilPosted(ends.url, 1);
    const all = await untilPosted(every.url, 3);
    if (end === undefined) throw new Error("it was posted");
    expect(verified(ends.secret, end)).toMatchObject({
      type: "task.completed",
      data: {
        task_id: task.id,
        task: { id: task.id, status: "completed", output: { text: DONE[0]?.text }, metadata: { order: 7 } },
      },
    });
    const events = all.map((posted) => verified(every.secret, posted));
    expect(events.map(({ type }) => type).toSorted()).toEqual(["task.completed", "task.created", "task.started"]);
    expect(events.every(({ data }) => data["task_id"] === task.id)).toBe(true);
    const ids = [end, ...all].map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => id?.startsWith("dlv_"))).toBe(true);
    expect(await postedTo(foreign.url)).toEqual([]);
  });

  test("that ask a person include those of subtasks, but no other event of subtasks or of calls over the API", async () => {
    const caller = await makeCaller();
    const every = await makeWebhook(caller, await newReceiver(), ["*"]);
    await caller.send("POST", "/v1/tools/get_current_time/call", { arguments: {} });
    const asking = JSON.stringify({
      replies: [{ calls: [{ name: "ask_human", arguments: { query: "Which one?" } }] }],
    });
    const { id } = await caller.makeTask([
      { calls: [{ name: "dispatch_subagent", arguments: { task_description: asking } }] },
    ]);
    await caller.until(id, ({ pending }) => pending.length > 0);
    const question = await vi.waitFor(async () => {
      const posted = (await postedTo(every.url)).map((one) => verified(every.secret, one));
      const found = posted.find(({ type }) => type === "question.asked");
      expect(found).toBeDefined();
      return found;
    }, SOON);
    expect(question?.data["task_id"]).not.toBe(id);
    const others = (await postedTo(every.url)).map((one) => verified(every.secret, one));
    expect(others.filter(({ type }) => type.startsWith("task.")).every(({ data }) => data["task_id"] === id)).toBe(
      true,
    );
  });

  test("start with the answer that creates an endpoint", async () => {
    const caller = await makeCaller();
    await caller.makeTask(DONE);
    await untilReported(caller, 1);
    const webhook = await makeWebhook(caller, await newReceiver(), ["task.completed"]);
    const second = await caller.makeTask(DONE);
    const [posted] = await untilPosted(webhook.url, 1);
    expect(posted !== undefined && verified(webhook.secret, posted).data["task_id"]).toBe(second.id);
    expect((await caller.send("DELETE", `/v1/webhooks/${webhook.id}`)).status).toBe(204);
    await caller.makeTask(DONE);
    await untilReported(caller, 3);
    const late = await makeWebhook(caller, await newReceiver(), ["task.completed"]);
    await caller.makeTask(DONE);
    await untilPosted(late.url, 1);
    expect(await postedTo(webhook.url)).toHaveLength(1);
  });
});

test("the result of a task goes to a webhook that its `deliver` names, whatever events that wants", async () => {
  const caller = await makeCaller();
  const webhook = await makeWebhook(caller, await newReceiver(), ["task.failed"]);
  const task = await caller.makeTask(DONE, { deliver: [{ channel: "webhook", to: webhook.id }] });
  const [posted] = await untilPosted(webhook.url, 1);
  expect(posted !== undefined && verified(webhook.secret, posted)).toMatchObject({
    type: "delivery.result",
    data: { task_id: task.id, text: DONE[0]?.text, files: [] },
  });
});

describe("a delivery", () => {
  test("that fails nine times is taken the tenth time, under one id throughout", async () => {
    const caller = await makeCaller();
    const failures = Array.from({ length: 9 }, (_, at) => ({ status: [500, 404, 302][at % 3] ?? 500 }));
    const webhook = await makeWebhook(caller, await newReceiver(...failures, { status: 200 }), ["task.completed"]);
    await caller.makeTask(DONE);
    for (let tries = 1; tries <= 9; tries += 1) {
      await untilPosted(webhook.url, tries);
      await vi.waitFor(async () => expect(await standing(caller, webhook)).toEqual(["waiting"]), SOON);
      await hurry(caller, webhook);
    }
    const posted = await untilPosted(webhook.url, 10);
    await vi.waitFor(async () => expect(await standing(caller, webhook)).toEqual(["sent"]), SOON);
    expect(new Set(posted.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(posted.map(({ body }) => body)).size).toBe(1);
    expect(posted.every((one) => isVerifiedBy(webhook.secret, one))).toBe(true);
  });

  test("that is cut off by a crash is sent again, under the same id, and has all of its ten tries left", async () => {
    const caller = await makeCaller();
    const refusals = Array.from({ length: 9 }, () => ({ status: 500 }));
    const receiver = await newReceiver({ fault: "hang" }, ...refusals, { status: 200 });
    const webhook = await makeWebhook(caller, receiver, ["task.completed"]);
    await caller.makeTask(DONE);
    await untilPosted(webhook.url, 1);
    await abortAllDurableObjects();
    for (let posts = 2; posts <= 10; posts += 1) {
      await untilPosted(webhook.url, posts);
      await vi.waitFor(async () => expect(await standing(caller, webhook)).toEqual(["waiting"]), SOON);
      await hurry(caller, webhook);
    }
    const posted = await untilPosted(webhook.url, 11);
    expect(new Set(posted.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    await vi.waitFor(async () => expect(await standing(caller, webhook)).toEqual(["sent"]), SOON);
  });

  test("to a receiver that is gone ends there, and disables its webhook alone", async () => {
    const caller = await makeCaller();
    const gone = await makeWebhook(caller, await newReceiver({ status: 410 }), ["task.completed"]);
    const there = await makeWebhook(caller, await newReceiver(), ["task.completed"]);
    await caller.makeTask(DONE);
    await vi.waitFor(async () => expect(await standing(caller, gone)).toEqual(["dead"]), SOON);
    await caller.makeTask(DONE);
    await untilPosted(there.url, 2);
    expect(await postedTo(gone.url)).toHaveLength(1);
    const { data } = (await caller.send("GET", "/v1/webhooks")).json as { data: { id: string; enabled: boolean }[] };
    expect(data.map(({ id, enabled }) => [id, enabled])).toEqual([
      [there.id, true],
      [gone.id, false],
    ]);
  });
});

describe("deliveries that failed permanently", () => {
  test("are listed, and resent under their ids on request", async () => {
    const caller = await makeCaller();
    const webhook = await makeWebhook(caller, await newReceiver({ status: 500 }), ["task.completed"]);
    const path = `/v1/webhooks/${webhook.id}`;
    await caller.makeTask(DONE);
    for (let tries = 1; tries <= 10; tries += 1) {
      await untilPosted(webhook.url, tries);
      const state = tries < 10 ? "waiting" : "dead";
      await vi.waitFor(async () => expect(await standing(caller, webhook)).toEqual([state]), SOON);
      if (tries < 10) await hurry(caller, webhook);
    }
    const [dead] = await vi.waitFor(async () => {
      const { data } = (await caller.send("GET", `${path}/deliveries?state=dead`)).json;
      expect(data).toHaveLength(1);
      return data;
    }, SOON);
    expect(dead).toMatchObject({ to: webhook.id, kind: "event", attempts: 10, why: "The receiver answered 500." });
    expect((await caller.send("GET", `${path}/deliveries?state=sent`)).json.data).toEqual([]);
    const after = await caller.send("POST", `${path}/replay`, { since: new Date(Date.now() + 60_000).toISOString() });
    expect([after.status, after.json]).toEqual([202, { replayed: 0, left: 0 }]);
    await answerBy(webhook.url, { status: 200 });
    const answer = await caller.send("POST", `${path}/replay`, {});
    expect([answer.status, answer.json]).toEqual([202, { replayed: 1, left: 0 }]);
    const posted = await untilPosted(webhook.url, 11);
    expect(new Set(posted.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([dead.id]));
    await vi.waitFor(async () => expect(await standing(caller, webhook)).toEqual(["sent"]), SOON);
    const { id: _, secret: __, ...setting } = { ...webhook, events: ["task.failed"], enabled: false };
    await caller.send("PUT", path, setting);
    expect((await caller.send("POST", `${path}/replay`, {})).status).toBe(409);
    const acts = (await caller.send("GET", "/v1/audit")).json.data as { action: string }[];
    expect(acts.filter(({ action }) => action === "webhook.replay")).toHaveLength(2);
  });

  test("are sent again a hundred at a time", async () => {
    const caller = await makeCaller();
    const webhook = await makeWebhook(caller, await newReceiver(), ["task.failed"]);
    const answer = await caller.send("POST", `/v1/webhooks/${webhook.id}/test`);
    expect(answer.status).toBe(202);
    await untilPosted(webhook.url, 1);
    await runInDurableObject(outboxOf(caller, webhook), (_, { storage }) => {
      for (let copy = 1; copy <= 101; copy += 1) {
        storage.sql.exec(
          `INSERT INTO deliveries SELECT id || ?1, place + ?1, lane || ?1, kind, slot, about, not_before, due_at, 'dead',
            may_have_left, ended_at, version, NULL, json_set(queued, '$.id', id || ?1, '$.state', 'dead'),
            json_set(delivery, '$.id', id || ?1) FROM deliveries WHERE id = ?2`,
          copy,
          answer.json.delivery_id,
        );
      }
    });
    const replay = async () => (await caller.send("POST", `/v1/webhooks/${webhook.id}/replay`, {})).json;
    expect(await replay()).toEqual({ replayed: 100, left: 1 });
    await untilPosted(webhook.url, 101);
    expect(await replay()).toEqual({ replayed: 1, left: 0 });
    await untilPosted(webhook.url, 102);
  });
});

test("a test event is sent to its webhook, once for a key", async () => {
  const caller = await makeCaller();
  const webhook = await makeWebhook(caller, await newReceiver(), ["task.failed"]);
  const send = () => caller.send("POST", `/v1/webhooks/${webhook.id}/test`, undefined, { "idempotency-key": "once" });
  const answer = await send();
  expect(answer.status, answer.text).toBe(202);
  expect((await send()).json).toEqual(answer.json);
  const [posted] = await untilPosted(webhook.url, 1);
  if (posted === undefined) throw new Error("it was posted");
  expect(posted.headers["webhook-id"]).toBe(answer.json.delivery_id);
  expect(verified(webhook.secret, posted)).toMatchObject({ type: "webhook.test", data: { endpoint_id: webhook.id } });
});

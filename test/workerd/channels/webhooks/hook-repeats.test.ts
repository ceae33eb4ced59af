/** Repeated calls of a hook: which are the same delivery, how they are listed, and how long they are stored. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { MAX_REPEATS, MAX_REPEATS_PER_MINUTE } from "../../../../core/channels/inbox/queue.ts";
import { InboxStore } from "../../../../durable-objects/inbox/store.ts";
import { expectProblem, makeCaller } from "../../http/entry.ts";
import { call, github, HOOKS, makeHook, received, signed, SOON, worked } from "./hooks-client.ts";

describe("a call that comes again", () => {
  test("with the same body under another delivery id is a repeat for GitHub by default, listed with the first one's task", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller, { type: "github" });
    expect((await caller.send("GET", `${HOOKS}/${hook.id}`)).json).toMatchObject({ once_per_body: true });
    const [body, other] = ['{"after":"a1"}', '{"after":"b2"}'];
    const first = await call(hook, body, await github(body, "push", "d-1"));
    await worked(caller, hook, 1);
    expect((await call(hook, body, await github(body, "issues", "d-2"))).json).toEqual(first.json);
    expect((await call(hook, other, await github(other, "push", "d-1"))).json).not.toEqual(first.json);
    await worked(caller, hook, 2);
    const [latest, repeat, earliest] = await received(caller, hook);
    expect(latest).toMatchObject({ state: "done", repeat_of: null });
    expect(earliest).toMatchObject({ message_id: first.json.message_id, state: "done", repeat_of: null });
    expect(repeat).toMatchObject({
      state: "repeat",
      event: "issues",
      task_id: earliest?.task_id,
      note: null,
      repeat_of: first.json.message_id,
    });
    expect(earliest?.task_id).toMatch(/^task_/);
    expect(new Set([latest, repeat, earliest].map((one) => one?.message_id)).size).toBe(3);
    const again = `${HOOKS}/${hook.id}/received/${repeat?.message_id}/replay`;
    expectProblem(await caller.send("POST", again), 409);
  });

  test("is a delivery of its own for GitHub's events with equal bodies, with any event in the header", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller, { type: "github" });
    const dispatch = '{"inputs":{},"ref":"refs/heads/main","workflow":"ci.yml"}';
    const push = '{"ref":"refs/heads/main","after":"a1"}';
    for (const delivery of ["d-1", "d-2"]) {
      await call(hook, dispatch, await github(dispatch, "workflow_dispatch", delivery));
      await call(hook, push, await github(push, "workflow_dispatch", delivery));
    }
    await worked(caller, hook, 3);
    const items = await received(caller, hook);
    expect(items.filter(({ state }) => state === "done")).toHaveLength(3);
    expect(items.filter(({ state }) => state === "repeat")).toHaveLength(1);
  });

  test("with a constant body makes a task every night with once_per_body false, and one task with true", async () => {
    const caller = await makeCaller();
    const nightly = await makeHook(caller, { name: "nightly", once_per_body: false });
    const once = await makeHook(caller, { name: "once", once_per_body: true });
    for (const hook of [nightly, once]) {
      await signed(hook, '{"run":true}');
      await worked(caller, hook, 1);
      await signed(hook, '{"run":true}', { "idempotency-key": "another" });
    }
    await worked(caller, nightly, 2);
    const states = async (hook: typeof once) => (await received(caller, hook)).map(({ state }) => state);
    expect(await states(nightly)).toEqual(["done", "done"]);
    expect(await states(once)).toEqual(["repeat", "done"]);
    const tasks = (await received(caller, nightly)).map((item) => item.task_id);
    expect(new Set(tasks).size).toBe(2);
  });

  test("with a key, by the hook's name or type, is a repeat of a call with the same body, signed or not", async () => {
    const caller = await makeCaller();
    const once = await makeHook(caller, { name: "once", type: "github" });
    const nightly = await makeHook(caller, { name: "nightly", once_per_body: false });
    const send = async (named: string, body: object, delivery: string) => {
      const headers = { "x-github-delivery": delivery, "x-request-id": delivery };
      const sent = await caller.send("POST", `/webhook/${named}`, body, headers);
      expect(sent.status, sent.text).toBe(200);
      return sent.json.message_id as string;
    };
    const push = { after: "a1" };
    await send("once", push, "d-1");
    const [first] = await worked(caller, once, 1);
    const repeats = [await send("once", push, "d-2"), await send("github", push, "d-3")];
    const body = JSON.stringify(push);
    expect((await call(once, body, await github(body, "push", "d-4"))).json.message_id).toBe(first?.message_id);
    await vi.waitFor(async () => {
      const listed = (await received(caller, once)).filter(({ state }) => state === "repeat");
      expect(listed).toHaveLength(3);
      for (const one of listed) expect(one).toMatchObject({ task_id: first?.task_id, repeat_of: first?.message_id });
      expect(listed.map((one) => one.message_id)).toEqual(expect.arrayContaining(repeats));
    }, SOON);
    // Bodies that GitHub may send again for another event, and other bodies, make tasks.
    const dispatch = { inputs: {}, ref: "refs/heads/main", workflow: "ci.yml" };
    for (const delivery of ["d-5", "d-6"]) await send("once", dispatch, delivery);
    await send("once", { after: "b2" }, "d-7");
    await worked(caller, once, 4);
    for (const delivery of ["d-8", "d-9"]) await send("nightly", { run: true }, delivery);
    await worked(caller, nightly, 2);
  });

  test("requires once_per_body for a new generic hook, and retains it in a replacement without it", async () => {
    const caller = await makeCaller();
    expectProblem(await caller.send("POST", HOOKS, { name: "a", type: "generic" }), 422, "once_per_body");
    const rule = { name: "b", type: "standard", once_per_body: true };
    expectProblem(await caller.send("POST", HOOKS, rule), 422, "once_per_body");
    const hook = await makeHook(caller, { once_per_body: true });
    const set = await caller.send("PUT", `${HOOKS}/${hook.id}`, { name: "a", type: "generic" });
    expect([set.status, set.json.once_per_body]).toEqual([200, true]);
    await signed(hook, "{}");
    await worked(caller, hook, 1);
    await signed(hook, "{}", { "idempotency-key": "x" });
    expect((await received(caller, hook)).map(({ state }) => state)).toEqual(["repeat", "done"]);
  });

  test("is listed a bounded number of times in a minute", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller, { once_per_body: true });
    for (let calls = 0; calls <= MAX_REPEATS_PER_MINUTE + 5; calls += 1) await signed(hook, "{}");
    const { data } = (await caller.send("GET", `${HOOKS}/${hook.id}/received?limit=100`)).json;
    const repeats = data.filter(({ state }: { state: string }) => state === "repeat");
    expect(repeats.length).toBeLessThanOrEqual(2 * MAX_REPEATS_PER_MINUTE);
    expect(repeats.length).toBeGreaterThan(0);
    expect(data).toHaveLength(repeats.length + 1);
  });
});

describe("the list of repeats", () => {
  test("holds a bounded number, and deletes no item that identifies repeats", async () => {
    const name = `webhook/hook_${crypto.randomUUID()}`;
    await runInDurableObject(env.INBOXES.get(env.INBOXES.idFromName(name)), (_, { storage }) => {
      const store = new InboxStore(storage, name);
      const item = (id: string) => ({ id, lane: id, kind: "webhook", body: {}, receivedAt: 1 });
      const settle = () => {
        for (const due of store.readDue(Number.MAX_SAFE_INTEGER, 10, true))
          store.settle(due, { end: { kind: "ended", state: "done", note: "task_1" }, knows: null, head: null }, 1);
      };
      store.put(item("first"), 1);
      settle();
      for (let at = 0; at < MAX_REPEATS + 5; at += 1)
        store.putRepeat({ id: `repeat-${at}`, of: "first", kind: "webhook", receivedAt: 2 }, 2);
      const listed = store.readReceived({ after: null, limit: 2 * MAX_REPEATS, since: 0 });
      expect(listed).toHaveLength(MAX_REPEATS + 1);
      expect(listed[0]).toMatchObject({
        id: `repeat-${MAX_REPEATS + 4}`,
        state: "repeat",
        repeats: "first",
        note: "task_1",
      });
      // As after more repeats than items are remembered, at a place where the oldest are forgotten.
      storage.sql.exec("UPDATE items SET seq = 300999 WHERE id = ?", `repeat-${MAX_REPEATS + 4}`);
      store.put(item("next"), 3);
      expect(storage.sql.exec<{ seq: number }>("SELECT seq FROM items WHERE id = 'next'").one().seq % 1_000).toBe(0);
      expect(store.findState("first", 0)).toBe("done");
    });
  });
});

/** Hooks: how programs outside call Otto, and what their calls come to. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { inboxesFromEnv } from "../../../../adapters/env/channels.ts";
import type { TaskView } from "../../../../core/task/view.ts";
import { sweep } from "../../../../workers/sweep.ts";
import { expectProblem, knock, makeCaller } from "../../http/entry.ts";
import {
  call,
  github,
  hmac,
  type Made,
  makeHook,
  HOOKS,
  received,
  SECRET,
  signed,
  SOON,
  taskOf,
  worked,
} from "./hooks-client.ts";
import { newTenant, operatorKey, send as sendCall, watchDatabase } from "../../tenant/client.ts";

describe("hooks over the API", () => {
  test("are created, listed, replaced at a version and deleted, with audit rows, and never reveal their secret", async () => {
    const caller = await makeCaller();
    const made = await caller.send("POST", HOOKS, { name: "ci", type: "github", events: ["push"] });
    expect(made.status, made.text).toBe(201);
    const { secret, ...rest } = made.json;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { id } = rest;
    expect(rest).toMatchObject({ version: 1, name: "ci", type: "github", events: ["push"], enabled: true });
    expect(rest.url).toBe(`http://otto.test/webhook/github?hook=${id}`);
    expect([made.headers.get("etag"), made.headers.get("location")]).toEqual(['"1"', `${HOOKS}/${id}`]);
    expect((await caller.send("GET", `${HOOKS}/${id}`)).json).toEqual(rest);
    expect((await caller.send("GET", HOOKS)).json).toEqual({ data: [rest], next_cursor: null });
    expectProblem(await caller.send("POST", HOOKS, { name: "ci", type: "github" }), 409, "name");
    const rule = { name: "ci", type: "github", prompt: "{{ref}}", secret: SECRET };
    const set = await caller.send("PUT", `${HOOKS}/${id}`, { ...rule, old_secret_seconds: 0 }, { "if-match": '"1"' });
    expect([set.status, set.json.version, set.headers.get("etag")]).toEqual([200, 2, '"2"']);
    expectProblem(await caller.send("PUT", `${HOOKS}/${id}`, rule, { "if-match": '"1"' }), 409, "If-Match");
    expectProblem(await caller.send("PUT", `${HOOKS}/${id}`, { ...rule, type: "stripe" }), 422, "type");
    expectProblem(
      await caller.send("POST", HOOKS, { name: "x", type: "generic", once_per_body: true, agent: "nobody" }),
      404,
      "agent",
    );
    const costly = { name: "x", type: "generic", once_per_body: true, budget: { max_steps: 101 } };
    expectProblem(await caller.send("POST", HOOKS, costly), 422, "budget.max_steps");
    const elsewhere = {
      name: "x",
      type: "generic",
      once_per_body: true,
      deliver: [{ channel: "webhook", to: "whk_none" }],
    };
    expectProblem(await caller.send("POST", HOOKS, elsewhere), 422, "deliver.0.to");
    const { acts_for_cleared: isCleared, ...changed } = set.json;
    expect(isCleared).toBe(false);
    expect((await caller.send("DELETE", `${HOOKS}/${id}`)).json).toEqual(changed);
    expectProblem(await caller.send("GET", `${HOOKS}/${id}`), 404);
    const { data } = (await caller.send("GET", "/v1/audit")).json;
    expect(data.map(({ action, target }: { action: string; target: string }) => [action, target])).toEqual(
      ["hook.delete", "hook.update", "hook.create"].map((action) => [action, id]),
    );
    for (const text of [set.text, JSON.stringify(data)]) expect(text).not.toContain("canary");
  });

  test("store their destinations in full", async () => {
    const caller = await makeCaller();
    const ana = { name: "Ana", addresses: [{ kind: "email", address: "ana@acme.example" }] };
    const person = await caller.send("POST", "/v1/people", ana);
    expect(person.status, person.text).toBe(201);
    const made = await makeHook(caller, { deliver: [{ channel: "person", to: "Ana" }] });
    expect(made).toMatchObject({ deliver: [{ channel: "person", to: person.json.id }] });
  });

  test("are the same with the same secret when the request is sent again under its key", async () => {
    const caller = await makeCaller();
    const rule = { name: "a", type: "standard" };
    const [one, two] = [
      await caller.send("POST", HOOKS, rule, { "idempotency-key": "k" }),
      await caller.send("POST", HOOKS, rule, { "idempotency-key": "k" }),
    ];
    expect([one.status, two.text]).toEqual([201, one.text]);
  });

  test("need the scopes", async () => {
    const reader = await makeCaller(["tasks:read"]);
    expectProblem(await reader.send("POST", HOOKS, { name: "a", type: "generic", once_per_body: true }), 403);
    expect((await reader.send("GET", HOOKS)).status).toBe(200);
    expectProblem(await reader.send("POST", "/webhook/generic", {}), 403);
  });
});

describe("a call", () => {
  test("that is signed becomes one task by the rule, however often it is sent", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller, { project: "sales", prompt: "Look at {{order.id}}." });
    const body = JSON.stringify({ order: { id: "A-7" } });
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => await signed(hook, body, { "x-request-id": "r-1" })),
    );
    const [first] = answers;
    expect([first?.status, first?.json]).toEqual([
      200,
      { status: "received", message_id: expect.stringMatching(/^msg_/), webhook_type: "generic" },
    ]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const [item] = await worked(caller, hook, 1);
    expect(item).toMatchObject({ message_id: first?.json.message_id, state: "done", event: "webhook", note: null });
    const task = await taskOf(caller, item?.task_id);
    expect(task.project).toBe("sales");
    expect(task.input).toMatch(/Look at <data-[0-9a-f]{12} field="order.id">A-7<\/data-/);
    expect(task.metadata).toEqual({
      webhook: { message_id: item?.message_id, webhook_type: "generic", event: "webhook" },
    });
    expect((await signed(hook, body, { "x-request-id": "r-2" })).json.message_id).not.toBe(item?.message_id);
  });

  test("without the right signature is rejected, and nothing of it is stored", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller);
    for (const headers of [{}, { "x-otto-signature": await hmac("other") }, { authorization: "Bearer something" }])
      expectProblem(await call(hook, "{}", headers), 401);
    const other = await makeCaller();
    const foreign = { authorization: `Bearer ${other.key}` };
    expectProblem(await call(hook, "{}", foreign), 404);
    expectProblem(await call({ ...hook, url: hook.url.replace(/.{5}$/, "00000") }, "{}", {}), 404);
    expectProblem(await call({ ...hook, url: "http://x/webhook/generic?hook=none" }, "{}", {}), 404);
    expectProblem(await call({ ...hook, url: hook.url.replace("generic", "github") }, "{}", {}), 404);
    for (const path of ["/webhook/generic", "/webhook/generic?hook="])
      expectProblem(await knock("POST", path, { body: "{}" }), 401);
    expect(await received(caller, hook)).toEqual([]);
  });

  test("of GitHub is distinguished by its event: a ping and an event outside the hook's list make no task", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller, { type: "github", events: ["push"] });
    for (const event of ["ping", "issues", "push"]) {
      const body = JSON.stringify({ ref: "main", event });
      expect((await call(hook, body, await github(body, event, event))).status).toBe(200);
    }
    const items = await worked(caller, hook, 3);
    const by = Object.fromEntries(items.map(({ event, state, note, task_id }) => [event, { state, note, task_id }]));
    expect(by["ping"]).toMatchObject({ state: "refused", task_id: null });
    expect(by["issues"]?.note).toContain("accepts push");
    expect(by["push"]?.task_id).toMatch(/^task_/);
  });

  test("of Stripe is named by its event, and refused when it is old", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller, { type: "stripe" });
    const body = JSON.stringify({ id: "evt_1", type: "invoice.paid" });
    const at = async (seconds: number) => ({
      "stripe-signature": `t=${seconds},v1=${await hmac(`${seconds}.${body}`)}`,
    });
    const now = Math.floor(Date.now() / 1000);
    expectProblem(await call(hook, body, await at(now - 400)), 401);
    const [one, two] = [await call(hook, body, await at(now)), await call(hook, body, await at(now - 10))];
    expect([one.status, two.json]).toEqual([200, one.json]);
    expect(await worked(caller, hook, 1)).toMatchObject([{ event: "invoice.paid", state: "done" }]);
  });

  test("with a key needs no signature, and goes to the hook of that name or type, or to the built-in agent", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller, { name: "orders", prompt: "An order: {{payload}}" });
    const named = await caller.send("POST", "/webhook/orders", { n: 1 }, { "x-request-id": "1" });
    expect(named.json).toMatchObject({ status: "received", webhook_type: "orders" });
    const own = await caller.send("POST", `/webhook/orders?hook=${hook.id}`, { n: 2 });
    expect(own.status, own.text).toBe(200);
    const items = await worked(caller, hook, 2);
    expect(items.map(({ message_id }) => message_id)).toContain(named.json.message_id);
    for (const { task_id } of items) expect((await taskOf(caller, task_id)).input).toContain("An order: ");
    const none = await caller.send("POST", "/webhook/unheard-of", "just text", { "content-type": "text/plain" });
    expect(none.status, none.text).toBe(200);
    const task = await vi.waitFor(async () => {
      const { data } = (await caller.send("GET", "/v1/tasks")).json;
      const found = data.find(({ metadata }: TaskView) => JSON.stringify(metadata).includes(none.json.message_id));
      if (found === undefined) throw new Error("not yet");
      return found as TaskView;
    }, SOON);
    expect(task.input).toContain('{"raw_body":"just text"}');
    expect(task.agent.id).toBe("agent_default");
  });

  test("may be large: over a megabyte it is refused, and under it nothing is lost or left behind", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller, { prompt: "{{last}}" });
    const body = JSON.stringify({ fill: "\u0001".repeat(150_000), last: "the end" });
    expect((await signed(hook, body, { "x-request-id": "big" })).status).toBe(200);
    expect((await signed(hook, body, { "x-request-id": "big" })).status).toBe(200);
    const [item] = await worked(caller, hook, 1);
    expect((await taskOf(caller, item?.task_id)).input).toContain("the end");
    expect((await env.FILES.list({ prefix: `${caller.tenant}/webhooks/` })).objects).toEqual([]);
    expectProblem(await signed(hook, "x".repeat(1_048_577)), 413);
  });

  test("may have large headers with a large body", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller, { prompt: "{{last}}" });
    const headers = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`x-${index}`, '"'.repeat(1_000)]));
    const body = JSON.stringify({ fill: "x".repeat(395_000), last: "the end" });
    const answer = await signed(hook, body, headers);
    expect(answer.status, answer.text).toBe(200);
    const [item] = await worked(caller, hook, 1);
    expect((await taskOf(caller, item?.task_id)).input).toContain("the end");
  });

  test("may have its own query if it names its hook, and no unknown parameter otherwise", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller);
    expect((await signed({ ...hook, url: `${hook.url}&source=crm` }, "{}")).status).toBe(200);
    for (const path of ["/webhook/generic?hok=x", "/webhook/generic?hook=&source=crm"])
      expectProblem(await caller.send("POST", path, {}), 422, path.includes("hok") ? "hok" : "source");
    expect(await worked(caller, hook, 1)).toHaveLength(1);
  });

  test("of a disabled or deleted hook is rejected with that reason", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller);
    await caller.send("PUT", `${HOOKS}/${hook.id}`, { name: "a", type: "generic", enabled: false });
    expectProblem(await signed(hook, "{}"), 410);
    expectProblem(await call(hook, "{}", {}), 401);
    await caller.send("DELETE", `${HOOKS}/${hook.id}`);
    expectProblem(await signed(hook, "{}"), 404);
  });

  test("that still waits when its hook is deleted is deleted with it", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller);
    expect((await caller.send("POST", "/v1/kill-switch/stop", {})).status).toBe(200);
    expect((await signed(hook, JSON.stringify("\u0001".repeat(150_000)))).status).toBe(200);
    const stored = async () => (await env.FILES.list({ prefix: `${caller.tenant}/webhooks/` })).objects.length;
    expect(await stored()).toBe(1);
    expect((await caller.send("DELETE", `${HOOKS}/${hook.id}`)).status).toBe(200);
    expect(await stored()).toBe(0);
  });

  test("is accepted with a replaced secret until its end, which the hook states", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller);
    const path = `${HOOKS}/${hook.id}`;
    const rule = { name: "a", type: "generic", once_per_body: false };
    const statusBy = async (secret: string) =>
      (await call(hook, "{}", { "x-otto-signature": await hmac("{}", secret) })).status;
    expectProblem(
      await caller.send("POST", HOOKS, { ...rule, name: "b", secret: SECRET, old_secret_seconds: 9 }),
      422,
      "old_secret_seconds",
    );
    expectProblem(await caller.send("PUT", path, { ...rule, old_secret_seconds: 9 }), 422, "old_secret_seconds");
    const hour = await caller.send("PUT", path, { ...rule, secret: "the-second", old_secret_seconds: 3600 });
    const untilMs = (rest: { json: { old_secret_until: string } }) =>
      Date.parse(rest.json.old_secret_until) - Date.now();
    expect(Math.abs(untilMs(hour) - 3_600_000)).toBeLessThan(60_000);
    const same = await caller.send("PUT", path, { ...rule, secret: "the-second" });
    expect(same.json.old_secret_until).toBe(hour.json.old_secret_until);
    const day = await caller.send("PUT", path, { ...rule, secret: "the-third" });
    expect(Math.abs(untilMs(day) - 86_400_000)).toBeLessThan(60_000);
    const used = [SECRET, "the-second", "the-third", "no-secret"];
    expect(await Promise.all(used.map(statusBy))).toEqual([200, 200, 200, 401]);
    vi.setSystemTime(Date.now() + 2 * 3_600_000);
    expect(await Promise.all(used.map(statusBy))).toEqual([401, 200, 200, 401]);
    vi.useRealTimers();
    const at = await caller.send("PUT", path, { ...rule, secret: "the-fourth", old_secret_seconds: 0 });
    expect(at.json.old_secret_until).toBeNull();
    expect(await Promise.all([...used, "the-fourth"].map(statusBy))).toEqual([401, 401, 401, 401, 200]);
    expect(at.text).not.toContain("the-fourth");
  });

  test("that always fails is given up, listed with the reason, and processed again on request", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await makeCaller();
    const hook = await makeHook(caller);
    const inbox = env.INBOXES.get(env.INBOXES.idFromName(`webhook/${hook.id}`));
    expect((await caller.send("POST", "/v1/kill-switch/stop", {})).status).toBe(200);
    expect((await signed(hook, "{}")).status).toBe(200);
    await vi.waitFor(async () => {
      await runInDurableObject(inbox, (_, { storage }) => {
        storage.sql.exec("UPDATE items SET taken_at = 0");
        storage.sql.exec("UPDATE lanes SET due_at = 1");
      });
      await runDurableObjectAlarm(inbox);
      expect(await received(caller, hook)).toMatchObject([{ state: "dead", note: expect.stringMatching(/./) }]);
    }, SOON);
    const [dead] = await received(caller, hook);
    expect((await caller.send("POST", "/v1/kill-switch/release", {})).status).toBe(200);
    const again = `${HOOKS}/${hook.id}/received/${dead?.message_id}/replay`;
    expect((await (await makeCaller()).send("POST", again)).status).toBe(404);
    expect((await caller.send("POST", again)).status).toBe(202);
    expect(await worked(caller, hook, 1)).toMatchObject([{ state: "done" }]);
    expectProblem(await caller.send("POST", again), 409);
  });

  test("is checked by a rule that its inbox was not notified of, from the next minute on", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller);
    const rpc = inboxesFromEnv(env)(`webhook/${hook.id}`);
    const before = await rpc.record();
    if (before === null) throw new Error("no record");
    await caller.send("PUT", `${HOOKS}/${hook.id}`, { name: "a", type: "generic", secret: "another-secret" });
    await runInDurableObject(env.INBOXES.get(env.INBOXES.idFromName(`webhook/${hook.id}`)), (_, { storage }) => {
      storage.sql.exec("UPDATE inbox SET record = ?", JSON.stringify({ ...before, checkedAt: 0 }));
    });
    const body = "{}";
    const fresh = { "x-otto-signature": await hmac(body, "another-secret") };
    expectProblem(await call(hook, body, fresh), 401);
    await vi.waitFor(async () => expect((await call(hook, body, fresh)).status).toBe(200), SOON);
  });

  test("is taken while the database is away and its objects crash, and worked when it is back", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await makeCaller();
    const hook = await makeHook(caller);
    const database = watchDatabase();
    database.isAway = true;
    const queries = database.queries;
    const ids = Array.from({ length: 20 }, (_, index) => `r-${index}`);
    for (const id of ids) expect((await signed(hook, `{"id":"${id}"}`, { "x-request-id": id })).status).toBe(200);
    await abortAllDurableObjects();
    for (const id of ids.toReversed())
      expect((await signed(hook, `{"id":"${id}"}`, { "x-request-id": id })).status).toBe(200);
    await vi.waitFor(() => expect(database.queries).toBeGreaterThan(queries), SOON);
    database.isAway = false;
    const items = await worked(caller, hook, 20);
    expect(new Set(items.map(({ task_id }) => task_id)).size).toBe(20);
    expect(items.every(({ state }) => state === "done")).toBe(true);
  });

  test("that cannot become a task waits until the rule is replaced", async () => {
    const caller = await makeCaller();
    const webhook = { url: "https://receiver.example/", events: ["*"], enabled: false };
    const { id } = (await caller.send("POST", "/v1/webhooks", webhook)).json;
    const hook = await makeHook(caller, { deliver: [{ channel: "webhook", to: id }] });
    expect((await caller.send("DELETE", `/v1/webhooks/${id}`)).status).toBe(204);
    expect((await signed(hook, "{}")).status).toBe(200);
    const note = expect.stringContaining("not an endpoint");
    await vi.waitFor(
      async () => expect(await received(caller, hook)).toMatchObject([{ state: "waiting", note }]),
      SOON,
    );
    expect((await caller.send("PUT", `${HOOKS}/${hook.id}`, { name: "a", type: "generic" })).status).toBe(200);
    const inbox = `webhook/${hook.id}`;
    await runInDurableObject(env.INBOXES.get(env.INBOXES.idFromName(inbox)), (_, { storage }) => {
      storage.sql.exec("UPDATE lanes SET due_at = 0");
    });
    await inboxesFromEnv(env)(inbox).poke();
    expect(await worked(caller, hook, 1)).toMatchObject([{ state: "done" }]);
  });

  test("waits while its tenant is stopped", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller);
    expect((await caller.send("POST", "/v1/kill-switch/stop", {})).status).toBe(200);
    expect((await signed(hook, "{}")).status).toBe(200);
    await vi.waitFor(async () => {
      expect(await received(caller, hook)).toMatchObject([
        { state: "waiting", note: expect.stringContaining("stopped") },
      ]);
    }, SOON);
  });

  test("beyond what a hook may be called with in a minute waits", async () => {
    const caller = await makeCaller();
    const hook = await makeHook(caller);
    const rpc = inboxesFromEnv(env)(`webhook/${hook.id}`);
    const record = await rpc.record();
    if (record === null) throw new Error("no record");
    await rpc.keepRecord({ ...record, perMinute: 1 });
    expect((await signed(hook, "{}")).status).toBe(200);
    const limited = await signed(hook, "{}");
    expectProblem(limited, 429);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("goes nowhere once its tenant is erased", async () => {
    const { id, key } = await newTenant();
    const made = await sendCall({
      method: "POST",
      path: HOOKS,
      key,
      body: { name: "a", type: "generic", once_per_body: false, secret: SECRET },
    });
    const hook = await made.json<Made>();
    expect((await sendCall({ method: "DELETE", path: `/v1/tenants/${id}`, key: operatorKey() })).status).toBe(200);
    await sweep(env, Date.now());
    expectProblem(await signed(hook, "{}"), 404);
    expect(await inboxesFromEnv(env)(`webhook/${hook.id}`).record()).toBeNull();
  });
});

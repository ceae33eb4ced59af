/** Deliveries over the API, and what the sweep does for outboxes. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { databaseFromEnv } from "../../../../adapters/env/database.ts";
import { outboxesFromEnv } from "../../../../adapters/env/channels.ts";
import { tenantsFromEnv } from "../../../../adapters/env/tenants.ts";
import type { Delivery } from "../../../../core/channels/outbox/delivery.ts";
import { sweep } from "../../../../workers/sweep.ts";
import { deliveryOf } from "./delivery-of.ts";
import { type Caller, expectProblem, knock, makeCaller } from "../../http/entry.ts";
import { operatorKey } from "../../tenant/client.ts";
import { answerSendings, sendingsOf, sent } from "./test-sender.ts";

const SOON = { timeout: 20_000, interval: 20 };

async function put(caller: Caller, more: Partial<Delivery> = {}): Promise<Delivery> {
  const delivery = deliveryOf(caller.tenant, more);
  await outboxesFromEnv(env)(`${caller.tenant}/email`).put([delivery]);
  return delivery;
}

async function listed(caller: Caller, query = ""): Promise<string[]> {
  const { status, json, text } = await caller.send("GET", `/v1/deliveries${query}`);
  expect(status, text).toBe(200);
  return json.data.map(({ id, state }: { id: string; state: string }) => `${id} ${state}`);
}

const until = async (caller: Caller, query: string, wanted: readonly string[]) =>
  await vi.waitFor(async () => expect(await listed(caller, query)).toEqual(wanted), SOON);

beforeEach(() => {
  answerSendings(sent);
});

describe("deliveries", () => {
  test("are listed with their current state, the latest first, with filters", async () => {
    const caller = await makeCaller();
    const at = Date.now();
    answerSendings(({ delivery: { kind } }) => (kind === "alert" ? { kind: "dead", why: "no such mailbox" } : sent()));
    const task = "task_01";
    const first = await put(caller, { task, createdAt: at - 3 });
    const dead = await put(caller, { kind: "alert", createdAt: at - 2 });
    const waits = await put(caller, { notBefore: at + 3_600_000, to: "bob@example.com", createdAt: at - 1 });
    const progress = await put(caller, { kind: "progress", createdAt: at });
    await until(caller, "", [`${waits.id} waiting`, `${dead.id} dead`, `${first.id} sent`]);
    await until(caller, "?kind=progress", [`${progress.id} sent`]);
    expect(await listed(caller, `?task=${task}`)).toEqual([`${first.id} sent`]);
    expect(await listed(caller, "?state=dead")).toEqual([`${dead.id} dead`]);
    expect(await listed(caller, "?to=bob@example.com&channel=email")).toEqual([`${waits.id} waiting`]);
    expect(await listed(caller, "?channel=slack")).toEqual([]);
    const page = (await caller.send("GET", "/v1/deliveries?limit=1")).json;
    expect(page.data.map(({ id }: { id: string }) => id)).toEqual([waits.id]);
    expect(await listed(caller, `?limit=2&cursor=${page.next_cursor}`)).toEqual([
      `${dead.id} dead`,
      `${first.id} sent`,
    ]);
    expectProblem(await caller.send("GET", "/v1/deliveries?state=lost"), 422, "state");
  });

  test("show what they say and how their attempts went, to their tenant alone", async () => {
    const caller = await makeCaller();
    const dead = await put(caller, { about: "qst_1" });
    await until(caller, "", [`${dead.id} sent`]);
    const { status, json } = await caller.send("GET", `/v1/deliveries/${dead.id}`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      id: dead.id,
      state: "sent",
      about: "qst_1",
      due_at: null,
      content: { text: "Done." },
      tries: [{ number: 1, outcome: "sent", why: null }],
    });
    const other = await makeCaller();
    expectProblem(await other.send("GET", `/v1/deliveries/${dead.id}`), 404);
    expectProblem(await other.send("POST", `/v1/deliveries/${dead.id}/replay`), 404);
    expectProblem(await caller.send("GET", "/v1/deliveries/nonsense"), 404);
  });

  test("that are dead are resent by an administrator, once for each request", async () => {
    const caller = await makeCaller();
    answerSendings(() => ({ kind: "dead", why: "no such mailbox" }));
    const dead = await put(caller);
    await until(caller, "?state=dead", [`${dead.id} dead`]);
    answerSendings(sent);
    const path = `/v1/deliveries/${dead.id}/replay`;
    const key = { "idempotency-key": "again" };
    const first = await caller.send("POST", path, undefined, key);
    expect(first.status, first.text).toBe(202);
    expect((await caller.send("POST", path, undefined, key)).text).toBe(first.text);
    await until(caller, "", [`${dead.id} sent`]);
    expectProblem(await caller.send("POST", path), 409);
    expect(sendingsOf(caller.tenant)).toHaveLength(2);
    const acts = (await caller.send("GET", "/v1/audit")).json.data;
    expect(acts.filter(({ action }: { action: string }) => action === "delivery.replay")).toHaveLength(1);
  });

  test("are not resent if they can never be sent", async () => {
    const caller = await makeCaller();
    const refused = await put(caller, { refused: "There is nobody called Ann." });
    await until(caller, "?state=dead", [`${refused.id} dead`]);
    const answer = await caller.send("POST", `/v1/deliveries/${refused.id}/replay`);
    expectProblem(answer, 409);
    expect(answer.text).toContain("nobody called Ann");
    expect(sendingsOf(caller.tenant)).toEqual([]);
  });

  test("are not sent again by a key that may only work with tasks", async () => {
    const caller = await makeCaller(["tasks:read", "tasks:write"]);
    const one = await put(caller);
    await until(caller, "", [`${one.id} sent`]);
    expectProblem(await caller.send("POST", `/v1/deliveries/${one.id}/replay`), 403);
  });
});

describe("the sweep", () => {
  test("wakes an outbox whose alarm was lost", async () => {
    const caller = await makeCaller();
    const due = Date.now() + 5000;
    const one = await put(caller, { notBefore: due });
    await until(caller, "", [`${one.id} waiting`]);
    const stub = env.OUTBOXES.get(env.OUTBOXES.idFromName(`${caller.tenant}/email`));
    await runInDurableObject(stub, (_, { storage }) => storage.deleteAlarm());
    await new Promise((resolve) => setTimeout(resolve, due + 500 - Date.now()));
    expect(sendingsOf(caller.tenant)).toEqual([]);
    await sweep(env, due + 120_000);
    await vi.waitFor(() => expect(sendingsOf(caller.tenant)).toHaveLength(1), SOON);
  });

  test("erases the outboxes of an erased tenant, and what is put later forgets itself", async () => {
    const caller = await makeCaller();
    const one = await put(caller, { notBefore: Date.now() + 3_600_000 });
    await until(caller, "", [`${one.id} waiting`]);
    const erased = await knock("DELETE", `/v1/tenants/${caller.tenant}`, {
      headers: { authorization: `Bearer ${operatorKey()}` },
    });
    expect(erased.status, erased.text).toBeLessThan(300);
    await tenantsFromEnv(env)(caller.tenant).erase();
    await sweep(env, Date.now());
    const outbox = () => outboxesFromEnv(env)(`${caller.tenant}/email`);
    expect(await outbox().look(one.id)).toBeNull();
    const late = await put(caller, { notBefore: Date.now() + 3_600_000 });
    await vi.waitFor(async () => expect(await outbox().look(late.id)).toBeNull(), SOON);
    expect(await databaseFromEnv(env).deliveries.outboxes(caller.tenant, 10)).toEqual({ ok: true, value: [] });
  });
});

/** Which webhooks an event makes necessary, and what the tenant's object knows of what endpoints want. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { tenantsFromEnv } from "../../../../adapters/env/tenants.ts";
import type { Delivery } from "../../../../core/channels/outbox/delivery.ts";
import type { Notice } from "../../../../core/task/notice.ts";
import { ok } from "../../../../core/base/errors.ts";
import { forgetEndpoints } from "../../../../workers/channels/webhooks/endpoint-cache.ts";
import { fanOutNotices } from "../../../../workers/channels/fan-out/fan-out.ts";
import { fanOutWebhooks } from "../../../../workers/channels/fan-out/webhooks.ts";
import { report } from "../../../contracts/database/rows.ts";
import { type Caller, makeCaller } from "../../http/entry.ts";
import { watchDatabase } from "../../tenant/client.ts";
import { deliveryTo, makeWebhook, newReceiver, postedTo, send, type TestWebhook } from "./client.ts";

const URL_OF_NOBODY = "https://receiver.example/otto";

describe("a tenant's object", () => {
  test("retains the interests of changes since the read started, and drops the others", async () => {
    const { tenant } = await makeCaller();
    const object = tenantsFromEnv(env)(tenant);
    const early = await object.addInterests(["task.failed"]);
    const late = await object.addInterests(["task.completed"]);
    const interests = async () => {
      return await runInDurableObject(env.TENANTS.get(env.TENANTS.idFromName(tenant)), (_, state) =>
        state.storage.sql
          .exec<{ type: string }>("SELECT type FROM interests ORDER BY type")
          .toArray()
          .map(({ type }) => type),
      );
    };
    await object.setInterests([], early);
    expect(await interests()).toEqual(["task.completed", "task.failed"]);
    await object.setInterests(["task.completed"], late);
    expect(await interests()).toEqual(["task.completed"]);
  });
});

describe("what happened to a task", () => {
  const view = report({ task: "task_a" }).view;

  async function notice(caller: Caller, change: Partial<Notice> = {}): Promise<Notice> {
    const facts = {
      task: "task_a",
      rootId: "task_a",
      parentId: null,
      isHidden: false,
      project: null,
      agent: { id: "agent_default", version: 1 },
      via: { channel: "api" as const, id: null },
      deliver: [],
    };
    const endpointsStamp = await tenantsFromEnv(env)(caller.tenant).addInterests([]);
    const at = new Date().toISOString();
    return { facts, seq: 3, type: "task.completed", at, data: { task_id: "task_a" }, endpointsStamp, ...change };
  }

  async function fanOut(caller: Caller, about: Notice): Promise<readonly Delivery[]> {
    const look = { tenant: caller.tenant, notice: about, view: async () => await Promise.resolve(ok(view)) };
    const result = await fanOutWebhooks(env, look);
    if (!result.ok) throw new Error(result.error.message);
    return result.value.deliveries;
  }

  /** The kinds of what an outbox of the tenant was given. */
  async function put({ tenant }: Caller, outbox: string): Promise<string[]> {
    return await runInDurableObject(env.OUTBOXES.get(env.OUTBOXES.idFromName(`${tenant}/${outbox}`)), (_, state) =>
      state.storage.sql
        .exec<{ kind: string }>("SELECT kind FROM deliveries")
        .toArray()
        .map(({ kind }) => kind),
    );
  }

  const idsOf = (webhooks: readonly TestWebhook[]) => webhooks.map(({ id }) => id).toSorted();
  const targetsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ to }) => to).toSorted();

  test("goes to each subscribed endpoint, under an id of its own that a repeat reuses", async () => {
    const caller = await makeCaller();
    const [all, completed, failed] = [
      await makeWebhook(caller, URL_OF_NOBODY, ["*"]),
      await makeWebhook(caller, URL_OF_NOBODY, ["task.completed"]),
      await makeWebhook(caller, URL_OF_NOBODY, ["task.failed", "question.*"]),
    ];
    const about = await notice(caller);
    const deliveries = await fanOut(caller, about);
    expect(targetsOf(deliveries)).toEqual(idsOf([all, completed]));
    expect(new Set(deliveries.map(({ id }) => id)).size).toBe(2);
    expect(await fanOut(caller, about)).toEqual(deliveries);
    for (const { kind, channel, content, to } of deliveries) {
      expect([kind, channel, content["endpoint"]]).toEqual(["event", "webhook", to]);
      expect(JSON.parse(String(content["body"]))).toMatchObject({ type: "task.completed", data: { task: view } });
    }
    const questions = await fanOut(caller, await notice(caller, { type: "question.asked", seq: 4 }));
    expect(targetsOf(questions)).toEqual(idsOf([all, failed]));
    const part = { ...about.facts, parentId: "task_b" };
    expect(await fanOut(caller, { ...about, facts: part })).toEqual([]);
    expect(await fanOut(caller, { ...about, facts: { ...part, isHidden: true }, type: "question.asked" })).toEqual([]);
    expect(targetsOf(await fanOut(caller, { ...about, facts: part, type: "question.asked" }))).toEqual(
      idsOf([all, failed]),
    );
  });

  test("goes to an endpoint that was made a moment ago, although the list was read before", async () => {
    const caller = await makeCaller();
    const first = await makeWebhook(caller, URL_OF_NOBODY);
    expect(targetsOf(await fanOut(caller, await notice(caller)))).toEqual(idsOf([first]));
    const second = await makeWebhook(caller, URL_OF_NOBODY);
    const about = await notice(caller);
    expect(targetsOf(await fanOut(caller, about))).toEqual(idsOf([first, second]));
  });

  test("is fanned out by the last read while the database is unavailable, and waits if there was no read", async () => {
    const caller = await makeCaller();
    const { id, url } = await makeWebhook(caller, await newReceiver(), ["task.failed"]);
    const about = await notice(caller, { type: "task.failed" });
    expect(targetsOf(await fanOut(caller, about))).toEqual([id]);
    expect(await send(await deliveryTo(caller, id))).toMatchObject({ kind: "sent" });
    const changed = await notice(caller, { type: "task.failed" });
    const task = await caller.until(
      (await caller.makeTask([{ text: "Done." }])).id,
      ({ status }) => status === "completed",
    );
    const watch = watchDatabase();
    watch.isAway = true;
    const later = Date.now() + 6_000;
    vi.spyOn(Date, "now").mockReturnValue(later);
    expect(targetsOf(await fanOut(caller, about))).toEqual([id]);
    expect(await send(await deliveryTo(caller, id))).toMatchObject({ kind: "sent" });
    expect(watch.queries).toBeGreaterThan(0);
    await expect(fanOut(caller, changed)).rejects.toThrow("cannot be read");
    const deliver = [{ channel: "email" as const, to: "ann@example.com" }];
    const mailed = { ...changed, facts: { ...changed.facts, task: task.id, rootId: task.id, deliver } };
    expect(await fanOutNotices(env, caller.tenant, [mailed])).toMatchObject([{ code: "upstream_failed" }]);
    expect(await put(caller, "email"), "what other channels need of it").toEqual(["result"]);
    forgetEndpoints(caller.tenant);
    expect(await send(await deliveryTo(caller, id))).toMatchObject({ kind: "later", isOurs: true });
    expect(await postedTo(url)).toHaveLength(2);
  });
});

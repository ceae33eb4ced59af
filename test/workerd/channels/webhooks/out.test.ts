/** Webhooks of tenants: how they are set over the API, and how one is signed, sent, refused, and given up. */
import { env } from "cloudflare:workers";
import { describe, expect, inject, test } from "vitest";
import { databaseFromEnv } from "../../../../adapters/env/database.ts";
import { openSigningSecrets } from "../../../../workers/channels/webhooks/endpoint-secrets.ts";
import { forgetEndpoints } from "../../../../workers/channels/webhooks/endpoint-cache.ts";
import { unwrap } from "../../../../workers/http/unwrap.ts";
import { expectProblem, makeCaller } from "../../http/entry.ts";
import { answerBy, deliveryTo, isVerifiedBy, makeWebhook, newReceiver, postedTo, send, verified } from "./client.ts";

const SETTING = { url: "https://receiver.example/otto", events: ["task.completed", "question.*"] };

describe("webhooks over the API", () => {
  test("are made, listed, set and deleted, written down, and show their secret once", async () => {
    const caller = await makeCaller();
    const made = await caller.send("POST", "/v1/webhooks", SETTING);
    const { secret, ...rest } = made.json;
    expect([made.status, made.headers.get("etag"), made.headers.get("location")]).toEqual([
      201,
      '"1"',
      `/v1/webhooks/${rest.id}`,
    ]);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rest).toEqual({
      id: expect.stringMatching(/^whk_/),
      version: 1,
      ...SETTING,
      description: "",
      enabled: true,
      disabled_reason: null,
      old_secret_until: null,
      created_at: expect.any(String),
      updated_at: rest.created_at,
    });
    expect((await caller.send("GET", `/v1/webhooks/${rest.id}`)).json).toEqual(rest);
    expect((await caller.send("GET", "/v1/webhooks")).json).toEqual({ data: [rest], next_cursor: null });
    const path = `/v1/webhooks/${rest.id}`;
    const other = { ...SETTING, description: "for the shop", enabled: false };
    const set = await caller.send("PUT", path, other, { "if-match": '"1"' });
    expect([set.status, set.headers.get("etag")]).toEqual([200, '"2"']);
    expect(set.json).toMatchObject({ version: 2, ...other });
    expectProblem(await caller.send("PUT", path, other, { "if-match": '"1"' }), 409, "If-Match");
    expectProblem(await caller.send("PUT", path, other, { "if-match": "1" }), 422, "If-Match");
    expectProblem(await caller.send("POST", `${path}/test`), 409);
    expect((await caller.send("DELETE", path)).status).toBe(204);
    for (const [method, more] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/rotate"],
      ["POST", "/test"],
    ] as const)
      expectProblem(await caller.send(method, `${path}${more}`), 404);
    expectProblem(await caller.send("PUT", path, other), 404);
    const acts = (await caller.send("GET", "/v1/audit")).json.data as { action: string; target: string }[];
    expect(acts.filter(({ target }) => target === rest.id).map(({ action }) => action)).toEqual([
      "webhook.delete",
      "webhook.update",
      "webhook.create",
    ]);
  });

  test("that are requested twice under one key are one, with one secret", async () => {
    const caller = await makeCaller();
    const once = { "idempotency-key": "a" };
    const [first, again] = [
      await caller.send("POST", "/v1/webhooks", SETTING, once),
      await caller.send("POST", "/v1/webhooks", SETTING, once),
    ];
    expect(again.json).toEqual(first.json);
    expect((await caller.send("GET", "/v1/webhooks")).json.data).toHaveLength(1);
  });

  test.each([
    "http://receiver.example/",
    "ftp://receiver.example/",
    "https://user:password@receiver.example/",
    "https://receiver.example:8443/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://017700000001/",
    "https://[::1]/",
    "https://[::ffff:169.254.169.254]/",
    "https://[::127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://localhost/",
    "https://metadata.google.internal/",
    "https://intranet/",
    "https://receiver.local./",
    "nonsense",
  ])("are not sent to %s", async (url) => {
    const caller = await makeCaller();
    expectProblem(await caller.send("POST", "/v1/webhooks", { ...SETTING, url }), 422, "url");
    const { id } = await makeWebhook(caller, await newReceiver());
    expectProblem(await caller.send("PUT", `/v1/webhooks/${id}`, { ...SETTING, url }), 422, "url");
  });

  test("are refused with what is wrong, and beyond twenty", async () => {
    const caller = await makeCaller();
    for (const [change, field] of [
      [{ events: [] }, "events"],
      [{ events: ["task.nothing"] }, "events.0"],
      [{ url: 5 }, "url"],
      [{ more: 1 }, "more"],
    ] as const)
      expectProblem(await caller.send("POST", "/v1/webhooks", { ...SETTING, ...change }), 422, field);
    for (let i = 0; i < 20; i += 1) await makeWebhook(caller, SETTING.url, SETTING.events);
    const more = await caller.send("POST", "/v1/webhooks", SETTING);
    expect([more.status, more.json.code]).toEqual([403, "quota_exceeded"]);
  });

  test("need admin to change and tasks:read to read, and belong to their tenant only", async () => {
    const [caller, stranger] = [await makeCaller(), await makeCaller()];
    const { id } = await makeWebhook(caller, SETTING.url, SETTING.events);
    const reader = await makeCaller(["tasks:read"]);
    expect((await reader.send("GET", "/v1/webhooks")).status).toBe(200);
    expectProblem(await reader.send("POST", "/v1/webhooks", SETTING), 403);
    const path = `/v1/webhooks/${id}`;
    for (const [method, more] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/rotate"],
      ["POST", "/test"],
    ] as const)
      expectProblem(await stranger.send(method, `${path}${more}`), 404);
    expectProblem(await stranger.send("PUT", path, SETTING), 404);
    expect((await stranger.send("GET", "/v1/webhooks")).json.data).toEqual([]);
    const foreign = { ...(await deliveryTo(stranger, id)) };
    expect(await send(foreign)).toMatchObject({ kind: "dead", why: expect.stringContaining("deleted") });
  });
});

describe("a webhook", () => {
  test("is signed again for each attempt under one id, and the public verifier accepts it", async () => {
    const caller = await makeCaller();
    const { id, secret, url } = await makeWebhook(caller, await newReceiver({ status: 500 }, { status: 200 }));
    const delivery = await deliveryTo(caller, id);
    expect(await send(delivery)).toEqual({ kind: "later", why: "The receiver answered 500.", afterMs: null });
    await scheduler.wait(1_001);
    expect(await send(delivery, 2)).toEqual({ kind: "sent", ref: null });
    const [first, second, ...more] = await postedTo(url);
    if (first === undefined || second === undefined) throw new Error("two tries were sent");
    expect(more).toEqual([]);
    expect(verified(secret, first)).toEqual({
      type: "webhook.test",
      timestamp: new Date(delivery.createdAt).toISOString(),
      data: { endpoint_id: id },
    });
    expect(verified(secret, second)).toEqual(verified(secret, first));
    for (const { headers } of [first, second])
      expect(headers).toMatchObject({
        "webhook-id": delivery.id,
        "content-type": "application/json",
        "user-agent": "Otto-Webhooks/1",
      });
    const [before, after] = [first, second].map(({ headers }) => Number(headers["webhook-timestamp"]));
    expect(after).toBeGreaterThan(before ?? Infinity);
    expect(second.headers["webhook-signature"]).not.toBe(first.headers["webhook-signature"]);
    expect(second.body).toBe(first.body);
    expect(isVerifiedBy((await makeWebhook(caller, url)).secret, first)).toBe(false);
  });

  test("says what it holds to the byte, and fills in no secret that its text seems to refer to", async () => {
    const caller = await makeCaller();
    const host = new URL(inject("servers").receiverUrl).host;
    await caller.send("POST", "/v1/secrets", { name: "KEY", value: "canary-of-a-secret", hosts: [host] });
    const { id, secret, url } = await makeWebhook(caller, await newReceiver());
    const body = JSON.stringify({
      type: "task.completed",
      data: { text: "{{secret.KEY}} {{secret.NONE}} \u{1f41f}\u0000" },
    });
    expect(await send({ ...(await deliveryTo(caller, id)), content: { endpoint: id, body } })).toMatchObject({
      kind: "sent",
    });
    const [posted] = await postedTo(url);
    expect(posted?.body).toBe(body);
    expect(posted !== undefined && isVerifiedBy(secret, posted)).toBe(true);
  });

  test.each([
    [
      { status: 301, headers: { location: "https://elsewhere.example/" } },
      { kind: "later", afterMs: null },
    ],
    [{ status: 404 }, { kind: "later", afterMs: null }],
    [
      { status: 429, headers: { "retry-after": "30" } },
      { kind: "later", afterMs: 30_000, pausesAllMs: 30_000 },
    ],
    [
      { status: 503, headers: { "retry-after": "9999999" } },
      { kind: "later", afterMs: 86_400_000 },
    ],
    [{ status: 503 }, { kind: "later", afterMs: null }],
    [{ status: 204 }, { kind: "sent" }],
    [{ status: 299, body: "x".repeat(200_000) }, { kind: "sent" }],
    [{ fault: "reset" } as const, { kind: "later", afterMs: null }],
  ])("that is answered by %o comes to %o", async (reply, wanted) => {
    const caller = await makeCaller();
    const { id, url } = await makeWebhook(caller, await newReceiver(reply));
    expect(await send(await deliveryTo(caller, id))).toMatchObject(wanted);
    expect(await postedTo(url)).toHaveLength(1);
  });

  test("is not sent along a redirect", async () => {
    const caller = await makeCaller();
    const target = await newReceiver();
    const { id } = await makeWebhook(caller, await newReceiver({ status: 307, headers: { location: target } }));
    const sent = await send(await deliveryTo(caller, id));
    expect(sent).toMatchObject({ kind: "later", why: expect.stringContaining("307") });
    expect(await postedTo(target)).toEqual([]);
  });

  test("that hangs is given up after fifteen seconds and sent later", async () => {
    const caller = await makeCaller();
    const { id, url } = await makeWebhook(caller, await newReceiver({ fault: "hang" }));
    expect(await send(await deliveryTo(caller, id))).toMatchObject({ kind: "later", afterMs: null });
    expect(await postedTo(url)).toHaveLength(1);
  }, 40_000);

  test("whose receiver is gone is dead, and nothing more is sent there", async () => {
    const caller = await makeCaller();
    const { id, url } = await makeWebhook(caller, await newReceiver({ status: 410 }), ["task.completed"]);
    expect(await send(await deliveryTo(caller, id))).toMatchObject({
      kind: "dead",
      why: expect.stringContaining("410"),
    });
    expect((await caller.send("GET", `/v1/webhooks/${id}`)).json).toMatchObject({
      version: 2,
      enabled: false,
      disabled_reason: expect.stringContaining("410"),
    });
    expect(await send(await deliveryTo(caller, id))).toMatchObject({
      kind: "dead",
      why: expect.stringContaining("disabled"),
    });
    expect(await postedTo(url)).toHaveLength(1);
    const [act] = (await caller.send("GET", "/v1/audit")).json.data;
    expect(act).toMatchObject({ action: "webhook.disable", actor: "otto", target: id });
    await answerBy(url, { status: 200 });
    const again = { url, events: ["task.completed"], enabled: true };
    expect((await caller.send("PUT", `/v1/webhooks/${id}`, again)).json).toMatchObject({ disabled_reason: null });
    expect(await send(await deliveryTo(caller, id))).toMatchObject({ kind: "sent" });
  });

  test("is dead at once if its address is not public, although it was stored", async () => {
    const caller = await makeCaller();
    const { id, url } = await makeWebhook(caller, await newReceiver());
    const { endpoints } = databaseFromEnv(env);
    const { port } = new URL(url);
    for (const stored of [`http://localhost:${port}/x`, "http://receiver.example/", "https://169.254.169.254/latest"]) {
      const setting = { url: stored, events: ["*" as const], description: "", enabled: true };
      const at = Date.now();
      const act = { id: `aud_${at}`, at, actor: "x", action: "webhook.update" as const, target: id, requestId: "x" };
      await endpoints.update(caller.tenant, { id, setting, ifVersion: null }, act);
      forgetEndpoints(caller.tenant);
      expect(await send(await deliveryTo(caller, id)), stored).toMatchObject({ kind: "dead" });
    }
    expect(await postedTo(url)).toEqual([]);
  });

  test("is signed by the secret before too for a day after a rotation", async () => {
    const caller = await makeCaller();
    const { id, secret, url } = await makeWebhook(caller, await newReceiver());
    const once = { "idempotency-key": "rotate" };
    const rotated = await caller.send("POST", `/v1/webhooks/${id}/rotate`, undefined, once);
    expect(rotated.json).toMatchObject({
      id,
      secret: expect.stringMatching(/^whsec_/),
      old_secret_until: expect.any(String),
    });
    expect((await caller.send("POST", `/v1/webhooks/${id}/rotate`, undefined, once)).json).toEqual(rotated.json);
    expect(rotated.json.secret).not.toBe(secret);
    expect(await send(await deliveryTo(caller, id))).toMatchObject({ kind: "sent" });
    const [both] = await postedTo(url);
    if (both === undefined) throw new Error("one was sent");
    expect([isVerifiedBy(secret, both), isVerifiedBy(rotated.json.secret, both)]).toEqual([true, true]);
    const until = Date.parse(rotated.json.old_secret_until);
    const { endpoints } = databaseFromEnv(env);
    const [endpoint] = unwrap(await endpoints.all(caller.tenant));
    if (endpoint === undefined) throw new Error("it is there");
    expect(await openSigningSecrets(env, caller.tenant, endpoint, until - 1)).toHaveLength(2);
    expect(await openSigningSecrets(env, caller.tenant, endpoint, until)).toHaveLength(1);
    expect(until - Date.now()).toBeGreaterThan(23 * 60 * 60_000);
  });
});

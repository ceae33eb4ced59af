/** The promises of every channel in the registry. A new line of the registry is tested by this suite too. */
import { env } from "cloudflare:workers";
import { OpenAPIHono } from "@hono/zod-openapi";
import { describe, expect, test } from "vitest";
import { channelVariableFromEnv } from "../../../adapters/env/channels.ts";
import { findSettingProblems } from "../../../adapters/env/problems.ts";
import { type Delivery, getOutboxName } from "../../../core/channels/outbox/delivery.ts";
import { createMessageDelivery, createPlainMessage } from "../../../core/channels/outbox/message-delivery.ts";
import { API_SOURCE } from "../../../core/task/source.ts";
import { makeId } from "../../../core/base/ids.ts";
import { HEADER_WORD } from "../../../core/secrets/worker-secrets.ts";
import type { ChannelRecord } from "../../../workers/channels/channel.ts";
import { CHANNELS } from "../../../workers/channels/channels.ts";
import type { App, AppEnv } from "../../../workers/http/context.ts";
import { channelCallRoutes } from "../../../workers/channels/calls.ts";
import { testChannel } from "./inbox/test-receiver.ts";

const random = () => crypto.getRandomValues(new Uint8Array(10));
const tenant = makeId("tenant", Date.now(), random());
const owner = { env, tenant, via: API_SOURCE };
/** What no channel takes for a place. */
const NOWHERE = ["", " ", "nowhere", "../T1/C1", "a\r\nBcc: b@c.example", "\ud800", "x".repeat(1000)];

function deliveryTo(channel: string, to: string): Delivery {
  const message = createPlainMessage("Title", "Text");
  const about = { tenant, target: { channel, to }, kind: "notification", task: null, about: null } as const;
  return createMessageDelivery({ ...about, message, at: Date.now(), random: random() });
}

describe.each([...CHANNELS.values()])("the channel $name", ({ name, label, hint, secrets = {}, load }) => {
  test("has a name that can be stored and no other source has, words, and secrets under its name", () => {
    expect(name).toMatch(/^[a-z]{2,20}$/);
    expect(["api", "schedule", "person"]).not.toContain(name);
    expect([label, hint]).not.toContain("");
    for (const secret of Object.keys(secrets)) expect(secret).toMatch(new RegExp(`^OTTO_${name.toUpperCase()}_`));
  });

  test.each(NOWHERE)("rejects an invalid destination, by a value that a caller can read: %j", async (to) => {
    const { resolve } = await load();
    const refused = await resolve(to, owner);
    expect(refused).toMatchObject({
      ok: false,
      error: { code: expect.stringMatching(/^(invalid_input|not_(found|available))$/) },
    });
    if (!refused.ok) expect(refused.error.message).not.toBe("");
  });

  test.each([
    ["first", { number: 1, mayHaveLeft: false, refs: {} }],
    ["repeated", { number: 2, mayHaveLeft: true, mayBeInPart: true, refs: {} }],
  ] as const)("ends a %s attempt to nowhere by a value, and never as sent", async (_, attempt) => {
    const { send } = await load();
    for (const to of NOWHERE) {
      const { kind } = await send(env, deliveryTo(name, to), attempt);
      expect(["dead", "later", "unknown"]).toContain(kind);
    }
  });

  test("has outboxes of the tenant under its name", () => {
    for (const to of ["T1/C1/1.2", "T1"])
      expect(`${getOutboxName(deliveryTo(name, to))}/`).toMatch(new RegExp(`^${tenant}/${name}/`));
  });

  test("erases what came in for a tenant, however often", async () => {
    const { eraseInboxes } = await load();
    for (const _ of ["once", "again"]) expect(await eraseInboxes?.(env, tenant)).toBeUndefined();
  });

  test("finds no person at a destination without one", async () => {
    const { findStations } = await load();
    const found = (await findStations?.(env, tenant, "nobody@example.com")) ?? { ok: true, value: [] };
    expect(found).toMatchObject({ ok: true });
    if (found.ok) for (const { person } of found.value) expect(person).toBeNull();
  });
});

describe("a request to a channel", () => {
  const speaking: ChannelRecord = {
    ...testChannel,
    load: async () => ({
      ...(await testChannel.load()),
      answer: async (c) => c.text(`${c.req.method} ${c.req.path}: ${await c.req.text()}`),
    }),
  };
  const routes = (channels: readonly ChannelRecord[]) => {
    const app = new OpenAPIHono<AppEnv>() as App;
    channelCallRoutes(app, new Map(channels.map((channel) => [channel.name, channel])));
    app.onError((thrown, c) => c.text(thrown.message, 404));
    return app;
  };

  test("is answered by the channel", async () => {
    const answer = await routes([speaking]).request("/channels/test/events", { method: "POST", body: "hello" }, env);
    expect(await answer.text()).toBe("POST /channels/test/events: hello");
  });

  test.each(["/channels/test/events", "/channels/fax/events", "/channels/constructor/events"])(
    "is not found where no channel answers: %s",
    async (path) => {
      expect((await routes([testChannel]).request(path, { method: "POST" }, env)).status).toBe(404);
    },
  );
});

test("a channel reads a variable of its own", () => {
  expect(channelVariableFromEnv(Object.assign({}, env, { OTTO_FAX_KEY: "right" }), "OTTO_FAX_KEY")).toBe("right");
  expect(channelVariableFromEnv(Object.assign({}, env, { OTTO_FAX_KEY: "" }), "OTTO_FAX_KEY")).toBeNull();
});

test("a channel's secret that is missing or wrong is a problem of the settings", () => {
  const row = { required: true, purpose: "the key of Fax", ...HEADER_WORD };
  const problems = (value: string) =>
    findSettingProblems(Object.assign({}, env, { OTTO_FAX_KEY: value }), { OTTO_FAX_KEY: row });
  expect(problems("right")).toEqual(findSettingProblems(env));
  expect(problems("")).toContain("OTTO_FAX_KEY is not set: the key of Fax");
  expect(problems("two words")).toContainEqual(expect.stringMatching(/^OTTO_FAX_KEY has to be /));
});

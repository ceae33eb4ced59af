/** Triggers of a provider: the fake in memory, and the adapter of Composio over the demo apps. */
import Composio from "@composio/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openComposio } from "../../../adapters/composio/composio.ts";
import { unwrap } from "../../../core/base/unwrap.ts";
import type { AppLinks, AppTriggers } from "../../../core/ports/apps.ts";
import { PROVIDER_EVENTS } from "../../../core/triggers/provider-event.ts";
import { startDemoApps } from "../../../scripts/demo-apps/server.ts";
import { fakeApps } from "../../fakes/apps.ts";
import { controlDemoApps, followLink } from "../../mock-servers/demo-apps.ts";
import { connect } from "./suite.ts";

const KEY = "canary-key";
const TRIGGER = "GMAIL_NEW_MESSAGE_TRIGGER";
const URL_OF_EVENTS = "https://otto.example/webhook/composio";

interface TriggersUnderTest {
  readonly triggers: AppTriggers;
  readonly links: AppLinks;
  consent(url: string, isGiven: boolean): Promise<void>;
  close(): Promise<void>;
}

async function openDemo() {
  const server = await startDemoApps({ port: 0, apiKey: KEY, isControlled: true });
  const consent = async (url: string, isGiven: boolean) => {
    await followLink(url, isGiven ? "ana@demo.example" : "");
  };
  return {
    ...openComposio({ baseUrl: server.url, apiKey: KEY, keyOf: "operator" }),
    consent,
    close: server.close,
    url: server.url,
  };
}

const openFake = (): Promise<TriggersUnderTest> => {
  const fake = fakeApps();
  const consent = (url: string, isGiven: boolean) => Promise.resolve(fake.consent(url, isGiven));
  return Promise.resolve({ ...fake, consent, close: () => Promise.resolve() });
};

describe.each([
  ["the fake in memory", openFake],
  ["Composio's adapter over the demo apps", openDemo as () => Promise<TriggersUnderTest>],
])("triggers of a provider: %s", (_name, open) => {
  let provider: TriggersUnderTest;
  beforeAll(async () => {
    provider = await open();
  });
  afterAll(() => provider.close());

  it("creates a trigger once for an account and a configuration", async () => {
    const providerId = await connect(provider);
    const { triggers } = provider;
    const id = unwrap(await triggers.upsert({ trigger: TRIGGER, providerId, config: { interval: 1 } }));
    expect(unwrap(await triggers.upsert({ trigger: TRIGGER, providerId, config: { interval: 1 } }))).toBe(id);
    expect(unwrap(await triggers.upsert({ trigger: TRIGGER, providerId, config: { interval: 2 } }))).not.toBe(id);
    const another = await connect(provider);
    expect(unwrap(await triggers.upsert({ trigger: TRIGGER, providerId: another, config: { interval: 1 } }))).not.toBe(
      id,
    );
  });

  it("refuses a trigger of an account that has ended, as a value", async () => {
    const providerId = await connect(provider);
    unwrap(await provider.links.revoke(providerId));
    const refused = await provider.triggers.upsert({ trigger: TRIGGER, providerId, config: {} });
    expect(refused).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    expect(JSON.stringify(refused)).not.toContain(providerId);
  });

  it("enables and disables a trigger, and removes it more than once", async () => {
    const providerId = await connect(provider);
    const { triggers } = provider;
    const id = unwrap(await triggers.upsert({ trigger: TRIGGER, providerId, config: {} }));
    for (const isEnabled of [false, true]) unwrap(await triggers.setEnabled(id, isEnabled));
    for (const _ of [1, 2]) expect(await triggers.remove(id)).toEqual({ ok: true, value: undefined });
    expect(await triggers.setEnabled(id, true)).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  it("has one subscription, whose secret is in the replies that set it", async () => {
    const { triggers } = provider;
    expect(unwrap(await triggers.findSubscription())).toBeNull();
    const { id, secret } = unwrap(await triggers.subscribe("https://otto.example/old"));
    expect(await triggers.subscribe(URL_OF_EVENTS)).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
    unwrap(await triggers.redirect(id, URL_OF_EVENTS));
    expect(unwrap(await triggers.findSubscription())).toEqual({ id, url: URL_OF_EVENTS });
    const next = unwrap(await triggers.rotateSecret(id));
    expect([next.length > 7, next === secret]).toEqual([true, false]);
    expect(await triggers.rotateSecret("ws_none")).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await triggers.redirect("ws_none", URL_OF_EVENTS)).toMatchObject({ ok: false });
  });
});

describe("Composio's client over the demo apps", () => {
  it("sends the requests that the adapter sends", async () => {
    const demo = await openDemo();
    try {
      const client = new Composio({ apiKey: KEY, baseURL: demo.url, maxRetries: 0 });
      const list = async (work: () => PromiseLike<unknown>) => {
        const before = (await controlDemoApps(demo.url)).requests.length;
        await work();
        return (await controlDemoApps(demo.url)).requests.slice(before);
      };
      const providerId = await connect(demo);
      const { triggers } = demo;
      const body = { connected_account_id: providerId, trigger_config: {} };
      const upsert = () => triggers.upsert({ trigger: TRIGGER, providerId, config: {} });
      expect(await list(() => client.triggerInstances.upsert(TRIGGER, body))).toEqual(await list(upsert));
      const id = unwrap(await upsert());
      expect(await list(() => client.triggerInstances.manage.update(id, { status: "disable" }))).toEqual(
        await list(() => triggers.setEnabled(id, false)),
      );
      expect((await controlDemoApps(demo.url)).triggers).toMatchObject([{ id, isEnabled: false }]);
      expect(await list(() => client.triggerInstances.manage.delete(id))).toEqual(
        await list(() => triggers.remove(id)),
      );
      const wanted = { webhook_url: URL_OF_EVENTS, enabled_events: [...PROVIDER_EVENTS], version: "V3" as const };
      const made = await client.webhookSubscriptions.create(wanted);
      expect((await client.webhookSubscriptions.list()).items).toMatchObject([
        { id: made.id, enabled_events: PROVIDER_EVENTS },
      ]);
      expect(await list(() => client.webhookSubscriptions.list())).toEqual(
        await list(() => triggers.findSubscription()),
      );
      expect(await list(() => client.webhookSubscriptions.update(made.id, wanted))).toEqual(
        await list(() => triggers.redirect(made.id, URL_OF_EVENTS)),
      );
      expect(await list(() => client.webhookSubscriptions.rotateSecret(made.id))).toEqual(
        await list(() => triggers.rotateSecret(made.id)),
      );
    } finally {
      await demo.close();
    }
  });
});

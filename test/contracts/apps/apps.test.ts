/** A provider of apps: the fake in memory, and the adapter of Composio over the demo apps. */
import { openComposio } from "../../../adapters/composio/composio.ts";
import { startDemoApps } from "../../../scripts/demo-apps/server.ts";
import { fakeApps } from "../../fakes/apps.ts";
import { controlDemoApps, followLink } from "../../mock-servers/demo-apps.ts";
import { appsContract } from "./suite.ts";

const KEY = "canary-key";
const PERSON = "ana@demo.example";

appsContract("the fake in memory", () => {
  const fake = fakeApps();
  return Promise.resolve({
    ...fake,
    consent: (url, isGiven) => Promise.resolve(fake.consent(url, isGiven)),
    loseNextReply: () => Promise.resolve(fake.loseNextReply()),
    expire: (id) => Promise.resolve(fake.expire(id)),
    close: () => Promise.resolve(),
  });
});

appsContract("Composio's adapter over the demo apps", async () => {
  const server = await startDemoApps({ port: 0, apiKey: KEY, isControlled: true });
  return {
    ...openComposio({ baseUrl: server.url, apiKey: KEY, keyOf: "operator" }),
    consent: async (url, isGiven) => {
      await followLink(url, isGiven ? PERSON : "");
    },
    loseNextReply: async () => {
      await controlDemoApps(server.url, { calls: { fault: "cut", times: 1 } });
    },
    expire: async (id) => {
      await controlDemoApps(server.url, { expire: id });
    },
    close: server.close,
  };
});

/** Pages of the apps while the provider refuses connections: they are as before, and ask it nothing. */
import { env } from "cloudflare:workers";
import { afterAll, expect, test, vi } from "vitest";
import { appCatalogueFromEnv } from "../../../adapters/env/app-catalogue.ts";
import { ok } from "../../../core/base/errors.ts";
import { makeSnapshot } from "../../fakes/catalogue-snapshot.ts";
import { makeCaller } from "../http/entry.ts";

/** Two addresses of a provider. Nothing listens there. */
const PROVIDERS = ["http://127.0.0.1:10", "http://127.0.0.1:9"] as const;
const PAGES = [
  "marketplace",
  "marketplace?limit=1&search=mail&category=communication",
  "stats",
  "connected",
  "workspace",
  "gmail/actions",
  "gmail/triggers",
  "sync-history",
  "debug/connections",
  "debug/cache-status",
  "integrations/status",
  "access?tool=GMAIL_SEND_EMAIL",
];
const names = ["COMPOSIO_API_KEY", "COMPOSIO_BASE_URL"] as const;

afterAll(() => {
  for (const name of names) delete env[name];
});

test("every page is as before while the provider refuses connections, and none asks it", async () => {
  const triggers = ["GMAIL_NEW_MESSAGE"];
  const actions = [{ action: "GMAIL_SEND_EMAIL", title: "Send email" }];
  const app = { app: "gmail", title: "Gmail", categories: ["communication"], actions, triggers };
  vi.spyOn(appCatalogueFromEnv(env), "snapshot").mockResolvedValue(ok(makeSnapshot([app])));
  const caller = await makeCaller();
  const real = globalThis.fetch.bind(globalThis);
  const asked: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const { url } = new Request(input, init);
    if (PROVIDERS.some((provider) => url.startsWith(provider))) asked.push(url);
    return await real(input, init);
  });
  const readAll = async () => {
    const pages: unknown[] = [];
    for (const page of PAGES) {
      const { status, json } = await caller.send("GET", `/api/tools/${page}`);
      expect(status, page).toBe(200);
      // The catalogue grows older between two requests.
      const isAged = page === "debug/cache-status";
      pages.push([page, isAged ? { ...json, age_seconds: 0 } : json]);
    }
    return pages;
  };
  const [first, second] = PROVIDERS;
  Object.assign(env, { COMPOSIO_API_KEY: "a-key-of-the-tests", COMPOSIO_BASE_URL: first });
  const before = await readAll();
  Object.assign(env, { COMPOSIO_BASE_URL: second });
  expect(await readAll()).toEqual(before);
  expect(asked).toEqual([]);
});

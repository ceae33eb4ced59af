/** The demo apps as the provider of the catalogue, for the requests of one test file. */
import { env } from "cloudflare:workers";
import { expect, inject, vi } from "vitest";
import { appCatalogueFromEnv } from "../../../adapters/env/app-catalogue.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { ok } from "../../../core/base/errors.ts";
import type { DemoOrders, DemoSnapshot } from "../../../scripts/demo-apps/faults.ts";
import { type GivenApp, makeSnapshot } from "../../fakes/catalogue-snapshot.ts";
import { controlDemoApps } from "../../mock-servers/demo-apps.ts";
import type { Answer } from "../http/entry.ts";
import { type ConsentBrowser, newBrowser } from "../mcp/consent-client.ts";
import { askLink, begin, type Member } from "../connections/connect-client.ts";
import { setVariables } from "../variables.ts";

export const MAIL: GivenApp = {
  app: "gmail",
  title: "Gmail",
  managedSchemes: ["OAUTH2"],
  authSchemes: ["OAUTH2"],
  actions: [{ action: "GMAIL_FETCH_EMAILS" }, { action: "GMAIL_SEND_EMAIL", effect: "probe" }],
};
const APPS: readonly GivenApp[] = [
  MAIL,
  { ...MAIL, app: "slack", title: "Slack" },
  { ...MAIL, app: "tavily", title: "Tavily", authSchemes: [], managedSchemes: [], isOpen: true },
  { ...MAIL, app: "shopify", title: "Shopify", managedSchemes: [], guideUrl: "https://docs.example.com/auth/shopify" },
];

/**
 * Call it before each test, and `setVariables(env, null)` after the file. Returns the environment of requests. With an empty
 * `COMPOSIO_API_KEY` the operator has no key.
 */
export function openProvider(apps: readonly GivenApp[] = APPS, more: Readonly<Record<string, string>> = {}): Env {
  const { url, apiKey } = inject("servers").demoApps;
  const used = setVariables(env, { COMPOSIO_BASE_URL: url, COMPOSIO_API_KEY: apiKey, ...more });
  vi.spyOn(appCatalogueFromEnv(used), "snapshot").mockResolvedValue(ok(makeSnapshot(apps)));
  return used;
}

export async function control(orders: DemoOrders = {}): Promise<DemoSnapshot> {
  return await controlDemoApps(inject("servers").demoApps.url, orders);
}

/** The accounts of a tenant at the provider, the latest first. */
export async function listAccounts(tenant: string) {
  const { accounts } = await control();
  return accounts.filter(({ entity }) => entity.startsWith(`${tenant}.`)).toReversed();
}

/** The account that was made last. */
export async function readLatest(tenant: string) {
  const [latest] = await listAccounts(tenant);
  if (latest === undefined) throw new Error("the provider has no account of the tenant");
  return latest;
}

/** Waits until no account of the tenant is active at the provider, which only an outbox may have to end. */
export async function expectNoneActive(tenant: string): Promise<void> {
  const isNone = async () =>
    expect((await listAccounts(tenant)).filter(({ status }) => status === "ACTIVE")).toEqual([]);
  await vi.waitFor(isNone, { timeout: 20_000, interval: 50 });
}

/** Continues as a person on the provider's page (empty: declines), and returns where the browser is sent. */
export async function consentAt(page: string, label = "ana@demo.example"): Promise<string> {
  const reply = await fetch(page, { method: "POST", body: new URLSearchParams({ label }), redirect: "manual" });
  const back = new URL(reply.headers.get("location") ?? "");
  expect(back.origin + back.pathname).toBe("http://otto.test/api/composio/callback");
  return back.pathname + back.search;
}

/** Goes to the provider's page in a browser, and consents there. Returns where the browser is sent. */
export async function beginConsent(
  browser: ConsentBrowser,
  member: Member,
  more: object = {},
  label?: string,
): Promise<string> {
  return await consentAt(await begin(browser, await askLink(member, { app: "gmail", ...more })), label);
}

/** Connects an account in a browser of its own. */
export async function connectAtProvider(member: Member, more: object = {}, label?: string): Promise<Answer> {
  const browser = newBrowser();
  return await browser.visit(await beginConsent(browser, member, more, label));
}

export async function listStatuses(member: Member): Promise<readonly string[]> {
  const { data } = (await member.send("GET", "/v1/connections")).json;
  return data.map(({ status }: { status: string }) => status);
}

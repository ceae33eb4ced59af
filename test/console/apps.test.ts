/**
 * The pages of the catalogue, in a browser. The catalogue comes from the test: its replies are made by the rules of the
 * routes from a snapshot of the real size, because no provider is set up here.
 */
import type { Page, Route } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import type { Connection } from "../../core/connections/connection.ts";
import type { CatalogueSnapshot } from "../../core/ports/app-catalogue.ts";
import { filterApps, matchWords } from "../../workers/apps/match.ts";
import { createConnection } from "../fakes/connection.ts";
import { type AppState, judgeApps, toAppKey } from "../../workers/apps/states.ts";
import { toActionView, toConnectedApp, toMarketplaceApp, toTriggerView } from "../../workers/apps/view.ts";
import { valueOf } from "../contracts/value-of.ts";
import { type GivenApp, makeSnapshot } from "../fakes/catalogue-snapshot.ts";
import { type Console, expectFit, expectWidths, openConsole, PATIENT } from "./open-console.ts";

const NOW = Date.UTC(2026, 10, 27, 9, 30);
const CATEGORIES = ["Communication", "Developer tools", "Documents", "Finance", "Sales"];
const LOREM = "Plans, tracks and reports what a team does, for people who would rather do it than write about it.";

let console: Console;

afterEach(async () => {
  await console?.close();
});

const GMAIL: GivenApp = {
  app: "gmail",
  title: "Gmail",
  description: "Mail by Google: reads, writes, sorts and sends messages.",
  categories: ["Communication"],
  actionCount: 900,
  actions: [
    {
      action: "GMAIL_SEND_EMAIL",
      title: "Send email",
      description: "Sends a message to one or more recipients.",
      input: { type: "object", properties: { body: {}, to: {}, subject: {} }, required: ["to"] },
      effect: "probe",
      security: "dangerous",
      because: "Its name says that it sends, and no hint says what a repeat does.",
    },
    {
      action: "GMAIL_DELETE_THREAD",
      title: "Delete thread",
      description: "Deletes a thread with all of its messages.",
      effect: "probe",
      security: "critical",
      because: "Its name says that it deletes.",
      isDestructive: true,
    },
    ...Array.from({ length: 58 }, (_, index) => ({
      action: `GMAIL_LIST_THREADS_OF_A_LABEL_WITH_A_RATHER_LONG_NAME_${index}`,
      title: `List threads ${index}`,
    })),
  ],
  triggers: ["GMAIL_NEW_MESSAGE"],
};

/** As many apps as Composio has, with some long words. */
function makeCatalogue(): CatalogueSnapshot {
  const others = Array.from({ length: 878 }, (_, index): GivenApp => {
    const title = index % 40 === 7 ? `Unbreakable${"name".repeat(12)}${index}` : `Product ${index}`;
    const category = CATEGORIES[index % CATEGORIES.length] ?? "";
    return { app: `product_${index}`, title, description: LOREM, categories: [category], actionCount: 800 - index };
  });
  const crm: GivenApp = { app: "crm", title: "CRM", categories: ["Sales"], actionCount: 4 };
  return makeSnapshot([GMAIL, crm, ...others], NOW);
}

const ACCOUNT = createConnection({
  id: "con_01jd0000000000000000000000",
  app: "gmail",
  provider: "composio",
  owner: { kind: "person", id: "per_1", name: "Ana" },
  isDefault: true,
  label: "ana@acme.example",
  createdAt: NOW,
  updatedAt: NOW,
});

interface Served {
  readonly snapshot: CatalogueSnapshot | null;
  readonly connections?: readonly Connection[];
  readonly integrations?: { readonly status: string; readonly message: string | null; readonly served_by: string };
}

/** Answers the catalogue's routes. Gives the requests that were made. */
async function serve(page: Page, { snapshot, connections = [], integrations }: Served): Promise<string[]> {
  const states = judgeApps(connections, NOW);
  const requests: string[] = [];
  await page.route("**/api/tools/**", async (route) => {
    const url = new URL(route.request().url());
    const path = url.pathname.replace("/api/tools/", "");
    requests.push(`${route.request().method()} ${path}${url.search}`);
    if (path === "integrations/status" && integrations === undefined) return await route.continue();
    const json = path === "integrations/status" ? integrations : await answer(path, url, snapshot, states);
    return await route.fulfill({ json });
  });
  await page.route("**/v1/connections?*", async (route) => await fulfillAccounts(route, connections));
  return requests;
}

async function answer(
  path: string,
  url: URL,
  snapshot: CatalogueSnapshot | null,
  states: ReadonlyMap<string, AppState>,
): Promise<unknown> {
  const text = (name: string) => url.searchParams.get(name) ?? "";
  const cut = <Item>(all: readonly Item[]) =>
    all.slice(Number(text("offset")), Number(text("offset")) + Number(text("limit")));
  const apps = snapshot?.apps ?? [];
  if (path === "stats") {
    const last = snapshot === null ? null : new Date(snapshot.syncedAt).toISOString();
    return { total_apps: apps.length, categories: snapshot?.stats.categories ?? [], last_synced: last };
  }
  if (path === "workspace") {
    const known = new Map(apps.map((one) => [one.app, one]));
    const rows = [...states.values()].map((state) => {
      const { app, provider } = state.best.connection;
      const facts = { state, isAdded: false, triggers: [] };
      return toConnectedApp(known.get(app) ?? { app, title: app, provider }, facts);
    });
    return { apps: rows, total: rows.length };
  }
  if (path === "marketplace") {
    const found = filterApps(apps, { app: text("app"), category: text("category"), search: text("search") });
    const rows = cut(found).map((one) => {
      const state = states.get(toAppKey(one.provider, one.app));
      return toMarketplaceApp(one, { state, isAdded: false, triggers: [] });
    });
    return { apps: rows, total_apps: found.length };
  }
  if (path.endsWith("/triggers"))
    return valueOf((await snapshot?.triggersOf("gmail")) ?? fail(path)).map(toTriggerView);
  if (path.endsWith("/actions")) {
    const matches = matchWords(text("search"));
    const all = valueOf((await snapshot?.actionsOf(path.split("/")[0] ?? "")) ?? fail(path));
    return cut(all.filter((one) => matches(one, one.action))).map(toActionView(null));
  }
  return { id: "sync_1", status: "running" };
}

function fail(path: string): never {
  throw new Error(`the test has nothing for ${path}`);
}

async function fulfillAccounts(route: Route, connections: readonly Connection[]): Promise<void> {
  const app = new URL(route.request().url()).searchParams.get("app");
  const data = connections
    .filter((one) => one.app === app)
    .map(({ id, provider, owner, label, alias, status }) => {
      const flags = { is_default: true, unattended: false, delegate_approvals: false };
      const times = { last_used_at: null, updated_at: new Date(NOW).toISOString() };
      return { id, app, provider, owner, label, alias, status, why: null, revocation: null, ...flags, ...times };
    });
  await route.fulfill({ json: { data, next_cursor: null } });
}

const DISABLED = "Integrations are disabled — no Composio API key is configured.";
const ON = { status: "on", message: null, served_by: "operator" };

test("without a provider the pages say so, and what works anyway", async () => {
  console = await openConsole("No apps");
  const { page } = console;
  await console.open("/apps");
  await page.getByText(DISABLED).waitFor();
  await page.getByText("Apps with an MCP server of their own need no key.").waitFor();
  await page.getByRole("list", { name: "Apps of the catalogue" }).getByText("Notion").waitFor();
  expect(await page.getByRole("button", { name: "Sync the catalogue" }).count()).toBe(0);
  await expectWidths(page, "apps-none");
  await page.getByRole("navigation").getByRole("link", { name: "Apps", exact: true }).waitFor();
  await console.open("/apps/gmail");
  await page.getByText("App not found").waitFor();
  await page.getByRole("link", { name: "Back to apps" }).click();
  await page.getByText(DISABLED).waitFor();
});

test("an administrator syncs an empty catalogue", async () => {
  console = await openConsole("First sync");
  const { page } = console;
  const requests = await serve(page, { snapshot: null, integrations: ON });
  await console.open("/apps");
  await page.getByText("No sync has run yet.").waitFor();
  await page.getByRole("button", { name: "Sync the catalogue" }).click();
  await page.getByText("The sync runs.").waitFor();
  expect(requests.filter((one) => one.startsWith("POST"))).toEqual(["POST sync"]);
});

test("the catalogue of 880 apps begins with the connected ones, and fits every width", async () => {
  console = await openConsole("Many apps");
  const { page } = console;
  const crm = { ...ACCOUNT, id: "con_2", app: "crm", status: "expired" as const };
  const own = { ...ACCOUNT, id: "con_3", app: "own-import", provider: "oauth" as const };
  const demo = {
    status: "demo",
    message: "Demo apps: nothing here is real.",
    served_by: "demo",
  };
  await serve(page, { snapshot: makeCatalogue(), connections: [ACCOUNT, crm, own], integrations: demo });
  await console.open("/apps");
  await page.getByText("880 apps").waitFor();
  await page.getByText(demo.message).waitFor();
  const mine = page.getByRole("list", { name: "Your apps" }).getByRole("listitem");
  await mine.first().getByText("Connected", { exact: true }).waitFor();
  await mine.filter({ hasText: "CRM" }).getByText("Expired").waitFor();
  // An own import has no page in the catalogue.
  expect(await mine.getByRole("link", { name: "own-import" }).getAttribute("href")).toBe("/connections");
  await expectWidths(page, "apps");
  await expectFit(page, "apps");
});

test("880 apps are found by words and category, a part at a time", async () => {
  console = await openConsole("Search apps");
  const { page } = console;
  const requests = await serve(page, { snapshot: makeCatalogue(), connections: [ACCOUNT], integrations: ON });
  await console.open("/apps");
  const mine = page.getByRole("list", { name: "Your apps" }).getByRole("listitem");
  const all = page.getByRole("list", { name: "Apps of the catalogue" }).getByRole("listitem");
  await mine.first().waitFor();
  await all.first().waitFor();
  expect(await all.count()).toBe(60);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect.poll(async () => await all.count(), PATIENT).toBe(120);

  await page.getByRole("textbox", { name: "Search apps" }).fill("REPORTS 877");
  await page.getByText("1 app", { exact: true }).waitFor();
  await expect.poll(async () => await all.allTextContents(), PATIENT).toHaveLength(1);
  expect(await mine.count()).toBe(0);
  expect(page.url()).toContain("search=REPORTS");
  await page.getByRole("button", { name: "Clear the search" }).click();
  await page.getByText("880 apps").waitFor();
  await page.getByRole("combobox", { name: "Category" }).selectOption("Sales");
  await page.getByText("176 apps").waitFor();
  await page.getByRole("textbox", { name: "Search apps" }).fill("nothing of it");
  await page.getByText("No matching apps").waitFor();
  await page.getByRole("link", { name: "Show all apps" }).click();
  await page.getByText("880 apps").waitFor();
  expect(requests.filter((one) => one.includes("limit=") && !one.includes("limit=60"))).toEqual([]);

  const link = all.getByRole("link", { name: "Gmail" });
  await link.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Gmail", level: 1 }).waitFor();
});

test("an app shows its accounts, its actions with their effect and the reason, and its triggers", async () => {
  console = await openConsole("One app");
  const { page } = console;
  const expired = { ...ACCOUNT, status: "expired" as const };
  const requests = await serve(page, { snapshot: makeCatalogue(), connections: [expired], integrations: ON });
  await console.open("/apps/gmail");
  const accounts = page.getByRole("table", { name: "Accounts of this app" });
  await accounts.getByText("ana@acme.example").waitFor();
  await page.getByText("Calls of this app fail until an account is connected again.").waitFor();
  const actions = page.getByRole("list", { name: "Actions" }).getByRole("listitem");
  await actions.first().waitFor();
  expect(await actions.count()).toBe(50);
  const send = actions.filter({ hasText: "GMAIL_SEND_EMAIL" });
  for (const text of [
    "Dangerous",
    "Changes, can be looked up",
    "Its name says that it sends, and no hint says what a repeat does.",
    "Parameters: to (required), body, subject",
  ])
    await send.getByText(text).waitFor();
  await actions.filter({ hasText: "GMAIL_DELETE_THREAD" }).getByText("Cannot be undone").waitFor();
  await expectWidths(page, "app");
  await expectFit(page, "app");
  await page.getByRole("button", { name: "Show more" }).click();
  await expect.poll(async () => await actions.count(), PATIENT).toBe(60);

  await page.getByRole("textbox", { name: "Search actions" }).fill("delete MESSAGES");
  await expect.poll(async () => await actions.count(), PATIENT).toBe(1);
  await page.getByRole("textbox", { name: "Search actions" }).fill("nothing of it");
  await page.getByText("No matching actions").waitFor();
  await page.getByRole("link", { name: /^Triggers/ }).click();
  await page.getByRole("list", { name: "Events" }).getByText("GMAIL_NEW_MESSAGE").first().waitFor();
  await page.getByText("Connect an account of this app to create triggers.").waitFor();
  await expectWidths(page, "app-triggers");

  // An app whose actions were not read.
  await console.open("/apps/crm");
  await page.getByText("No account of this app is connected.").waitFor();
  await page.getByText("The catalogue has no actions of this app.").waitFor();
  await page.getByRole("button", { name: "Sync the catalogue" }).waitFor();
  await expectWidths(page, "app-empty");
  expect(requests.filter((one) => one.startsWith("POST"))).toEqual([]);
});

test("triggers of expired accounts keep their names and buttons; with an own key none can be created", async () => {
  console = await openConsole("Stopped triggers");
  const { page } = console;
  const shared = {
    ...ACCOUNT,
    owner: { kind: "shared" as const },
    status: "expired" as const,
    label: "team@acme.example",
  };
  const active = { ...ACCOUNT, id: "con_2", owner: { kind: "shared" as const } };
  const row = { version: 1, app: "gmail", trigger: "GMAIL_NEW_MESSAGE", config: {}, acts_for: null };
  const stopped = { state: "stopped", why: "Its account is not connected." };
  const at = new Date(NOW).toISOString();
  const times = { created_at: at, updated_at: at };
  const data = [
    { ...row, ...stopped, ...times, id: "trg_1", connection: shared.id },
    { ...row, ...stopped, ...times, id: "trg_2", connection: "con_3" },
  ];
  await page.route("**/v1/triggers?*", async (route) => await route.fulfill({ json: { data, next_cursor: null } }));
  const integrations = { ...ON, served_by: "own" };
  await serve(page, { snapshot: makeCatalogue(), connections: [shared, active], integrations });
  await console.open("/apps/gmail?view=triggers");
  const rows = page.getByRole("table", { name: "Triggers of this app" }).getByRole("row");
  const own = rows.filter({ hasText: "team@acme.example" });
  await own.getByRole("button", { name: /^Resume/ }).waitFor();
  await own.getByRole("button", { name: /^Delete/ }).waitFor();
  await own.getByText("The built-in agent").waitFor();
  // An account of another person: an administrator ends its trigger, and the API refuses to resume it.
  const other = rows.filter({ hasText: "Account not visible" });
  await other.getByRole("button", { name: /^Delete/ }).waitFor();
  expect(await other.getByRole("button", { name: /^Resume/ }).count()).toBe(0);
  await page.getByText("This workspace uses its own key, which receives no events.").waitFor();
  expect(await page.getByRole("button", { name: /^Create a trigger/ }).count()).toBe(0);
  await expectWidths(page, "app-triggers-stopped");
});

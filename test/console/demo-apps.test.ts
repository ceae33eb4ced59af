/** The demo apps of `npm start`, as people use them in a browser: added, connected on the provider's page, given to an agent. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type StartedSystem, startSystem } from "../drill/started-system.ts";
import { expectLogos } from "./app-logos.ts";
import { type Console, expectFit, expectWidths, openConsole, PATIENT } from "./open-console.ts";

const START_MS = 240_000;
/** A sync of 880 apps with 12,000 actions. */
const SYNC = { timeout: 150_000, interval: 1_000 };

let system: StartedSystem;
let console: Console;
/** Of the demo provider. */
let demoOrigin = "";

beforeAll(async () => {
  system = await startSystem({ OTTO_DEMO_APPS: "yes" });
  const operatorKey = readFileSync(join(system.stateFolder, "operator-key"), "utf8").trim();
  console = await openConsole("Demo apps", { at: { url: system.url, operatorKey } });
  await console.api.must("POST", "/api/tools/sync?sync_type=full", {});
  const count = async () => (await console.api.must<{ total_apps: number }>("GET", "/api/tools/stats")).total_apps;
  await vi.waitUntil(async () => (await count()) > 800, SYNC);
}, START_MS);

afterAll(async () => {
  await console?.close();
  await system?.stop();
});

/** Presses what opens the sign-in of the demo provider, and chooses there. `end` is on Otto's page that follows. */
async function signInBy(press: () => Promise<void>, choice: string, end = "You may close this window."): Promise<void> {
  const [window] = await Promise.all([console.page.context().waitForEvent("page"), press()]);
  await window.getByText("No account and no data here is real.").waitFor();
  demoOrigin = new URL(window.url()).origin;
  await window.getByRole("button", { name: choice }).click();
  await window.getByText(end).waitFor();
  await window.close();
}

interface Action {
  readonly name: string;
  readonly enabled: boolean;
  readonly effect: string;
}

async function readEnabled(): Promise<readonly Action[]> {
  const all = await console.api.must<readonly Action[]>("GET", "/api/tools/gmail/actions");
  return all.filter(({ enabled }) => enabled);
}

test("an administrator adds an app and enables actions with one save", async () => {
  const { page } = console;
  await console.open("/apps/gmail");
  await page.getByText("Demo apps: nothing here is real.").waitFor();
  await page.getByText("Not added: agents cannot use it").waitFor();
  expect(await page.getByRole("link", { name: "Choose actions" }).count()).toBe(0);
  await page.getByRole("button", { name: "Add to workspace" }).click();
  await page.getByText("Gmail is added.").waitFor();
  await page.getByRole("button", { name: "Remove", exact: true }).waitFor();
  await page.getByText("Enabled", { exact: true }).first().waitFor();
  await expectWidths(page, "demo-app-added");
  await expectFit(page, "demo-app-added");

  await page.getByRole("link", { name: "Choose actions" }).click();
  const actions = page.getByRole("list", { name: "Actions" });
  await actions.getByRole("checkbox").first().waitFor();
  const save = page.getByRole("button", { name: "Save", exact: true });
  expect(await save.isDisabled()).toBe(true);
  const requests: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().includes("/api/tools/")) requests.push(request.url());
  });
  await page.getByRole("button", { name: "None", exact: true }).click();
  await page.getByText(/^0 of \d+ enabled/).waitFor();
  await page.getByRole("button", { name: "Only those that read" }).click();
  await page.getByRole("textbox", { name: "Search actions" }).fill("send");
  await expect.poll(async () => await actions.getByRole("listitem").count(), PATIENT).toBeLessThan(5);
  // Enter in a search saves nothing.
  await page.keyboard.press("Enter");
  await actions.getByRole("checkbox", { name: "Send email" }).check();
  await page.getByRole("button", { name: "Clear the search" }).click();
  await expectWidths(page, "demo-actions");
  await expectFit(page, "demo-actions");
  // What was chosen outlives a reload.
  await page.reload();
  await save.click();
  await page.getByText(/^Gmail has \d+ enabled actions/).waitFor();
  expect(requests).toEqual([`${console.url}/api/tools/gmail/actions`]);
  const enabled = await readEnabled();
  expect(enabled.filter(({ effect }) => effect !== "none").map(({ name }) => name)).toEqual(["GMAIL_SEND_EMAIL"]);
  expect(enabled.length).toBeGreaterThan(1);
  await console.open("/apps");
  const mine = page.getByRole("list", { name: "Your apps" }).getByRole("listitem");
  await mine.filter({ hasText: "Gmail" }).getByText("Added", { exact: true }).waitFor();
  await expectWidths(page, "demo-apps");
});

test("an account is connected on the provider's page, declined, connected again and disconnected", async () => {
  const { page } = console;
  await console.open("/apps/gmail");
  const accounts = page.getByRole("region", { name: "Accounts", exact: true });
  const connect = accounts.getByRole("button", { name: "Connect", exact: true });
  await signInBy(async () => await connect.click(), "Continue as ana@demo.example");
  const table = page.getByRole("table", { name: "Accounts of this app" });
  await table.getByText("You", { exact: true }).waitFor();
  await table.getByText("Connected", { exact: true }).waitFor();
  await page.getByText("Continue in the other window").waitFor({ state: "detached" });
  await connect.waitFor({ state: "detached" });
  // The state of the app follows.
  await page.getByRole("definition").getByText("Connected", { exact: true }).waitFor();

  const shared = accounts.getByRole("button", { name: "Connect shared account" });
  await signInBy(async () => await shared.click(), "Continue as tom@demo.example");
  await table.getByText("Shared", { exact: true }).waitFor();
  await expect.poll(async () => await table.getByText("Connected", { exact: true }).count(), PATIENT).toBe(2);
  await expectWidths(page, "demo-app-connected");
  await expectFit(page, "demo-app-connected");

  await accounts
    .getByRole("button", { name: /^Disconnect Gmail/ })
    .first()
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("Gmail is disconnected.").waitFor();
  await table.getByText("Disconnected", { exact: true }).waitFor();
  const again = accounts.getByRole("button", { name: /^Reconnect Gmail/ }).and(page.locator(".bg-accent"));
  await signInBy(async () => await again.click(), "Decline", "Ask for a new link to try again.");
  await signInBy(async () => await again.click(), "Continue as ana@demo.example");
  await expect.poll(async () => await table.getByText("Connected", { exact: true }).count(), PATIENT).toBe(2);
});

test("a trigger is created, its event becomes a task, and it is paused, resumed and deleted", async () => {
  const { page, api } = console;
  await console.open("/apps/gmail?view=triggers");
  await page.getByText("No triggers yet").waitFor();
  await page.getByRole("button", { name: /^Create trigger:/ }).click();
  const dialog = page.getByRole("dialog", { name: /^Create a trigger of/ });
  await dialog.getByLabel("Account").selectOption("ana@demo.example");
  await dialog.getByLabel("Instructions (optional)").fill("Answer {{data.subject}}");
  await dialog.getByLabel("Act for me").check();
  await expectWidths(page, "demo-trigger-form");
  await expectFit(page, "demo-trigger-form");
  await dialog.getByRole("button", { name: "Create trigger" }).click();
  await page.getByText("The trigger is active.").waitFor();
  const triggers = page.getByRole("table", { name: "Triggers of this app" });
  await triggers.getByText("Active", { exact: true }).waitFor();
  await expectWidths(page, "demo-triggers");
  await expectFit(page, "demo-triggers");

  // The demo provider's own page sends the event.
  const events = await page.context().newPage();
  await events.goto(`${demoOrigin}/events`);
  await events.getByRole("button", { name: "Send the event" }).click();
  await events.getByText("Otto answered 200").waitFor();
  await events.close();
  const [trigger] = (await api.must<{ data: { id: string }[] }>("GET", "/v1/triggers?app=gmail")).data;
  const received = async () =>
    (
      await api.must<{ data: { state: string; task_id: string | null }[] }>(
        "GET",
        `/v1/triggers/${trigger?.id}/received`,
      )
    ).data;
  await expect.poll(async () => (await received()).map(({ state }) => state), PATIENT).toEqual(["done"]);
  const task = await api.must<{ input: string }>("GET", `/v1/tasks/${(await received())[0]?.task_id}`);
  expect(task.input).toContain("Order 7 has arrived");

  await triggers.getByRole("button", { name: /^Pause/ }).click();
  await triggers.getByText("Paused", { exact: true }).waitFor();
  await triggers.getByRole("button", { name: /^Resume/ }).click();
  await triggers.getByText("Active", { exact: true }).waitFor();
  await triggers.getByRole("button", { name: /^Delete/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("The trigger is deleted.").waitFor();
  await page.getByText("No triggers yet").waitFor();
});

test("changes of enabled actions are shown and approved", async () => {
  const { page } = console;
  const [before, after] = [
    { effect: "none", security: "cautious", description: null },
    { effect: "probe", security: "dangerous", description: null },
  ];
  const send = { name: "GMAIL_SEND_EMAIL", display_name: "Send email", parts: ["effect", "security"], before, after };
  const texts = Array.from({ length: 5 }, (_, at) => ({
    name: `GMAIL_LIST_${at}`,
    display_name: `List ${at}`,
    parts: ["description"],
    before: { ...before, description: `Lists messages of the label ${at}.` },
    after: { ...before, description: `Lists messages of the label ${at}. ${"Unbreakable".repeat(20)}` },
  }));
  const approved: unknown[] = [];
  // A change comes from a sync of another catalogue: the replies are those of `test/workerd/apps/changes.test.ts`.
  await page.route("**/api/tools/gmail/changes", async (route) => {
    const changed = approved.length === 0 ? [send, ...texts] : [];
    const hash = changed.length === 0 ? null : "abc";
    await route.fulfill({ json: { app_name: "gmail", hash, changed, removed: [] } });
  });
  await page.route("**/api/tools/gmail/changes/approve", async (route) => {
    approved.push(route.request().postDataJSON());
    await route.fulfill({ json: { status: "success", approved_count: 1, removed_count: 0, app_name: "gmail" } });
  });
  await console.open("/apps/gmail");
  await page.getByText("6 enabled actions changed").waitFor();
  await page.getByText("risk from “Cautious” to “Dangerous”").waitFor();
  const descriptions = page.getByRole("list", { name: "Changed descriptions" }).getByRole("listitem");
  expect(await descriptions.count()).toBe(0);
  await page.getByText("5 descriptions changed, and nothing else").click();
  await expect.poll(async () => await descriptions.count(), PATIENT).toBe(5);
  await descriptions.first().getByText("Lists messages of the label 0.", { exact: true }).waitFor();
  await expectWidths(page, "demo-app-changes");
  await expectFit(page, "demo-app-changes");
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByText("6 enabled actions changed").waitFor({ state: "detached" });
  expect(approved).toEqual([{ hash: "abc" }]);
  await page.unrouteAll();
});

test("an administrator sets the effect and risk of an action, sees what was computed, and removes it", async () => {
  const { page } = console;
  await console.open("/apps/gmail?search=send");
  const actions = page.getByRole("list", { name: "Actions" }).getByRole("listitem");
  const send = actions.filter({ hasText: "GMAIL_SEND_EMAIL" });
  await send.getByText("Dangerous").waitFor();
  const because = (await send.getByText(/^Its /).textContent()) ?? "";
  await send.getByRole("button", { name: "Change the effect and risk of Send email" }).click();
  const dialog = page.getByRole("dialog", { name: "Effect and risk of Send email" });
  await dialog.getByText(because).waitFor();
  const save = dialog.getByRole("button", { name: "Save", exact: true });
  expect(await save.isDisabled()).toBe(true);
  await dialog.getByRole("combobox", { name: "Effect" }).selectOption("Not repeatable");
  await dialog.getByRole("combobox", { name: "Risk" }).selectOption("Critical");
  await expectWidths(page, "demo-app-override-form");
  await expectFit(page, "demo-app-override-form");
  await save.click();
  await page.getByText("The override is saved.").waitFor();
  await send.getByText("Critical", { exact: true }).waitFor();
  const set = page.getByRole("list", { name: "Actions with an override" }).getByRole("listitem");
  await set.filter({ hasText: "Send email" }).getByText(because).waitFor();
  const read = async () =>
    (await console.api.must<{ overrides: readonly object[] }>("GET", "/api/tools/gmail/overrides")).overrides;
  expect(await read()).toMatchObject([
    { name: "GMAIL_SEND_EMAIL", effect: "once", security: "critical", is_current: true },
  ]);
  await expectWidths(page, "demo-app-overrides");
  await expectFit(page, "demo-app-overrides");
  await page.getByRole("button", { name: "Remove the override of Send email" }).click();
  await page.getByText("The override is removed. Send email has its computed effect and risk.").waitFor();
  await set.first().waitFor({ state: "detached" });
  expect(await read()).toEqual([]);
});

test("an agent gets chosen apps and actions, and the page of the app says who may use it", async () => {
  const { page, agent } = console;
  await console.open("/apps/gmail");
  const agents = page.getByRole("table", { name: "Agents that may use this app" });
  const row = agents.getByRole("row").filter({ hasText: "console" });
  await row.getByText("All enabled actions of every app").waitFor();
  await row.getByRole("link", { name: "Change the apps of console" }).click();
  await page.getByLabel("Apps that it may use").selectOption("Only chosen apps");
  await page.getByLabel("Access to Gmail").selectOption("Chosen actions");
  await page.getByRole("checkbox", { name: "Send email" }).check();
  await page.getByText("1 action of Gmail chosen").waitFor();
  await page.getByLabel("Switched-off actions").fill("NO_SUCH_ACTION");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText(/Couldn't save:.*NO_SUCH_ACTION/).waitFor();
  await page.getByLabel("Switched-off actions").fill("GMAIL_DELETE_MESSAGE");
  await expectWidths(page, "demo-agent-apps");
  await expectFit(page, "demo-agent-apps");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText(/^Saved\. Restrictions apply/).waitFor();
  expect(await console.api.must("GET", `/v1/agents/${agent}/apps`)).toMatchObject({
    assignments: [{ app_name: "gmail", level: "list", actions: ["GMAIL_SEND_EMAIL"], is_active: true }],
    permissions: [{ tool: "GMAIL_DELETE_MESSAGE", is_active: false }],
  });
  // No access to any app is stored as such: no assignment would mean every app.
  await page.getByLabel("Access to Gmail").selectOption("No access");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await console.open("/apps/gmail");
  await row.getByText("No access").waitFor();
});

test("removing an app leaves its accounts connected and takes it from agents", async () => {
  const { page } = console;
  await console.open("/apps/gmail");
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Remove Gmail from the workspace?" });
  await expectWidths(page, "demo-app-remove");
  await dialog.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByText("Gmail is removed.").waitFor();
  await page.getByText("Not added: agents cannot use it").waitFor();
  expect(await readEnabled()).toEqual([]);
  const table = page.getByRole("table", { name: "Accounts of this app" });
  expect(await table.getByText("Connected", { exact: true }).count()).toBe(2);
});

test("actions whose names say that they read are confirmed with one click, each can be left out", async () => {
  const { page, api } = console;
  const { apps } = await api.must<{ apps: readonly { readonly app_name: string }[] }>(
    "GET",
    "/api/tools/marketplace?limit=100",
  );
  const readers = async (app: string) =>
    (
      await api.must<{ actions: readonly { readonly display_name: string }[] }>(
        "GET",
        `/api/tools/${app}/reading-actions`,
      )
    ).actions;
  let [app, named]: [string, readonly { readonly display_name: string }[]] = ["", []];
  for (const { app_name: name } of apps) {
    if (named.length >= 3) break;
    [app, named] = [name, await readers(name)];
  }
  const count = named.length;
  expect(count).toBeGreaterThanOrEqual(3);
  await api.must("POST", "/api/tools/add-to-workspace", { app_name: app });
  await console.open(`/apps/${app}`);
  await page.getByText(`${count} actions whose names say that they read`).waitFor();
  await page.getByText("Review the actions").click();
  const box = page.getByRole("list", { name: "Actions that may only read" }).getByRole("checkbox").first();
  await box.uncheck();
  await expectWidths(page, "demo-app-reading");
  await expectFit(page, "demo-app-reading");
  await page.getByRole("button", { name: `Confirm ${count - 1} action${count === 2 ? "" : "s"}` }).click();
  await page.getByText(/confirmed\. New tasks can read with/).waitFor();
  await page.getByText("1 action whose name says that it reads").waitFor();
  const { overrides } = await api.must<{ overrides: readonly object[] }>("GET", `/api/tools/${app}/overrides`);
  expect(overrides).toHaveLength(count - 1);
  for (const one of overrides)
    expect(one).toMatchObject({
      effect: "none",
      security: "cautious",
      schema_hash: expect.any(String),
      is_current: true,
    });
  await api.must("DELETE", `/api/tools/remove-from-workspace/${app}`);
});

test("who is no administrator sees the state and connects an own account alone", async () => {
  const { api, url } = console;
  const { id } = await api.must<{ id: string }>("POST", "/v1/people", { name: "Ben" });
  const scopes = ["tasks:read", "tasks:write"];
  const { key } = await api.must<{ key: string }>("POST", "/v1/keys", { name: "Ben", scopes, person: id });
  const page = await console.another();
  const entered = await page.context().request.post("/v1/session", { data: { key }, headers: { origin: url } });
  expect(entered.status()).toBe(201);
  await page.goto("/apps/gmail");
  await page.getByRole("button", { name: "Connect", exact: true }).waitFor();
  for (const name of ["Add to workspace", "Remove", "Connect shared account"])
    expect(await page.getByRole("button", { name, exact: true }).count(), name).toBe(0);
  expect(await page.getByText("Who may use it").count()).toBe(0);
  expect(await page.getByRole("button", { name: /^Change the effect/ }).count()).toBe(0);
});

// Last: the accounts of the demo apps expire by it.
test("an administrator saves a key of an own project, and removes it", async () => {
  const { page } = console;
  await console.open("/apps");
  const section = page.getByRole("region", { name: "Composio key" });
  await section.getByText("Demo apps serve this workspace.").waitFor();
  const field = section.getByLabel("Key of your project");
  await field.fill("no-such-key-at-all");
  await section.getByRole("button", { name: "Save key" }).click();
  await section.getByText(/Composio refused this key/).waitFor();
  await expectWidths(page, "demo-key-refused");
  await field.fill("demo-own-northwind");
  await section.getByRole("button", { name: "Save key" }).click();
  await page.getByText(/The key is saved. 2 accounts have to be connected again./).waitFor();
  await section.getByText("Your own key serves this workspace").waitFor();
  expect(await page.content()).not.toContain("demo-own-northwind");
  await expectWidths(page, "demo-key-saved");
  await expectFit(page, "demo-key-saved");
  await section.getByRole("button", { name: "Remove key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove the key" }).click();
  await page.getByText("The key is removed.").waitFor();
  await section.getByText("Demo apps serve this workspace.").waitFor();
});

test("apps show the logos that a sync fetched, in the room of their letters", { timeout: START_MS }, async () => {
  await expectLogos(console);
});

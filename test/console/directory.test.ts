/**
 * Apps without a provider: no key of one and no demo apps. An administrator imports an API with its own OAuth and adds an app
 * of the directory; two people connect both in a browser, and one agent acts for each through their own accounts.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readAccountCalls, untilCompleted } from "../system/accounts-people.ts";
import { type AccountsWorld, startAccountsWorld } from "../system/accounts-world.ts";
import { type Caller, calling, scriptedInput } from "../setup/start-system.ts";
import { type Console, expectFit, expectWidths, openConsole, PATIENT } from "./open-console.ts";

const START_MS = 240_000;
const DISABLED = "Integrations are disabled — no Composio API key is configured.";

let world: AccountsWorld;
let console: Console;
let ana: Person;
let ben: Person;

/** A person with a window of their own. `user` is their account at the apps. */
interface Person {
  readonly name: string;
  readonly user: "ana" | "ben";
  readonly page: Page;
  readonly api: Caller;
}

beforeAll(async () => {
  // Notion of the directory is the mock server; the others are where they are.
  world = await startAccountsWorld((mcpUrl) => ({
    OTTO_APP_DIRECTORY: `notion-mcp=${mcpUrl},linear-mcp=http://127.0.0.1:9/mcp`,
  }));
  const { url, stateFolder } = world.system.system;
  const operatorKey = readFileSync(join(stateFolder, "operator-key"), "utf8").trim();
  console = await openConsole("Directory", { at: { url, operatorKey } });
  ana = await become("Ana", "ana", ["tasks:read", "tasks:write", "admin"]);
  ben = await become("Ben", "ben", ["tasks:read", "tasks:write"]);
}, START_MS);

afterAll(async () => {
  await console?.close();
  await world?.close();
});

/** Makes a person with a key, and signs a window in with it. */
async function become(name: string, user: Person["user"], scopes: readonly string[]): Promise<Person> {
  const { api, url } = console;
  const { id } = await api.must<{ id: string }>("POST", "/v1/people", { name });
  const { key } = await api.must<{ key: string }>("POST", "/v1/keys", { name, scopes, person: id });
  const page = await console.another();
  const entered = await page.context().request.post("/v1/session", { data: { key }, headers: { origin: url } });
  expect(entered.status()).toBe(201);
  return { name, user, page, api: world.system.withKey(key) };
}

/** Presses Connect on a page or in a part of it, and signs in in the window that opens. */
async function connect({ page, user }: Person, part: Page | Locator = page): Promise<void> {
  const press = part.getByRole("button", { name: "Connect", exact: true }).click();
  const [window] = await Promise.all([page.context().waitForEvent("page"), press]);
  await window.getByRole("button", { name: `Continue as ${user}@acme.example` }).click();
  await window.getByText("You may close this window.").waitFor();
  await window.close();
}

/** Asks the agent in the form of the console for both apps, and returns the completed task. */
async function askForBoth(person: Person): Promise<string> {
  const { page } = person;
  const script = scriptedInput(calling("crm_list_notes", {}), calling("notion-mcp_pages", {}), { text: "Yours." });
  await page.goto(`/tasks/new?agent=${console.agent}&input=${encodeURIComponent(`What is mine?\n${script}`)}`);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/\/tasks\/task_/);
  const { id } = await untilCompleted(person, new URL(page.url()).pathname.split("/").at(-1) ?? "");
  return id;
}

test("without a provider the directory is listed, searched and explained", async () => {
  const { page } = ana;
  await page.goto("/apps");
  await page.getByText(DISABLED).waitFor();
  await page.getByText("Only apps by Composio are affected.").waitFor();
  const list = page.getByRole("list", { name: "Apps of the catalogue" });
  await expect.poll(async () => await list.getByRole("listitem").count(), PATIENT).toBe(2);
  await page.getByRole("textbox", { name: "Search apps" }).fill("pages databases");
  await expect.poll(async () => await list.getByRole("listitem").count(), PATIENT).toBe(1);
  await list.getByText("Own MCP server", { exact: true }).waitFor();
  await expectWidths(page, "directory-apps");
  await expectFit(page, "directory-apps");
});

test("an administrator adds an app in one click; a dead one says so and is not added", async () => {
  const { page } = ana;
  await page.goto("/apps/linear-mcp");
  await page.getByRole("button", { name: "Add to workspace" }).click();
  await page.getByText(/The MCP server of Linear cannot be used\./).waitFor();
  await page.getByText("Not added: agents cannot use it").waitFor();
  expect((await ana.api.send("GET", "/v1/mcp-servers")).json.data).toEqual([]);

  await page.goto("/apps/notion-mcp");
  await page.getByText("An administrator adds the app.").waitFor();
  expect(await page.getByText(DISABLED).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Connect", exact: true }).count()).toBe(0);
  await expectWidths(page, "directory-app");
  await page.getByRole("button", { name: "Add to workspace" }).click();
  await page.getByText("Notion is added. Connect an account").waitFor();
  await page.getByRole("button", { name: "Connect", exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Connect shared account" }).count()).toBe(0);
  await expectFit(page, "directory-app-added");
});

test("an administrator imports an API with its own OAuth", async () => {
  const { page } = ana;
  const { app } = world;
  await page.goto("/tool-sources/import");
  await page.getByLabel("Address of the document").fill(`${app.url}/openapi.json`);
  await page.getByLabel("Name (optional)").fill("crm");
  const choice = { label: "By the sign-in page of its provider (OAuth)" };
  await page.getByLabel("People connect accounts").selectOption(choice);
  await page.getByLabel("Issuer").fill(app.url);
  await page.getByLabel("Scopes").fill("read");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("imported as openapi:crm").waitFor();
  const { data } = (await ana.api.send("GET", "/v1/apps")).json;
  expect(data.map(({ app: name }: { app: string }) => name)).toEqual(["crm", "notion-mcp"]);
});

test("two people connect both apps, and the first account reads the actions", async () => {
  for (const person of [ana, ben]) {
    const { page, user } = person;
    await page.goto("/apps/notion-mcp");
    await connect(person);
    const table = page.getByRole("table", { name: "Accounts of this app" });
    await table.getByText(`${user}@acme.example`).waitFor();
    await page.getByRole("list", { name: "Actions" }).getByText("notion-mcp_pages").waitFor();
    await page.goto("/connections");
    await page.getByRole("button", { name: "Connect an account" }).click();
    const dialog = page.getByRole("dialog", { name: "Connect an account" });
    await dialog.getByLabel("App").selectOption({ label: "Mock app" });
    await connect(person, dialog);
    await page.getByRole("table", { name: "Connections" }).getByText("Mock app").waitFor();
  }
  await ana.page.goto("/apps/notion-mcp");
  await ana.page.getByRole("definition").getByText("Connected", { exact: true }).waitFor();
  await expectWidths(ana.page, "directory-app-connected");
  await expectFit(ana.page, "directory-app-connected");
  await ana.page.goto("/apps");
  await ana.page.getByRole("list", { name: "Your apps" }).getByText("Notion").waitFor();
  await expectFit(ana.page, "directory-your-apps");
});

test("one agent acts for each through their own accounts, and no other", async () => {
  for (const person of [ana, ben]) {
    const { user, name } = person;
    const [before, pages] = [world.app.requests.length, world.pagesCalls.length];
    const task = await askForBoth(person);
    const account = [name, `${user}@acme.example`, name];
    expect(await readAccountCalls(person, task)).toEqual([
      ["crm.list_notes", "confirmed", ...account],
      ["notion-mcp_pages", "confirmed", ...account],
    ]);
    const notes = world.app.requests.slice(before).filter(({ path }) => path === "/api/notes");
    expect(notes.map((one) => one.user)).toEqual([user]);
    expect(world.pagesCalls.slice(pages).map((one) => one.user)).toEqual([user]);
  }
});

test("who disconnects is asked for again, and the other's account still works", async () => {
  const { page } = ben;
  await page.goto("/apps/notion-mcp");
  await page.getByRole("button", { name: /^Disconnect Notion/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("Notion is disconnected.").waitFor();
  const calls = world.pagesCalls.length;
  const input = scriptedInput(calling("notion-mcp_pages", {}), { text: "Read." });
  const made = await ben.api.send("POST", "/v1/tasks", { input, agent: console.agent });
  const read = async () => (await ben.api.send("GET", `/v1/tasks/${made.json.id}`)).json;
  await expect
    .poll(async () => (await read()).pending, PATIENT)
    .toMatchObject([{ kind: "connection", app: "notion-mcp" }]);
  expect(world.pagesCalls).toHaveLength(calls);
  await askForBoth(ana);
  expect(world.pagesCalls.slice(calls).map(({ user }) => user)).toEqual(["ana"]);
});

test("removing the app disconnects everyone's account", async () => {
  const { page } = ana;
  await page.goto("/apps/notion-mcp");
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Remove Notion from the workspace?" });
  await dialog.getByText("Everyone's account of it is disconnected.").waitFor();
  await dialog.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByText("Notion is removed.").waitFor();
  await page.getByText("Not added: agents cannot use it").waitFor();
  const { data } = (await ana.api.send("GET", "/v1/connections?owner=all&app=notion-mcp")).json;
  expect(data.map(({ status }: { status: string }) => status)).toEqual(["revoked", "revoked"]);
});

/** Accounts of an app: connected, used by a task, decided by their owner, and disconnected, as people do it in a browser. */
import type { Page } from "playwright-core";
import { afterEach, expect, inject, test } from "vitest";
import { controlApp } from "../mock-servers/oauth-app-control.ts";
import { type Console, expectFit, expectWidths, openConsole, PATIENT } from "./open-console.ts";

/** Each test is one of them, so that none ends the grants of another. */
type User = "ana" | "ben";

let console: Console;

afterEach(async () => {
  await controlApp(inject("console").oauthApp, { faults: { revocation: null } });
  await console?.close();
});

/** Imports the mock app, to which each person connects. Gives the names of its tools. */
async function importApp(change: object = {}): Promise<readonly string[]> {
  const { oauthApp } = inject("console");
  const connect = { kind: "oauth2", issuer: oauthApp, scopes: ["read"], per: "person", ...change };
  const body = { name: "crm", url: `${oauthApp}/openapi.json`, connect, read_security: "safe" };
  return (await console.api.must<{ tools: string[] }>("POST", "/v1/tools/import", body)).tools;
}

/** Presses what opens the app's sign-in, and continues there as a user. */
async function signInBy(press: () => Promise<void>, user: User): Promise<void> {
  const [window] = await Promise.all([console.page.context().waitForEvent("page"), press()]);
  await window.getByRole("button", { name: `Continue as ${user}@acme.example` }).click();
  await window.getByText("You may close this window.").waitFor();
  expect(await window.evaluate("window.opener")).toBeNull();
  await window.close();
}

/** A window of another person of the tenant, who may approve. */
async function openOther(name: string): Promise<Page> {
  const { id } = await console.api.must<{ id: string }>("POST", "/v1/people", { name, may_approve: true });
  const scopes = ["tasks:read", "tasks:write"];
  const { key } = await console.api.must<{ key: string }>("POST", "/v1/keys", { name: "other", scopes, person: id });
  const page = await console.another();
  const entered = await page.context().request.post("/v1/session", {
    data: { key },
    headers: { origin: console.url },
  });
  expect(entered.status()).toBe(201);
  return page;
}

interface Listed {
  readonly data: readonly Record<string, unknown>[];
}

const readRows = async () => (await console.api.must<Listed>("GET", "/v1/connections")).data;

test("an API is imported with accounts; one is connected, changed, connected again and disconnected", async () => {
  console = await openConsole("Accounts");
  const { page } = console;
  const { oauthApp } = inject("console");
  await console.open("/connections");
  await page.getByText("There is no app yet that you can connect.").waitFor();
  await expectWidths(page, "connections-no-apps");

  await console.open("/tool-sources/import");
  await page.getByLabel("Address of the document").fill(`${oauthApp}/openapi.json`);
  await page.getByLabel("Name (optional)").fill("crm");
  await page
    .getByLabel("People connect accounts")
    .selectOption({ label: "By the sign-in page of its provider (OAuth)" });
  await page.getByLabel("Issuer").fill("nowhere");
  await page.getByLabel("Client secret (optional)").fill("canary-secret");
  await page.getByLabel("Scopes").fill("read");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText(/Couldn't import/).waitFor();
  await expectWidths(page, "import-with-accounts");
  expect(await page.evaluate("JSON.stringify([{ ...sessionStorage }, { ...localStorage }])")).not.toContain("canary");
  await page.getByLabel("Issuer").fill(oauthApp);
  await page.getByLabel("Client secret (optional)").fill("");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("imported as openapi:crm").waitFor();

  await console.open("/connections");
  await page.getByRole("button", { name: "Mock app" }).waitFor();
  await expectWidths(page, "connections-empty");
  await page.getByRole("button", { name: "Mock app" }).click();
  const connect = page.getByRole("dialog", { name: "Connect an account" });
  await connect.getByLabel("Name (optional)").fill("work");
  await connect.getByLabel("Also while I am away").check();
  await expectWidths(page, "connections-connect");
  await signInBy(async () => await connect.getByRole("button", { name: "Connect", exact: true }).click(), "ana");
  const table = page.getByRole("table", { name: "Connections" });
  await table.getByText("ana@acme.example").waitFor();
  await table.getByText("Connected", { exact: true }).waitFor();
  await page.getByText("Continue in the other window").waitFor({ state: "detached" });
  const [row] = await readRows();
  expect(row).toMatchObject({ app: "crm", alias: "work", unattended: true, is_default: true, status: "active" });
  await expectWidths(page, "connections");
  await expectFit(page, "connections");

  await page.getByRole("button", { name: "Change Mock app (ana@acme.example)" }).click();
  const change = page.getByRole("dialog", { name: "Change ana@acme.example" });
  await change.getByLabel("Name (optional)").fill("office");
  await change.getByLabel("Others may approve").check();
  expect(await change.getByLabel("Default").isDisabled()).toBe(true);
  await expectWidths(page, "connections-change");
  await change.getByRole("button", { name: "Save" }).click();
  await page.getByText("The connection is saved.").waitFor();
  await table.getByText("Also while its owner is away, others may approve").waitFor();
  expect((await readRows())[0]).toMatchObject({ alias: "office", unattended: true, delegate_approvals: true });

  // The same connection, with another account.
  const again = page.getByRole("button", { name: "Reconnect Mock app (ana@acme.example)" });
  await signInBy(async () => await again.click(), "ben");
  await table.getByText("ben@acme.example").waitFor();
  expect(await readRows()).toMatchObject([{ id: row?.["id"], alias: "office", unattended: true }]);

  // The app does not confirm at first.
  await controlApp(oauthApp, { faults: { revocation: "error" } });
  await page.getByRole("button", { name: "Disconnect Mock app (ben@acme.example)" }).click();
  await page.getByRole("dialog", { name: "Disconnect Mock app?" }).waitFor();
  await expectWidths(page, "connections-disconnect");
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("Mock app is disconnected.").waitFor();
  await table.getByText("Disconnected", { exact: true }).waitFor();
  await table.getByText(/has not confirmed yet; Otto tries again at/).waitFor();
  expect(await page.getByText("Continue in the other window").count()).toBe(0);
  await expectWidths(page, "connections-revoked");
  expect(await page.getByRole("button", { name: /^Remove/ }).count()).toBe(0);
});

test("a key without a person learns what to do, and manages the shared accounts", async () => {
  console = await openConsole("Nobody");
  const { page, api } = console;
  await importApp({ per: "shared" });
  const { data } = await api.must<{ data: { id: string }[] }>("GET", "/v1/keys");
  await api.must("PATCH", `/v1/keys/${data[0]?.id ?? ""}`, { person: null });
  await console.open("/connections");
  await page.getByText("This key belongs to no person. Bind it under Settings, Keys.").waitFor();
  await expectWidths(page, "connections-no-person");
  await page.getByRole("button", { name: "Connect an account" }).click();
  const dialog = page.getByRole("dialog", { name: "Connect an account" });
  expect(await dialog.getByLabel("Also while I am away").count()).toBe(0);
  await signInBy(async () => await dialog.getByRole("button", { name: "Connect", exact: true }).click(), "ben");
  const table = page.getByRole("table", { name: "Connections" });
  await table.getByText("ben@acme.example").waitFor();
  await table.getByText("Shared", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Everyone’s" }).click();
  await table.getByText("ben@acme.example").waitFor();
  await page.getByText("This key belongs to no person.").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Keys" }).click();
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
});

test("people connect accounts of an MCP server, through which its tools are read", async () => {
  console = await openConsole("Servers");
  const { page } = console;
  const { mcpUrl } = inject("console");
  const id = crypto.randomUUID();
  const tools = [{ name: "echo", description: "Echoes.", inputSchema: { type: "object" } }];
  await fetch(`${mcpUrl}/set/${id}`, { method: "PUT", body: JSON.stringify({ tools, guarded: true }) });
  await console.open("/mcp-servers?add=true");
  await page.getByLabel("Name", { exact: true }).fill("notes");
  await page.getByLabel("Address").fill(`${mcpUrl}/mcp/${id}`);
  await page.getByLabel("Otto signs in").selectOption({ label: "by the consent of a person (OAuth)" });
  await page.getByLabel("Each person connects an account").check();
  await expectWidths(page, "mcp-server-of-people");
  await page.getByRole("button", { name: "Add and connect" }).click();
  await page.getByText("Connect your account, then refresh").waitFor();
  await page.getByText("of each person").waitFor();
  await expectWidths(page, "mcp-server-needs-account");
  await page.getByRole("main").getByRole("link", { name: "Connections" }).click();
  await page.getByRole("main").getByRole("button", { name: "notes" }).waitFor();
});

test("a call waits for an account until its owner connects it, and others see for whom", async () => {
  console = await openConsole("Waits");
  const { page, api, agent } = console;
  const tools = await importApp();
  const tool = tools.find((name) => /me$/i.test(name)) ?? "";
  const replies = [{ calls: [{ name: tool, arguments: {} }] }, { text: "It is read." }];
  const task = await console.makeTask("Who am I?", replies);
  await console.open(`/tasks/${task}`);
  const card = page.getByRole("region", { name: "Waiting for you" });
  await card.getByRole("heading", { name: "Connect crm" }).waitFor();
  await expectWidths(page, "connection-card");

  const other = await openOther("<b>Ben</b>");
  await other.goto("/inbox");
  await other.getByRole("heading", { name: /^Waiting for Owner to connect crm$/ }).waitFor();
  expect(await other.getByRole("button", { name: "Connect crm" }).count()).toBe(0);
  await expectWidths(other, "connection-card-of-others");
  // An administrator's menu is not theirs.
  await other.goto("/connections");
  await other.getByText("No account is connected").waitFor();
  expect(await other.getByRole("link", { name: "Everyone’s" }).count()).toBe(0);

  // By keyboard.
  await card.getByRole("button", { name: "Connect crm" }).focus();
  await signInBy(async () => await page.keyboard.press("Enter"), "ana");
  await page.getByText("It is read.", { exact: true }).waitFor();
  await expect.poll(async () => (await api.task(task)).status, PATIENT).toBe("completed");
  const call = page.getByRole("button", { name: new RegExp(tool.replace(".", "\\.")) }).first();
  if ((await call.getAttribute("aria-expanded")) !== "true") await call.click();
  await page.getByText("Through ana@acme.example (Owner)", { exact: true }).waitFor();
  await expectWidths(page, "call-through-an-account");

  // Its owner decides, and nobody else.
  const asking = { name: "asking", tools: ["*"], permissions: ["read", "network"], allowed_domains: ["*"] };
  const approval = { rules: [{ tool, decision: "ask" }] };
  const made = await api.must<{ id: string }>("POST", "/v1/agents", { ...asking, instructions: "Ask.", approval });
  const asks = await console.makeTask("May I?", replies, { agent: made.id });
  await console.open(`/tasks/${asks}`);
  await card.getByText("Through ana@acme.example (Owner)").waitFor();
  await card.getByText("You decide this.").waitFor();
  await expectWidths(page, "approval-of-an-account");
  await other.goto(`/tasks/${asks}`);
  await other.getByText("Owner decides this.").waitFor();
  expect(await other.getByRole("button", { name: /Approve|Refuse/ }).count()).toBe(0);
  await expectWidths(other, "approval-of-others");
  await card.getByRole("button", { name: "Approve", exact: true }).click();
  await expect.poll(async () => (await api.task(asks)).status, PATIENT).toBe("completed");

  // The app ends the grant; the agent continues without it.
  await controlApp(inject("console").oauthApp, { end: "ana" });
  const skips = await console.makeTask("Who am I now?", replies, { agent });
  await console.open(`/tasks/${skips}`);
  await card.getByRole("heading", { name: "Reconnect crm" }).waitFor();
  await card.getByRole("button", { name: "Continue without it" }).click();
  await page.getByText("The agent continues without crm.").waitFor();
  await expect.poll(async () => (await api.task(skips)).status, PATIENT).toBe("completed");
  await console.open("/connections");
  await page.getByRole("table", { name: "Connections" }).getByText("Expired", { exact: true }).waitFor();
  await expectWidths(page, "connections-expired");
});

/** Databases, as people use them in a browser: added, checked, opened to others, given another address and deleted. */
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Console, expectFit, expectWidths, openConsole, PATIENT } from "./open-console.ts";

let console: Console;
const { reader, writer } = inject("console").postgres;
const HOST = new URL(reader).host;

beforeAll(async () => {
  console = await openConsole("Databases");
});

afterAll(async () => {
  await console?.close();
});

const rowOf = (name: string) => console.page.getByRole("row").filter({ hasText: name });
const dialogOf = (name: string) => console.page.getByRole("dialog", { name });

test("a database is added with an address that no page shows again", async () => {
  const { page } = console;
  await console.open("/databases");
  await page.getByText("No databases yet").waitFor();
  await expectWidths(page, "databases-empty");
  await page.getByRole("button", { name: "Add a database" }).first().click();
  const dialog = dialogOf("Add a database");
  await dialog.getByLabel("Name").fill("sales");
  await dialog.getByLabel("DSN").fill("mysql://reader:word@db.example.com/sales");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByText("Couldn't add it").waitFor();
  expect(await dialog.getByLabel("DSN").getAttribute("aria-invalid")).toBe("true");
  await expectFit(page, "databases-refused");
  await dialog.getByLabel("DSN").fill(writer);
  expect(await dialog.getByLabel("DSN").getAttribute("type")).toBe("password");
  await dialog.getByText("How to make a role that only reads").click();
  await dialog.getByText("grant usage on schema public to reader;").waitFor();
  await dialog.getByText("More", { exact: true }).click();
  await dialog.getByLabel("TLS").selectOption("Off");
  await dialog.getByLabel("Denied tables").fill("salaries\npublic.payroll");
  await expectFit(page, "databases-new");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialogOf("Database").getByText("It was not checked yet").waitFor();
  await dialogOf("Database").getByText(HOST).waitFor();
  await expectFit(page, "database-unchecked");
  expect(await page.content()).not.toMatch(/canary-of-postgres|writer:/);
});

test("a check names what a role may write and what to do about it; another role passes", async () => {
  const { page } = console;
  await console.open("/databases?open=sales");
  const dialog = dialogOf("Database");
  await dialog.getByRole("button", { name: "Check" }).click();
  await dialog.getByText("Agents cannot query it: the role writer may write").waitFor();
  await dialog.getByText("DELETE on table public.orders").waitFor();
  await expectFit(page, "database-rejected");
  await dialog.getByRole("button", { name: "Replace the DSN" }).click();
  await page.getByRole("textbox", { name: "DSN" }).fill(reader);
  await expectFit(page, "database-dsn");
  await page.getByRole("button", { name: "Replace", exact: true }).click();
  await dialog.getByText("It was not checked yet").waitFor();
  await dialog.getByRole("button", { name: "Check" }).click();
  await dialog.getByText("Ready: the role reader only reads").waitFor();
  await dialog.getByText(/Queries may read 1 table: orders/).waitFor();
  await expectFit(page, "database-ready");
  expect(await page.content()).not.toContain("canary-of-postgres");
});

test("a check that cannot connect says why", async () => {
  const { page } = console;
  const dsn = "postgres://reader:word@10.0.0.1/sales";
  await console.api.send("POST", "/v1/databases", { name: "far-away", kind: "postgres", dsn, agents: [] });
  await console.open("/databases?open=far-away");
  await dialogOf("Database").getByRole("button", { name: "Check" }).click();
  await dialogOf("Database").getByText("Couldn't check it").waitFor();
  await expectFit(page, "database-unreachable");
  await dialogOf("Database").getByRole("button", { name: "Change settings" }).click();
  await dialogOf("Settings of “far-away”").getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => await page.getByText("Couldn't check it").count(), PATIENT).toBe(0);
  await page.keyboard.press("Escape");
  await rowOf("far-away").getByText("Nobody").waitFor();
  await rowOf("sales").getByText("Only reads").waitFor();
  await expectWidths(page, "databases");
});

test("its users and settings are changed, a role that may write is accepted, and it is deleted", async () => {
  const { page } = console;
  await console.open("/databases?open=sales");
  const dialog = dialogOf("Database");
  await dialog.getByRole("button", { name: "Change who may use it" }).click();
  const users = dialogOf("Who may use “sales”");
  await users.getByLabel("console", { exact: true }).check();
  await users.getByLabel("default", { exact: true }).uncheck();
  await expectFit(page, "database-users");
  await users.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Agents: console").waitFor();
  await dialog.getByRole("button", { name: "Change settings" }).click();
  const settings = dialogOf("Settings of “sales”");
  await settings.getByLabel("Denied tables").fill("");
  await settings.getByLabel("Schemas").fill("public");
  await settings.getByLabel("Read sample values for questions in plain language").check();
  await expectFit(page, "database-settings");
  await settings.getByRole("button", { name: "Save" }).click();
  await dialog.getByText(/schemas public · every table · with sample values · 1,000 rows · 15 s/).waitFor();
  await dialog.getByText("Read for questions in plain language", { exact: true }).waitFor();
  await expectFit(page, "database-samples");
  expect(await console.api.must("GET", "/v1/databases/sales")).toMatchObject({ samples: true });
  await console.api.must("PATCH", "/v1/databases/sales", { dsn: writer });
  await console.api.must("POST", "/v1/databases/sales/check");
  await console.open("/databases?open=sales");
  await dialog.getByRole("button", { name: "Accept this role" }).click();
  await dialog.getByText("Ready, although the role writer may write").waitFor();
  await expectFit(page, "database-accepted");
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete the database" }).click();
  await page.getByText("“sales” is deleted.").waitFor();
  await expect.poll(async () => await rowOf("sales").count(), PATIENT).toBe(0);
});

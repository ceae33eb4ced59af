/** Keys, limits, the switch, usage and the audit log, as an administrator uses them. */
import { afterEach, expect, test } from "vitest";
import { ApiClient } from "../drill/api-client.ts";
import { type Console, DESKTOP, expectFit, openConsole, PATIENT, PHONE } from "./open-console.ts";
import { fetchApi } from "../setup/fetch-api.ts";

let console: Console;

afterEach(async () => {
  await console?.close();
});

test("a key is created, revealed once, used, and invalid in every window when it is revoked", async () => {
  console = await openConsole("Keys");
  const { page, url } = console;
  await console.open("/keys");
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill("報告 Reports");
  await page.getByLabel("Make, steer and cancel tasks; answer and approve").uncheck();
  await page.getByRole("button", { name: "Create key" }).click();
  const key = (await page.getByRole("group", { name: "the key", exact: true }).textContent()) ?? "";
  expect(key).toMatch(/^otto_/);
  // Nothing but the button takes it away.
  await page.mouse.click(5, 5);
  await page.keyboard.press("Escape");
  expect(await page.getByText(key).isVisible()).toBe(true);
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByText(key).waitFor({ state: "detached" });
  const program = new ApiClient(url, key, fetchApi);
  expect((await program.send("GET", "/v1/tasks")).status).toBe(200);
  expect((await program.send("POST", "/v1/tasks", { input: "no" })).status).toBe(403);

  const other = await page.context().newPage();
  await other.goto("/keys");
  await other.getByRole("button", { name: "Revoke 報告 Reports" }).waitFor();
  await page.getByRole("button", { name: "Revoke 報告 Reports" }).click();
  await page.getByRole("button", { name: "Revoke the key" }).click();
  await page.getByText("“報告 Reports” is revoked.").waitFor();
  // The button is gone in both windows; what had the focus here gave it on.
  await other.getByRole("button", { name: "Revoke 報告 Reports" }).waitFor({ state: "detached" });
  await expect.poll(async () => await page.evaluate("document.activeElement.id"), PATIENT).toBe("page-title");
  expect((await program.send("GET", "/v1/tasks")).status).toBe(401);
});

test("a key is created for a person, bound to another one, and warned of when it may act for others", async () => {
  console = await openConsole("Persons");
  const { page, api } = console;
  const add = async (name: string) => await api.must<{ id: string; name: string }>("POST", "/v1/people", { name });
  const [ana, ben] = [await add("Ana Lima"), await add("<b>Ben</b>")];
  await console.open("/keys");
  const keys = page.getByRole("table", { name: "API keys" });
  await keys.getByText("Owner").waitFor();
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill("Portal");
  await page.getByLabel("Person", { exact: true }).selectOption({ label: "Ana Lima" });
  const warning = page.getByText("may act for any person of the tenant");
  expect(await warning.count()).toBe(0);
  await page.getByLabel("Act for other people").check();
  await warning.waitFor();
  await expectFit(page, "new-key-for-a-person");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("button", { name: "I have copied it" }).click();
  await keys.getByText("Ana Lima").waitFor();
  await page.getByRole("button", { name: "Bind Portal to a person" }).click();
  const dialog = page.getByRole("dialog", { name: "Bind “Portal” to a person" });
  expect(await dialog.getByLabel("Person").inputValue()).toBe(ana.id);
  await page.setViewportSize(PHONE);
  await expectFit(page, "bind-key-phone");
  await page.setViewportSize(DESKTOP);
  await dialog.getByLabel("Person").selectOption({ label: "<b>Ben</b>" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("“Portal” acts for <b>Ben</b>.").waitFor();
  await keys.getByText("<b>Ben</b>").waitFor();
  const { data } = await api.must<{ data: { name: string; scopes: string[]; person: object }[] }>("GET", "/v1/keys");
  expect(data.find(({ name }) => name === "Portal")).toMatchObject({
    scopes: ["tasks:read", "tasks:write", "people:act"],
    person: { id: ben.id, name: "<b>Ben</b>" },
  });
  await page.getByRole("button", { name: "Bind Portal to a person" }).click();
  await dialog.getByLabel("Person").selectOption({ label: "Nobody" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("“Portal” belongs to nobody.").waitFor();
  await console.open("/audit?action=key.bind");
  const acts = page.getByRole("table", { name: "Administrative acts" });
  await acts.getByText("Key bound to a person").first().waitFor();
  expect(await acts.getByText("Key bound to a person").count()).toBe(2);
});

test("a limit is set, everything is stopped and resumed, and the audit log lists it", async () => {
  console = await openConsole("Limits");
  const { page, api } = console;
  await console.open("/limits");
  await page.getByRole("button", { name: "Set a limit" }).click();
  await page.getByLabel("Tokens").fill("many");
  await page.getByRole("button", { name: "Set the limit" }).click();
  await page.getByText("This is not a number.").waitFor();
  await page.getByLabel("Tokens").fill("50,000");
  await page.getByLabel("Money in US$").fill("0,125");
  await page.getByText("write 125 or 0.125").waitFor();
  await page.getByLabel("Money in US$").fill("0,12");
  await page.getByRole("button", { name: "Set the limit" }).click();
  await page.getByText("The limit holds.").waitFor();
  const { data } = await api.must<{ data: { account: string; limit: object }[] }>("GET", "/v1/budgets");
  expect(data.find(({ account }) => account === "tenant")?.limit).toEqual({
    max_tokens: 50_000,
    max_cost_usd: 0.12,
    period: "month",
  });

  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByLabel("Reason").fill("a look at the bill");
  await page.getByRole("button", { name: "Stop everything" }).click();
  await page.getByText("Everything is stopped").waitFor();
  expect(await api.must("GET", "/v1/kill-switch")).toMatchObject({ stopped: true, reason: "a look at the bill" });
  await page.getByRole("button", { name: "Resume everything" }).click();
  await page.getByRole("heading", { name: "Stop everything" }).waitFor();

  await console.open("/audit?action=budget.set");
  const acts = page.getByRole("table", { name: "Administrative acts" });
  await acts.getByText("Limit set").waitFor();
  expect(await acts.getByText("Everything stopped").count()).toBe(0);
  await page.getByLabel("What", { exact: true }).selectOption({ label: "The whole tenant: anything" });
  await acts.getByText("Everything stopped").waitFor();
  expect(await acts.getByText("Limit set").count()).toBe(0);
  await page.getByLabel("By", { exact: true }).selectOption({ label: "Otto, automatically" });
  await page.getByText("No results").waitFor();
});

test("retention is set, and everything is retained until then", async () => {
  console = await openConsole("Retention");
  const { page, api } = console;
  await api.must("POST", "/v1/tasks", { input: "Stays a draft", hold: true });
  // The database counts a task when its row has arrived there, and the page asks once.
  const countTasks = async () => (await api.must<{ stored: { tasks: number } }>("GET", "/v1/retention")).stored.tasks;
  await expect.poll(countTasks, PATIENT).toBe(1);
  await console.open("/limits");
  await page.getByText("Everything is kept.").waitFor();
  await page.getByText("1 task is stored, 0 of them ended").waitFor();
  await page.getByRole("button", { name: "Change retention" }).click();
  await page.getByLabel("Delete tasks after days").fill("soon");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("This is not a number.").waitFor();
  await page.getByLabel("Delete tasks after days").fill("36501");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("36500").first().waitFor();
  await page.getByLabel("Delete tasks after days").fill("90");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Retention changed.").waitFor();
  await page.getByText("Tasks are deleted 90 days after the end.").waitFor();
  const days = { tasks_days: 90, logs_days: null, results_days: null };
  expect(await api.must("GET", "/v1/retention")).toMatchObject(days);
});

test("a task's use is in the usage of its day, by agent", async () => {
  console = await openConsole("Usage");
  const { page } = console;
  await console.makeTask("Count something", [{ text: "One.", usage: { input: 900, output: 100 } }]);
  await expect
    .poll(async () => {
      await console.open("/usage?measure=tokens");
      return await page.locator("dd", { hasText: /^1,000$/ }).count();
    }, PATIENT)
    .toBeGreaterThan(0);
  await page.getByRole("table", { name: "Use by agent" }).getByText("console").first().waitFor();
});

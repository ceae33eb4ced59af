/** The menu and the command palette: each page and each action is reached, by the keyboard too. */
import { afterEach, expect, test } from "vitest";
import { findCommands } from "../../web/src/shell/navigation.ts";
import { type Console, DESKTOP, expectFit, openConsole, PATIENT, PHONE } from "./open-console.ts";

let console: Console;

afterEach(async () => {
  await console?.close();
});

test("the menu has seven areas, shows the pages of the present one, and fits a phone", async () => {
  console = await openConsole("Areas");
  const { page } = console;
  await console.open("/tasks");
  const menu = page.getByRole("navigation", { name: "Console" });
  await menu.getByRole("link", { name: "Knowledge" }).waitFor();
  expect(await menu.getByRole("link").count()).toBe(7);
  await menu.getByRole("link", { name: "Knowledge" }).click();
  await page.getByRole("heading", { level: 1, name: "Memory" }).waitFor();
  const pages = menu.getByRole("list", { name: "Knowledge: pages" });
  expect(await pages.getByRole("link").allTextContents()).toEqual(["Memory", "Documents", "Code", "Databases"]);
  expect(await menu.locator('[aria-current="page"]').allTextContents()).toEqual(["Memory"]);
  await pages.getByRole("link", { name: "Code" }).click();
  await page.getByRole("heading", { level: 1, name: "Code" }).waitFor();
  expect(await menu.locator('[aria-current="page"]').allTextContents()).toEqual(["Code"]);
  await expectFit(page, "menu-knowledge");
  await page.setViewportSize(PHONE);
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("dialog", { name: "Menu" }).getByRole("link", { name: "Databases" }).click();
  await page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();
  await page.setViewportSize(DESKTOP);
});

test("the palette opens by Ctrl+K, finds by words in any order, and goes to every page and action", async () => {
  console = await openConsole("Palette");
  const { page } = console;
  await console.open("/tasks");
  const palette = page.getByRole("dialog", { name: "Go to" });
  const field = palette.getByRole("combobox", { name: "Page or action" });
  const goTo = async (text: string): Promise<void> => {
    await page.keyboard.press("Control+k");
    await field.fill(text);
    await page.keyboard.press("Enter");
    await palette.waitFor({ state: "detached" });
  };
  await page.keyboard.press("Control+k");
  await field.waitFor();
  expect(await palette.getByRole("option").count()).toBe(findCommands("").length);
  await expectFit(page, "command-palette");
  await field.fill("new schedule");
  expect(await palette.getByRole("option", { selected: true }).textContent()).toContain("New schedule");
  await field.fill("quokka");
  await palette.getByText("No matching page or action").waitFor();
  await page.keyboard.press("Enter");
  await field.fill("cron");
  await page.keyboard.press("ArrowDown");
  expect(await palette.getByRole("option", { selected: true }).textContent()).toContain("New schedule");
  await page.keyboard.press("ArrowDown");
  expect(await palette.getByRole("option", { selected: true }).textContent()).toContain("Schedules");
  await page.keyboard.press("Control+k");
  await palette.waitFor({ state: "detached" });
  expect(new URL(page.url()).pathname).toBe("/tasks");

  await console.open("/system");
  for (const { to, label } of findCommands("")) {
    const title = page.getByRole("heading", { level: 1 });
    const before = await title.textContent();
    await goTo(label);
    const wanted = new URL(to, page.url());
    await page.waitForURL((url) => url.pathname === wanted.pathname);
    // The address changes before the page does, and no two pages one after the other have one title.
    await expect.poll(async () => await title.textContent(), { message: label, ...PATIENT }).not.toBe(before);
    expect(await title.textContent(), label).not.toBe("Not found");
    if (!/add|upload|open/.test(wanted.search)) continue;
    // A form is open, whose keys are its own.
    const form = page.getByRole("dialog").first();
    await form.waitFor();
    await page.keyboard.press("Escape");
    await form.waitFor({ state: "detached" });
  }
  await goTo("add a database");
  await page.getByRole("dialog", { name: /database/i }).waitFor();
  // A form is open: the keys are its own.
  await page.keyboard.press("Control+k");
  expect(await palette.count()).toBe(0);
});

/** Codebases, as people use them in a browser: added, followed until they are indexed, searched, opened to others and deleted. */
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeZip } from "../mock-servers/make-zip.ts";
import { type Console, expectFit, expectWidths, openConsole, PATIENT } from "./open-console.ts";

const INDEXED = { timeout: 60_000 };
const FILES = {
  "src/cart.ts":
    "/** Adds an item to the cart of a customer. */\nexport function addItem(cart: Cart, item: Item): Cart {\n  return { ...cart, items: [...cart.items, item] };\n}\n",
  "src/mail/send_order_confirmation_to_the_customer_of_the_shop.py":
    "def send_confirmation(order):\n    deliver(order.mail)\n",
  "readme.md": "# Shop\n\nDiscounts for loyal customers are added at the checkout.\n",
  ".env": "TOKEN=1\n",
  ".gitignore": "dist/\n",
  "dist/shop.js": "build();\n",
};

let console: Console;
const { git } = inject("console");

beforeAll(async () => {
  console = await openConsole("Code");
  await console.api.must("POST", "/v1/people", {
    name: "Ana Reis",
    addresses: [{ kind: "email", address: "ana@example.com" }],
    time_zone: "Europe/Lisbon",
  });
});

afterAll(async () => {
  await console?.close();
});

const rowOf = (name: string) => console.page.getByRole("row").filter({ hasText: name });
const dialogOf = (name: string) => console.page.getByRole("dialog", { name });

test("an archive is added, and followed until it is indexed", async () => {
  const { page } = console;
  await console.open("/code");
  await page.getByText("No codebases yet").waitFor();
  await expectWidths(page, "code-empty");
  await page.getByRole("button", { name: "Add a codebase" }).first().click();
  const dialog = dialogOf("Add a codebase");
  await dialog.getByLabel("Only tasks for these people").check();
  await dialog.getByText("A list that you checked is empty.").waitFor();
  await expectFit(page, "code-new-git");
  await dialog.getByLabel("Source").selectOption("ZIP file");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByText("Choose a ZIP file.").waitFor();
  const bytes = await makeZip(Object.entries(FILES).map(([path, text]) => ({ path, bytes: text })));
  const buffer = Buffer.from(bytes);
  await dialog
    .getByLabel("File", { exact: true })
    .setInputFiles({ name: "Shop.zip", mimeType: "application/zip", buffer });
  expect(await dialog.getByLabel("Name").inputValue()).toBe("shop");
  await dialog.getByLabel(/^Ana Reis/).check();
  await expectFit(page, "code-new-zip");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await rowOf("shop").getByText("Ready").waitFor(INDEXED);
  await rowOf("shop").getByText("4 files, 2 symbols").waitFor();
  await rowOf("shop").getByText("People: Ana Reis").waitFor();
});

test("an address that is refused says so at its field, and an archive that cannot be read in its row", async () => {
  const { page } = console;
  await console.open("/code?open=new");
  const dialog = dialogOf("Add a codebase");
  await dialog.getByLabel("Address of the repository").fill("https://10.0.0.1/shop.git");
  await dialog.getByLabel("Name").fill("private");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByText("Couldn't add it").waitFor();
  expect(await dialog.getByLabel("Address of the repository").getAttribute("aria-invalid")).toBe("true");
  await expectFit(page, "code-refused");
  await dialog.getByLabel("Source").selectOption("ZIP file");
  const buffer = Buffer.from([0x50, 0x4b, 3, 4, ...Array.from({ length: 60 }, () => 7)]);
  await dialog
    .getByLabel("File", { exact: true })
    .setInputFiles({ name: "broken.zip", mimeType: "application/zip", buffer });
  await dialog.getByLabel("Name").fill("broken");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await rowOf("broken").getByText("Failed").waitFor(INDEXED);
  await expectWidths(page, "code");
  await page.getByRole("button", { name: "Open broken" }).click();
  await dialogOf("Codebase").getByText("Couldn't index it").waitFor();
  await expectFit(page, "code-failed");
});

test("a search shows file, lines and symbol", async () => {
  const { page } = console;
  await console.open("/code");
  await page.getByPlaceholder("Search in code").fill("addItem");
  const first = page.getByRole("list", { name: "Results" }).getByRole("listitem").first();
  await first.getByText("src/cart.ts").waitFor();
  await first.getByText("lines 2–4").waitFor();
  await first.getByText("function", { exact: true }).waitFor();
  await page.getByPlaceholder("Search in code").fill("customer");
  await page.getByText(/^\d results\./).waitFor();
  await expectWidths(page, "code-found");
  await page.getByLabel("Codebase", { exact: true }).selectOption("broken");
  await page.getByText("Nothing found").waitFor();
});

/** Fills the form for a repository of the git server. */
async function fillRepository(repository: string, name: string) {
  await console.open("/code?open=new");
  const dialog = dialogOf("Add a codebase");
  await dialog.getByLabel("Address of the repository").fill(`${git.url}/${repository}/.git`);
  await dialog.getByLabel("Name").fill(name);
  return dialog;
}

test("a repository is added by its address with a schedule, which is changed, and a search finds its symbol", async () => {
  const { page } = console;
  const adding = await fillRepository("open", "till");
  await adding.getByLabel("Index again").selectOption("Every 6 hours");
  await expectFit(page, "code-new-schedule");
  await adding.getByRole("button", { name: "Add", exact: true }).click();
  await rowOf("till").getByText("Ready").waitFor(INDEXED);
  await rowOf("till").getByText("1 file, 1 symbol").waitFor();
  await rowOf("till").getByText("every 6 hours").waitFor();
  await expectWidths(page, "code-schedule");
  await page.getByRole("button", { name: "Open till" }).click();
  const dialog = dialogOf("Codebase");
  await dialog.getByText("By names, words and meaning").waitFor();
  await dialog.getByText("every 6 hours, next in 6 hours").waitFor();
  await expectFit(page, "code-open-schedule");
  await dialog.getByRole("button", { name: "Change the schedule" }).click();
  const schedule = dialogOf("Schedule of “till”");
  await schedule.getByLabel("Index again").selectOption("Another schedule…");
  await schedule.getByRole("button", { name: "Save" }).click();
  await schedule.getByText("Enter an interval or a cron expression.").waitFor();
  await schedule.getByLabel("Interval or cron expression").fill("* * * * *");
  await schedule.getByRole("button", { name: "Save" }).click();
  await schedule.getByText(/A cron expression has one minute/).waitFor();
  expect(await schedule.getByLabel("Interval or cron expression").getAttribute("aria-invalid")).toBe("true");
  await expectFit(page, "code-schedule-refused");
  await schedule.getByLabel("Interval or cron expression").fill("15 3 * * *");
  await schedule.getByRole("button", { name: "Save" }).click();
  await dialog.getByText(/every day at 03:15 in UTC, next in/).waitFor();
  await dialog.getByRole("button", { name: "Change the schedule" }).click();
  await schedule.getByLabel("Index again").selectOption("On request and on pushes");
  await schedule.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("On request and on pushes").waitFor();
  await console.open("/code?q=openTill");
  const first = page.getByRole("list", { name: "Results" }).getByRole("listitem").first();
  await first.getByText("src/till.ts").waitFor();
  await first.getByText("commit").waitFor();
});

test("a private repository needs a secret, which no page, event or log shows", async () => {
  const { page, api } = console;
  const add = async (name: string, secret?: string): Promise<void> => {
    const dialog = await fillRepository("vault", name);
    if (secret !== undefined) await dialog.getByLabel("Secret").selectOption(secret);
    await dialog.getByLabel("console", { exact: true }).check();
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
  };
  await add("closed");
  await rowOf("closed").getByText("Failed").waitFor(INDEXED);
  await page.getByRole("button", { name: "Open closed" }).click();
  await dialogOf("Codebase")
    .getByText(/refused access .* Name a secret with a token/)
    .waitFor();
  await api.must("POST", "/v1/secrets", { name: "CODE_TOKEN", value: git.token, hosts: [new URL(git.url).host] });
  await add("vault", "CODE_TOKEN");
  await rowOf("vault").getByText("Ready").waitFor(INDEXED);
  const seen = [await page.content()];
  await page.getByRole("button", { name: "Open vault" }).click();
  await dialogOf("Codebase").getByText("CODE_TOKEN").waitFor();
  seen.push(await page.content());
  const calls = [{ name: "search_codebase", arguments: { query: "openVault" } }];
  const task = await console.makeTask("Find the vault", [{ calls }, { text: "Found." }]);
  await expect
    .poll(async () => (await api.must<{ status: string }>("GET", `/v1/tasks/${task}`)).status, PATIENT)
    .toBe("completed");
  for (const path of [`/v1/tasks/${task}/log`, "/v1/audit", "/v1/codebases", "/v1/secrets"])
    seen.push(JSON.stringify(await api.must("GET", path)));
  expect(seen.filter((text) => text.includes("openVault")).length).toBeGreaterThan(0);
  const logs = join(inject("console").stateFolder, "logs");
  seen.push(...readdirSync(logs).map((name) => readFileSync(join(logs, name), "utf8")));
  const forms = [git.token, Buffer.from(`x-access-token:${git.token}`).toString("base64")];
  expect(seen.filter((text) => forms.some((form) => text.includes(form)))).toEqual([]);
});

test("who may use a codebase is changed by names; it is indexed again and deleted", async () => {
  const { page } = console;
  await console.open("/code");
  await page.getByRole("button", { name: "Open shop" }).click();
  const dialog = dialogOf("Codebase");
  await dialog.getByText("1 denied by pattern, such as .env").waitFor();
  await expectFit(page, "code-open");
  await dialog.getByRole("button", { name: "Change who may use it" }).click();
  const users = dialogOf("Who may use “shop”");
  await users.getByLabel("console", { exact: true }).check();
  await users.getByLabel("Only tasks of these projects").check();
  await users.getByLabel("Another project").fill("web-shop");
  await users.getByRole("button", { name: "Add", exact: true }).click();
  await users.getByLabel("Only tasks for these people").uncheck();
  await expectFit(page, "code-users");
  await users.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Agents: default, console").waitFor();
  await dialog.getByText("Projects: web-shop").waitFor();
  expect(await dialog.getByText("Ana Reis").count()).toBe(0);
  await dialog.getByRole("button", { name: "Index again" }).click();
  await dialog.getByText("Ready").waitFor(INDEXED);
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete the codebase" }).click();
  await page.getByText("“shop” is deleted.").waitFor();
  await expect.poll(async () => await rowOf("shop").count(), PATIENT).toBe(0);
});

/** Codebases, as people use them in a browser: added, followed until they are indexed, searched, opened to others and deleted. */
import { afterAll, beforeAll, expect, test } from "vitest";
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
  await page.getByText(/^\d places/).waitFor();
  await expectWidths(page, "code-found");
  await page.getByLabel("Codebase", { exact: true }).selectOption("broken");
  await page.getByText("Nothing found").waitFor();
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

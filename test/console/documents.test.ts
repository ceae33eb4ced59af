/** Documents of the knowledge base, as people use them in a browser: added, followed until they are ready, searched, opened and deleted. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Console, expectFit, expectWidths, openConsole, PATIENT } from "./open-console.ts";

let console: Console;

const HANDBOOK = `# Handbook

## Holidays

Every employee has thirty days of leave each year.

## Prices

| Product | Price |
| --- | --- |
| Violet kettle | 49 |
| Amber toaster | 35 |

## Physics

The energy of a body at rest is $$E = m c^2$$ by its mass.
`;
const FILES = [
  { name: "handbook.md", mimeType: "text/markdown", buffer: Buffer.from(HANDBOOK) },
  {
    name: "opening.html",
    mimeType: "text/html",
    buffer: Buffer.from("<h1>Opening hours</h1><p>The shop closes at seven on Fridays.</p>"),
  },
  { name: "broken.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7 nothing") },
];

beforeAll(async () => {
  console = await openConsole("Documents");
});

afterAll(async () => {
  await console?.close();
});

const rowOf = (name: string) => console.page.getByRole("row").filter({ hasText: name });

test("files are added, and their state is followed until each is ready or says why it failed", async () => {
  const { page } = console;
  await console.open("/documents");
  await page.getByText("No documents yet").waitFor();
  await expectWidths(page, "documents-empty");
  await page.getByLabel("Files").setInputFiles(FILES);
  for (const name of ["Handbook", "Opening hours"]) await rowOf(name).getByText("Ready").waitFor({ timeout: 60_000 });
  await rowOf("broken.pdf").getByText("Failed").waitFor({ timeout: 60_000 });
  await rowOf("broken.pdf").getByText("The document is damaged").waitFor();
  await rowOf("Handbook").getByText("1 table, 1 formula").waitFor();
  await expectWidths(page, "documents");
  await rowOf("broken.pdf").getByRole("button", { name: "Open broken.pdf" }).click();
  await page.getByText("Couldn't read the document").waitFor();
  await expectFit(page, "document-failed");
  const buffer = Buffer.from("# Repairs\n\nThe workshop mends kettles on Tuesdays.\n");
  const dialog = page.getByRole("dialog", { name: "Document" });
  await dialog.getByLabel("New file").setInputFiles({ name: "repairs.md", mimeType: "text/markdown", buffer });
  await dialog.getByText("Ready").waitFor({ timeout: 60_000 });
  await dialog.getByText("repairs.md").waitFor();
  await page.keyboard.press("Escape");
});

test("a search shows the passage with its heading, and a table as a table", async () => {
  const { page } = console;
  await console.open("/documents");
  await page.getByPlaceholder("Search in documents").fill("days of leave");
  const results = page.getByRole("list", { name: "Results" });
  await results.getByText("Every employee has thirty days of leave each year.").waitFor();
  await results.getByText("Handbook · Holidays").first().waitFor();
  await page.getByPlaceholder("Search in documents").fill("price of the violet kettle");
  await results.getByRole("cell", { name: "Violet kettle" }).waitFor();
  await expectWidths(page, "documents-found");
});

test("an answer lists what it cites, and a source opens at its passage", async () => {
  const { page } = console;
  const search = { calls: [{ name: "search_knowledge", arguments: { query: "days of leave" } }] };
  const id = await console.makeTask("How much leave?", [search, { text: "Thirty days a year [Source 1]." }]);
  await console.open(`/tasks/${id}`);
  await page.getByRole("heading", { name: "Sources" }).waitFor();
  await expectWidths(page, "answer-with-sources");
  await page.getByRole("button", { name: "Open source 1" }).click();
  const cited = page.getByRole("dialog").getByLabel("Cited passage");
  expect(await cited.textContent()).toContain("thirty days of leave");
  await expectFit(page, "cited-passage");
  await page.keyboard.press("Escape");
});

test("a cited table opens as a table, under its own heading, and a formula as TeX", async () => {
  const { page } = console;
  const replies = [
    { calls: [{ name: "search_tables", arguments: { query: "violet kettle" } }] },
    { calls: [{ name: "search_formulas", arguments: { query: "energy of a body at rest" } }] },
    { text: "It costs 49 [Source 1]. The energy follows from the mass [Source 2]." },
  ];
  await console.open(`/tasks/${await console.makeTask("The price of the kettle", replies)}`);
  await page.getByRole("button", { name: "Open source 1" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Cited passage").getByRole("cell", { name: "Violet kettle" }).waitFor();
  await dialog.getByText("Handbook · Prices").waitFor();
  await expectFit(page, "cited-table");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "[Source 2]" }).click();
  const formula = dialog.getByLabel("Cited passage").getByRole("group", { name: "The formula as TeX" });
  expect(await formula.textContent()).toBe("E = m c^2");
  await dialog.getByText("Handbook · Physics").waitFor();
  await page.keyboard.press("Escape");
});

test("a document is read again and deleted, and no search finds it then", async () => {
  const { page } = console;
  await console.open("/documents");
  await rowOf("Opening hours").getByRole("button", { name: "Open Opening hours" }).click();
  const dialog = page.getByRole("dialog", { name: "Document" });
  await dialog.getByRole("button", { name: "Read again" }).click();
  await dialog.getByText("Version").waitFor();
  await expect.poll(async () => await dialog.getByText("2", { exact: true }).count(), PATIENT).toBe(1);
  await dialog.getByText("Ready").waitFor({ timeout: 60_000 });
  await expectFit(page, "document-open");
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete the document" }).click();
  await page.getByText("“Opening hours” is deleted.").waitFor();
  await expect.poll(async () => await rowOf("Opening hours").count(), PATIENT).toBe(0);
  await page.getByPlaceholder("Search in documents").fill("shop closes at seven");
  await page.getByText(/Nothing found|The best \d/).waitFor();
  expect(await page.getByText("The shop closes at seven on Fridays.").count()).toBe(0);
});

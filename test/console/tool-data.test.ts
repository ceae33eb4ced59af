/** Results by their type on the page of a task: each of the eight types, with texts that try to become more than text. */
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DETECTED_TYPES, type DetectedType } from "../../core/results/detect-type.ts";
import { fetchApi } from "../setup/fetch-api.ts";
import { APP_RESULTS } from "../unit/results/app-results.ts";
import {
  type Console,
  DESKTOP,
  expectAccessible,
  expectFit,
  expectNoSidewaysScrolling,
  openConsole,
  PATIENT,
  takePicture,
} from "./open-console.ts";

const WIDTHS = [320, 390, 768, 1024, 1280] as const;
/** Marks the window that runs it. */
const RUN = "top.isTaken=1";
const TURN = "\u202e";
const HOSTILE = `<img src=x onerror="${RUN}"><script>${RUN}</script> ${TURN}gpj.exe`;
/** `HOSTILE` as a reader sees it, on any number of lines. */
const SEEN = /<img src=x onerror="top\.isTaken=1">\s*<script>top\.isTaken=1<\/script> ⟨U\+202E⟩gpj\.exe/;
const LINK = `javascript:${RUN}`;
/** Elements that leave the box of their result, except in one that scrolls, and words of cells on several lines. */
const MISFITS = `[...document.querySelectorAll("[role=group][aria-label=Result]")].flatMap((group) => {
  const right = group.getBoundingClientRect().right + 1;
  const all = [...group.querySelectorAll("*")].filter((one) => one.closest(".overflow-auto, .overflow-x-auto, summary, .sr-only") === null);
  const cells = [...group.querySelectorAll("td")].filter((one) => /^\\w{2,12}$/.test(one.textContent));
  const lines = (one) => {
    const range = document.createRange();
    range.selectNodeContents(document.createTreeWalker(one, NodeFilter.SHOW_TEXT).nextNode());
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
  };
  return [
    ...all.filter((one) => one.getBoundingClientRect().right > right),
    ...cells.filter((one) => lines(one).size > 1),
  ].map((one) => one.outerHTML.slice(0, 200));
})`;
const LONG = "unbreakable".repeat(30);
/** A file that a call of an app saved. */
const SAVED = { name: "team.txt", mimetype: "text/plain", saved_as: "apps/googledrive/team.txt", size: 16 };

/** A result of each type as an outside service answers it. */
const GOOD: Readonly<Record<DetectedType, unknown>> = {
  emails: APP_RESULTS["mail-list"],
  table_data: APP_RESULTS["issues"],
  documents: APP_RESULTS["search"],
  code_snippets: {
    items: [
      {
        path: "src/total.ts",
        html_url: "https://code.example/total",
        text_matches: [{ fragment: "const total = 3;" }],
      },
      { path: "src/sum.ts", text_matches: [{ fragment: "export function sum() {}" }] },
    ],
  },
  database_results: {
    columns: ["city", "orders"],
    rows: Array.from({ length: 14 }, (_, at) => [`City ${at}`, at * 100]),
    row_count: 14,
  },
  terminal_output: { stdout: "3 passed\n", stderr: "one warning\n", exit_code: 1 },
  files: { files: [SAVED, ...(APP_RESULTS["files"] as { files: readonly unknown[] }).files] },
  events: APP_RESULTS["calendar"],
};

/** The same types, from a service that means harm. */
const BAD: Readonly<Record<DetectedType, unknown>> = {
  emails: { messages: [{ from: HOSTILE, subject: HOSTILE, date: HOSTILE, text: `${HOSTILE} ${LONG}` }] },
  table_data: [
    { [HOSTILE]: HOSTILE, status: LINK, html_url: LINK },
    { [HOSTILE]: LONG, status: "open", html_url: "https://a.example/b" },
  ],
  documents: [{ title: HOSTILE, url: LINK, author: HOSTILE, content: `${HOSTILE} ${LONG.repeat(4)}` }],
  code_snippets: [{ path: HOSTILE, url: LINK, code: `${HOSTILE}\n${LONG}` }],
  database_results: { columns: [HOSTILE, LONG], rows: [[HOSTILE, LINK]] },
  terminal_output: { stdout: `${HOSTILE}\n${LONG}`, stderr: HOSTILE, exit_code: 0 },
  files: [{ name: HOSTILE, mime_type: HOSTILE, url: LINK, size: 3, modified: HOSTILE }],
  events: [{ title: HOSTILE, start: HOSTILE, end: HOSTILE, location: HOSTILE, attendees: [HOSTILE], url: LINK }],
};

let console: Console;

beforeAll(async () => {
  console = await openConsole("Results by type");
});

afterAll(async () => {
  await console?.close();
});

/** Makes a task that reads each result once, one in a step. Gives the page of the ended task, with its calls unfolded. */
async function openResults(title: string, results: Readonly<Record<DetectedType, unknown>>): Promise<Page> {
  const { page, api, recorderUrl, makeTask } = console;
  const place = `${recorderUrl}/${crypto.randomUUID()}`;
  for (const type of DETECTED_TYPES)
    await fetchApi(`${place}/${type}`, { method: "PUT", body: JSON.stringify(results[type]) });
  const calls = DETECTED_TYPES.map((type) => ({ name: "http.get", arguments: { url: `${place}/${type}` } }));
  const task = await makeTask(title, [{ calls }, { text: "Read." }]);
  await expect.poll(async () => (await api.task(task)).status, PATIENT).toBe("completed");
  await console.open(`/tasks/${task}`);
  const steps = page.locator("main").getByRole("button", { name: /^Steps \d/, expanded: false });
  for (let left = await steps.count(); left > 0; left -= 1) await steps.first().click();
  const folded = page.locator("#timeline").getByRole("button", { name: /http\.get/, expanded: false });
  await expect.poll(async () => await folded.count(), PATIENT).toBe(DETECTED_TYPES.length);
  for (let left = DETECTED_TYPES.length; left > 0; left -= 1) await folded.first().click();
  await expect.poll(async () => await findResults(page).count(), PATIENT).toBe(DETECTED_TYPES.length);
  return page;
}

function findResults(page: Page): Locator {
  return page.getByRole("group", { name: "Result", exact: true });
}

/** The results in the order of the calls, which is that of the types. */
function findResult(page: Page, type: DetectedType): Locator {
  return findResults(page).nth(DETECTED_TYPES.indexOf(type));
}

async function expectEveryWidth(page: Page, name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    await takePicture(page, `${name}-${width}`);
    await expectNoSidewaysScrolling(page);
    expect(await page.evaluate(MISFITS), `at ${width} pixels`).toEqual([]);
    await expectAccessible(page);
  }
  await page.setViewportSize(DESKTOP);
}

test("a result of each type is drawn by its type, in part at first, and as JSON on request", async () => {
  const page = await openResults("Read eight results", GOOD);
  const shown = (type: DetectedType) => findResult(page, type);
  await shown("emails").getByText("Order 1200: delivery", { exact: true }).waitFor();
  await shown("emails").getByText("5 of 15 emails").waitFor();
  await shown("table_data").getByRole("columnheader", { name: "assignee" }).waitFor();
  await shown("documents")
    .getByRole("link", { name: /^Your rights/ })
    .first()
    .waitFor();
  await shown("code_snippets").getByText("const total = 3;").waitFor();
  await shown("code_snippets").getByRole("link", { name: "src/total.ts" }).waitFor();
  await shown("database_results").getByRole("cell", { name: "City 9", exact: true }).waitFor();
  await shown("database_results").getByText("10 of 14 rows").waitFor();
  await shown("terminal_output").getByText("Exit code 1").waitFor();
  await shown("terminal_output").getByText("one warning").waitFor();
  await shown("files").getByRole("link", { name: "Report 0.pdf" }).waitFor();
  const saved = shown("files").getByRole("link", { name: "apps/googledrive/team.txt" });
  expect(await saved.getAttribute("href")).toMatch(/^\/tasks\/task_\w+\?.*file=apps%2Fgoogledrive%2Fteam\.txt/);
  await shown("events").getByText("Room 4").first().waitFor();
  await expectFit(page, "tool-data");
  await expectEveryWidth(page, "tool-data");

  const link = shown("files").getByRole("link", { name: "Report 0.pdf" });
  expect(await link.getAttribute("rel")).toBe("noopener noreferrer nofollow");
  const table = shown("table_data");
  expect(await table.getByRole("row").count()).toBe(11);
  await table.getByRole("button", { name: "Show 30 rows" }).click();
  await expect.poll(async () => await table.getByRole("row").count(), PATIENT).toBe(31);
  await table.getByRole("button", { name: "Show as JSON" }).click();
  await table
    .getByText(/node_id/)
    .first()
    .waitFor();
  await table.getByRole("button", { name: "Show formatted" }).click();
  await table.getByRole("columnheader", { name: "assignee" }).waitFor();
});

test("a hostile result of each type stays text: nothing runs, is fetched, or leads to a script", async () => {
  const page = await openResults("Read eight hostile results", BAD);
  for (const type of DETECTED_TYPES) {
    await findResult(page, type).getByText(SEEN).first().waitFor();
    expect(await findResult(page, type).getByText("Show as JSON").count(), type).toBe(1);
  }
  const folded = findResult(page, "documents").locator("summary");
  await folded.click();
  expect(await page.evaluate("[top.isTaken, ({}).isTaken]")).toEqual([undefined, undefined]);
  const links = await page.evaluate<string[]>("[...document.links].map((link) => link.getAttribute('href'))");
  expect(links.filter((href) => !/^(https?:\/\/|[/#])/.test(href))).toEqual([]);
  expect(await page.locator("script:not([src]), iframe, object, embed, [onerror], main img").count()).toBe(0);
  expect(await page.locator("body").innerText()).not.toContain(TURN);
  await expectFit(page, "tool-data-hostile");
  await expectEveryWidth(page, "tool-data-hostile");
});

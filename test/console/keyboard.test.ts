/** The main job by keyboard alone: what has the focus is seen at each stop, and no action loses it. */
import { afterEach, expect, test } from "vitest";
import { type Console, openConsole, PATIENT } from "./open-console.ts";

const MOST_STOPS = 80;
/** What has the focus: its name as it reads, and whether a reader sees that it has it. */
const FOCUSED = `(() => {
  const focused = document.activeElement;
  const name = focused.getAttribute("aria-label") ?? focused.labels?.[0]?.textContent ?? focused.textContent;
  // A row shows it on what covers it.
  const shown = [getComputedStyle(focused), getComputedStyle(focused, "::after")];
  const isSeen = shown.some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0);
  return { name: name.trim(), isSeen, isLost: focused === document.body, isTitle: focused.id === "page-title" };
})()`;

interface Focused {
  readonly name: string;
  readonly isSeen: boolean;
  readonly isLost: boolean;
  readonly isTitle: boolean;
}

let console: Console;

afterEach(async () => {
  await console?.close();
});

async function focused(): Promise<Focused> {
  return await console.page.evaluate<Focused>(FOCUSED);
}

/** Presses Tab until the element with this name has the focus. */
async function tabTo(name: string | RegExp): Promise<void> {
  const passed: string[] = [];
  while (passed.length < MOST_STOPS) {
    await console.page.keyboard.press("Tab");
    const stop = await focused();
    // The page focuses the title; it is not a tab stop.
    if (stop.isLost || stop.isTitle) continue;
    expect(stop.isSeen, `the focus on "${stop.name}" is seen`).toBe(true);
    if (typeof name === "string" ? stop.name === name : name.test(stop.name)) return;
    passed.push(stop.name);
  }
  throw new Error(`no stop is named ${String(name)}: ${passed.join(" | ")}`);
}

async function expectFocusUnchanged(after: string): Promise<void> {
  await expect
    .poll(async () => (await focused()).isLost, { message: `the focus after ${after}`, ...PATIENT })
    .toBe(false);
}

test("the main job is done by keyboard alone, and the focus is seen and never lost", async () => {
  console = await openConsole("Keyboard", { isSignedIn: false });
  const { page, api, key, recorderUrl } = console;
  const { keyboard } = page;
  await page.goto("/sign-in");
  await page.getByLabel("API key").waitFor();
  await tabTo("API key");
  await keyboard.type(key);
  await keyboard.press("Enter");
  await page.waitForURL("**/tasks");
  await page.getByRole("heading", { level: 1, name: "Tasks" }).waitFor();
  await expectFocusUnchanged("signing in");

  // Past the menu.
  await page.reload();
  await page.getByText("No tasks yet").waitFor();
  await tabTo("Skip to the page");
  await keyboard.press("Enter");
  await expect.poll(async () => (await focused()).isTitle, PATIENT).toBe(true);
  await tabTo("New task");
  await keyboard.press("Enter");
  await page.waitForURL("**/tasks/new");
  // The cursor is in the text already.
  await expect.poll(async () => (await focused()).name, PATIENT).toMatch(/^What should the agent do\?/);
  const order = { url: `${recorderUrl}/keyboard`, method: "POST", body: "copies=10" };
  const replies = [
    { calls: [{ name: "ask_human", arguments: { query: "Which colour?" } }] },
    { text: "Green.", calls: [{ name: "http_request", arguments: order }] },
    { text: "All of it is ordered." },
  ];
  await keyboard.insertText(`Order the paint\n${JSON.stringify({ replies })}`);
  await tabTo("Agent");
  await keyboard.type("console");
  await keyboard.press("Control+Enter");
  await page.waitForURL(/\/tasks\/task_/);
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  await page.getByText("Which colour?", { exact: true }).first().waitFor();
  await expectFocusUnchanged("starting the task");

  await tabTo("Your answer");
  await keyboard.type("Green");
  await keyboard.press("Control+Enter");
  await page.getByText("Answered. The task continues.").waitFor();
  await expectFocusUnchanged("answering");

  await page.getByRole("button", { name: "Edit and approve" }).waitFor();
  await tabTo("Edit and approve");
  await keyboard.press("Enter");
  await expectFocusUnchanged("opening the editor");
  const first = await focused();
  if (first.name !== "body") await tabTo("body");
  await keyboard.press("Control+a");
  await keyboard.type("copies=1");
  await keyboard.press("Control+Enter");
  await page.getByText("Approved with your changes.").waitFor();
  await page.getByText("All of it is ordered.", { exact: true }).waitFor();
  await expectFocusUnchanged("approving");
  await expect.poll(async () => (await api.task(id)).output?.text, PATIENT).toBe("All of it is ordered.");

  const other = await console.makeTask("Wait for a word", [
    { calls: [{ name: "ask_human", arguments: { query: "Shall I?" } }] },
  ]);
  await page.goto("/tasks");
  await page.getByText("Wait for a word").waitFor();
  await tabTo("Wait for a word");
  await keyboard.press("Enter");
  await page.waitForURL(`**/tasks/${other}`);
  await page.getByText("Shall I?", { exact: true }).first().waitFor();
  await expectFocusUnchanged("opening the task");
  await tabTo("Cancel");
  await keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await tabTo("Cancel the task");
  await keyboard.press("Enter");
  await page.getByText("The task is cancelled.").waitFor();
  await expectFocusUnchanged("cancelling");
  expect((await api.task(other)).status).toBe("cancelled");
});

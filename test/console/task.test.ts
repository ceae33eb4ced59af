/** The page of one task: what it does is watched, steered, answered and ended there. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { kill } from "../drill/started-system.ts";
import { type Console, expectFit, openConsole, PATIENT } from "./open-console.ts";

let console: Console;

beforeAll(async () => {
  console = await openConsole("Task pages");
});

afterAll(async () => {
  await console?.close();
});

const calling = (name: string, given: object) => ({ name, arguments: given });
/** A reply that takes its time: `count` lines, each about 50 ms. */
const slowly = (count: number, calls: readonly object[] = []) => ({
  text: Array.from({ length: count }, (_, line) => `Line ${line + 1} of what it says.\n`).join("\n"),
  pieceCharacters: 20,
  pieceDelayMs: 40,
  ...(calls.length === 0 ? {} : { calls }),
});

async function expectSeen(...all: readonly Locator[]): Promise<void> {
  for (const one of all) await one.first().waitFor();
  expect(all.length).toBeGreaterThan(0);
}

const status = (word: string): Locator => console.page.getByRole("list", { name: "About the task" }).getByText(word);
const timeline = (): Locator => console.page.locator("#timeline");
const call = (tool: string): Locator => timeline().locator("button[aria-expanded]", { hasText: tool });
const atEnd = async (): Promise<boolean> =>
  await console.page.evaluate<boolean>(
    "document.documentElement.scrollHeight - window.innerHeight - window.scrollY < 100",
  );

/** All that stands there, also what is further down than the window. */
async function wordsOf(place: Locator): Promise<string[]> {
  return ((await place.textContent()) ?? "").split(/\s+/);
}

test("a task is watched while it writes, at the end of the page or further up", async () => {
  const { page } = console;
  await page.setViewportSize({ width: 1440, height: 500 });
  const id = await console.makeTask("Write a plan", [slowly(200)]);
  await console.open(`/tasks/${id}`);
  await expectSeen(page.getByText("Writing…"), timeline().getByText("Line 12 of what it says."));
  await expect.poll(atEnd, PATIENT).toBe(true);
  // Who reads further up is left there.
  await page.mouse.move(700, 250);
  await page.mouse.wheel(0, -600);
  await page.getByRole("button", { name: "New below" }).click();
  await expect.poll(atEnd, PATIENT).toBe(true);
  await expectSeen(status("Completed"), timeline().getByText("Line 200 of what it says."));
});

test("each call opens to what went in, what came out and its row of the ledger", async () => {
  const { page } = console;
  const id = await console.makeTask("Write a plan", [
    { calls: [calling("write_file", { filename: "notes/plan.md", content: "One\nTwo" })] },
    { text: "All **done**: see `plan.md`." },
  ]);
  await console.open(`/tasks/${id}`);
  await expectSeen(status("Completed"), timeline().locator("strong", { hasText: "done" }));
  await call("write_file").click();
  await expectSeen(
    page.getByRole("group", { name: "Arguments of write_file, content" }),
    page.getByRole("group", { name: "Result of write_file" }),
    page.getByRole("group", { name: "Ledger" }).getByText("Changes something, under a key"),
  );
  expect(new URL(page.url()).searchParams.get("call")).toMatch(/_1_0$/);
  await page.reload();
  expect(await call("write_file").getAttribute("aria-expanded")).toBe("true");
  await expectFit(console.page, "task-call");
});

test("a waiting task gets a message and an answer, and both are in its timeline", async () => {
  const { page } = console;
  const id = await console.makeTask("Ask me", [
    { calls: [calling("ask_human", { query: "Which colour?", choices: ["red", "blue"] })] },
    { text: "Blue it is." },
  ]);
  await console.open(`/tasks/${id}`);
  await page.getByRole("button", { name: "Go there" }).click();
  await expectFit(console.page, "task-question");
  await page.getByLabel("Tell the task something").fill("Be brief.");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expectSeen(timeline().getByText("Somebody told it"), timeline().getByText("Be brief."));
  await page.getByRole("button", { name: "blue" }).click();
  await expectSeen(status("Completed"), timeline().getByText("Owner"), timeline().getByText("Blue it is."));
  expect(await page.getByRole("heading", { name: "Waiting for you" }).count()).toBe(0);
});

test("a task is cancelled, and then erased", async () => {
  const { page } = console;
  const id = await console.makeTask("Wait for long", [{ calls: [calling("wait", { seconds: 300 })] }]);
  await console.open(`/tasks/${id}`);
  await expectSeen(status("Sleeping"));
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel the task" }).click();
  await expectSeen(status("Cancelled"), timeline().getByText("Somebody cancelled it"));
  await page.getByRole("button", { name: "Erase" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Erase permanently" }).click();
  await page.waitForURL("**/tasks");
  await console.open(`/tasks/${id}`);
  await expectSeen(page.getByText("Task not found"));
});

test("a model's deceptive text is rendered harmlessly", async () => {
  const { page } = console;
  const hostile =
    '<script>window.harmed = 1</script><img src=x onerror="window.harmed = 1"> [press](javascript:window.harmed=1) ![x](https://example.org/x.png) gpj\u202Eexe';
  const id = await console.makeTask(`Harm <b>me</b> \u202E`, [
    {
      text: `${hostile}\n\n\`\`\`\n\u001b[31m\u202Ecode\n\`\`\``,
      calls: [calling("write_file", { filename: "a\u202Etxt.md", content: "x".repeat(90_000) })],
    },
    { text: "y".repeat(60_000) },
  ]);
  await console.open(`/tasks/${id}`);
  await expectSeen(status("Completed"), timeline().getByText("gpj⟨U+202E⟩exe"), timeline().getByText("⟨U+001B⟩[31m"));
  await call("write_file").click();
  await page.getByRole("group", { name: "Arguments" }).getByRole("button", { name: "Show the whole" }).click();
  expect(await page.evaluate("window.harmed")).toBeUndefined();
  expect(await timeline().locator("script, img, a[href^='javascript']").count()).toBe(0);
  expect(await page.locator("h1 b").count()).toBe(0);
  expect(await page.title()).not.toContain("\u202E");
  await expectFit(console.page, "task-hostile");
});

/** A task whose call has left, and gets no answer as long as anybody waits. */
async function makeCutOff(): Promise<string> {
  const { api, recorderUrl } = console;
  const asking = await api.must<{ id: string }>("POST", "/v1/agents", {
    name: "asking",
    instructions: "Follow the script.",
    tools: ["*"],
    permissions: ["read", "network"],
    allowed_domains: ["*"],
    approval: { dangerous: "allow" },
    on_unknown: "ask",
  });
  const order = { url: `${recorderUrl}/never-answered`, method: "POST", body: "copies=10" };
  const replies = [{ calls: [calling("http_request", order)] }, { text: "Ordered." }];
  const id = await console.makeTask("Order once", replies, { agent: asking.id });
  const left = async (): Promise<boolean> =>
    (await (await fetch(`${recorderUrl}/records`)).text()).includes('"/never-answered"');
  await expect.poll(left, PATIENT).toBe(true);
  return id;
}

test("when the server is killed while a task streams, the page recovers, renders the full log once, and asks for the outcome of a call", async () => {
  const { page, api } = console;
  const cutOff = await makeCutOff();
  const write = (name: string) => calling("write_file", { filename: `${name}.md`, content: name });
  const id = await console.makeTask("Survive", [
    slowly(12, [write("one"), write("two")]),
    slowly(150, [write("three")]),
  ]);
  await console.open(`/tasks/${id}`);
  await page.evaluate("window.sameDocument = true");
  await expectSeen(page.getByRole("heading", { name: "Step 2" }), page.getByText("Writing…"));
  const record = JSON.parse(readFileSync(join(inject("console").stateFolder, "supervisor.json"), "utf8"));
  expect(kill(record.children.runtime.pid)).toBe(true);
  await expectSeen(page.getByText("Otto does not answer"));
  await timeline().getByText("Completed at").waitFor({ timeout: 60_000 });
  expect(await page.evaluate("window.sameDocument")).toBe(true);

  const log = await api.must<{ data: { seq: number; type: string }[] }>("GET", `/v1/tasks/${id}/log?limit=500`);
  expect(await timeline().getAttribute("data-last")).toBe(String(log.data.at(-1)?.seq));
  const count = (type: string): number => log.data.filter((event) => event.type === type).length;
  expect(
    await timeline()
      .getByRole("button", { name: /write_file/ })
      .count(),
  ).toBe(count("call.started"));
  const recovered = await wordsOf(timeline());
  const fresh = await console.another();
  await fresh.goto(`/tasks/${id}`);
  await fresh.locator("#timeline").getByText("Completed at").waitFor();
  await expect.poll(async () => await wordsOf(fresh.locator("#timeline")), PATIENT).toEqual(recovered);

  await console.open(`/tasks/${cutOff}`);
  await expectSeen(page.getByText("Otto made this call and was cut off"), page.getByText("copies=10"));
  await expectFit(console.page, "task-unknown");
  await page.getByRole("button", { name: "Yes, it did" }).click();
  await expectSeen(page.getByText("The agent continues."), status("Completed"));
}, 120_000);

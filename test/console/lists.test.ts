/** Lists that follow by themselves, and what they read for it. */
import type { Request } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { type Console, openConsole, PATIENT } from "./open-console.ts";

let console: Console;

afterEach(async () => {
  await console?.close();
});

test("an open list shows a new task and follows it, one with a filter only what fits, and a task's page reads only its own", async () => {
  console = await openConsole("Lists");
  const { page, api } = console;
  const open = await console.makeTask("The open one", [
    { calls: [{ name: "ask_human", arguments: { query: "Go?" } }] },
  ]);
  await expect.poll(async () => (await api.task(open)).status, PATIENT).toBe("waiting_input");
  const [filtered, single] = [await console.another(), await console.another()];
  await filtered.goto("/tasks?status=completed");
  await filtered.getByText("No matching tasks").waitFor();
  let reads = 0;
  single.on("request", (request) => {
    if (new URL(request.url()).pathname === `/v1/tasks/${open}`) reads += 1;
  });
  await single.goto(`/tasks/${open}`);
  await console.open("/tasks");
  const row = page.getByRole("listitem").filter({ has: page.locator("[data-row]") });
  await row.waitFor();
  // Once for the page, and once because the feed begins.
  await expect.poll(() => reads, PATIENT).toBe(2);

  const asks = { calls: [{ name: "ask_human", arguments: { query: "Which?" } }] };
  const script = { replies: [asks, { text: "Done." }], note: "long ".repeat(20_000) };
  const id = await console.makeTask("A new one", script.replies, {
    input: `A new one\n${JSON.stringify(script)}`,
  });
  await row.filter({ hasText: "A new one" }).getByText("Waiting for you: 1 question").waitFor();
  expect(await row.count()).toBe(2);
  expect(await filtered.locator("[data-row]").count()).toBe(0);
  const [question] = (await api.task(id)).pending;
  await api.must("POST", `/v1/tasks/${id}/questions/${question?.id ?? ""}/answer`, { text: "That one" });
  await row.filter({ hasText: "A new one" }).getByText("Completed").waitFor();
  await filtered.getByText("A new one").waitFor();
  expect(await filtered.locator("[data-row]").count()).toBe(1);
  expect(reads).toBe(2);

  const answer = page.waitForResponse((response) => response.url().includes("/v1/tasks?"));
  await page.reload();
  expect((await (await answer).body()).length).toBeLessThan(10_000);
});

test("a tab that was opened in the background lets go of its streams, and follows again when it is looked at", async () => {
  console = await openConsole("Background");
  const { page } = console;
  const asks = { calls: [{ name: "ask_human", arguments: { query: "Which?" } }] };
  const id = await console.makeTask("In the background", [asks, { text: "Done." }]);
  const open = new Set<Request>();
  page.on("request", (request) => request.url().endsWith("/events") && open.add(request));
  page.on("requestfailed", (request) => open.delete(request));
  await page.clock.install();
  await page.addInitScript(
    "Object.defineProperty(document, 'visibilityState', { get: () => globalThis.isLookedAt ? 'visible' : 'hidden' })",
  );
  await console.open(`/tasks/${id}`);
  await page.getByText("Which?").first().waitFor();
  // The feed, and the task's own.
  await expect.poll(() => open.size, PATIENT).toBe(2);
  await page.clock.fastForward(20_000);
  await expect.poll(() => open.size, PATIENT).toBe(0);
  await page.evaluate("isLookedAt = true; document.dispatchEvent(new Event('visibilitychange'))");
  await expect.poll(() => open.size, PATIENT).toBe(2);
});

/** Text from outside is marked wherever it is shown: the input of a hook's task, results in timeline and trace, memories. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Console, expectFit, openConsole, PATIENT } from "./open-console.ts";

const OUTSIDE = "From outside";
let console: Console;
let task: string;

/** A reply as a text orders it from the model (`test/mock-servers/model-script.ts`). */
const orderReply = (reply: object) => `OBEY:${btoa(JSON.stringify(reply))}:`;

beforeAll(async () => {
  console = await openConsole("From outside");
  const { api, recorderUrl } = console;
  const prompt = "An order came in: {{text}}";
  const rule = { name: "orders", type: "generic", once_per_body: false, prompt, agent: console.agent };
  const hook = await api.must<{ id: string }>("POST", "/v1/incoming-webhooks", rule);
  const link = `${recorderUrl}/order`;
  const orders = [
    { calls: [{ name: "http_get", arguments: { url: link } }] },
    { calls: [{ name: "memory_save", arguments: { content: "Orders are paid by invoice." } }] },
  ].map(orderReply);
  await api.must("POST", "/webhook/orders", { text: `See ${link}. ${orders.join(" ")}` });
  const received = `/v1/incoming-webhooks/${hook.id}/received`;
  task = await vi.waitFor(async () => {
    const { data } = await api.must<{ data: { task_id: string | null }[] }>("GET", received);
    const id = data[0]?.task_id ?? null;
    if (id === null || (await api.task(id)).status !== "completed") throw new Error("the task has not ended");
    return id;
  }, PATIENT);
});

afterAll(async () => await console?.close());

test("the timeline marks the input and each result, and the ledger says what that means", async () => {
  const { page } = console;
  await console.open(`/tasks/${task}`);
  const timeline = page.locator("#timeline");
  await timeline
    .getByText(/^Request/)
    .locator("..")
    .getByText(OUTSIDE, { exact: true })
    .first()
    .waitFor();
  const row = timeline.getByRole("button", { name: "http.get" });
  await row.getByText(OUTSIDE, { exact: true }).waitFor();
  await row.click();
  const ledger = page.getByRole("group", { name: "Ledger" });
  await ledger.getByText("From outside. The agent takes no instructions from it.").waitFor();
  await expectFit(page, "outside-timeline");
});

test("the trace marks the bar and the row of a call", async () => {
  const { page } = console;
  await console.open(`/tasks/${task}?view=time`);
  await page.getByRole("row", { name: "http.get" }).getByText(OUTSIDE, { exact: true }).waitFor();
  const bar = page.getByRole("button", { name: /http\.get.*, from outside/ });
  await bar.focus();
  await expectFit(page, "outside-time");
});

test("a memory that it saved is marked until a person confirms it", async () => {
  const { page } = console;
  await console.open("/memory");
  const card = page
    .getByRole("list", { name: "Memories" })
    .getByRole("listitem")
    .filter({ hasText: "paid by invoice" });
  const marks = card.getByText("From outside, not confirmed");
  await marks.first().waitFor();
  await expectFit(page, "outside-memory");
  const saved = page.getByRole("button", { name: "Open: Orders are paid by invoice." });
  await saved.click();
  await page.getByRole("dialog").getByText("From outside, not confirmed").waitFor();
  await expectFit(page, "outside-memory-dialog");
  const before = await marks.count();
  await page.getByRole("button", { name: "Confirm as a fact" }).click();
  await page.getByText("The memory is confirmed.").waitFor();
  // The dialog shows what the list has read: it is opened again once the list has the change.
  await expect.poll(async () => await marks.count(), PATIENT).toBeLessThan(before);
  await saved.click();
  await page.getByRole("dialog").waitFor();
  expect(await page.getByRole("dialog").getByText(OUTSIDE).count()).toBe(0);
});

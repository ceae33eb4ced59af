/** Webhooks both ways, as an administrator sets them up: what goes out is signed and listed, what comes in makes tasks. */
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterEach, expect, inject, test } from "vitest";
import type { RecordedRequest } from "../mock-servers/recorder.ts";
import {
  type Console,
  expectAccessible,
  expectFit,
  expectWidths,
  openConsole,
  PATIENT,
  PHONE,
} from "./open-console.ts";
import { fetchApi } from "../setup/fetch-api.ts";

let console: Console;

afterEach(async () => {
  await console?.close();
});

test("a webhook is created, its secret revealed once, and a task's end arrives signed and is in its deliveries", async () => {
  console = await openConsole("Webhooks out");
  const { page, recorderUrl } = console;
  await console.open("/webhooks");
  await page.getByRole("link", { name: "New webhook" }).first().click();
  await page.getByLabel("Address").fill(`${recorderUrl}/hooks/out`);
  await page.getByRole("group", { name: "Tasks" }).getByLabel("Failed").uncheck();
  await page.getByRole("button", { name: "Create webhook" }).click();
  const secret = (await page.getByRole("group", { name: "the secret" }).textContent()) ?? "";
  expect(secret).toMatch(/^whsec_/);
  await expectAccessible(page);
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByText("No deliveries yet").waitFor();
  expect(await page.getByText(secret).count()).toBe(0);

  await page.getByRole("button", { name: "Send a test" }).click();
  const table = page.getByRole("table", { name: "Deliveries to this webhook" });
  await table.getByRole("link", { name: "Test" }).waitFor();
  await console.makeTask("End well", [{ text: "Done." }]);
  await expect.poll(async () => (await posted("/hooks/out")).length, PATIENT).toBe(2);
  await page.reload();
  await table.getByRole("link", { name: "Event" }).waitFor();
  await expect.poll(async () => await table.getByText("Sent").count(), PATIENT).toBe(2);
  const event = (await posted("/hooks/out")).find(({ body }) => body.includes("task.completed"));
  const payload = new Webhook(secret).verify(event?.body ?? "", event?.headers ?? {});
  expect(payload).toMatchObject({ type: "task.completed" });

  await page.getByRole("main").getByRole("link", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Replace the secret" }).click();
  await page.getByRole("button", { name: "Replace it" }).click();
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByText("A secret that was replaced signs too").waitFor();
  await page.getByLabel("Note").fill("For the hall");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("header", { hasText: "For the hall" }).waitFor();
});

test("a concurrent change during typing is neither lost nor overwritten", async () => {
  console = await openConsole("Webhooks changed");
  const { page, api, recorderUrl } = console;
  const setting = { url: `${recorderUrl}/hooks/changed`, events: ["*"] };
  const { id } = await api.must<{ id: string }>("POST", "/v1/webhooks", setting);
  await console.open(`/webhooks/${id}?view=settings`);
  await page.getByLabel("Note").fill("Mine");
  await api.must("PUT", `/v1/webhooks/${id}`, { ...setting, description: "Theirs" });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Somebody else changed this meanwhile").waitFor();
  expect(await page.getByLabel("Note").inputValue()).toBe("Mine");
  await page.getByRole("button", { name: "Start from the newer one" }).click();
  await expect.poll(async () => await page.getByLabel("Note").inputValue(), PATIENT).toBe("Theirs");

  // What is typed while a change is under way is the next one.
  const { promise: answer, resolve: letAnswer } = Promise.withResolvers<void>();
  await page.route(`**/v1/webhooks/${id}`, async (route) => {
    if (route.request().method() === "PUT") await answer;
    await route.continue();
  });
  await page.getByLabel("Note").fill("First");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByLabel("Note").fill("First and second");
  letAnswer();
  await page.locator("header", { hasText: "First" }).waitFor();
  expect(await page.getByLabel("Note").inputValue()).toBe("First and second");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("header", { hasText: "First and second" }).waitFor();

  // The form of one is never that of another, however one comes from one to the other.
  const other = await api.must<{ id: string }>("POST", "/v1/webhooks", { ...setting, description: "The other" });
  await console.open(`/webhooks/${other.id}?view=settings`);
  await expect.poll(async () => await page.getByLabel("Note").inputValue()).toBe("The other");
  await page.getByRole("link", { name: "Webhooks", exact: true }).click();
  await page.locator(`a[href="/webhooks/${id}"]`).click();
  await page.getByRole("main").getByRole("link", { name: "Settings" }).click();
  await expect.poll(async () => await page.getByLabel("Note").inputValue()).toBe("First and second");
  await page.evaluate("history.go(-3)");
  await page.waitForURL(`**/webhooks/${other.id}?view=settings`);
  await page.locator("header", { hasText: "The other" }).waitFor();
  expect(await page.getByLabel("Note").inputValue()).toBe("The other");
});

test("an incoming webhook is created, a signed call to it makes a task, and its list of calls links to the task", async () => {
  console = await openConsole("Webhooks in", { viewport: PHONE, colorScheme: "dark" });
  const { page, agent, url } = console;
  await console.open("/webhooks?view=incoming&make=true");
  await page.getByLabel("Name").fill("orders");
  await page.getByLabel("Task input").fill("Look at order {{order}}.");
  await page.getByLabel("Agent").selectOption(agent);
  await page.getByLabel("Act for me").check();
  await page.getByRole("button", { name: "Create incoming webhook" }).click();
  await page.getByText("Choose what to do with a repeated body.").waitFor();
  await page.getByLabel("Calls with a repeated body").selectOption("no");
  await page.getByRole("button", { name: "Create incoming webhook" }).click();
  const secret = (await page.getByRole("group", { name: "the secret" }).textContent()) ?? "";
  const address = (await page.getByRole("group", { name: "the address" }).textContent()) ?? "";
  expect(address.startsWith(`${url}/webhook/generic?hook=hook_`)).toBe(true);
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByRole("heading", { name: "A call", exact: true }).waitFor();
  await expectAccessible(page);
  expect(await page.getByText(secret).count()).toBe(0);

  const body = '{"order": 7}';
  const call = async (signature: string): Promise<number> => {
    const headers = { "x-otto-signature": `sha256=${signature}`, "idempotency-key": "order-7" };
    return (await fetchApi(address, { method: "POST", headers, body })).status;
  };
  expect(await call("00")).toBe(401);
  expect(await call(createHmac("sha256", secret).update(body).digest("hex"))).toBe(200);
  await page.getByRole("link", { name: "Received" }).click();
  await page.getByText("Taken", { exact: true }).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Open it" }).click();
  await page.getByText("Look at order").first().waitFor();

  // The tenant's first person.
  const { data } = await console.api.must<{ data: { id: string; acts_for: object }[] }>("GET", "/v1/incoming-webhooks");
  expect(data).toMatchObject([{ acts_for: { name: "Owner" } }]);
  await console.open(`/webhooks/incoming/${data[0]?.id}?view=settings`);
  await page.getByLabel("Act for Owner").uncheck();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("is saved. It acts for nobody now.").waitFor();
  const path = `/v1/incoming-webhooks/${data[0]?.id}`;
  expect(await console.api.must("GET", path)).toMatchObject({ acts_for: null });
});

test("a webhook of GitHub indexes codebases and creates no tasks", async () => {
  console = await openConsole("Webhooks that index");
  const { page, api } = console;
  await console.open("/webhooks?view=incoming&make=true");
  await page.getByLabel("Name").fill("pushes");
  await page.getByLabel("Task input").fill("Look at it.");
  expect(await page.getByLabel("Action").count()).toBe(0);
  await page.getByLabel("Called by").selectOption("GitHub");
  await page.getByLabel("Action").selectOption("Index codebases again");
  await page.getByText("No codebase has a git repository yet.").waitFor();
  expect(await page.getByLabel("Task input").count()).toBe(0);
  await expectWidths(page, "webhook-reindex-new");
  await page.getByRole("button", { name: "Create incoming webhook" }).click();
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByText("Choose the event push.").waitFor();
  const { data } = await api.must<{ data: { id: string }[] }>("GET", "/v1/incoming-webhooks");
  expect(data).toMatchObject([{ name: "pushes", type: "github", reindex: true, acts_for: null }]);
  const path = `/v1/incoming-webhooks/${data[0]?.id}`;
  const settings = `/webhooks/incoming/${data[0]?.id}?view=settings`;

  const source = { git: `${inject("console").git.url}/open/.git`, ref: "main" };
  await api.must("POST", "/v1/codebases", { name: "till", source, agents: ["default"] });
  await console.open(settings);
  await page
    .getByRole("list", { name: "Codebases with a git repository" })
    .getByText(/\/open\/\.git at main/)
    .waitFor();
  await expectFit(page, "webhook-reindex");
  await page.getByLabel("Action").selectOption("Create a task");
  await page.getByLabel("Task input").fill("Read {{payload}}.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("“pushes” is saved.").waitFor();
  expect(await api.must("GET", path)).not.toHaveProperty("reindex");
  await console.open(settings);
  await page.getByLabel("Action").selectOption("Index codebases again");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => await api.must("GET", path), PATIENT).toMatchObject({ reindex: true });
  await console.open("/webhooks?view=incoming");
  await page.getByText("None: indexes codebases").waitFor();
  await expectFit(page, "webhooks-reindex");
});

/** What the recorder got by POST at a path. */
async function posted(path: string): Promise<readonly RecordedRequest[]> {
  const answer = await fetch(`${console.recorderUrl}/records`);
  const all = (await answer.json()) as readonly RecordedRequest[];
  return all.filter((one) => one.method === "POST" && one.path === path);
}

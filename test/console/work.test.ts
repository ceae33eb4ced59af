/** The main job, by keyboard: give a task with a file, find it, answer it, approve with a change, refuse. */
import { afterEach, expect, test } from "vitest";
import {
  type Console,
  expectAccessible,
  expectFit,
  expectNoSidewaysScrolling,
  openConsole,
  PATIENT,
  PHONE,
} from "./open-console.ts";

let console: Console;

afterEach(async () => {
  await console?.close();
});

/** The entry that has the focus begins with this task. */
async function expectFocusIn(title: string): Promise<void> {
  const focused = "document.activeElement?.closest('[data-entry]')?.querySelector('h2')?.textContent ?? ''";
  await expect.poll(async () => await console.page.evaluate<string>(focused), PATIENT).toBe(title);
}

test("a task is made with a file, found, and its question answered, by keyboard alone", async () => {
  console = await openConsole("Work");
  const { page, api } = console;
  const { keyboard } = page;
  const replies = [
    { calls: [{ name: "ask_human", arguments: { query: "Which region?", choices: ["North", "South"] } }] },
    { text: "The figures of the south." },
  ];
  await console.open("/tasks");
  await page.getByText("No tasks yet").waitFor();
  await keyboard.press("n");
  await page.waitForURL("**/tasks/new");
  const input = page.getByLabel("What should the agent do?");
  await input.fill(`Sum up the figures\n${JSON.stringify({ replies })}`);
  await page.getByLabel("Agent", { exact: true }).selectOption({ label: "console" });
  await page.getByLabel("Files", { exact: true }).setInputFiles([
    { name: "figures.csv", mimeType: "text/csv", buffer: Buffer.from("region,sum\nsouth,7\n") },
    { name: "empty.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) },
  ]);
  await expectAccessible(page);
  await page.reload();
  await page.getByText("Choose the files again").waitFor();
  expect(await input.inputValue()).toContain("Sum up the figures");
  await page
    .getByLabel("Files", { exact: true })
    .setInputFiles({ name: "figures.csv", mimeType: "text/csv", buffer: Buffer.from("region,sum\nsouth,7\n") });
  await input.press("Control+Enter");
  await page.waitForURL(/\/tasks\/task_/);
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const { data: files } = await api.must<{ data: { path: string }[] }>("GET", `/v1/tasks/${id}/files`);
  expect(files.map(({ path }) => path)).toEqual(["figures.csv"]);

  await console.makeTask("Another piece of work", [{ text: "Done." }]);
  await console.open("/tasks");
  await page.getByRole("link", { name: "Another piece of work" }).waitFor();
  await keyboard.press("/");
  await keyboard.type("up the fig");
  await page.waitForURL(/query=up/);
  await expect
    .poll(async () => await page.locator("[data-row]").allTextContents(), PATIENT)
    .toEqual(["Sum up the figures"]);
  await page.getByText("Waiting for you: 1 question").waitFor();
  await expectAccessible(page);
  await page.getByRole("heading", { name: "Tasks" }).focus();
  await keyboard.press("j");
  await keyboard.press("Enter");
  await page.waitForURL(`**/tasks/${id}`);

  await console.open("/inbox");
  await page.getByRole("article").waitFor();
  await expect.poll(async () => await page.title(), PATIENT).toBe("(1) Inbox · Otto");
  await keyboard.press("ArrowDown");
  await expectFocusIn("Sum up the figures");
  await keyboard.press("a");
  await keyboard.press("Tab");
  await keyboard.press("Enter");
  await page.getByText("Nothing waits for you").waitFor();
  await expect.poll(async () => (await api.task(id)).output?.text, PATIENT).toBe("The figures of the south.");
  expect(await api.events(id)).toContainEqual(
    expect.objectContaining({
      type: "question.answered",
      data: expect.objectContaining({ answer: "South" }) as unknown,
    }),
  );
});

test("a file that does not arrive is sent again; the task waits for it meanwhile, also over a reload", async () => {
  console = await openConsole("Files");
  const { page, api } = console;
  const files = page.getByLabel("Files", { exact: true });
  const lost = { name: "lost.txt", mimeType: "text/plain", buffer: Buffer.from("found") };
  await page.route("**/files/lost.txt", async (route) => await route.abort());
  await console.open("/tasks/new?input=Read%20them");
  await files.setInputFiles([{ name: "there.txt", mimeType: "text/plain", buffer: Buffer.from("there") }, lost]);
  await page.getByRole("button", { name: "Upload files and start" }).click();
  await page.getByText("1 of 2 files did not arrive").waitFor();
  await expectAccessible(page);
  const id = new URL(page.url()).searchParams.get("held") ?? "";
  expect((await api.task(id)).status).toBe("queued");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("1 of 2 files did not arrive").waitFor();
  await page.reload();
  await page.getByText("There already").waitFor();
  await page.unroute("**/files/lost.txt");
  await files.setInputFiles(lost);
  await page.getByText("There: 1 of 1").waitFor();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(`**/tasks/${id}`);
  const { data } = await api.must<{ data: { path: string }[] }>("GET", `/v1/tasks/${id}/files`);
  expect(data.map(({ path }) => path)).toEqual(["lost.txt", "there.txt"]);
  await expect.poll(async () => (await api.task(id)).status, PATIENT).toBe("completed");
});

test("a task that waits for its files stays, and says why, while the tenant is stopped", async () => {
  console = await openConsole("Stopped");
  const { page, api } = console;
  const id = await console.makeTask("Not before its time", [{ text: "Done." }], { hold: true });
  await console.open(`/tasks/new?held=${id}`);
  await api.must("POST", "/v1/kill-switch/stop", { reason: "the bill" });
  const start = page.getByRole("button", { name: "Start", exact: true });
  await start.click();
  await page.getByText("stopped this tenant (the bill)").waitFor();
  await expectAccessible(page);
  await api.must("POST", "/v1/kill-switch/release", {});
  await start.click();
  await page.waitForURL(`**/tasks/${id}`);
  await expect.poll(async () => (await api.task(id)).status, PATIENT).toBe("completed");
});

test("a task whose answer was lost is made once, also when the session was over at the second press", async () => {
  console = await openConsole("Once");
  const { page, key, url } = console;
  const made: string[] = [];
  await page.route(
    "**/v1/tasks",
    async (route) => {
      made.push(((await (await route.fetch()).json()) as { id: string }).id);
      await route.abort();
    },
    { times: 1 },
  );
  await console.open("/tasks/new");
  await page.getByLabel("What should the agent do?").fill("Only once");
  const start = page.getByRole("button", { name: "Start", exact: true });
  await start.click();
  await page.getByText("Press again when Otto is back").waitFor();
  expect((await page.request.delete("/v1/session", { headers: { origin: url } })).ok()).toBe(true);
  await start.click();
  await page.getByText("Couldn't start: You are signed out.").waitFor();
  await page.getByRole("button", { name: "Sign in again" }).click();
  await page.getByLabel("API key").fill(key);
  await page.keyboard.press("Enter");
  await page.getByText("Your session is over.").first().waitFor({ state: "detached" });
  await start.click();
  await page.waitForURL(/\/tasks\/task_/);
  expect(new URL(page.url()).pathname).toBe(`/tasks/${made[0]}`);
});

test("a new task has the cursor in its text, an example, and says when the demo model answers", async () => {
  console = await openConsole("First words");
  const { page } = console;
  const health = (await (await page.request.get("/health")).json()) as object;
  await page.route("**/health", async (route) => await route.fulfill({ json: { ...health, model: "demo" } }));
  await console.open("/tasks/new");
  const input = page.getByLabel("What should the agent do?");
  await expect.poll(async () => await page.evaluate("document.activeElement.tagName"), PATIENT).toBe("TEXTAREA");
  await page.getByText("The demo model answers").waitFor();
  await expectFit(page, "new-task-demo");
  await page.getByRole("button", { name: "Use an example" }).click();
  expect(await input.inputValue()).toMatch(/^Ask me which city I live in/);
  expect(await page.getByRole("button", { name: "Use an example" }).count()).toBe(0);
  await expect.poll(async () => await page.evaluate("document.activeElement.tagName"), PATIENT).toBe("TEXTAREA");
  // An agent with a model of its own does not use the demo model.
  const own = { name: "own", instructions: "x", tools: [], permissions: [], model: "some-model" };
  await console.api.must("POST", "/v1/agents", own);
  await page.reload();
  expect(await input.inputValue()).toMatch(/^Ask me which city I live in/);
  await page.getByLabel("Agent", { exact: true }).selectOption({ label: "own" });
  await page.getByText("The demo model answers").waitFor({ state: "detached" });
});

test("a browser that takes itself to be offline reads and sends all the same", async () => {
  console = await openConsole("Offline");
  const { page } = console;
  await console.open("/tasks/new");
  await page.evaluate("window.dispatchEvent(new Event('offline'))");
  await page.getByLabel("What should the agent do?").fill("On this machine");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/\/tasks\/task_/);
  await expect
    .poll(async () => await page.getByRole("heading", { level: 1 }).textContent(), PATIENT)
    .toBe("On this machine");
});

test("an action is approved with changed arguments, another is refused with a reason, and a third is approved unchanged", async () => {
  console = await openConsole("Decide");
  const { page, api, recorderUrl } = console;
  const { keyboard } = page;
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().includes("/approvals/")) sent.push(request.url());
  });
  const post = async (title: string, body: string): Promise<string> =>
    await console.makeTask(title, [
      { calls: [{ name: "http_request", arguments: { url: `${recorderUrl}/orders`, method: "POST", body } }] },
      { text: "Ordered." },
    ]);
  const changed = await post("First order", "copies=10\u202e");
  await expect.poll(async () => (await api.task(changed)).pending.length, PATIENT).toBe(1);
  const refused = await post("Second order", "copies=20\n".repeat(200));
  await expect.poll(async () => (await api.task(refused)).pending.length, PATIENT).toBe(1);
  const approved = await post("Third order", "copies=30");
  await expect.poll(async () => (await api.task(approved)).pending.length, PATIENT).toBe(1);

  await console.open("/inbox");
  await expect.poll(async () => await page.getByRole("article").count(), PATIENT).toBe(3);
  await page.getByText("U+202E right-to-left override").first().waitFor();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
  await page.setViewportSize(PHONE);
  await expectNoSidewaysScrolling(page);

  await keyboard.press("ArrowDown");
  await expectFocusIn("First order");
  await keyboard.press("e");
  await page.getByLabel("timeout").fill("soon");
  await page.getByText("This is not a number.").waitFor();
  await page.getByLabel("timeout").fill("-1");
  await keyboard.press("Control+Enter");
  await page.getByText("correct the marked fields").waitFor();
  expect(await page.getByLabel("timeout").getAttribute("aria-invalid")).toBe("true");
  await page.getByLabel("timeout").fill("30");
  await page.getByLabel("body").fill("copies=1");
  await keyboard.press("Control+Enter");
  await page.getByText("Approved with your changes.").waitFor();

  await expectFocusIn("Second order");
  // Arrows scroll what has the focus where there is more of it, and step no further.
  const long = page.getByRole("group", { name: "Arguments" }).first();
  await long.focus();
  await keyboard.press("ArrowDown");
  await expect.poll(async () => await long.evaluate((region) => region.scrollTop)).toBeGreaterThan(0);
  await expectFocusIn("Second order");
  await keyboard.press("j");
  await expectFocusIn("Third order");
  await keyboard.press("ArrowUp");
  await expectFocusIn("Second order");
  await keyboard.press("r");
  await keyboard.type("Too many");
  await keyboard.press("Control+Enter");
  await page.getByText("Refused. The agent gets your reason.").waitFor();

  await expectFocusIn("Third order");
  // A key that is pressed twice must not approve what nobody has read.
  const decided = sent.length;
  await page.evaluate(`
    document.getElementById("page-title").focus();
    document.querySelector("[data-entry]").focus();
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
  `);
  await page.waitForTimeout(600);
  expect(sent).toHaveLength(decided);
  await keyboard.press("a");
  await page.getByText("Nothing waits for you").waitFor();
  for (const id of [changed, refused, approved])
    await expect.poll(async () => (await api.task(id)).status, PATIENT).toBe("completed");

  expect(await decisionOn(changed)).toMatchObject({
    decision: "approve",
    arguments: { body: "copies=1", timeout: 30 },
  });
  expect(await decisionOn(refused)).toMatchObject({ decision: "refuse", reason: "Too many" });
  expect(await decisionOn(approved)).not.toHaveProperty("arguments");
  const states = await Promise.all([changed, refused, approved].map(async (id) => (await api.ledger(id))[0]?.state));
  expect(states).toEqual(["confirmed", "refused", "confirmed"]);
  const records = (await (await fetch(`${recorderUrl}/records`)).json()) as { path: string; body: string }[];
  const orders = records.filter(({ path }) => path === "/orders").map(({ body }) => body);
  expect(orders).toEqual(["copies=1", "copies=30"]);
});

test("an entry that was settled elsewhere stays while a person writes in it, says so, and retains the text", async () => {
  console = await openConsole("Elsewhere");
  const { page, api } = console;
  const id = await console.makeTask("Which day", [
    { calls: [{ name: "ask_human", arguments: { query: "Which day?" } }] },
    { text: "Monday it is." },
  ]);
  await console.open("/inbox");
  const answer = page.getByLabel("Your answer");
  await answer.fill("On Tuesday, I think");
  const [question] = (await api.task(id)).pending;
  await api.must("POST", `/v1/tasks/${id}/questions/${question?.id ?? ""}/answer`, { text: "Monday" });
  await page.getByText("This was settled before").waitFor();
  expect(await answer.inputValue()).toBe("On Tuesday, I think");
  await page.getByRole("button", { name: "Put it away" }).click();
  await page.getByText("Nothing waits for you").waitFor();
});

test("a hidden window signals once that an entry waits, without its content", async () => {
  console = await openConsole("Told");
  const { page } = console;
  const ask = async (title: string): Promise<string> =>
    await console.makeTask(title, [{ calls: [{ name: "ask_human", arguments: { query: `Is ${title} right?` } }] }]);
  // The browser's own notices go to a desktop that a test does not have.
  await page.addInitScript(`
    globalThis.told = [];
    globalThis.Notification = class extends EventTarget {
      static permission = "default";
      static requestPermission = async () => (Notification.permission = "granted");
      constructor(title, options) { super(); told.push({ title, body: options.body, shown: this }); }
      close() {}
    };
  `);
  await console.open("/inbox");
  const wanted = page.getByLabel("Notify me on this computer");
  await wanted.click();
  await expect.poll(async () => await wanted.isChecked(), PATIENT).toBe(true);
  await ask("number 4711");
  await page.getByText("Is number 4711 right?").waitFor();
  expect(await page.evaluate("told.length")).toBe(0);
  await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })");
  await ask("number 4712");
  await page.getByText("Is number 4712 right?").waitFor();
  await expect
    .poll(async () => await page.evaluate("told.map(({ title, body }) => ({ title, body }))"), PATIENT)
    .toEqual([{ title: "A task needs an answer", body: "Press to decide it in Otto." }]);
  await console.makeTask("Nothing to ask", [{ text: "Done." }]);
  await page.evaluate("told[0].shown.dispatchEvent(new Event('click'))");
  await page.waitForURL(/entry=qst_/);
  await expectFocusIn("number 4712");
  expect(await page.evaluate("told.length")).toBe(1);
});

async function decisionOn(id: string): Promise<unknown> {
  return (await console.api.events(id)).find(({ type }) => type === "approval.decided")?.data;
}

/** Coming in and going out: by key, by the link of the start, and as another tenant in another window. */
import { afterEach, expect, test } from "vitest";
import { type Console, expectAccessible, openConsole, PATIENT, PHONE } from "./open-console.ts";

const open: Console[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function openOne(...given: Parameters<typeof openConsole>): Promise<Console> {
  const one = await openConsole(...given);
  open.push(one);
  return one;
}

test("a key signs in to where one wanted to go, no script can read the session, and signing out ends it", async () => {
  const { page, key } = await openOne("By key", { isSignedIn: false });
  await page.goto("/audit?action=key.create");
  await page.waitForURL(/\/sign-in\?next=/);
  await expectAccessible(page);
  expect(await page.getByLabel("API key").getAttribute("spellcheck")).toBe("false");
  await page.getByLabel("API key").fill("otto_not-a-key");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("This key is invalid or has been revoked.").waitFor();
  await page.getByLabel("API key").fill(key);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/audit\?action=key\.create/);
  expect(await page.evaluate("document.cookie")).toBe("");
  expect(JSON.stringify(await page.evaluate("[{...localStorage}, {...sessionStorage}]"))).not.toContain("otto_");
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("API key").waitFor();
  const copied = await page.request.get("/v1/session", { headers: { cookie: `${cookie?.name}=${cookie?.value}` } });
  expect(copied.status()).toBe(401);
});

test("signing out that does not work says so, and one that only could not be written down leads out", async () => {
  const one = await openOne("Out", { viewport: PHONE });
  const { page } = one;
  let isReached = false;
  await page.route("**/v1/session", async (route) => {
    if (route.request().method() !== "DELETE") return await route.continue();
    if (isReached) await route.fetch();
    await route.fulfill({ status: 503, body: "{}" });
  });
  await one.open("/tasks");
  const menu = page.getByRole("button", { name: "Menu" });
  const signOut = page.getByRole("button", { name: "Sign out" });
  await menu.click();
  await signOut.click();
  await page.getByText("Signing out did not work: Otto answered with 503.").waitFor();
  expect(page.url()).toMatch(/\/tasks$/);
  isReached = true;
  // The drawer closed: it would lie above what is said.
  await menu.click();
  await signOut.click();
  await page.waitForURL("**/sign-in");
});

test("a one-time link signs in once, leaves no trace in the address, and is refused the second time", async () => {
  const { page, api, another } = await openOne("By link", { isSignedIn: false });
  const { url: link } = await api.must<{ url: string }>("POST", "/v1/session/links", {});
  await page.goto(link);
  await page.waitForURL("**/tasks");
  await page.goBack().catch(() => null);
  expect(page.url()).not.toContain("#");
  const late = await another();
  await late.context().clearCookies();
  await late.goto(link);
  await late.getByRole("alert").waitFor();
  expect(late.url()).toMatch(/\/sign-in$/);
});

test("two tenants in two windows see nothing of each other", async () => {
  const first = await openOne("First");
  const second = await openOne("Second");
  const id = await first.makeTask("The first one's secret plan", [{ text: "Kept." }]);
  await first.open(`/tasks/${id}`);
  await first.page.getByText("The first one's secret plan").first().waitFor();
  for (const path of ["/tasks", "/inbox", `/tasks/${id}`]) {
    await second.open(path);
    await second.page.locator('[role="status"][aria-label^="Loading"]').first().waitFor({ state: "detached" });
    expect(await second.page.getByText("secret plan").count(), path).toBe(0);
  }
});

test("a session that ends while a page is open is replaced by a new one, and the typed text stays", async () => {
  const one = await openOne("Over");
  const { page, key, url } = one;
  await one.open("/tasks/new");
  const input = page.getByLabel("What should the agent do?");
  await input.fill("Before");
  expect((await page.request.delete("/v1/session", { headers: { origin: url } })).ok()).toBe(true);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByText("Your session is over.").waitFor();
  await expectAccessible(page);
  await input.fill("Before, and after");
  await page.getByRole("button", { name: "Sign in again" }).click();
  await page.getByLabel("API key").fill(key);
  await page.keyboard.press("Enter");
  await page.getByText("Your session is over.").first().waitFor({ state: "detached" });
  expect(await input.inputValue()).toBe("Before, and after");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/\/tasks\/task_/);
});

test("another browser is signed out from the page of keys, and its open page says so", async () => {
  const one = await openOne("Browsers");
  const { page } = one;
  const other = await one.another();
  await other.goto("/tasks/new");
  await other.getByLabel("What should the agent do?").waitFor();
  await one.open("/keys");
  const table = page.getByRole("table", { name: "Browsers that are signed in" });
  await expect.poll(async () => await table.getByRole("row").count(), PATIENT).toBe(3);
  await table.getByRole("button", { name: "Sign out Chrome on Linux" }).click();
  await page.getByRole("button", { name: "Sign it out" }).click();
  await page.getByText("The browser is signed out.").waitFor();
  await expect.poll(async () => await table.getByRole("row").count(), PATIENT).toBe(2);
  await table.getByText("This browser").waitFor();
  // Its feed was closed: it asks again who it is.
  await other.getByText("Your session is over.").waitFor();
});

test("a window is reset when another one of the browser signs in to another tenant", async () => {
  const mine = await openOne("Mine");
  const theirs = await openOne("Theirs");
  await mine.makeTask("The first one's secret plan", [{ text: "Kept." }]);
  await mine.open("/tasks");
  await mine.page.getByText("The first one's secret plan").waitFor();
  await mine.page.evaluate(
    "addEventListener('pagehide', () => sessionStorage.setItem('left', document.body.innerText))",
  );
  const other = await mine.page.context().newPage();
  await other.goto("/sign-in");
  await other.getByLabel("API key").fill(theirs.key);
  await other.keyboard.press("Enter");
  await other.waitForURL("**/tasks");
  await mine.page.getByText("Theirs", { exact: true }).first().waitFor();
  await mine.page.getByText("No tasks yet").waitFor();
  expect(await mine.page.getByText("secret plan").count()).toBe(0);
  // It was gone before the window was reloaded.
  const left = await mine.page.evaluate<string | null>("sessionStorage.getItem('left')");
  expect(left).not.toBeNull();
  expect(left).not.toContain("secret plan");
});

test("a page whose code was removed from the server says so, leaves the menu usable, and loads once it is available", async () => {
  const one = await openOne("Updated", { mayComplainOf: /fetch dynamically imported module/ });
  const { page } = one;
  await one.open("/tasks");
  let isGone = true;
  await page.route(/\/assets\/mail-page[^/]*\.js/, async (route) => {
    await (isGone ? route.fulfill({ status: 404 }) : route.continue());
  });
  await page.getByRole("link", { name: "Automations" }).click();
  await page.getByRole("link", { name: "Mail", exact: true }).click();
  await page.getByText("Something in the page itself went wrong").waitFor();
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Inbox" }).waitFor();
  isGone = false;
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("heading", { level: 1, name: "Mail" }).waitFor();
  expect(page.url()).toMatch(/\/mail$/);
});

test("a failing server is called again at a press of the button when the console is opened", async () => {
  const one = await openOne("Trouble", { mayComplainOf: /Otto answered with 400/ });
  const { page } = one;
  let isUp = false;
  await page.route("**/v1/session", async (route) => {
    await (isUp ? route.continue() : route.fulfill({ status: 400, body: "{}" }));
  });
  await one.open("/tasks");
  isUp = true;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { level: 1, name: "Tasks" }).waitFor();
  expect(page.url()).toMatch(/\/tasks$/);
});

/** People and schedules as somebody meets them who wants work done at its time. */
import { ApiClient } from "../drill/api-client.ts";
import { fetchApi } from "../setup/fetch-api.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Console,
  expectAccessible,
  expectNoSidewaysScrolling,
  openConsole,
  PATIENT,
  PHONE,
  takePicture,
} from "./open-console.ts";

let console: Console;

beforeAll(async () => {
  console = await openConsole("Schedules");
});

afterAll(async () => {
  await console?.close();
});

/** Both themes, and a phone's width. */
async function expectGoodLooks(name: string): Promise<void> {
  const { page } = console;
  const size = page.viewportSize();
  for (const theme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await takePicture(page, `schedules-${name}-${theme}`);
    await expectAccessible(page);
  }
  await page.setViewportSize(PHONE);
  await expectNoSidewaysScrolling(page);
  await takePicture(page, `schedules-${name}-phone`);
  if (size !== null) await page.setViewportSize(size);
}

const fill = async (label: string, text: string) => await console.page.getByLabel(label, { exact: true }).fill(text);

describe("a person", () => {
  test("is added by the form, changed, and deleted after a question", async () => {
    const { page, api } = console;
    await console.open("/people");
    // The tenant's first person.
    await page.getByRole("link", { name: "Owner" }).waitFor();
    await page.getByRole("button", { name: "Add a person" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Ada Lovelace");
    await dialog.getByRole("button", { name: "Add a mail address" }).click();
    await dialog.getByLabel("Mail address 1", { exact: true }).fill("no address");
    await fill("Time zone", "Europe/Berlin");
    await dialog.getByLabel("Only in working hours").check();
    await dialog.getByRole("button", { name: "Add the person" }).click();
    // What the API refuses stands at its field, and nothing typed is lost.
    await dialog.locator("[aria-invalid]").waitFor();
    expect(await dialog.getByLabel("Name", { exact: true }).inputValue()).toBe("Ada Lovelace");
    await expectAccessible(page);
    await dialog.getByLabel("Mail address 1", { exact: true }).fill("ada@example.com");
    await dialog.getByRole("button", { name: "Add the person" }).click();
    await page.getByRole("link", { name: "Ada Lovelace" }).waitFor();
    await expectGoodLooks("people");
    await page.getByRole("link", { name: "Ada Lovelace" }).click();
    await page.getByRole("heading", { level: 1, name: "Ada Lovelace" }).waitFor();
    const { data } = await api.must<{ data: { id: string }[] }>("GET", "/v1/people");
    const id = data[0]?.id ?? "";
    expect(await api.must("GET", `/v1/people/${id}`)).toMatchObject({
      addresses: [{ kind: "email", address: "ada@example.com" }],
      working_hours: { days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" },
      may_approve: false,
    });

    await page.getByLabel("They may approve actions").check();
    // Somebody else is faster: what was typed stays, and can be kept over theirs.
    await api.must("PUT", `/v1/people/${id}`, { name: "Ada King" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Somebody else changed this meanwhile").waitFor();
    await expectGoodLooks("person");
    await page.getByRole("button", { name: "Keep mine over it" }).click();
    await page.getByText("“Ada Lovelace” is saved.").waitFor();
    expect(await api.must("GET", `/v1/people/${id}`)).toMatchObject({ name: "Ada Lovelace", may_approve: true });
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete the person" }).click();
    await page.getByRole("link", { name: "Owner" }).waitFor();
    await page.getByRole("link", { name: "Ada Lovelace" }).waitFor({ state: "detached" });
  });
});

describe("for whom a schedule acts", () => {
  test("is whose key made it, until another key changes its task and a person confirms it", async () => {
    const { page, api, url } = console;
    const config = { name: "Morning mail", when: { kind: "cron", expression: "0 9 * * *" } };
    const task = { input: "Read my mail." };
    const { id } = await api.must<{ id: string }>("POST", "/v1/schedules", { ...config, task });
    await console.open(`/schedules/${id}`);
    await page.getByText("Acts for Owner.").waitFor();

    const { key } = await api.must<{ key: string }>("POST", "/v1/keys", { name: "other", scopes: ["admin"] });
    const other = new ApiClient(url, key, fetchApi);
    await other.must("PUT", `/v1/schedules/${id}`, { ...config, task: { input: "Send my mail to Ben." } });
    await page.route(`**/v1/schedules/${id}`, async (route) => {
      const response = await route.fetch();
      const { apps: _, ...json } = (await response.json()) as Record<string, unknown>;
      await route.fulfill({ response, json: { ...json, apps: APPS } });
    });
    await page.reload();
    await page.getByText("Somebody else changed the task").waitFor();
    await page.getByText("Not allowed while away").waitFor();
    await page.getByText("The whole task").click();
    await page.getByRole("group", { name: "the task" }).getByText('"input": "Send my mail to Ben."').waitFor();
    await expectGoodLooks("cleared");
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("“Morning mail” acts for you.").waitFor();
    await page.getByText("Acts for Owner.").waitFor();
    expect(await api.must("GET", `/v1/schedules/${id}`)).toMatchObject({ acts_for: { name: "Owner" } });
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await api.must("DELETE", `/v1/schedules/${id}`);
  });
});

/** The apps of an agent, as a run would find them. */
const APPS = [
  { app: "calendar", state: "active", connection_id: "con_1", owner: "shared", unattended: true, why: null },
  { app: "crm", state: "unattended", connection_id: "con_2", owner: "person", unattended: false, why: null },
  {
    app: "mail",
    state: "expired",
    connection_id: "con_3",
    owner: "person",
    unattended: true,
    why: "The app refused it.",
  },
];

describe("a schedule", () => {
  test("is made by the form, seen on a calendar, run now, and paused", async () => {
    const { page, api } = console;
    await console.open("/schedules/new");
    await fill("Name", "Morning numbers");
    await fill("What should the agent do?", `Numbers\n${JSON.stringify({ replies: [{ text: "All is well." }] })}`);
    await page.getByLabel("Agent", { exact: true }).selectOption({ label: "console" });
    await page.getByLabel("How often").selectOption({ label: "By a cron expression" });
    await fill("Cron expression", "61 * * * *");
    await page.locator("[aria-invalid]").waitFor();
    await page.getByLabel("How often").selectOption({ label: "Monday to Friday at a time" });
    await fill("Time", "09:00");
    await fill("Time zone", "Europe/Berlin");
    await page.getByText("It is due every weekday at 09:00 in Europe/Berlin.").waitFor();
    // A whole month that is to come: its weekdays, and no others.
    const calendar = page.getByRole("table", { name: /^Runs in/ });
    const before = await calendar.locator("caption").textContent();
    await page.getByRole("button", { name: "Next month" }).click();
    await expect.poll(async () => await calendar.locator("caption").textContent(), PATIENT).not.toBe(before);
    await page.locator('table[aria-busy="false"]').waitFor();
    const days = await calendar.locator("td").evaluateAll((cells) =>
      cells.map((cell) => ({
        isDay: cell.textContent !== "",
        times: [...cell.querySelectorAll("time")].map((one) => one.textContent),
      })),
    );
    for (const [index, { isDay, times }] of days.entries())
      expect(times, `cell ${index}`).toEqual(isDay && index % 7 < 5 ? ["09:00"] : []);
    await expectGoodLooks("new");
    await page.getByRole("button", { name: "Create schedule" }).click();
    await page.getByRole("heading", { level: 1, name: "Morning numbers" }).waitFor();

    await page.getByRole("button", { name: "Run now" }).click();
    const ledger = page.getByRole("region", { name: "Occurrences" });
    await ledger.getByText("By hand").waitFor();
    await ledger.getByText("Done").waitFor();
    await expectGoodLooks("schedule");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    const { data } = await api.must<{ data: object[] }>("GET", "/v1/schedules");
    expect(data).toMatchObject([
      {
        paused: true,
        when: { kind: "cron", expression: "0 9 * * MON-FRI" },
        time_zone: "Europe/Berlin",
        task: { agent: console.agent },
      },
    ]);
    await ledger.getByRole("link", { name: "See the task" }).click();
    await page.waitForURL(/\/tasks\/task_/);
    await console.open("/schedules");
    await page.getByText("every weekday at 09:00 in Europe/Berlin").waitFor();
    await page.getByText("Done").waitFor();
    await expectGoodLooks("list");
  });

  test("follows a run to its end, also where an answer takes longer than the time between two looks", async () => {
    const { page, api } = console;
    const replies = [{ calls: [{ name: "ask_human", arguments: { query: "Go on?" } }] }, { text: "Done." }];
    const { id } = await api.must<{ id: string }>("POST", "/v1/schedules", {
      name: "Slowly",
      when: { kind: "cron", expression: "0 9 * * *" },
      task: { input: `Ask\n${JSON.stringify({ replies })}`, agent: console.agent },
    });
    await api.must("POST", `/v1/schedules/${id}/run`);
    const path = `/v1/schedules/${id}/occurrences`;
    const taskId = async () =>
      (await api.must<{ data: { task_id: string | null }[] }>("GET", path)).data[0]?.task_id ?? "";
    await expect.poll(taskId, PATIENT).toMatch(/^task_/);
    const task = await taskId();
    await expect.poll(async () => (await api.task(task)).pending.length, PATIENT).toBe(1);
    await console.open(`/schedules/${id}`);
    const ledger = page.getByRole("region", { name: "Occurrences" });
    await ledger.getByText("Running").waitFor();
    await page.route(`**${path}?*`, async (route) => {
      const response = await route.fetch();
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      await route.fulfill({ response });
    });
    const [question] = (await api.task(task)).pending;
    await api.must("POST", `/v1/tasks/${task}/questions/${question?.id ?? ""}/answer`, { text: "Yes" });
    await ledger.getByText("Done").waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });
});

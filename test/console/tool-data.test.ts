/** Results by their type on the task page: a table, mails, files, events, documents, code and a program's output. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { APP_RESULTS } from "../unit/results/app-results.ts";
import { fetchApi } from "../setup/fetch-api.ts";
import { type Console, expectFit, expectNoSidewaysScrolling, openConsole, PATIENT } from "./open-console.ts";

const CODE = { items: [{ path: "src/a.ts", text_matches: [{ fragment: "const total = 3;" }] }] };
const TERMINAL = { stdout: "3 passed\n", stderr: "one warning\n", exit_code: 1 };
const RESULTS: Readonly<Record<string, unknown>> = { ...APP_RESULTS, code: CODE, terminal: TERMINAL };
const SHOWN = ["issues", "mail-list", "files", "calendar", "search", "code", "terminal"] as const;

let console: Console;
let task: string;

beforeAll(async () => {
  console = await openConsole("Tool data");
  const { recorderUrl } = console;
  const place = `${recorderUrl}/${crypto.randomUUID()}`;
  for (const name of SHOWN) await fetchApi(`${place}/${name}`, { method: "PUT", body: JSON.stringify(RESULTS[name]) });
  const calls = SHOWN.map((name) => ({ name: "http_get", arguments: { url: `${place}/${name}` } }));
  task = await console.makeTask("Read seven results", [{ calls }, { text: "Read." }]);
});

afterAll(async () => await console?.close());

test("each result is shown by its type, and as JSON on request", async () => {
  const { page, api } = console;
  await vi.waitFor(async () => expect((await api.task(task)).status).toBe("completed"), PATIENT);
  await console.open(`/tasks/${task}`);
  const rows = page.locator("#timeline").getByRole("button", { name: /http\.get/ });
  await expect.poll(async () => await rows.count(), PATIENT).toBe(SHOWN.length);
  for (const row of await rows.all()) await row.click();
  const result = page.getByRole("group", { name: "Result", exact: true });
  await result.getByRole("columnheader", { name: "assignee" }).waitFor();
  await result.getByText("Order 1200: delivery").waitFor();
  await result.getByRole("link", { name: "Report 0.pdf" }).waitFor();
  await result.getByText("Room 4").first().waitFor();
  await result
    .getByRole("link", { name: /^Your rights/ })
    .first()
    .waitFor();
  await result.getByText("const total = 3;").waitFor();
  await result.getByText("Exit code 1").waitFor();
  await expectFit(page, "tool-data");
  await page.setViewportSize({ width: 320, height: 720 });
  await expectNoSidewaysScrolling(page);
  const table = result.filter({ has: page.getByRole("columnheader", { name: "assignee" }) });
  expect(await table.getByRole("row").count()).toBe(11);
  await table.getByRole("button", { name: "Show 30 rows" }).click();
  await expect.poll(async () => await table.getByRole("row").count(), PATIENT).toBe(31);
  await table.getByRole("button", { name: "Show as JSON" }).click();
  await result
    .getByText(/"node_id"/)
    .first()
    .waitFor();
});

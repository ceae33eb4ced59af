/** Tasks that wait for the account of a catalogue app: they continue once a person has connected it at the provider. */
import { env } from "cloudflare:workers";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { TaskView } from "../../../core/task/view.ts";
import { type Member, type Office, openOffice } from "../connections/connect-client.ts";
import { setVariables } from "../variables.ts";
import { useDemoApps } from "./app-office.ts";
import { readCalls } from "./app-tasks.ts";
import { connectAtProvider, control, listAccounts, listStatuses, openProvider } from "./provider.ts";
import { storeApp } from "./stored-account.ts";

const completed = ({ status }: TaskView) => status === "completed";
const waits = (view: TaskView) => view.pending.some(({ kind }) => kind === "connection");
const FETCH = { name: "composio_gmail_fetch_emails", arguments: {} };
const REQUEST = { name: "request_connection", arguments: { app: "gmail", why: "To read the mails." } };

useDemoApps();

let office: Office;
let ana: Member;

beforeEach(async () => {
  openProvider();
  // The objects of tasks have no catalogue in these tests.
  office = await openOffice();
  await storeApp(office.tenant, "gmail");
  ana = await office.add("Ana", ["tasks:read", "tasks:write", "tools:call"]);
  await office.admin.send("POST", "/api/tools/add-to-workspace", { app_name: "gmail" });
});
afterAll(() => setVariables(env, null));

async function begin(...calls: readonly object[]): Promise<TaskView> {
  const replies = [...calls.map((call) => ({ calls: [call] })), { text: "Done." }];
  const made = await ana.send("POST", "/v1/tasks", { input: `Read the emails.\n${JSON.stringify({ replies })}` });
  expect(made.status, made.text).toBe(201);
  return made.json;
}

test("request_connection ends once the account is active, and the task calls the app with it", async () => {
  const task = await begin(REQUEST, FETCH);
  const waiting = await ana.until(task.id, waits);
  expect(waiting.pending).toMatchObject([
    { kind: "connection", app: "gmail", reason: "missing", person_id: ana.person, why: "To read the mails." },
  ]);
  await connectAtProvider(ana);
  await ana.until(task.id, completed);
  expect(await readCalls(ana, task)).toMatchObject([
    { tool: "request_connection", state: "confirmed" },
    { tool: "composio_GMAIL_FETCH_EMAILS", state: "confirmed" },
  ]);
});

test("a call without an account waits for one, and is made once it is active", async () => {
  const task = await begin(FETCH);
  await ana.until(task.id, waits);
  await connectAtProvider(ana);
  await ana.until(task.id, completed);
  expect(await readCalls(ana, task)).toMatchObject([{ state: "confirmed" }]);
});

test("a call whose account ended at the provider waits, and is made through the account that is connected again", async () => {
  await connectAtProvider(ana);
  const [first] = await listAccounts(office.tenant);
  await control({ expire: first?.id ?? "" });
  const task = await begin(FETCH);
  const waiting = await ana.until(task.id, waits);
  expect(waiting.pending).toMatchObject([{ app: "gmail", reason: "expired", person_id: ana.person }]);
  expect(await listStatuses(ana)).toEqual(["expired"]);
  await connectAtProvider(ana);
  await ana.until(task.id, completed);
  expect(await listStatuses(ana)).toEqual(["active"]);
  expect(await readCalls(ana, task)).toMatchObject([{ tool: "composio_GMAIL_FETCH_EMAILS", state: "confirmed" }]);
});

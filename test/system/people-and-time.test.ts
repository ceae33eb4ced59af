/**
 * What leaves and what time brings, on the whole system while its runtime is killed: a webhook that its receiver had not
 * answered, a mail that the server had not confirmed, a schedule that was due.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import PostalMime from "postal-mime";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { objectsInMemory } from "../../bench/objects-on-disk.ts";
import { killRuntime } from "../drill/started-system.ts";
import {
  scriptedInput,
  startTestSystem,
  untilTask,
  calling,
  type Caller,
  type TestSystem,
} from "../setup/start-system.ts";
import { scheduleNamed } from "./schedule-cases.ts";
import { type ArrivedMail, type MailProviders, startMailProviders } from "../mock-servers/mail-providers.ts";
import { type RecordedRequest, type Recorder, startRecorder } from "../mock-servers/recorder.ts";

/** A recipient whose mail the test server accepts without an answer. */
const HELD = "held.people@example.com";
let receiver: Recorder;
let mail: MailProviders;
let system: TestSystem;
/** Called when the receiver has a request and before it answers. */
let onReceived: (record: RecordedRequest) => Promise<void> | void = () => undefined;

beforeAll(async () => {
  receiver = await startRecorder({ afterEffect: (record) => onReceived(record) });
  mail = await startMailProviders();
  system = await startTestSystem({
    OTTO_EGRESS_ALLOW: receiver.host,
    SMTP_URL: `smtp://127.0.0.1:${mail.smtpPort}`,
    OTTO_MAIL_FROM: "Otto <otto@example.com>",
  });
});

// Most tests kill the runtime.
beforeEach(async () => await system.system.up());

afterAll(async () => {
  await system?.stop();
  await Promise.all([receiver?.close(), mail?.close()]);
});

async function until<T>(what: string, look: () => Promise<T | null> | T | null): Promise<T> {
  for (const end = Date.now() + 60_000; ; await sleep(50)) {
    const found = await look();
    if (found !== null) return found;
    if (Date.now() > end) throw new Error(`${what}\n${system.system.output()}`);
  }
}

async function arrived(): Promise<readonly ArrivedMail[]> {
  return (await (await fetch(`${mail.url}/mails?${encodeURIComponent(HELD)}`)).json()) as readonly ArrivedMail[];
}

/** An agent that asks nobody. */
async function freeAgent(caller: Caller): Promise<string> {
  const made = await caller.send("POST", "/v1/agents", {
    name: "free",
    instructions: "Do what is said.",
    tools: ["*"],
    permissions: ["read", "write", "network"],
    approval: { dangerous: "allow" },
  });
  expect(made.status, made.text).toBe(201);
  return made.json.id;
}

test("a webhook that was on its way when the runtime died comes again under its id, and verifies", async () => {
  const caller = await system.makeTenant("webhooks");
  const endpoint = await caller.send("POST", "/v1/webhooks", {
    url: `${receiver.url}/hooks/${caller.tenant}`,
    events: ["task.completed"],
  });
  expect(endpoint.status, endpoint.text).toBe(201);
  const mine = () => receiver.requests.filter(({ path }) => path === `/hooks/${caller.tenant}`);
  let killed = false;
  onReceived = async ({ path }) => {
    if (path !== `/hooks/${caller.tenant}` || killed) return;
    killed = true;
    await killRuntime(system.system, "workerd");
  };
  const made = await caller.send("POST", "/v1/tasks", { input: "Say that you are done." });
  expect(made.status, made.text).toBe(201);
  await until("the webhook did not come again", () => (mine().length >= 2 ? true : null));
  onReceived = () => undefined;

  const ids = mine().map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids).size).toBe(1);
  for (const { body, headers } of mine()) {
    const event = new Webhook(endpoint.json.secret).verify(body, { ...headers }) as {
      type: string;
      data: { task_id: string };
    };
    expect(event).toMatchObject({ type: "task.completed", data: { task_id: made.json.id } });
  }
  await until("the delivery is not shown as sent", async () => {
    const { json } = await caller.send("GET", `/v1/deliveries?task=${made.json.id}`);
    return json.data[0]?.state === "sent" ? true : null;
  });
}, 150_000);

test("a mail that the server accepted when the runtime died is not resent, and the model gets the unknown outcome", async () => {
  const caller = await system.makeTenant("mails");
  const agent = await freeAgent(caller);
  const given = { to: HELD, subject: "The report", body: "<p>Attached.</p>", attachment_filenames: ["out/report.md"] };
  const input = scriptedInput(
    calling("write_file", { filename: "out/report.md", content: "# Report\n\nolá\n" }),
    calling("send_email", given),
    { text: "That was it." },
  );
  const made = await caller.send("POST", "/v1/tasks", { input, agent });
  expect(made.status, made.text).toBe(201);
  await until("the mail did not arrive", async () => ((await arrived()).length > 0 ? true : null));
  await killRuntime(system.system, "workerd");
  await system.system.up();
  const task = await untilTask(caller, made.json.id, ({ status }) => status === "completed");
  expect(task.output?.text).toBe("That was it.");
  const ledger = await caller.send("GET", `/v1/tasks/${made.json.id}/ledger`);
  expect(ledger.json.data).toMatchObject([
    { state: "confirmed" },
    { tool: "send_email", effect: "once", state: "unknown" },
  ]);
  const [only, ...more] = await arrived();
  expect(more).toEqual([]);
  const parsed = await PostalMime.parse(Buffer.from(only?.raw ?? "", "base64"), { attachmentEncoding: "utf8" });
  expect(parsed.subject).toBe("The report");
  expect(parsed.attachments).toMatchObject([{ filename: "report.md", content: "# Report\n\nolá\n" }]);
}, 150_000);

test("a schedule that was due while the runtime was killed makes its task once", async () => {
  const caller = await system.makeTenant("schedules");
  const due = Date.now() + 8000;
  const made = await caller.send("POST", "/v1/schedules", {
    name: "soon",
    when: { kind: "once", at: new Date(due).toISOString() },
    time_zone: "Europe/Lisbon",
    missed: { policy: "once", window_seconds: 3600 },
    task: { input: "Say hello." },
  });
  expect(made.status, made.text).toBe(201);
  for (const at of [due - 20, due + 300, due + 600]) {
    await sleep(Math.max(0, at - Date.now()));
    await killRuntime(system.system, "workerd");
  }
  await system.system.up();
  await until("the schedule made no task that ended", async () => {
    const { json } = await caller.send("GET", "/v1/tasks");
    return json?.data?.some(({ status }: { status: string }) => status === "completed") ? true : null;
  });
  await sleep(1500);
  const tasks = await caller.send("GET", "/v1/tasks");
  expect(tasks.json.data).toHaveLength(1);
  const ledger = await until("the ledger does not show its end", async () => {
    const { json } = await caller.send("GET", `/v1/schedules/${made.json.id}/occurrences`);
    return json.data[0]?.state === "finished" ? json.data : null;
  });
  expect(ledger).toMatchObject([{ due_at: new Date(due).toISOString(), task_id: tasks.json.data[0].id }]);
}, 150_000);

test("a schedule that has created its task leaves the memory of the runtime", async () => {
  const caller = await system.makeTenant("resting");
  const made = await caller.send("POST", "/v1/schedules", scheduleNamed("resting"));
  expect(made.status, made.text).toBe(201);
  const inMemory = () =>
    objectsInMemory(
      system.system.workerdPid() ?? Number.NaN,
      join(system.system.stateFolder, "runtime/do/otto-ScheduleObject"),
    );
  const run = await caller.send("POST", `/v1/schedules/${made.json.id}/run`);
  expect(run.status, run.text).toBe(202);
  await until("its task did not end", async () => {
    const { json } = await caller.send("GET", `/v1/schedules/${made.json.id}/occurrences`);
    return json.data[0]?.state === "finished" ? true : null;
  });
  expect(inMemory()).toBeGreaterThan(0);
  // The runtime puts an object out of memory that nobody called for ten seconds.
  await until("it stays in memory", () => (inMemory() === 0 ? true : null));
}, 150_000);

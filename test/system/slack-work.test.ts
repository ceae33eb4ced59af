/**
 * A day in a Slack channel, on the whole system beside a mock server of Slack: a mention becomes a task, its question buttons,
 * a click the answer, and a file arrives in the thread; and a burst while the database and the model hang.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { runBurstDrill } from "../drill/channels/burst-drill.ts";
import { SHORT_BURST, SIGNING_SECRET } from "../drill/channels/channels.ts";
import { openStage, type Stage } from "../drill/stage.ts";
import { calling, scriptedInput, type Caller, startTestSystem, type TestSystem } from "../setup/start-system.ts";
import { NOTIFIER_FILE } from "../fakes/notifier-file.ts";
import { SlackClient, type WorkspaceFacts } from "../mock-servers/slack-client.ts";
import { clickPayload, eventEnvelope, mentionEvent, signJson, signPayload } from "../mock-servers/slack-requests.ts";
import { type SlackServer, startSlackServer } from "../mock-servers/slack-server.ts";
import type { SlackMessage } from "../mock-servers/slack-workspace.ts";
import { fetchApi } from "../setup/fetch-api.ts";

const CHANNEL = "C0SALES";
const ANA = "U0ANA";
let slack: SlackServer;
let system: TestSystem;

beforeAll(async () => {
  slack = await startSlackServer();
  system = await startTestSystem(envOf(slack));
});

afterAll(async () => {
  await system?.stop();
  await slack?.close();
});

function envOf({ url }: SlackServer): Record<string, string> {
  return { SLACK_API_URL: `${url}/api/`, SLACK_SIGNING_SECRET: SIGNING_SECRET };
}

/** A tenant with a workspace in which Otto is installed. */
async function workspaceOf(name: string): Promise<{ caller: Caller; client: SlackClient; app: WorkspaceFacts }> {
  const caller = await system.makeTenant(name);
  const client = new SlackClient(slack.url, `T0${name.toUpperCase()}`);
  const app = await client.make({
    users: [{ id: ANA, name: "Ana", email: "ana@example.com", tz: "Europe/Lisbon" }],
    channels: [{ id: CHANNEL, name: "sales", isMember: true }],
  });
  const installed = await caller.send("POST", "/v1/slack/installs", { bot_token: app.token });
  expect(installed.status, installed.text).toBe(201);
  return { caller, client, app };
}

async function post(path: string, request: Awaited<ReturnType<typeof signJson>>): Promise<number> {
  const response = await fetchApi(`${system.system.url}${path}`, request);
  await response.arrayBuffer();
  return response.status;
}

/** The first message of a thread that has what is looked for. */
async function untilMessage(client: SlackClient, thread: string, has: (message: SlackMessage) => boolean) {
  for (const end = Date.now() + 30_000; ; await sleep(50)) {
    const messages = await client.messages(CHANNEL, thread);
    const found = messages.find(has);
    if (found !== undefined) return found;
    if (Date.now() > end)
      throw new Error(`no such message:\n${JSON.stringify(messages, null, 2)}\n${system.system.output()}`);
  }
}

interface Button {
  readonly action_id: string;
  readonly value: string;
  readonly text: { readonly text: string };
}

/** The button of a message whose text is this. */
function buttonOf(message: SlackMessage, text: string): Button {
  const blocks = message.blocks as readonly { readonly elements?: readonly Button[] }[];
  const button = blocks.flatMap(({ elements = [] }) => elements).find((one) => one.text?.text === text);
  if (button === undefined) throw new Error(`no button ${text} in ${JSON.stringify(blocks)}`);
  return button;
}

test("a mention becomes a task, its question buttons, a click the answer, and its file arrives in the thread", async () => {
  const { caller, client, app } = await workspaceOf("office");
  const input = scriptedInput(
    calling("ask_human", { query: "Which region first?", choices: ["North", "South"] }),
    calling("write_file", { filename: "out/plan.md", content: "# North first\n" }),
    calling("attach_file", { filename: "out/plan.md" }),
    { text: "The plan is **attached**." },
  );
  const posted = await client.say({ channel: CHANNEL, user: ANA, text: `<@${app.botUser}> ${input}` });
  const event = eventEnvelope(
    app,
    mentionEvent({ user: ANA, channel: CHANNEL, text: posted.text, ts: posted.ts }),
    "Ev1",
  );
  expect(await post("/slack/events", await signJson(event, { secret: SIGNING_SECRET }))).toBe(200);

  const card = await untilMessage(client, posted.ts, ({ blocks }) =>
    JSON.stringify(blocks ?? "").includes("Which region"),
  );
  const { action_id: actionId, value } = buttonOf(card, "North");
  const click = async () =>
    await signPayload(
      clickPayload(app, {
        user: ANA,
        channel: CHANNEL,
        messageTs: card.ts,
        threadTs: posted.ts,
        actionId,
        value,
        responseUrl: await client.responseUrl(),
      }),
      { secret: SIGNING_SECRET },
    );
  expect(await post("/slack/interactive", await click())).toBe(200);

  await untilMessage(client, posted.ts, ({ text }) => text.includes("attached"));
  for (const end = Date.now() + 30_000; ; await sleep(50)) {
    const { files } = await client.facts();
    const file = files.find(({ shared }) => shared?.threadTs === posted.ts);
    if (file !== undefined) {
      expect(file).toMatchObject({ name: "plan.md", text: "# North first\n" });
      break;
    }
    if (Date.now() > end) throw new Error(`no file: ${JSON.stringify(files)}\n${system.system.output()}`);
  }
  const settled = await untilMessage(client, posted.ts, ({ ts, edited }) => ts === card.ts && edited !== undefined);
  expect(JSON.stringify(settled.blocks)).toContain("North");
  expect(JSON.stringify(settled.blocks)).not.toContain(actionId);

  // The same button once more, from a client that had not seen the change.
  expect(await post("/slack/interactive", await click())).toBe(200);
  for (const end = Date.now() + 30_000; ; await sleep(50)) {
    const notices = [...(await client.calls("chat.postEphemeral")), ...(await client.calls("response_url"))];
    if (notices.some(({ given }) => JSON.stringify(given).includes("Ana"))) break;
    if (Date.now() > end) throw new Error(`nobody was told who was first: ${JSON.stringify(notices)}`);
  }
  const tasks = await caller.send("GET", "/v1/tasks");
  expect(tasks.json.data).toMatchObject([{ status: "completed", project: `slack-${CHANNEL}` }]);
  expect(tasks.json.data).toHaveLength(1);
}, 90_000);

/** With the permissions that document 003 says an agent has to be given. */
const NOTIFIER = `${NOTIFIER_FILE}budgets:
  permissions: [:read, :network]
sandbox:
  enabled: true
  allowed_paths: ["/app/src", "/app/test"]
approval:
  dangerous: allow
`;

test("[003] an agent's file, applied twice by name, is one version, and posts to its default channel", async () => {
  const { caller, client } = await workspaceOf("alerts");
  await client.addChannel({ id: "C0ALERTS", name: "alerts", isMember: true });
  const put = async () =>
    await caller.send("PUT", "/v1/agents/slack_notifier", NOTIFIER, { "content-type": "application/yaml" });
  const [first, second] = [await put(), await put()];
  expect([first.status, second.status], first.text).toEqual([201, 200]);
  expect(second.json).toEqual(first.json);
  const versions = await caller.send("GET", "/v1/agents/slack_notifier/versions");
  expect(versions.json.data).toMatchObject([{ version: 1, sandbox: { allowed_paths: ["/app/src", "/app/test"] } }]);
  const input = scriptedInput(calling("slack_notify", { message: "Test notification" }), { text: "Sent." });
  const made = await caller.send("POST", "/v1/tasks?wait=30", { input, agent: "slack_notifier" });
  expect(made.json, made.text).toMatchObject({ status: "completed" });
  const ledger = await caller.send("GET", `/v1/tasks/${made.json.id}/ledger`);
  expect(ledger.json.data).toMatchObject([
    {
      tool: "slack.notify",
      state: "confirmed",
      result: { ok: true, result: { sent: true, message: "Test notification" } },
    },
  ]);
  expect(await client.messages("C0ALERTS")).toMatchObject([{ text: "Test notification" }]);
}, 60_000);

test.each([
  ["stale", { secret: SIGNING_SECRET, ageSeconds: 330 }],
  ["from the future", { secret: SIGNING_SECRET, ageSeconds: -330 }],
  ["of another secret", { secret: "another" }],
])("a request whose signature is %s is refused", async (_, signing) => {
  expect(await post("/slack/events", await signJson({ type: "event_callback" }, signing))).toBe(401);
});

test("a burst is acknowledged while the database and the model hang, and becomes one task an event", async () => {
  const stage: Stage = await openStage({ env: envOf(slack), from: inject("endedState") });
  try {
    for (const kills of [false, true]) {
      const report = await runBurstDrill(stage, slack.url, SIGNING_SECRET, {
        ...SHORT_BURST,
        seed: Date.now() % 2 ** 31,
        kills,
      });
      expect(report.violations, JSON.stringify(report)).toEqual([]);
    }
  } finally {
    await stage.close();
  }
}, 180_000);

/** A workspace of the mock server of Slack in which a tenant has installed Otto, and the people in it, as they write and click. */
import { expect, inject, vi } from "vitest";
import type { TaskView } from "../../../../core/task/view.ts";
import { SlackClient, type WorkspaceFacts } from "../../../mock-servers/slack-client.ts";
import {
  type Click,
  clickPayload,
  commandFields,
  eventEnvelope,
  mentionEvent,
  messageEvent,
  type IncomingMessageFacts,
  signForm,
  signJson,
  signPayload,
  type SignedRequest,
  type Signing,
  submissionPayload,
} from "../../../mock-servers/slack-requests.ts";
import { waitIdOf } from "../../tasks/client.ts";
import { type Answer, type Caller, knock, makeCaller } from "../../http/entry.ts";

export const SIGNING: Signing = { secret: "canary-signing-secret" };
const CHANNEL = "C0GENERAL";
const ANA = "U0ANA";

let made = 0;

/** A workspace's id that no other test has. */
export function newTeam(): string {
  made += 1;
  return `T${Date.now().toString(36).toUpperCase()}${made}`;
}

/** A moment that no other message of the test has. */
export function nextTs(): string {
  made += 1;
  return `${Math.floor(Date.now() / 1000)}.${String(made).padStart(6, "0")}`;
}

export interface Workspace {
  readonly caller: Caller;
  readonly slack: SlackClient;
  readonly app: WorkspaceFacts;
  /** Sends an event, and gives what Otto answered at once. */
  event(event: Record<string, unknown>, eventId?: string): Promise<Answer>;
  /** Ana mentions Otto in the channel; gives the message's `ts`. */
  mention(text: string, more?: Partial<IncomingMessageFacts>): Promise<string>;
  /** Somebody writes in a thread without naming Otto. */
  reply(threadTs: string, text: string, more?: Partial<IncomingMessageFacts>): Promise<string>;
  command(text: string, user?: string): Promise<Answer>;
  click(click: Pick<Click, "actionId" | "value"> & Partial<Click>): Promise<Answer>;
  submit(form: Omit<Parameters<typeof submissionPayload>[1], "user"> & { readonly user?: string }): Promise<Answer>;
  /** The tenant's tasks, the latest first, as soon as there are so many. */
  tasks(count: number): Promise<readonly TaskView[]>;
  /** What was said to a person alone, by whichever way, as soon as there is something. */
  whispers(count?: number): Promise<readonly string[]>;
}

/** Makes a tenant with a workspace of two people, a channel, and somebody of another workspace in it. */
export async function openWorkspace(): Promise<Workspace> {
  const [caller, slack] = [await makeCaller(), new SlackClient(inject("servers").slackUrl, newTeam())];
  const app = await slack.make({
    users: [
      { id: ANA, name: "ana", realName: "Ana Alves", email: `ana@${slack.team.toLowerCase()}.example` },
      { id: "U0BEN", name: "ben", realName: "Ben Brito", email: `ben@${slack.team.toLowerCase()}.example` },
      { id: "U0FAR", name: "far", realName: "Fara Way", email: "boss@acme.example", team: "T0FAR" },
    ],
    channels: [{ id: CHANNEL, name: "general" }],
  });
  const installed = await caller.send("POST", "/v1/slack/installs", { bot_token: app.token });
  expect(installed.status, installed.text).toBe(201);
  const event: Workspace["event"] = async (payload, eventId = `Ev${crypto.randomUUID()}`) =>
    await post("/slack/events", await signJson(eventEnvelope(app, payload, eventId), SIGNING));
  const acknowledged = async (answer: Promise<Answer>) => expect((await answer).status).toBe(200);
  return {
    caller,
    slack,
    app,
    event,
    async mention(text, more = {}) {
      const ts = nextTs();
      const message = { user: ANA, channel: CHANNEL, ts, text: `<@${app.botUser}> ${text}`, ...more };
      await acknowledged(event(mentionEvent(message)));
      return message.ts;
    },
    async reply(threadTs, text, more = {}) {
      const message = { user: ANA, channel: CHANNEL, ts: nextTs(), threadTs, text, ...more };
      await acknowledged(event(messageEvent(message)));
      return message.ts;
    },
    async command(text, user = ANA) {
      const fields = commandFields(app, { user, channel: CHANNEL, text, responseUrl: await slack.responseUrl() });
      return await post("/slack/commands", await signForm(fields, SIGNING));
    },
    async click(click) {
      const responseUrl = await slack.responseUrl();
      const complete = { user: ANA, channel: CHANNEL, messageTs: "1.000001", responseUrl, ...click };
      return await post("/slack/interactive", await signPayload(clickPayload(app, complete), SIGNING));
    },
    async submit(form) {
      const payload = submissionPayload(app, { user: ANA, ...form });
      return await post("/slack/interactive", await signPayload(payload, SIGNING));
    },
    async tasks(count) {
      return await vi.waitFor(
        async () => {
          const found = (await caller.send("GET", "/v1/tasks")).json.data as TaskView[];
          if (found.length < count) throw new Error(`there are ${found.length} tasks`);
          return found;
        },
        { timeout: 25_000, interval: 50 },
      );
    },
    async whispers(count = 1) {
      return await vi.waitFor(
        async () => {
          const calls = await slack.calls();
          const texts = calls
            .filter(({ method, ok }) => ok && WHISPERS.has(method))
            .map(({ given }) => String(given["text"]));
          if (texts.length < count) throw new Error(`nobody was told: ${JSON.stringify(calls)}`);
          return texts;
        },
        { timeout: 25_000, interval: 50 },
      );
    },
  };
}

const WHISPERS: ReadonlySet<string> = new Set(["response_url", "chat.postEphemeral"]);

export async function post(path: string, { headers, body }: SignedRequest): Promise<Answer> {
  return await knock("POST", path, { headers, body });
}

/** The words that make the model answer so. */
export function saying(...replies: readonly unknown[]): string {
  return JSON.stringify({ replies });
}

export const asking = (query: string, choices?: readonly string[]) => ({
  calls: [{ name: "ask_human", arguments: { query, ...(choices && { choices }) } }],
});

export const isCompleted = ({ status }: TaskView) => status === "completed";

/** A task that Ana asked for, which waits for an answer. */
export async function askInThread(workspace: Workspace, question: unknown, then: unknown = { text: "Thank you." }) {
  const ts = await workspace.mention(saying(question, then));
  const [task] = await workspace.tasks(1);
  const view = await workspace.caller.until(task?.id ?? "", ({ pending }) => pending.length > 0);
  return { ts, view, ask: waitIdOf(view) };
}

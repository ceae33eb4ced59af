/** A Slack workspace of the tour of accounts: people mention Otto, reply and click, and read what only they may see. */
import { expect, vi } from "vitest";
import { SlackClient, type WorkspaceFacts } from "../mock-servers/slack-client.ts";
import {
  clickPayload,
  commandFields,
  eventEnvelope,
  mentionEvent,
  signForm,
  signJson,
  signPayload,
  type SignedRequest,
} from "../mock-servers/slack-requests.ts";
import type { SlackMessage } from "../mock-servers/slack-workspace.ts";
import { fetchApi } from "../setup/fetch-api.ts";
import type { Caller } from "../setup/start-system.ts";
import { SIGNING_SECRET } from "./accounts-world.ts";

const CHANNEL = "C0SALES";
const PATIENT = { timeout: 60_000, interval: 50 };

/** A message, and the conversation in which it is. */
interface Posted extends SlackMessage {
  readonly channel: string;
}

interface Button {
  readonly action_id: string;
  readonly value: string;
  readonly text: { readonly text: string };
}

export interface SlackTeam {
  readonly team: string;
  /** Mentions Otto in the channel, or in a thread of it, and waits until Otto has read it; returns the message's `ts`. */
  mention(user: string, text: string, thread?: string): Promise<string>;
  command(user: string, text: string): Promise<void>;
  click(user: string, message: Posted, button: string): Promise<void>;
  /** The messages of Otto that contain a text: in a thread of the channel, or to one person. */
  find(where: { readonly thread: string } | { readonly user: string }, text: string): Promise<readonly Posted[]>;
  /** Waits for the first of them. */
  until(where: { readonly thread: string } | { readonly user: string }, text: string): Promise<Posted>;
  /** Waits for something that only the person who asked sees, and that contains a text, after earlier ones. */
  whisper(text: string): Promise<string>;
}

/** Makes a workspace with Ana and Ben, `U0ANA` and `U0BEN`, and installs Otto in it. */
export async function openSlackTeam(admin: Caller, base: string, team: string): Promise<SlackTeam> {
  const client = new SlackClient(base, team);
  const app: WorkspaceFacts = await client.make({
    users: ["Ana", "Ben"].map((name) => ({ id: `U0${name.toUpperCase()}`, name, realName: name })),
    channels: [{ id: CHANNEL, name: "sales", isMember: true }],
  });
  const installed = await admin.send("POST", "/v1/slack/installs", { bot_token: app.token });
  expect(installed.status, installed.text).toBe(201);
  const post = async (path: string, request: SignedRequest): Promise<void> => {
    const reply = await fetchApi(`${admin.url}${path}`, request);
    await reply.arrayBuffer();
    expect(reply.status).toBe(200);
  };
  const signing = { secret: SIGNING_SECRET };
  let whispersRead = 0;
  /** How many messages of the workspace Otto has processed. */
  const countRead = async (): Promise<number> => {
    const { data } = (await admin.send("GET", `/v1/slack/installs/${installed.json.id}/received?limit=100`)).json;
    return data.filter(({ state }: { state: string }) => state === "done").length;
  };

  const find: SlackTeam["find"] = async (where, text) => {
    const channel = "thread" in where ? CHANNEL : `D${where.user.slice(1)}`;
    const messages = await client.messages(channel, "thread" in where ? where.thread : undefined);
    return messages
      .filter(({ user }) => user === app.botUser)
      .filter((message) => JSON.stringify([message.text, message.blocks]).includes(text))
      .map((message) => ({ ...message, channel }));
  };

  return {
    team,
    find,
    async mention(user, text, thread) {
      const place = thread === undefined ? {} : { thread_ts: thread };
      const said = await client.say({ channel: CHANNEL, user, text: `<@${app.botUser}> ${text}`, ...place });
      const inThread = thread === undefined ? {} : { threadTs: thread };
      const event = mentionEvent({ user, channel: CHANNEL, text: said.text, ts: said.ts, ...inThread });
      const read = await countRead();
      await post("/slack/events", await signJson(eventEnvelope(app, event, `Ev${crypto.randomUUID()}`), signing));
      await vi.waitFor(async () => expect(await countRead()).toBe(read + 1), PATIENT);
      return said.ts;
    },
    async command(user, text) {
      const fields = commandFields(app, { user, channel: CHANNEL, text, responseUrl: await client.responseUrl() });
      await post("/slack/commands", await signForm(fields, signing));
    },
    async click(user, message, button) {
      const { action_id: actionId, value } = findButton(message, button);
      const { channel, ts: messageTs } = message;
      const responseUrl = await client.responseUrl();
      const payload = clickPayload(app, { user, channel, messageTs, actionId, value, responseUrl });
      await post("/slack/interactive", await signPayload(payload, signing));
    },
    async until(where, text) {
      return await vi.waitFor(async () => {
        const [first] = await find(where, text);
        if (first === undefined) throw new Error(`no message ${text}: ${JSON.stringify(await client.facts())}`);
        return first;
      }, PATIENT);
    },
    async whisper(text) {
      return await vi.waitFor(async () => {
        const calls = await client.calls();
        const found = calls.findIndex(
          ({ method, given, ok }, index) =>
            index >= whispersRead && ok && WHISPERS.has(method) && JSON.stringify(given).includes(text),
        );
        if (found === -1) throw new Error(`nobody was told ${text}: ${JSON.stringify(calls.slice(-5))}`);
        whispersRead = found + 1;
        return JSON.stringify(calls[found]?.given);
      }, PATIENT);
    },
  };
}

const WHISPERS: ReadonlySet<string> = new Set(["response_url", "chat.postEphemeral"]);

function findButton({ blocks }: Posted, text: string): Button {
  const all = (blocks ?? []) as readonly { readonly elements?: readonly Button[] }[];
  const button = all.flatMap(({ elements = [] }) => elements).find((one) => one.text?.text === text);
  if (button === undefined) throw new Error(`no button ${text} in ${JSON.stringify(blocks)}`);
  return button;
}

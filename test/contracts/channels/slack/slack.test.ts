/** The fake in memory, and the adapter towards a mock server of Slack on loopback: one contract; and what goes wrong on the way. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openSlackOAuth } from "../../../../adapters/slack/oauth.ts";
import { openSlack } from "../../../../adapters/slack/slack.ts";
import type { SlackPort } from "../../../../core/ports/slack.ts";
import { fakeSlack } from "../../../fakes/slack.ts";
import { SlackClient, type SlackFault, type WorkspaceFacts } from "../../../mock-servers/slack-client.ts";
import { type SlackServer, startSlackServer } from "../../../mock-servers/slack-server.ts";
import { slackContract } from "./suite.ts";

const USERS = [{ id: "U1", name: "Ana", realName: "Ana Lima", email: "ana@example.com", tz: "Europe/Lisbon" }];
const CHANNELS = [
  { id: "C1", name: "general" },
  { id: "C2", name: "old", isArchived: true },
];
const POST = { channel: "C1", thread: null, text: "hello", blocks: [], key: "key 1" };

let server: SlackServer;
let teams = 0;
beforeAll(async () => void (server = await startSlackServer()));
afterAll(async () => await server.close());

interface Workspace {
  readonly client: SlackClient;
  readonly facts: WorkspaceFacts;
  readonly slack: SlackPort;
  /** The same, without the patience of the others. */
  readonly impatient: SlackPort;
}

async function workspace(): Promise<Workspace> {
  teams += 1;
  const client = new SlackClient(server.url, `T${teams}`);
  const facts = await client.make({ users: USERS, channels: CHANNELS });
  const address = { apiUrl: `${server.url}/api/`, token: facts.token, botUser: facts.botUser };
  return { client, facts, slack: openSlack(address), impatient: openSlack({ ...address, timeoutMs: 500 }) };
}

slackContract("the fake in memory", () => {
  const user = { id: "U1", team: "T1", name: "Ana", email: "ana@example.com", timeZone: "Europe/Lisbon", isBot: false };
  const channels = CHANNELS.map(({ id, name, isArchived = false }) => ({ id, name, isOpen: !isArchived }));
  const { slack, revoke } = fakeSlack({ team: "T1", channels, users: [user] });
  const close = () => Promise.resolve();
  return Promise.resolve({ slack, team: "T1", revoke: async () => await Promise.resolve(revoke()), close });
});

slackContract("the adapter", async () => {
  const { client, slack } = await workspace();
  return { slack, team: client.team, revoke: async () => await client.revoke(), close: () => Promise.resolve() };
});

describe("the adapter", () => {
  let client: SlackClient;
  let slack: SlackPort;
  let impatient: SlackPort;
  let facts: WorkspaceFacts;
  beforeEach(async () => void ({ client, slack, impatient, facts } = await workspace()));

  it("says when Slack takes more again, and has posted nothing", async () => {
    await client.breakWith({ kind: "ratelimited", retryAfter: 7, times: 1 });
    expect(await slack.post(POST)).toMatchObject({
      ok: false,
      error: { code: "rate_limited", retryAfterMs: 7_000, happened: "no" },
    });
    expect(await client.messages("C1")).toEqual([]);
    expect(await client.calls("chat.postMessage")).toHaveLength(1);
  });

  it.each([
    ["answers with HTTP 503", { kind: "status", status: 503 }],
    ["resets the connection", { kind: "reset" }],
    ["does not answer", { kind: "hang" }],
    ["says that it failed", { kind: "error", error: "fatal_error" }],
    ["is cut off after it took effect", { kind: "cut" }],
  ] satisfies [string, Omit<SlackFault, "team">][])(
    "says that a post may have left when Slack %s",
    async (_what, fault) => {
      await client.breakWith({ ...fault, times: 1 });
      expect(await (fault.kind === "hang" ? impatient : slack).post(POST)).toMatchObject({
        ok: false,
        error: { code: "upstream_failed", happened: "unknown" },
      });
      const found = await slack.listOwnMessages({ channel: "C1", thread: null, since: Date.now() });
      expect(found.ok && found.value.map(({ key }) => key)).toEqual(fault.kind === "cut" ? ["key 1"] : []);
    },
  );

  it.each(["files.getUploadURLExternal", "upload"])("has shared nothing when %s fails", async (method) => {
    await client.breakWith({ kind: "status", status: 500, method, times: 1 });
    const file = { channel: "C1", thread: null, name: "a.txt", title: "a.txt", bytes: Uint8Array.of(1) };
    expect(await slack.upload(file)).toMatchObject({ ok: false, error: { happened: "no" } });
    expect(await client.messages("C1")).toEqual([]);
  });

  it("starts no call after its time, and shares nothing after it", async () => {
    const at = { apiUrl: `${server.url}/api/`, token: facts.token, botUser: facts.botUser };
    const over = openSlack({ ...at, until: Date.now() });
    const refused = { ok: false, error: { code: "upstream_failed", happened: "no" } };
    expect(await over.post(POST)).toMatchObject(refused);
    expect(await over.download(`${server.url}/files-pri/x`, 100)).toMatchObject(refused);
    expect(await client.calls()).toEqual([]);
    await client.breakWith({ kind: "hang", method: "upload", times: 1 });
    const file = { channel: "C1", thread: null, name: "a.txt", title: "a.txt", bytes: Uint8Array.of(1) };
    expect(await openSlack({ ...at, until: Date.now() + 300 }).upload(file)).toMatchObject(refused);
    expect(await client.calls("files.completeUploadExternal")).toEqual([]);
  });

  it("posts with its key in the metadata and lets nothing unfurl", async () => {
    await slack.post(POST);
    const [call] = await client.calls("chat.postMessage");
    expect(call?.given).toMatchObject({
      unfurl_links: "false",
      unfurl_media: "false",
      metadata: { event_type: "otto_delivery", event_payload: { id: "key 1" } },
    });
  });

  it("attributes only the bot's own messages to the bot", async () => {
    await client.say({ channel: "C1", user: "U1", text: "hello" });
    expect(await slack.listOwnMessages({ channel: "C1", thread: null, since: 0 })).toEqual({ ok: true, value: [] });
  });

  it("fetches a file with the bot's token, within a limit, and knows the page where people log in", async () => {
    const file = await client.putFile("notes.txt", "hello");
    const url = String(file["url_private"]);
    const fetched = await slack.download(url, 100);
    expect(fetched.ok && new TextDecoder().decode(fetched.value.bytes)).toBe("hello");
    expect(await slack.download(url, 4)).toMatchObject({ ok: false, error: { code: "too_large" } });
    const other = openSlack({ apiUrl: `${server.url}/api/`, token: "xoxb-wrong", botUser: "U9" });
    expect(await other.download(url, 100)).toMatchObject({ ok: false, error: { code: "forbidden" } });
  });

  it("answers a click at Slack's response URL, until that expires", async () => {
    const url = await client.responseUrl();
    const answer = { text: "done", blocks: [], isEphemeral: true, replaces: false };
    expect(await slack.respond(url, answer)).toEqual({ ok: true, value: undefined });
    expect(await slack.respond(`${url}x`, answer)).toMatchObject({ ok: false, error: { code: "gone" } });
  });

  it("says nowhere what its token is", async () => {
    const silent = openSlack({ apiUrl: "http://127.0.0.1:9/api/", token: facts.token, botUser: "U9" });
    expect(JSON.stringify([await silent.post(POST), await slack.post({ ...POST, channel: "C9" })])).not.toContain(
      "canary",
    );
  });

  it("trades a code for a bot's token, once", async () => {
    const client_ = { id: "id", secret: "secret" };
    await client.agree({
      code: "c1",
      user: "U1",
      scope: "chat:write,users:read",
      clientId: "id",
      clientSecret: "secret",
    });
    const oauth = openSlackOAuth(`${server.url}/api/`, client_);
    expect(await oauth.access("c1", "https://otto.example/slack/oauth")).toMatchObject({
      ok: true,
      value: {
        token: facts.token,
        team: client.team,
        bot: facts.botUser,
        scopes: ["chat:write", "users:read"],
        user: "U1",
      },
    });
    const again = await oauth.access("c1", "https://otto.example/slack/oauth");
    expect(again).toMatchObject({ ok: false, error: { code: "forbidden" } });
  });
});

/** Implements the Slack port by Slack's Web API: which method is called with what, and what is read of its reply. */
import { z } from "zod";
import { ANSWERED, failed, notSent, ok, type Result } from "../../core/base/errors.ts";
import type {
  OwnMessage,
  SlackPort,
  SlackUser,
  ThreadMessage,
  MessagesBefore,
  MessagesSince,
} from "../../core/ports/slack.ts";
import { callSlack, type SlackAddress } from "./call.ts";
import { downloadFile, uploadFile } from "./files.ts";
import { discardBody, fetchFromSlack } from "./reach.ts";

/** In the metadata of the bot's messages. */
const EVENT_TYPE = "otto_delivery";
/** Slack's clock sets a message's `ts`; another clock sets the time from which messages are searched. */
const CLOCK_SKEW_MS = 60_000;
const MESSAGES_A_PAGE = 200;
const CHANNELS_A_PAGE = 1_000;
const MAX_PAGES = 5;
const RESPOND_MS = 10_000;

/** A workspace. `botUser` identifies the bot's own messages. */
export interface SlackWorkspaceAddress extends SlackAddress {
  readonly botUser: string;
}

const NOTHING = z.object({});
const posted = z.object({ channel: z.string(), ts: z.string() });
const view = z.object({ view: z.object({ id: z.string() }) });
const cursor = z.object({ next_cursor: z.string().optional() }).nullish();

const message = z.object({
  ts: z.string(),
  user: z.string().nullish(),
  metadata: z
    .object({ event_type: z.string(), event_payload: z.object({ id: z.string().optional() }) })
    .nullish()
    .catch(null),
  files: z.array(z.object({ title: z.string().nullish(), size: z.number().nullish() })).nullish(),
});

const threadMessage = z.object({
  ts: z.string(),
  user: z.string().nullish(),
  text: z.string().nullish(),
  files: z.array(z.object({ name: z.string().nullish() })).nullish(),
});

const user = z.object({
  user: z.object({
    id: z.string(),
    team_id: z.string().nullish(),
    name: z.string().nullish(),
    tz: z.string().nullish(),
    is_bot: z.boolean().nullish(),
    profile: z
      .object({ display_name: z.string().nullish(), real_name: z.string().nullish(), email: z.string().nullish() })
      .nullish(),
  }),
});

export function openSlack(address: SlackWorkspaceAddress): SlackPort {
  const call = async <T>(method: string, parameters: Readonly<Record<string, unknown>>, reply: z.ZodType<T>) =>
    await callSlack(address, method, parameters, reply);
  return {
    async post({ channel, thread, text, blocks, key }) {
      const metadata = { event_type: EVENT_TYPE, event_payload: { id: key } };
      const said = { text, blocks: toBlocks(blocks), unfurl_links: false, unfurl_media: false };
      const done = await call("chat.postMessage", { channel, thread_ts: thread, ...said, metadata }, posted);
      return done.ok ? ok({ channel: done.value.channel, ts: done.value.ts }) : done;
    },
    async update({ channel, ts, text, blocks }) {
      return toNothing(await call("chat.update", { channel, ts, text, blocks }, NOTHING));
    },
    async whisper({ channel, user: to, thread, text, blocks }) {
      const said = { text, blocks: toBlocks(blocks) };
      return toNothing(await call("chat.postEphemeral", { channel, user: to, thread_ts: thread, ...said }, NOTHING));
    },
    async respond(url, { text, blocks, isEphemeral, replaces }) {
      return await respond(address, url, {
        text,
        ...(blocks.length > 0 && { blocks }),
        response_type: isEphemeral ? "ephemeral" : "in_channel",
        replace_original: replaces,
      });
    },
    async openView(trigger, given) {
      const done = await call("views.open", { trigger_id: trigger, view: given }, view);
      return done.ok ? ok({ id: done.value.view.id }) : done;
    },
    async updateView(id, given) {
      return toNothing(await call("views.update", { view_id: id, view: given }, NOTHING));
    },
    user: async (id) => toPerson(await call("users.info", { user: id }, user)),
    userByEmail: async (email) => toPerson(await call("users.lookupByEmail", { email }, user)),
    async openConversation(person) {
      const reply = z.object({ channel: z.object({ id: z.string() }) });
      const done = await call("conversations.open", { users: person }, reply);
      return done.ok ? ok(done.value.channel.id) : done;
    },
    listOwnMessages: async (place) => await listMessagesSince(address, place),
    listMessagesBefore: async (place) => await listMessagesBefore(address, place),
    findChannel: async (name) => await findChannel(address, name),
    async permalink({ channel, ts }) {
      const done = await call("chat.getPermalink", { channel, message_ts: ts }, z.object({ permalink: z.string() }));
      return done.ok ? ok(done.value.permalink) : done;
    },
    upload: async (file) => await uploadFile(address, file),
    download: async (url, maxBytes) => await downloadFile(address, url, maxBytes),
    whoAmI: async () => await whoAmI(address),
  };
}

/** Slack rejects an empty list, so a message without blocks omits it. */
function toBlocks<T>(blocks: readonly T[]): readonly T[] | undefined {
  return blocks.length > 0 ? blocks : undefined;
}

function toNothing(done: Result<unknown>): Result<void> {
  return done.ok ? ok(undefined) : done;
}

function toPerson(done: Result<z.output<typeof user>>): Result<SlackUser> {
  if (!done.ok) return done;
  const { id, team_id: team, name, tz, is_bot: isBot, profile } = done.value.user;
  const shown = [profile?.display_name, profile?.real_name, name].find(
    (one) => one !== undefined && one !== null && one !== "",
  );
  return ok({
    id,
    team: team ?? "",
    name: shown ?? id,
    email: profile?.email ?? null,
    timeZone: tz ?? null,
    isBot: isBot ?? false,
  });
}

async function respond(from: SlackAddress, url: string, body: unknown): Promise<Result<void>> {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  return await fetchFromSlack({ url, from, init, timeoutMs: RESPOND_MS, read: discardBody });
}

/**
 * Lists the bot's messages since a time, including the first message of a thread that the bot started. Fails with
 * `too_large` beyond the pages that are read.
 */
async function listMessagesSince(
  address: SlackWorkspaceAddress,
  { channel, thread, since }: MessagesSince,
): Promise<Result<readonly OwnMessage[]>> {
  const reply = z.object({ messages: z.array(message), response_metadata: cursor });
  const [method, place] = thread === null ? ["conversations.history", {}] : ["conversations.replies", { ts: thread }];
  const oldest = String(Math.max(0, since - CLOCK_SKEW_MS) / 1000);
  const found: OwnMessage[] = [];
  for (let page = 0, next = ""; page < MAX_PAGES; page += 1) {
    const more = { limit: MESSAGES_A_PAGE, include_all_metadata: true, ...(next !== "" && { cursor: next }) };
    const done = await callSlack(address, method, { channel, ...place, oldest, ...more }, reply);
    if (!done.ok) return done;
    const own = done.value.messages.filter(({ user: from }) => from === address.botUser);
    for (const { ts, metadata, files } of own) {
      const key = metadata?.event_type === EVENT_TYPE ? (metadata.event_payload.id ?? null) : null;
      const its = (files ?? []).map(({ title, size }) => ({ title: title ?? "", size: size ?? null }));
      found.push({ channel, ts, key, files: its });
    }
    next = done.value.response_metadata?.next_cursor ?? "";
    if (next === "") return ok(found);
  }
  return failed("too_large", "This Slack conversation has more messages than Otto can read.");
}

async function listMessagesBefore(
  address: SlackAddress,
  { channel, thread, before }: MessagesBefore,
): Promise<Result<readonly ThreadMessage[]>> {
  const reply = z.object({ messages: z.array(threadMessage), response_metadata: cursor });
  const found: ThreadMessage[] = [];
  for (let page = 0, next = ""; page < MAX_PAGES; page += 1) {
    const more = { latest: before, limit: MESSAGES_A_PAGE, ...(next !== "" && { cursor: next }) };
    const done = await callSlack(address, "conversations.replies", { channel, ts: thread, ...more }, reply);
    if (!done.ok) return done;
    for (const { ts, user: from, text, files } of done.value.messages) {
      const its = (files ?? []).map(({ name }) => name ?? "file");
      if (Number(ts) < Number(before)) found.push({ ts, user: from ?? null, text: text ?? "", files: its });
    }
    next = done.value.response_metadata?.next_cursor ?? "";
    if (next === "") break;
  }
  return ok(found);
}

async function findChannel(address: SlackAddress, name: string): Promise<Result<string>> {
  const reply = z.object({
    channels: z.array(z.object({ id: z.string(), name: z.string().nullish() })),
    response_metadata: cursor,
  });
  for (let page = 0, next = ""; page < MAX_PAGES; page += 1) {
    const more = { limit: CHANNELS_A_PAGE, exclude_archived: true, types: "public_channel,private_channel" };
    const given = { ...more, ...(next !== "" && { cursor: next }) };
    const done = await callSlack(address, "conversations.list", given, reply);
    if (!done.ok) return done;
    const found = done.value.channels.find((channel) => channel.name === name);
    if (found !== undefined) return ok(found.id);
    next = done.value.response_metadata?.next_cursor ?? "";
    if (next === "") break;
  }
  return notSent("not_found", `Otto cannot see a Slack channel #${name}.`, { cause: ANSWERED });
}

async function whoAmI(address: SlackAddress): ReturnType<SlackPort["whoAmI"]> {
  const reply = z.object({
    url: z.string(),
    team: z.string(),
    team_id: z.string(),
    user_id: z.string(),
    bot_id: z.string().nullish(),
    headers: z.instanceof(Headers),
  });
  const done = await callSlack(address, "auth.test", {}, reply);
  if (!done.ok) return done;
  const { url, team: teamName, team_id: team, user_id: bot, bot_id: id, headers } = done.value;
  const scopes = headers.get("x-oauth-scopes");
  const list = scopes?.split(",").map((scope) => scope.trim()) ?? null;
  return ok({ team, teamName, user: bot, bot: id ?? null, url, scopes: list });
}

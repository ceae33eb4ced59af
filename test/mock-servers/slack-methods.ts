/** Implements the mocked methods of Slack's Web API, with Slack's error names. */
import type { SlackChannel, SlackMessage, SlackWorkspace } from "./slack-workspace.ts";

/** The arguments of a call. JSON in a form is parsed. */
export type SlackArguments = Readonly<Record<string, unknown>>;
type Answer = Record<string, unknown>;
type Method = (workspace: SlackWorkspace, given: SlackArguments, base: string) => Answer;

/** A reply with `ok: false`. */
class Refusal extends Error {}

/** Answers a call. The status is always 200, as with Slack. */
export function answerMethod(name: string, workspace: SlackWorkspace, given: SlackArguments, base: string): Answer {
  const method = METHODS[name];
  if (method === undefined) return { ok: false, error: "unknown_method", req_method: name };
  try {
    return { ok: true, ...method(workspace, given, base) };
  } catch (thrown) {
    if (thrown instanceof Refusal) return { ok: false, error: thrown.message };
    throw thrown;
  }
}

const METHODS: Readonly<Record<string, Method>> = {
  "auth.test": (workspace) => ({
    url: `https://${workspace.team.toLowerCase()}.slack.com/`,
    team: workspace.name,
    user: "otto",
    team_id: workspace.team,
    user_id: workspace.botUser,
    bot_id: workspace.botId,
    app_id: workspace.appId,
    is_enterprise_install: false,
  }),
  "chat.postMessage": (workspace, given) => {
    const channel = open(workspace, given);
    checkText(given);
    const threadTs = text(given, "thread_ts");
    if (threadTs !== null && !channel.messages.some(({ ts }) => ts === threadTs)) throw new Refusal("thread_not_found");
    const message = workspace.post(channel, {
      ...readMessage(workspace, given),
      ...(threadTs && { thread_ts: threadTs }),
    });
    return { channel: channel.id, ts: message.ts, message: formatMessage(message, false) };
  },
  "chat.update": (workspace, given) => {
    const channel = open(workspace, given);
    checkText(given);
    const message = findMessage(channel, text(given, "ts"), "message_not_found");
    if (message.user !== workspace.botUser) throw new Refusal("cant_update_message");
    Object.assign(message, readMessage(workspace, given), {
      edited: { user: workspace.botUser, ts: workspace.nextTs() },
    });
    return { channel: channel.id, ts: message.ts, text: message.text, message: formatMessage(message, false) };
  },
  "chat.delete": (workspace, given) => {
    const channel = visible(workspace, given);
    const message = findMessage(channel, text(given, "ts"), "message_not_found");
    if (message.user !== workspace.botUser) throw new Refusal("cant_delete_message");
    channel.messages.splice(channel.messages.indexOf(message), 1);
    return { channel: channel.id, ts: message.ts };
  },
  "chat.postEphemeral": (workspace, given) => {
    const channel = writable(workspace, given);
    checkText(given);
    if (!workspace.users.has(text(given, "user") ?? "")) throw new Refusal("user_not_in_channel");
    return { message_ts: workspace.nextTs(), channel: channel.id };
  },
  "chat.getPermalink": (workspace, given) => {
    const channel = visible(workspace, given);
    const { ts } = findMessage(channel, text(given, "message_ts"), "message_not_found");
    const place = `archives/${channel.id}/p${ts.replace(".", "")}`;
    return { channel: channel.id, permalink: `https://${workspace.team.toLowerCase()}.slack.com/${place}` };
  },
  "conversations.open": (workspace, given) => {
    const user = text(given, "users") ?? "";
    if (!workspace.users.has(user)) throw new Refusal("user_not_found");
    return { channel: { id: workspace.directWith(user).id } };
  },
  "conversations.info": (workspace, given) => ({ channel: channelFacts(workspace, visible(workspace, given)) }),
  "conversations.list": (workspace, given) => {
    const types = new Set((text(given, "types") ?? "public_channel").split(","));
    const all = [...workspace.channels.values()].filter(({ isDirect, isPrivate, isMember }) =>
      isPrivate ? isMember && types.has("private_channel") : !isDirect && types.has("public_channel"),
    );
    const page = getPage(all, given, 100);
    return { channels: page.part.map((channel) => channelFacts(workspace, channel)), ...page.next };
  },
  "conversations.history": (workspace, given) => {
    const channel = readable(workspace, given);
    const roots = channel.messages.filter(({ ts, thread_ts: thread }) => thread === undefined || thread === ts);
    return messagePage(roots.toReversed(), given);
  },
  "conversations.replies": (workspace, given) => {
    const channel = readable(workspace, given);
    const root = findMessage(channel, text(given, "ts"), "thread_not_found");
    return messagePage([root, ...channel.messages.filter((one) => one.thread_ts === root.ts && one !== root)], given);
  },
  "users.info": (workspace, given) => ({ user: userFacts(workspace, text(given, "user"), "user_not_found") }),
  "users.lookupByEmail": (workspace, given) => {
    const email = text(given, "email")?.toLowerCase();
    const found = [...workspace.users.values()].find(
      (user) => user.email !== null && user.email.toLowerCase() === email,
    );
    return { user: userFacts(workspace, found?.id ?? null, "users_not_found") };
  },
  "views.open": (workspace, given) => {
    const trigger = text(given, "trigger_id");
    if (trigger === null || !/^\d+\.\d+\.[a-z0-9]+$/.test(trigger)) throw new Refusal("invalid_trigger_id");
    return { view: storeView(workspace, workspace.nextId("V"), given["view"]) };
  },
  "views.update": (workspace, given) => {
    const id = text(given, "view_id") ?? "";
    if (!workspace.views.has(id)) throw new Refusal("not_found");
    return { view: storeView(workspace, id, given["view"]) };
  },
  "reactions.add": (workspace, given) => {
    const message = findMessage(visible(workspace, given), text(given, "timestamp"), "message_not_found");
    const name = text(given, "name") ?? "";
    const reactions = (message.reactions ??= []);
    if (reactions.some((reaction) => reaction.name === name)) throw new Refusal("already_reacted");
    reactions.push({ name, users: [workspace.botUser], count: 1 });
    return {};
  },
  "files.getUploadURLExternal": (workspace, given, base) => {
    const [name, length] = [text(given, "filename"), Number(given["length"])];
    if (name === null || !Number.isInteger(length) || length < 1) throw new Refusal("invalid_arguments");
    const id = workspace.nextId("F");
    const mimetype = "application/octet-stream";
    workspace.files.set(id, { id, name, title: name, bytes: null, mimetype, shared: null });
    return { upload_url: `${base}/upload/v1/${workspace.team}/${id}`, file_id: id };
  },
  "files.completeUploadExternal": (workspace, given) => completeUpload(workspace, given),
  "files.info": (workspace, given, base) => {
    const file = workspace.files.get(text(given, "file") ?? "");
    if (file === undefined) throw new Refusal("file_not_found");
    const place = file.shared && { [file.shared.channel]: [{ ts: file.shared.ts, thread_ts: file.shared.threadTs }] };
    return { file: { ...fileFacts(workspace, file.id, base), shares: place === null ? {} : { public: place } } };
  },
};

/** Formats a file as in messages and `files.info`. `url_private` requires the bot's token. */
export function fileFacts(workspace: SlackWorkspace, id: string, base: string): Answer {
  const file = workspace.files.get(id);
  if (file === undefined) throw new Refusal("file_not_found");
  const url = `${base}/files-pri/${workspace.team}-${id}`;
  return {
    id,
    created: Math.floor(Date.now() / 1000),
    name: file.name,
    title: file.title,
    mimetype: file.mimetype,
    filetype: file.name.split(".").at(-1) ?? "binary",
    size: file.bytes?.byteLength ?? 0,
    mode: "hosted",
    is_external: false,
    url_private: `${url}/${encodeURIComponent(file.name)}`,
    url_private_download: `${url}/download/${encodeURIComponent(file.name)}`,
  };
}

function completeUpload(workspace: SlackWorkspace, given: SlackArguments): Answer {
  const listed = given["files"];
  if (!Array.isArray(listed) || listed.length === 0) throw new Refusal("invalid_arguments");
  const files = (listed as { id: string; title?: string }[]).map(({ id, title }) => {
    const file = workspace.files.get(id);
    if (file?.bytes == null || file.shared !== null) throw new Refusal("file_not_found");
    file.title = title ?? file.title;
    return file;
  });
  const named = text(given, "channel_id");
  if (named !== null) {
    const channel = writable(workspace, { channel: named });
    const threadTs = text(given, "thread_ts");
    const message = workspace.post(channel, {
      user: workspace.botUser,
      bot_id: workspace.botId,
      app_id: workspace.appId,
      text: text(given, "initial_comment") ?? "",
      files: files.map(({ id, name, title, bytes }) => ({ id, name, title, size: bytes?.byteLength ?? 0 })),
      ...(threadTs !== null && { thread_ts: threadTs }),
    });
    for (const file of files) file.shared = { channel: channel.id, ts: message.ts, threadTs };
  }
  return { files: files.map(({ id, title }) => ({ id, title })) };
}

/** Reads the bot's message and checks Slack's documented limits. */
function readMessage(workspace: SlackWorkspace, given: SlackArguments): Omit<SlackMessage, "type" | "team" | "ts"> {
  const { blocks, metadata } = given;
  return {
    user: workspace.botUser,
    bot_id: workspace.botId,
    app_id: workspace.appId,
    text: text(given, "text") ?? "",
    ...(blocks !== undefined && { blocks }),
    ...(metadata !== undefined && { metadata: metadata as NonNullable<SlackMessage["metadata"]> }),
  };
}

function checkText(given: SlackArguments): void {
  const { blocks } = given;
  const written = text(given, "text") ?? "";
  if (written === "" && blocks === undefined && given["attachments"] === undefined) throw new Refusal("no_text");
  if (written.length > 40_000) throw new Refusal("msg_too_long");
  if (blocks !== undefined && !areBlocks(blocks)) throw new Refusal("invalid_blocks");
  if (JSON.stringify(given["metadata"] ?? null).length > 16_384) throw new Refusal("metadata_too_large");
}

interface Block {
  readonly type?: unknown;
  readonly text?: { readonly text?: unknown };
  readonly elements?: readonly { readonly value?: string; readonly action_id?: string }[];
}

/** Checks the limits of https://docs.slack.dev/reference/block-kit: blocks of a message, texts, elements, values. */
function areBlocks(blocks: unknown): boolean {
  if (!Array.isArray(blocks) || blocks.length > 50) return false;
  return (blocks as Block[]).every((block) => {
    if (typeof block.type !== "string") return false;
    const words = block.text?.text;
    const most = block.type === "header" ? 150 : 3000;
    if (block.type === "section" && words !== undefined && (typeof words !== "string" || words === "")) return false;
    if (typeof words === "string" && words.length > most) return false;
    const elements = block.elements ?? [];
    if (block.type === "actions" && (elements.length === 0 || elements.length > 25)) return false;
    if (block.type === "context" && elements.length > 10) return false;
    return elements.every(({ value = "", action_id: id = "" }) => value.length <= 2000 && id.length <= 255);
  });
}

/** Checks the required fields of a modal. */
interface View {
  readonly type?: string;
  readonly title?: { readonly text?: string };
  readonly blocks?: unknown;
  readonly private_metadata?: string;
}

function storeView(workspace: SlackWorkspace, id: string, view: unknown): Answer {
  const { type, title, blocks, private_metadata: metadata = "" } = (view ?? {}) as View;
  const heading = title?.text ?? "";
  const isRight = type === "modal" && heading !== "" && heading.length <= 24 && Array.isArray(blocks);
  if (!isRight || metadata.length > 3000) throw new Refusal("invalid_arguments");
  const made = { ...(view as Answer), id, team_id: workspace.team, hash: `${Date.now()}.hash` };
  workspace.views.set(id, made);
  return made;
}

/** Finds a conversation that is visible to the bot: public, or one that it is in. */
function visible(workspace: SlackWorkspace, given: SlackArguments): SlackChannel {
  const channel = workspace.channel(text(given, "channel") ?? "");
  if (channel === null || (channel.isPrivate && !channel.isMember)) throw new Refusal("channel_not_found");
  return channel;
}

/** Finds a conversation whose messages the bot may read. */
function readable(workspace: SlackWorkspace, given: SlackArguments): SlackChannel {
  return requireMember(visible(workspace, given));
}

/** Finds a conversation in which the bot may post: `chat:write.public` includes public channels that it is not in. */
function open(workspace: SlackWorkspace, given: SlackArguments): SlackChannel {
  const channel = visible(workspace, given);
  if (channel.isArchived) throw new Refusal("is_archived");
  return channel;
}

/** Finds a conversation in which the bot has a member's other rights. */
function writable(workspace: SlackWorkspace, given: SlackArguments): SlackChannel {
  return requireMember(open(workspace, given));
}

function requireMember(channel: SlackChannel): SlackChannel {
  if (!channel.isMember) throw new Refusal("not_in_channel");
  return channel;
}

function findMessage(channel: SlackChannel, ts: string | null, missing: string): SlackMessage {
  const found = channel.messages.find((message) => message.ts === ts);
  if (found === undefined) throw new Refusal(missing);
  return found;
}

function messagePage(messages: readonly SlackMessage[], given: SlackArguments): Answer {
  const [oldest, latest] = [Number(given["oldest"] ?? 0), Number(given["latest"] ?? Infinity)];
  const within = messages.filter(({ ts }) => Number(ts) >= oldest && Number(ts) <= latest);
  const page = getPage(within, given, 100);
  const withMetadata = given["include_all_metadata"] === "true" || given["include_all_metadata"] === true;
  const part = page.part.map((message) => formatMessage(message, withMetadata));
  return { messages: part, has_more: page.next.response_metadata.next_cursor !== "", ...page.next };
}

function formatMessage(message: SlackMessage, withMetadata: boolean): Answer {
  const { metadata, ...rest } = message;
  return withMetadata && metadata !== undefined ? { ...rest, metadata } : rest;
}

function getPage<T>(all: readonly T[], given: SlackArguments, standard: number) {
  const from = Number(atob(text(given, "cursor") ?? "") || 0);
  const limit = Math.min(Number(given["limit"] ?? standard), 999);
  const end = from + limit;
  const next = { response_metadata: { next_cursor: end < all.length ? btoa(String(end)) : "" } };
  return { part: all.slice(from, end), next };
}

function channelFacts(
  workspace: SlackWorkspace,
  { id, name, isDirect, isPrivate, isArchived, isMember, user }: SlackChannel,
) {
  const kind = isDirect ? { is_im: true, user } : { name, name_normalized: name, is_channel: true, is_im: false };
  return {
    id,
    ...kind,
    is_archived: isArchived,
    is_member: isMember,
    is_private: isDirect || isPrivate,
    context_team_id: workspace.team,
  };
}

function userFacts(workspace: SlackWorkspace, id: string | null, missing: string): Answer {
  const user = workspace.users.get(id ?? "");
  if (user === undefined) throw new Refusal(missing);
  const { name, realName, email, tz, isBot, team } = user;
  const profile = { real_name: realName, display_name: name, ...(email !== null && { email }), team };
  return { id: user.id, team_id: team, name, deleted: false, real_name: realName, tz, is_bot: isBot, profile };
}

function text(given: SlackArguments, name: string): string | null {
  const value = given[name];
  return typeof value === "string" && value !== "" ? value : null;
}

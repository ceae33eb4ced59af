/** Turns Slack's requests into inbox items: who did what where, without unused fields. */
import { z } from "zod";
import type { JsonState } from "../../tool/tool.ts";
import type { InboxItem } from "../inbox/inbox.ts";
import { findMentions } from "./plain-text.ts";
import { readWrittenText } from "./views.ts";

/** A file of a message. */
export interface MessageFile {
  readonly name: string;
  readonly size: number;
  /** Null when Slack sent no download address. */
  readonly url: string | null;
}

/** A message. `thread` is the `ts` of the first message of its thread; null outside a thread. */
export interface MessageBody {
  readonly user: string;
  /** The writer's workspace; null when Slack did not send it. */
  readonly userTeam: string | null;
  readonly channel: string;
  readonly ts: string;
  readonly thread: string | null;
  /** Who started that thread; null when Slack did not send it. */
  readonly parent: string | null;
  /** In Slack's form. */
  readonly text: string;
  /** True for a mention of Otto and for a direct message. */
  readonly isAddressed: boolean;
  /** Present for a direct message. Absent in an item of an earlier release. */
  readonly isDirect?: true;
  readonly files: readonly MessageFile[];
  /** How many files `MAX_FILES` left out. */
  readonly moreFiles: number;
}

export interface CommandBody {
  readonly user: string;
  readonly channel: string;
  readonly text: string;
  readonly responseUrl: string;
}

/** A click. `action` is the action's id, `value` what the clicked element carries. */
export interface ClickBody {
  readonly user: string;
  readonly userTeam: string | null;
  readonly channel: string;
  readonly ts: string;
  readonly thread: string | null;
  readonly action: string;
  readonly value: string;
  readonly triggerId: string;
  readonly responseUrl: string;
}

/** A submitted modal. `text` is the written text; null when empty. */
export interface SubmissionBody {
  readonly user: string;
  readonly userTeam: string | null;
  readonly callback: string;
  readonly metadata: string;
  readonly text: string | null;
}

/**
 * The app was uninstalled, or its token revoked. `at`: the latest time at which it happened, in milliseconds since the
 * epoch; null when Slack sent no time.
 */
export interface RevokedBody {
  readonly at: number | null;
}

/** Otto started a thread about this task. */
export interface ThreadStartedBody {
  readonly task: string;
}

export type SlackKind = "spoken" | "command" | "click" | "submission" | "begun" | "revoked";

/** An item, and the workspace whose inbox stores it. */
export interface SlackArrival {
  readonly team: string;
  readonly item: Omit<InboxItem, "receivedAt" | "kind"> & { readonly kind: SlackKind };
}

/** `ignored`: irrelevant for Otto. `unreadable`: not in the form that Slack documents. */
export type ReadResult<T> =
  | { readonly kind: "taken"; readonly value: T }
  | { readonly kind: "ignored" }
  | { readonly kind: "unreadable" };

/** Files of one message; Slack's clients allow ten. */
const MAX_FILES = 20;
const IGNORED = { kind: "ignored" } as const;
const UNREADABLE = { kind: "unreadable" } as const;

/** Slack's own ids are upper-case letters and digits. */
const id = z.string().regex(/^[A-Z][A-Z0-9]{1,30}$/);
const ts = z.string().regex(/^\d{1,12}\.\d{1,6}$/);
const address = z.string().max(3_000);

const file = z.object({
  name: z.string().nullish(),
  size: z.number().nullish(),
  url_private_download: z.string().nullish(),
  url_private: z.string().nullish(),
});

const event = z.object({
  type: z.string(),
  subtype: z.string().nullish(),
  user: z.string().nullish(),
  bot_id: z.string().nullish(),
  user_team: z.string().nullish(),
  source_team: z.string().nullish(),
  team: z.string().nullish(),
  channel: z.unknown().optional(),
  channel_type: z.string().nullish(),
  text: z.string().nullish(),
  ts: z.string().nullish(),
  thread_ts: z.string().nullish(),
  parent_user_id: z.string().nullish(),
  files: z.array(file).nullish(),
  tokens: z.object({ bot: z.array(z.string()).nullish() }).nullish(),
});

const envelope = z.object({
  event_id: z.string().min(1).max(200),
  event_time: z.number().nullish(),
  team_id: z.string().nullish(),
  authorizations: z.array(z.object({ team_id: z.string().nullish(), user_id: z.string().nullish() })).nullish(),
  event,
});

/** Subtypes of messages that people write; the others report edits, joins and the like. */
const MESSAGE_SUBTYPES: ReadonlySet<string> = new Set(["file_share", "thread_broadcast"]);

/** Reads the body of `/slack/events` other than `url_verification`. */
export function readEvent(body: unknown): ReadResult<SlackArrival> {
  const read = envelope.safeParse(body);
  if (!read.success) return UNREADABLE;
  const { event_id: eventId, event_time: seconds, team_id: teamId, authorizations, event: received } = read.data;
  const [installed] = authorizations ?? [];
  const team = id.safeParse(installed?.team_id ?? teamId);
  if (!team.success) return UNREADABLE;
  if (isUninstall(received)) {
    const body: RevokedBody = { at: seconds == null ? null : (seconds + 1) * 1000 - 1 };
    return toArrival(team.data, { id: eventId, lane: "app", kind: "revoked", body });
  }
  const spoken = readMessage(received, installed?.user_id ?? null);
  if (spoken.kind !== "taken") return spoken;
  const lane = getConversationKey(spoken.value.channel, spoken.value.thread ?? spoken.value.ts);
  return toArrival(team.data, { id: eventId, lane, kind: "spoken", body: spoken.value });
}

/** The queue key of a conversation: the thread under a message. */
export function getConversationKey(channel: string, root: string): string {
  return `${channel}/${root}`;
}

function isUninstall({ type, tokens }: z.output<typeof event>): boolean {
  return type === "app_uninstalled" || (type === "tokens_revoked" && (tokens?.bot ?? []).length > 0);
}

/**
 * Reads a message that may address Otto: a mention, a direct message or a reply in a thread. Where the app hears the
 * whole channel, a mention arrives twice; the `app_mention` counts.
 */
function readMessage(received: z.output<typeof event>, bot: string | null): ReadResult<MessageBody> {
  const { type, subtype, user, bot_id: botId, channel_type: channelType, text, files } = received;
  if (type !== "app_mention" && type !== "message") return IGNORED;
  if (subtype !== undefined && subtype !== null && !MESSAGE_SUBTYPES.has(subtype)) return IGNORED;
  if (typeof botId === "string" || typeof user !== "string" || user === bot) return IGNORED;
  const place = z.object({ user: id, channel: id, ts }).safeParse(received);
  const thread = ts.nullish().safeParse(received.thread_ts);
  if (!place.success || !thread.success) return UNREADABLE;
  const isDirect = channelType === "im";
  const isMention = type === "app_mention";
  if (!isMention && !isDirect && bot !== null && findMentions(text ?? "").includes(bot)) return IGNORED;
  const isReply = thread.data !== undefined && thread.data !== null && thread.data !== place.data.ts;
  if (!isMention && !isDirect && !isReply) return IGNORED;
  const all = files ?? [];
  const value: MessageBody = {
    ...place.data,
    // In a channel that two workspaces share; otherwise at most `team` is set, which is the writer's too.
    userTeam: received.user_team ?? received.source_team ?? received.team ?? null,
    thread: isReply ? (thread.data ?? null) : null,
    parent: received.parent_user_id ?? null,
    text: text ?? "",
    isAddressed: isMention || isDirect,
    ...(isDirect ? { isDirect: true } : {}),
    files: all.slice(0, MAX_FILES).map((one) => ({
      name: one.name ?? "file",
      size: one.size ?? 0,
      url: one.url_private_download ?? one.url_private ?? null,
    })),
    moreFiles: Math.max(0, all.length - MAX_FILES),
  };
  return { kind: "taken", value };
}

const command = z.object({
  team_id: id,
  channel_id: id,
  user_id: id,
  text: z.string(),
  response_url: address,
});

/** Reads the fields of `/slack/commands`. `name` identifies this request. */
export function readCommand(fields: Readonly<Record<string, string>>, name: string): ReadResult<SlackArrival> {
  const read = command.safeParse({ text: "", ...fields });
  if (!read.success) return UNREADABLE;
  const { team_id: team, channel_id: channel, user_id: user, text, response_url: responseUrl } = read.data;
  const body: CommandBody = { user, channel, text, responseUrl };
  return toArrival(team, { id: name, lane: `commands/${name}`, kind: "command", body });
}

const who = {
  user: z.object({ id, team_id: z.string().nullish() }),
  team: z.object({ id }),
};
const click = z.object({
  type: z.literal("block_actions"),
  ...who,
  trigger_id: z.string().max(500),
  response_url: address.nullish(),
  container: z.object({ message_ts: ts, channel_id: id, thread_ts: ts.nullish() }),
  actions: z
    .array(
      z.object({
        action_id: z.string().max(255),
        value: z.string().nullish(),
        selected_option: z.object({ value: z.string() }).nullish(),
      }),
    )
    .min(1),
});
const submission = z.object({
  type: z.literal("view_submission"),
  ...who,
  view: z.object({
    callback_id: z.string().max(255),
    private_metadata: z.string(),
    state: z.object({ values: z.unknown() }),
  }),
});

/** Reads the payload of `/slack/interactive`: a click on a message or a submitted modal. Others are ignored. */
export function readInteraction(payload: unknown, name: string): ReadResult<SlackArrival> {
  const { type } = z.object({ type: z.unknown() }).catch({ type: null }).parse(payload);
  if (type !== "block_actions" && type !== "view_submission") return IGNORED;
  const read = z.union([click, submission]).safeParse(payload);
  // A click inside a modal has no message.
  if (!read.success) return type === "block_actions" ? IGNORED : UNREADABLE;
  const { user, team } = read.data;
  const by = { user: user.id, userTeam: user.team_id ?? null };
  if (read.data.type === "view_submission") {
    const { callback_id: callback, private_metadata: metadata, state } = read.data.view;
    const body: SubmissionBody = { ...by, callback, metadata, text: readWrittenText(state.values) };
    return toArrival(team.id, { id: name, lane: `submissions/${name}`, kind: "submission", body });
  }
  const { container, actions, trigger_id: triggerId, response_url: responseUrl } = read.data;
  const { message_ts: messageTs, channel_id: channel, thread_ts: thread } = container;
  const [action] = actions;
  const body: ClickBody = {
    ...by,
    channel,
    ts: messageTs,
    thread: thread ?? null,
    action: action?.action_id ?? "",
    value: action?.selected_option?.value ?? action?.value ?? "",
    triggerId,
    responseUrl: responseUrl ?? "",
  };
  return toArrival(team.id, { id: name, lane: `clicks/${channel}/${messageTs}`, kind: "click", body });
}

function toArrival(
  team: string,
  { body, ...item }: Omit<SlackArrival["item"], "body"> & { readonly body: object },
): ReadResult<SlackArrival> {
  return { kind: "taken", value: { team, item: { ...item, body: body as JsonState } } };
}

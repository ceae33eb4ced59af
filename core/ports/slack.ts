/** The port to Slack's Web API, for one workspace with its bot's token. */
import type { Result } from "../base/errors.ts";

/** A block or a view of Block Kit, as JSON (https://docs.slack.dev/reference/block-kit). */
export type SlackJson = Readonly<Record<string, unknown>>;

/** The id of a message: a `ts` is unique only in its channel. */
export interface SlackRef {
  readonly channel: string;
  readonly ts: string;
}

/** The content of a message. `text` is mrkdwn, and the notification text of a message with blocks. */
export interface SlackContent {
  readonly text: string;
  readonly blocks: readonly SlackJson[];
}

export interface SlackPost extends SlackContent {
  /** The id of a conversation (`C…`, `D…`, `G…`), or `#name` of a channel. */
  readonly channel: string;
  /** The `ts` of the parent message of its thread; null begins a new thread. */
  readonly thread: string | null;
  /** Stored in the message's metadata, from which `listOwnMessages` returns it. */
  readonly key: string;
}

/** A message that only one person sees. */
export interface SlackWhisper extends SlackContent {
  readonly channel: string;
  readonly user: string;
  readonly thread: string | null;
}

/** A response to the `response_url` of a command or a click. */
export interface SlackResponse extends SlackContent {
  /** True if only the person sees it; false for the channel. */
  readonly isEphemeral: boolean;
  /** True to replace the clicked message. */
  readonly replaces: boolean;
}

/** A message of the bot, with its key. */
export interface OwnMessage extends SlackRef {
  /** Null if it was posted without one. */
  readonly key: string | null;
  /** `size` in bytes; null if unknown. */
  readonly files: readonly { readonly title: string; readonly size: number | null }[];
}

/** A message of any user in a thread. */
export interface ThreadMessage {
  readonly ts: string;
  /** `U…`; null if unknown. */
  readonly user: string | null;
  /** Text in Slack's format. */
  readonly text: string;
  /** Names of its files. */
  readonly files: readonly string[];
}

export interface SlackUser {
  readonly id: string;
  readonly team: string;
  /** The display name, otherwise the real name, otherwise the handle. */
  readonly name: string;
  readonly email: string | null;
  /** IANA. */
  readonly timeZone: string | null;
  readonly isBot: boolean;
}

/** The bot of a token. */
export interface SlackBot {
  readonly team: string;
  readonly teamName: string;
  /** `U…` */
  readonly user: string;
  readonly bot: string | null;
  /** The workspace's URL, with a final slash. */
  readonly url: string;
  /** Null if unknown. */
  readonly scopes: readonly string[] | null;
}

/** A file to share in a conversation. */
export interface SlackUpload {
  readonly channel: string;
  readonly thread: string | null;
  readonly name: string;
  readonly title: string;
  readonly bytes: Uint8Array;
}

/** A channel, or one of its threads, from a moment on. */
export interface MessagesSince {
  readonly channel: string;
  readonly thread: string | null;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** A thread until a message. */
export interface MessagesBefore {
  readonly channel: string;
  readonly thread: string;
  /** The message's `ts`. */
  readonly before: string;
}

/**
 * One workspace. Failures: `rate_limited` with `retryAfterMs`, `forbidden` (the token or its scopes), `not_found` (the
 * conversation, the person, the message), `conflict` (the conversation does not accept it), `invalid_input` (Slack
 * refuses the content), `too_large`, `upstream_failed`. `details.slack` is Slack's error code if it sent one;
 * `happened` is "no" when the request had no effect. No message contains the token. Never throws.
 */
export interface SlackPort {
  /** Posts a message. Neither links nor media in it are unfurled. */
  post(message: SlackPost): Promise<Result<SlackRef>>;
  /** Replaces the content of a bot's message. */
  update(message: SlackRef & SlackContent): Promise<Result<void>>;
  whisper(message: SlackWhisper): Promise<Result<void>>;
  /** `blocked_by_policy` for an address outside Slack. */
  respond(responseUrl: string, response: SlackResponse): Promise<Result<void>>;
  openView(triggerId: string, view: SlackJson): Promise<Result<{ readonly id: string }>>;
  updateView(id: string, view: SlackJson): Promise<Result<void>>;
  user(id: string): Promise<Result<SlackUser>>;
  userByEmail(email: string): Promise<Result<SlackUser>>;
  /** Returns the id of the direct messages with a person. */
  openConversation(user: string): Promise<Result<string>>;
  /**
   * Returns the bot's messages in a thread, or in a channel outside threads, from a time on; at most the latest 1,000.
   */
  listOwnMessages(place: MessagesSince): Promise<Result<readonly OwnMessage[]>>;
  /**
   * Returns the messages of a thread before the message `before`, including the first, in order; at most the first
   * 1,000.
   */
  listMessagesBefore(place: MessagesBefore): Promise<Result<readonly ThreadMessage[]>>;
  /** Returns the id of a channel by its name without `#`: a public one, or a private one that the bot is in. */
  findChannel(name: string): Promise<Result<string>>;
  /** Returns the URL of a message. */
  permalink(message: SlackRef): Promise<Result<string>>;
  /** Shares a file, by three calls. A failure before the last one has no effect. */
  upload(file: SlackUpload): Promise<Result<void>>;
  /**
   * Downloads a file of the workspace; `too_large` over `maxBytes`, `blocked_by_policy` for an address outside Slack.
   */
  download(
    url: string,
    maxBytes: number,
  ): Promise<Result<{ readonly bytes: Uint8Array; readonly contentType: string }>>;
  whoAmI(): Promise<Result<SlackBot>>;
}

/** The result of an OAuth installation. */
export interface SlackGrant {
  readonly token: string;
  readonly team: string;
  readonly teamName: string;
  readonly app: string;
  readonly bot: string;
  readonly scopes: readonly string[];
  /** The installing user. */
  readonly user: string;
}

/** The port that installs the app by OAuth. */
export interface SlackOAuthPort {
  /** `forbidden`: the code is wrong, used or too old, or the app's secret is wrong. */
  access(code: string, redirectUri: string): Promise<Result<SlackGrant>>;
}

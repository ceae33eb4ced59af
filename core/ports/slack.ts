/** The port to Slack: its Web API, for one workspace with the token of the bot that was installed there. */
import type { Result } from "../base/errors.ts";

/** A block or a view of Block Kit, as JSON (https://docs.slack.dev/reference/block-kit). */
export type SlackJson = Readonly<Record<string, unknown>>;

/** A message is known by both: a `ts` is unique in its channel only. */
export interface SlackRef {
  readonly channel: string;
  readonly ts: string;
}

/** What a message says. `text` is mrkdwn, and what notifications show of a message with blocks. */
export interface SlackWords {
  readonly text: string;
  readonly blocks: readonly SlackJson[];
}

export interface SlackPost extends SlackWords {
  /** The id of a conversation (`C…`, `D…`, `G…`), or `#name` of a channel. */
  readonly channel: string;
  /** The `ts` of the message under which it stands; null: it begins a thread of its own. */
  readonly thread: string | null;
  /** Kept in the message's metadata: `messagesSince` gives it back. */
  readonly key: string;
}

/** What may be said to one person alone. */
export interface SlackWhisper extends SlackWords {
  readonly channel: string;
  readonly user: string;
  readonly thread: string | null;
}

/** An answer to the `response_url` of a command or a click. */
export interface SlackResponse extends SlackWords {
  /** Seen by the person alone; false: by the channel. */
  readonly isEphemeral: boolean;
  /** It takes the place of the message that was clicked. */
  readonly replaces: boolean;
}

/** A message of the bot, with what tells it apart. */
export interface OwnMessage extends SlackRef {
  /** Null: it was posted without one. */
  readonly key: string | null;
  /** `size` in bytes; null: Slack did not say. */
  readonly files: readonly { readonly title: string; readonly size: number | null }[];
}

/** What anybody said in a thread. */
export interface ThreadMessage {
  readonly ts: string;
  /** `U…`; null: Slack did not say whose it is. */
  readonly user: string | null;
  /** In Slack's form. */
  readonly text: string;
  /** Names of the files that stand with it. */
  readonly files: readonly string[];
}

export interface SlackUser {
  readonly id: string;
  readonly team: string;
  /** As people see it: the display name, else the real one, else the handle. */
  readonly name: string;
  readonly email: string | null;
  /** IANA. */
  readonly timeZone: string | null;
  readonly isBot: boolean;
}

/** Who a token speaks for. */
export interface SlackBot {
  readonly team: string;
  readonly teamName: string;
  /** `U…` */
  readonly user: string;
  readonly bot: string | null;
  /** Of the workspace, with a slash at its end. */
  readonly url: string;
  /** Null: Slack did not say. */
  readonly scopes: readonly string[] | null;
}

/** A file to be shared in a conversation. */
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
 * place, the person, the message), `conflict` (the place does not take it), `invalid_input` (Slack refuses what it says),
 * `too_large`, `upstream_failed`. `details.slack` is Slack's own word where it gave one; `happened` is "no" when
 * the request surely had no effect. No message holds the token. Never throws.
 */
export interface SlackPort {
  /** Posts a message. Neither links nor media in it are unfurled. */
  post(message: SlackPost): Promise<Result<SlackRef>>;
  /** Makes a message of the bot say something else. */
  update(message: SlackRef & SlackWords): Promise<Result<void>>;
  whisper(message: SlackWhisper): Promise<Result<void>>;
  /** `blocked_by_policy`: the address is none of Slack's. */
  respond(responseUrl: string, response: SlackResponse): Promise<Result<void>>;
  openView(triggerId: string, view: SlackJson): Promise<Result<{ readonly id: string }>>;
  updateView(id: string, view: SlackJson): Promise<Result<void>>;
  user(id: string): Promise<Result<SlackUser>>;
  userByEmail(email: string): Promise<Result<SlackUser>>;
  /** The id of the direct messages with a person. */
  openConversation(user: string): Promise<Result<string>>;
  /** The bot's messages in a thread, or in a channel outside threads, from a moment on; at most the latest 1,000. */
  messagesSince(place: MessagesSince): Promise<Result<readonly OwnMessage[]>>;
  /** What was said in a thread before the message `before`, its beginning included, in order; at most the first 1,000. */
  saidBefore(place: MessagesBefore): Promise<Result<readonly ThreadMessage[]>>;
  /** The id of a channel by its name, without `#`: a public one, or a private one that the bot is in. */
  channelNamed(name: string): Promise<Result<string>>;
  /** Where people read a message. */
  permalink(message: SlackRef): Promise<Result<string>>;
  /** Shares a file, by three calls. What fails before the last of them surely had no effect. */
  upload(file: SlackUpload): Promise<Result<void>>;
  /** The bytes of a file of the workspace; `too_large` over `maxBytes`, `blocked_by_policy` for an address that is none of Slack's. */
  download(
    url: string,
    maxBytes: number,
  ): Promise<Result<{ readonly bytes: Uint8Array; readonly contentType: string }>>;
  whoAmI(): Promise<Result<SlackBot>>;
}

/** What an installation by OAuth gives. */
export interface SlackGrant {
  readonly token: string;
  readonly team: string;
  readonly teamName: string;
  readonly app: string;
  readonly bot: string;
  readonly scopes: readonly string[];
  /** Who installed it. */
  readonly user: string;
}

/** The door by which the app is installed. */
export interface SlackOAuthPort {
  /** `forbidden`: the code is wrong, used or too old, or the app's secret is wrong. */
  access(code: string, redirectUri: string): Promise<Result<SlackGrant>>;
}

/** The Slack context of an item: its workspace, the bot there, and how to reply to people. */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { slackFromEnv } from "../../../adapters/env/slack.ts";
import type { ItemOutcome, InboxItem } from "../../../core/channels/inbox/inbox.ts";
import { escapeText } from "../../../core/channels/slack/escape.ts";
import type { SlackInstall } from "../../../core/ports/slack-install-table.ts";
import type { SlackContent, SlackPort } from "../../../core/ports/slack.ts";
import { type Failure, isNotSent } from "../../../core/base/errors.ts";
import { canRetry } from "../../../core/gateway/outcome.ts";

export interface SlackContext {
  readonly env: Env;
  readonly tenant: string;
  readonly team: string;
  readonly install: SlackInstall;
  readonly slack: SlackPort;
  readonly item: InboxItem;
  /**
   * Milliseconds since the epoch. Long work starts nothing later, so that this attempt ends before its inbox gives it
   * up.
   */
  readonly until: number;
}

const STARTS_FOR_MS = 45_000;
/** When running calls to Slack end. */
const CALLS_FOR_MS = 50_000;

/** A person in a conversation. `thread` is null outside a thread. */
export interface SlackListener {
  readonly channel: string;
  readonly user: string;
  readonly thread: string | null;
}

/** Returns the Slack context of an item, or its outcome: an item of an unknown workspace is refused. */
export async function openContext(
  env: Env,
  team: string,
  item: InboxItem,
): Promise<{ readonly context: SlackContext } | { readonly handled: ItemOutcome }> {
  const now = Date.now();
  const tenant = await databaseFromEnv(env).slackInstalls.findTenant(team);
  if (!tenant.ok) return { handled: retryLater(tenant.error) };
  if (tenant.value === null) return { handled: NOT_INSTALLED };
  const installed = await slackFromEnv(env, { tenant: tenant.value, team, until: now + CALLS_FOR_MS });
  const until = now + STARTS_FOR_MS;
  if (Date.now() >= until) return { handled: TOO_LATE };
  if (installed.ok) return { context: { env, tenant: tenant.value, team, item, until, ...installed.value } };
  return { handled: installed.error.code === "not_found" ? NOT_INSTALLED : retryLater(installed.error) };
}

/** There is no time left to call Slack, and what Slack does not answer would be missing from the task. */
const TOO_LATE: ItemOutcome = { kind: "later", afterMs: 0, why: "The database took the whole time of the attempt." };
const NOT_INSTALLED: ItemOutcome = { kind: "refused", why: "Otto is not installed in this workspace." };

/** Whether a failure is temporary, so that the item is retried. */
export function isTemporary(failure: Failure): boolean {
  return canRetry("slack_item", failure);
}

export function retryLater({ code, message, retryAfterMs }: Failure): ItemOutcome {
  return { kind: "later", afterMs: retryAfterMs ?? 0, why: message, isUnexpected: code === "internal" };
}

/**
 * Sends one person a message in plain text, since it may contain names and texts of others. A failure is only logged.
 */
export async function whisper(context: SlackContext, to: SlackListener, text: string): Promise<void> {
  await whisperCard(context, to, { text: escapeText(text), blocks: [] });
}

/** Sends one person a message with buttons. A failure is only logged. */
export async function whisperCard(
  { slack, team }: SlackContext,
  { channel, user, thread }: SlackListener,
  words: SlackContent,
): Promise<void> {
  const sent = await slack.whisper({ channel, user, thread, ...words });
  if (!sent.ok) console.error("a message to a Slack member failed", team, sent.error.code, sent.error.message);
}

/**
 * Replies to a command or click in plain text, visible only to its author; Slack accepts that for half an hour.
 * Returns false if the reply surely failed, which is only logged.
 */
export async function respond({ slack, team }: SlackContext, responseUrl: string, text: string): Promise<boolean> {
  const sent = await slack.respond(responseUrl, {
    text: escapeText(text),
    blocks: [],
    isEphemeral: true,
    replaces: false,
  });
  if (sent.ok) return true;
  console.error("a message to a Slack member failed", team, sent.error.code, sent.error.message);
  return !isNotSent(sent.error);
}

/** A command or a click, to which Slack takes replies that only its author sees. */
interface Answerable extends Omit<SlackListener, "thread"> {
  readonly thread?: string | null;
  /** Empty if Slack sent none. */
  readonly responseUrl: string;
}

/** Returns what sends a message to the author of a command or a click alone. A failure is only logged. */
export function whisperTo(context: SlackContext, to: Answerable): (words: SlackContent) => Promise<void> {
  const { slack, team } = context;
  return async (words) => {
    const hidden = { ...words, isEphemeral: true, replaces: false };
    const sent = to.responseUrl === "" ? null : await slack.respond(to.responseUrl, hidden);
    if (sent?.ok === true) return;
    if (sent !== null) console.error("a message to a Slack member failed", team, sent.error.code, sent.error.message);
    if (sent === null || isNotSent(sent.error)) await whisperCard(context, { ...to, thread: to.thread ?? null }, words);
  };
}

/** Whether a person belongs to another workspace and is here through a shared channel. */
export function isOutsider({ team }: SlackContext, userTeam: string | null): boolean {
  return userTeam !== null && userTeam !== team;
}

export const FOR_MEMBERS =
  "Otto accepts no requests from members of another workspace. Ask a member of this workspace.";

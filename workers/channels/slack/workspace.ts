/** Where an item of a Slack inbox came from: whose workspace it is, its bot there, and how people are told things. */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { slackFromEnv } from "../../../adapters/env/slack.ts";
import type { ItemOutcome, InboxItem } from "../../../core/channels/inbox/inbox.ts";
import { escapeText } from "../../../core/channels/slack/escape.ts";
import type { SlackInstall } from "../../../core/ports/slack-install-table.ts";
import type { SlackPort } from "../../../core/ports/slack.ts";
import { type Failure, isNotSent } from "../../../core/base/errors.ts";
import { canRetry } from "../../../core/gateway/outcome.ts";

export interface SlackScene {
  readonly env: Env;
  readonly tenant: string;
  readonly team: string;
  readonly install: SlackInstall;
  readonly slack: SlackPort;
  readonly item: InboxItem;
  /** Milliseconds since the epoch: what takes long begins nothing later, so that this try ends before its inbox gives it up. */
  readonly until: number;
}

const BEGINS_FOR_MS = 45_000;
/** When calls of Slack that are under way end. */
const CALLS_FOR_MS = 50_000;

/** Somebody in a conversation. `thread`: the one that they are in; null: none. */
export interface SlackListener {
  readonly channel: string;
  readonly user: string;
  readonly thread: string | null;
}

/** The scene of an item; else what becomes of it: a workspace that is nobody's is refused. */
export async function sceneOf(
  env: Env,
  team: string,
  item: InboxItem,
): Promise<{ readonly scene: SlackScene } | { readonly handled: ItemOutcome }> {
  const now = Date.now();
  const tenant = await databaseFromEnv(env).slackInstalls.findTenant(team);
  if (!tenant.ok) return { handled: laterFor(tenant.error) };
  if (tenant.value === null) return { handled: NOT_INSTALLED };
  const installed = await slackFromEnv(env, { tenant: tenant.value, team, until: now + CALLS_FOR_MS });
  const until = now + BEGINS_FOR_MS;
  if (Date.now() >= until) return { handled: TOO_LATE };
  if (installed.ok) return { scene: { env, tenant: tenant.value, team, item, until, ...installed.value } };
  return { handled: installed.error.code === "not_found" ? NOT_INSTALLED : laterFor(installed.error) };
}

/** Slack could no longer be asked for anything, and what it does not answer is left out of a task. */
const TOO_LATE: ItemOutcome = { kind: "later", afterMs: 0, why: "The database took all the time that there was." };
const NOT_INSTALLED: ItemOutcome = { kind: "refused", why: "Otto is not installed in this workspace." };

/** True for what may pass: the item is worked again. */
export function mayPass(failure: Failure): boolean {
  return canRetry("slack_item", failure);
}

export function laterFor({ code, message, retryAfterMs }: Failure): ItemOutcome {
  return { kind: "later", afterMs: retryAfterMs ?? 0, why: message, isUnexpected: code === "internal" };
}

/** Tells one person something: plain words, since they may hold names and texts of others. That it did not reach them is logged, and changes nothing. */
export async function whisper({ slack, team }: SlackScene, to: SlackListener, text: string): Promise<void> {
  const told = await slack.whisper({
    channel: to.channel,
    user: to.user,
    thread: to.thread,
    text: escapeText(text),
    blocks: [],
  });
  if (!told.ok) console.error("somebody in Slack was not told", team, told.error.code, told.error.message);
}

/**
 * Answers a command or a click in plain words, for the eyes of who made it; Slack takes that for half an hour. False: it surely
 * did not reach them. That is logged, and changes nothing.
 */
export async function respond({ slack, team }: SlackScene, responseUrl: string, text: string): Promise<boolean> {
  const told = await slack.respond(responseUrl, {
    text: escapeText(text),
    blocks: [],
    isEphemeral: true,
    replaces: false,
  });
  if (told.ok) return true;
  console.error("somebody in Slack was not told", team, told.error.code, told.error.message);
  return !isNotSent(told.error);
}

/** True for a member of another workspace, who is here by a channel that both share. */
export function isOutsider({ team }: SlackScene, userTeam: string | null): boolean {
  return userTeam !== null && userTeam !== team;
}

export const FOR_MEMBERS =
  "Otto takes nothing here from members of another workspace. Ask somebody of this one to do it.";

/** What Slack's error codes mean here (https://docs.slack.dev/reference/methods lists them by method). */
import { getOwn } from "../../core/base/own-field.ts";
import { ANSWERED, maybeSent, notSent, type Result } from "../../core/base/errors.ts";

/** Delay after a rate limit for which Slack states no time. */
const DEFAULT_RETRY_AFTER_MS = 30_000;

const FORBIDDEN = "Otto's installation in this Slack workspace no longer works: install it again.";

/** The codes of errors that Slack reports itself. */
type RefusalCode = "conflict" | "forbidden" | "invalid_input" | "not_found" | "too_large";

/** Codes that mean more than that Slack rejects the content. */
const MEANINGS: Readonly<Record<string, readonly [RefusalCode, string]>> = {
  account_inactive: ["forbidden", FORBIDDEN],
  invalid_auth: ["forbidden", FORBIDDEN],
  not_authed: ["forbidden", FORBIDDEN],
  token_expired: ["forbidden", FORBIDDEN],
  token_revoked: ["forbidden", FORBIDDEN],
  org_login_required: ["forbidden", "The Slack workspace is being migrated and is unavailable."],
  ekm_access_denied: ["forbidden", "The Slack workspace's administrators have suspended posting."],
  access_denied: ["forbidden", "The Slack workspace does not permit this."],
  no_permission: ["forbidden", "The Slack workspace does not permit this."],
  not_allowed_token_type: ["forbidden", "This is not a bot token: Otto needs one that starts with xoxb-."],
  missing_scope: ["forbidden", "Otto's installation lacks a scope that this needs: install it again."],
  team_access_not_granted: ["forbidden", "Otto is not installed in this workspace of the organization."],
  bad_client_secret: ["forbidden", "Slack does not know Otto's client id and secret."],
  invalid_client_id: ["forbidden", "Slack does not know Otto's client id and secret."],
  invalid_code: ["forbidden", "Slack's code for the installation is wrong, used or too old: begin again."],
  code_already_used: ["forbidden", "Slack's code for the installation was used before: begin again."],
  bad_redirect_uri: ["forbidden", "The address that Slack returns to is not the one that Otto's app names."],
  channel_not_found: ["not_found", "Otto cannot see this Slack conversation. Invite Otto to it."],
  users_not_found: ["not_found", "No one in the Slack workspace has this address."],
  user_not_found: ["not_found", "There is no such person in the Slack workspace."],
  user_not_visible: ["not_found", "Otto cannot see this person in the Slack workspace."],
  message_not_found: ["not_found", "The Slack message is gone."],
  thread_not_found: ["not_found", "The Slack thread is gone."],
  view_not_found: ["not_found", "The Slack window is closed."],
  file_not_found: ["not_found", "The file is gone from Slack."],
  not_in_channel: ["conflict", "Otto is not in this Slack channel. Invite it with /invite."],
  is_archived: ["conflict", "The Slack channel is archived."],
  restricted_action: ["conflict", "Otto may not post in this Slack channel."],
  restricted_action_read_only_channel: ["conflict", "Otto may not post in this Slack channel."],
  restricted_action_thread_only_channel: ["conflict", "The Slack channel accepts only replies in threads."],
  restricted_action_thread_locked: ["conflict", "The Slack thread is locked."],
  restricted_action_non_threadable_channel: ["conflict", "The Slack channel accepts no threads."],
  cannot_dm_bot: ["conflict", "A bot accepts no direct messages from Otto."],
  user_disabled: ["conflict", "The person's Slack account is deactivated."],
  messages_tab_disabled: ["conflict", "Otto's app accepts no direct messages: enable its messages tab."],
  cant_update_message: ["conflict", "Slack does not let Otto change this message."],
  edit_window_closed: ["conflict", "The Slack message is too old to be changed."],
  expired_trigger_id: ["conflict", "The click is too old for a window to open. Click again."],
  exchanged_trigger_id: ["conflict", "This click already opened a window. Click again."],
  msg_too_long: ["too_large", "The message is too long for Slack."],
  msg_blocks_too_long: ["too_large", "The message is too long for Slack."],
};

/** Codes of a failure at Slack, after which it is unknown whether the call took effect. */
const FAILURES: ReadonlySet<string> = new Set([
  "fatal_error",
  "internal_error",
  "request_timeout",
  "service_unavailable",
]);

/** The failure of a reply with `ok: false`. */
export function toRefusal(word: string): Result<never> {
  if (word === "ratelimited" || word === "rate_limited") return failRateLimited(null);
  if (FAILURES.has(word))
    return maybeSent("upstream_failed", "Slack failed. Try again later.", {
      details: { slack: word, service: "slack" },
    });
  const [code, message] = getOwn(MEANINGS, word) ?? ["invalid_input", `Slack rejected this: ${word}.`];
  return notSent(code, message, { cause: ANSWERED, details: { slack: word } });
}

/** `seconds` is the value of Slack's `Retry-After`. */
export function failRateLimited(seconds: string | null): Result<never> {
  const given = seconds === null || seconds.trim() === "" ? Number.NaN : Number(seconds);
  const retryAfterMs = Number.isFinite(given) && given >= 0 ? Math.ceil(given * 1000) : DEFAULT_RETRY_AFTER_MS;
  return notSent("rate_limited", "Slack accepts no more calls from Otto at present. Try again later.", {
    retryAfterMs,
    cause: ANSWERED,
    details: { slack: "ratelimited", service: "slack", status: 429 },
  });
}

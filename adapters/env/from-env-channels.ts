/** What `from-env.ts` gives of channels: the objects that keep what comes in and goes out, and the runner that works both. */
import type { OutboxRpc } from "../../core/channels/outbox/delivery.ts";
import type { InboxRpc } from "../../core/channels/inbox/inbox.ts";
import type { ChannelsRpc } from "../../core/channels/rpc.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { judgeUrl } from "../egress/address.ts";
import type { SlackOAuthPort, SlackPort } from "../../core/ports/slack.ts";
import { slackSettings } from "./channel-settings.ts";
import type { ScheduleRpc } from "../../core/schedules/rpc.ts";
import { stubOf } from "./object-stub.ts";
import { openSlackOAuth } from "../slack/oauth.ts";
import { openSlack } from "../slack/slack.ts";
import type { Env } from "./bindings.ts";
import { forgetOldBehind } from "../files/forget-old.ts";
import { egressAllow } from "./settings.ts";

export { publicUrl as publicUrlFromEnv } from "./channel-settings.ts";
export * from "./from-env-mail.ts";

/** The runner of channels. */
export function channelsFromEnv(env: Env): ChannelsRpc {
  return env.CHANNELS as unknown as ChannelsRpc;
}

/** What Slack signs its requests with; null: Slack is not set up here. */
export function slackSigningSecretFromEnv(env: Env): string | null {
  return slackSettings(env).signingSecret;
}

/** The door by which the app is installed, and the id that Slack knows the app by; null: it is not set up here. */
export function slackOAuthFromEnv(env: Env): { readonly clientId: string; readonly port: SlackOAuthPort } | null {
  const { apiUrl, client } = slackSettings(env);
  return client === null ? null : { clientId: client.id, port: openSlackOAuth(apiUrl, client) };
}

/** The page of Slack where a person agrees to an installation: beside the Web API. */
export function slackAuthorizePageFromEnv(env: Env): string {
  return new URL("/oauth/v2/authorize", slackSettings(env).apiUrl).href;
}

/** Slack for a token that is not installed. */
export function slackOfTokenFromEnv(env: Env, token: string): Pick<SlackPort, "whoAmI"> {
  return openSlack({ apiUrl: slackSettings(env).apiUrl, token, botUser: "" });
}

/** An inbox by its name, as `core/channels/inbox/inbox.ts` says. */
export function inboxesFromEnv(env: Env): (name: string) => InboxRpc {
  return (name) => stubOf<InboxRpc>(env.INBOXES, name);
}

/** Deletes what is too old of what stands behind a key in the bucket. */
export async function forgetOldBlobsFromEnv(env: Env, place: Parameters<typeof forgetOldBehind>[1]): Promise<void> {
  await forgetOldBehind(env.FILES, place);
}

/** A schedule's object, by tenant and id. */
export function schedulesFromEnv(env: Env): (tenant: string, schedule: string) => ScheduleRpc {
  return (tenant, schedule) => stubOf<ScheduleRpc>(env.SCHEDULES, `${tenant}/${schedule}`);
}

/** An outbox by its name, as `outboxOf` gives it. */
export function outboxesFromEnv(env: Env): (name: string) => OutboxRpc {
  return (name) => stubOf<OutboxRpc>(env.OUTBOXES, name);
}

/**
 * The URL of an endpoint as it is requested: of a public place and by https, unless the operator opened its place.
 * `blocked_by_policy` says why another is not. What its name resolves to is judged when it is requested.
 */
export function endpointUrlFromEnv(env: Env, url: string): Result<string> {
  const judged = judgeUrl(url, egressAllow(env));
  if (!judged.ok) return failed("blocked_by_policy", judged.message, { field: "url" });
  if (judged.url.protocol !== "https:" && !judged.opened)
    return failed("blocked_by_policy", "Webhooks are sent by https only.", { field: "url" });
  return ok(judged.url.href);
}

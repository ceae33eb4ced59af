/** Slack: its variables, the app, and the bots of tenants. */
import { checkAddress, type Env, set } from "./bindings.ts";
import { databaseFromEnv } from "./database.ts";
import { resealFromEnv, sealingFromEnv } from "./secrets.ts";
import {
  type InstalledSlack,
  openInstalled,
  openNotes,
  sealToken,
  type SlackTokens,
  type SlackVisit,
} from "../slack/installed.ts";
import { openSlackOAuth } from "../slack/oauth.ts";
import { openSlack } from "../slack/slack.ts";
import type { Result } from "../../core/base/errors.ts";
import type { SlackNotesPort } from "../../core/ports/slack-notes.ts";
import type { SlackOAuthPort, SlackPort } from "../../core/ports/slack.ts";
import type { TaskFacts } from "../../core/task/state.ts";

const SLACK_API = "https://slack.com/api/";

/** Null parts: what needs them is not set up. */
export interface SlackSettings {
  /** Ends with a slash. */
  readonly apiUrl: string;
  /** What Slack signs its requests with; null: none is taken. */
  readonly signingSecret: string | null;
  /** Of the app, for installing it in a workspace by OAuth; null: only a bot's token can be pasted. */
  readonly client: { readonly id: string; readonly secret: string } | null;
}

export function slackSettings(env: Env): SlackSettings {
  checkAddress(env.SLACK_API_URL, "SLACK_API_URL");
  const [id, secret] = [set(env.SLACK_CLIENT_ID), set(env.SLACK_CLIENT_SECRET)];
  if ((id === null) !== (secret === null))
    throw new RangeError("SLACK_CLIENT_ID and SLACK_CLIENT_SECRET belong together: set both, or neither");
  const apiUrl = set(env.SLACK_API_URL) ?? SLACK_API;
  return {
    apiUrl: apiUrl.endsWith("/") ? apiUrl : `${apiUrl}/`,
    signingSecret: set(env.SLACK_SIGNING_SECRET),
    client: id === null || secret === null ? null : { id, secret },
  };
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

/** The page of Slack where a person agrees to an installation. It is not part of the Web API. */
export function slackAuthorizePageFromEnv(env: Env): string {
  return new URL("/oauth/v2/authorize", slackSettings(env).apiUrl).href;
}

/** Slack for a token that is not installed. */
export function slackOfTokenFromEnv(env: Env, token: string): Pick<SlackPort, "whoAmI"> {
  return openSlack({ apiUrl: slackSettings(env).apiUrl, token, botUser: "" });
}

/** A workspace of Slack as the tenant's bot there sees it; `not_found` if the tenant has no installation. */
export async function slackFromEnv(env: Env, visit: SlackVisit): Promise<Result<InstalledSlack>> {
  return await openInstalled(slackTokens(env), visit);
}

/** What a tenant's tools say in its workspaces. */
export function slackNotesFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">): SlackNotesPort {
  return openNotes(() => slackTokens(env), tenant);
}

function slackTokens(env: Env): SlackTokens {
  const { slackInstalls: table } = databaseFromEnv(env);
  return { table, sealing: sealingFromEnv(env), reseal: resealFromEnv(env), apiUrl: slackSettings(env).apiUrl };
}

/** The token of a bot as the database keeps it. */
export async function sealSlackTokenFromEnv(
  env: Env,
  tenant: string,
  bot: { readonly team: string; readonly token: string },
): Promise<string> {
  return await sealToken(sealingFromEnv(env), tenant, bot);
}

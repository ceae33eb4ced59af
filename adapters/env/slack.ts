/** Slack: its variables, the app, and the bots of tenants. */
import { checkAddress, type Env, readText } from "./bindings.ts";
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

/** A null part means that what needs it is not configured. */
export interface SlackSettings {
  /** Ends with a slash. */
  readonly apiUrl: string;
  /** The signing secret of Slack's requests; null: none is accepted. */
  readonly signingSecret: string | null;
  /** The app's credentials for OAuth installation; null: only a bot token can be pasted. */
  readonly client: { readonly id: string; readonly secret: string } | null;
}

export function readSlackSettings(env: Env): SlackSettings {
  checkAddress(env.SLACK_API_URL, "SLACK_API_URL");
  const [id, secret] = [readText(env.SLACK_CLIENT_ID), readText(env.SLACK_CLIENT_SECRET)];
  if ((id === null) !== (secret === null))
    throw new RangeError("SLACK_CLIENT_ID and SLACK_CLIENT_SECRET belong together: set both, or neither");
  const apiUrl = readText(env.SLACK_API_URL) ?? SLACK_API;
  return {
    apiUrl: apiUrl.endsWith("/") ? apiUrl : `${apiUrl}/`,
    signingSecret: readText(env.SLACK_SIGNING_SECRET),
    client: id === null || secret === null ? null : { id, secret },
  };
}

/** The signing secret of Slack's requests; null if Slack is not configured. */
export function slackSigningSecretFromEnv(env: Env): string | null {
  return readSlackSettings(env).signingSecret;
}

/** The OAuth port for installing the app, and the app's client id; null if it is not configured. */
export function slackOAuthFromEnv(env: Env): { readonly clientId: string; readonly port: SlackOAuthPort } | null {
  const { apiUrl, client } = readSlackSettings(env);
  return client === null ? null : { clientId: client.id, port: openSlackOAuth(apiUrl, client) };
}

/** The Slack page where a person agrees to an installation. It is not part of the Web API. */
export function slackAuthorizePageFromEnv(env: Env): string {
  return new URL("/oauth/v2/authorize", readSlackSettings(env).apiUrl).href;
}

/** Slack for a token that is not installed. */
export function slackOfTokenFromEnv(env: Env, token: string): Pick<SlackPort, "whoAmI"> {
  return openSlack({ apiUrl: readSlackSettings(env).apiUrl, token, botUser: "" });
}

/** A Slack workspace as the tenant's bot sees it; `not_found` if the tenant has no installation. */
export async function slackFromEnv(env: Env, visit: SlackVisit): Promise<Result<InstalledSlack>> {
  return await openInstalled(openSlackTokens(env), visit);
}

/** The messages that a tenant's tools post in its workspaces. */
export function slackNotesFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">): SlackNotesPort {
  return openNotes(() => openSlackTokens(env), tenant);
}

function openSlackTokens(env: Env): SlackTokens {
  const { slackInstalls: table } = databaseFromEnv(env);
  return { table, sealing: sealingFromEnv(env), reseal: resealFromEnv(env), apiUrl: readSlackSettings(env).apiUrl };
}

/** Seals a bot token for the database. */
export async function sealSlackTokenFromEnv(
  env: Env,
  tenant: string,
  bot: { readonly team: string; readonly token: string },
): Promise<string> {
  return await sealToken(sealingFromEnv(env), tenant, bot);
}

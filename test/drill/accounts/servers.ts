/** The outside of the accounts' drills: an app with its authorization server, and Slack, which receives the messages to people. */
import { type OAuthApp, startOAuthApp } from "../../mock-servers/oauth-app.ts";
import { startSlackServer } from "../../mock-servers/slack-server.ts";
import { SIGNING_SECRET } from "../channels/channels.ts";
import type { StageOptions } from "../stage.ts";

export interface AccountServers {
  readonly app: OAuthApp;
  readonly slackUrl: string;
  /** What a stage needs to reach them. */
  readonly options: Required<Pick<StageOptions, "hosts" | "env">>;
  close(): Promise<void>;
}

export async function startAccountServers(): Promise<AccountServers> {
  const [app, slack] = await Promise.all([startOAuthApp(), startSlackServer()]);
  const env = { SLACK_API_URL: `${slack.url}/api/`, SLACK_SIGNING_SECRET: SIGNING_SECRET };
  const close = async (): Promise<void> => {
    await Promise.all([app.close(), slack.close()]);
  };
  return { app, slackUrl: slack.url, options: { hosts: [app.host], env }, close };
}

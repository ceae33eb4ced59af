/** Installing the app in a workspace by OAuth (https://docs.slack.dev/authentication/installing-with-oauth). */
import { z } from "zod";
import type { SlackOAuthPort } from "../../core/ports/slack.ts";
import { ok } from "../../core/base/errors.ts";
import { callSlack } from "./call.ts";

const grant = z.object({
  access_token: z.string(),
  token_type: z.literal("bot"),
  scope: z.string(),
  bot_user_id: z.string(),
  app_id: z.string(),
  team: z.object({ id: z.string(), name: z.string().nullish() }),
  authed_user: z.object({ id: z.string() }),
});

/** `apiUrl` ends with a slash. */
export function openSlackOAuth(
  apiUrl: string,
  client: { readonly id: string; readonly secret: string },
): SlackOAuthPort {
  return {
    async access(code, redirectUri) {
      const given = { code, redirect_uri: redirectUri, client_id: client.id, client_secret: client.secret };
      const done = await callSlack({ apiUrl, token: null }, "oauth.v2.access", given, grant);
      if (!done.ok) return done;
      const { access_token: token, team, app_id: app, bot_user_id: bot, scope, authed_user: user } = done.value;
      const scopes = scope.split(",").filter((one) => one !== "");
      return ok({ token, team: team.id, teamName: team.name ?? team.id, app, bot, scopes, user: user.id });
    },
  };
}

/** The manifest of the Slack app that a workspace's administrator creates: its permissions and request URLs. */

/** The bot's permissions. */
export const BOT_SCOPES = [
  "app_mentions:read",
  "channels:history",
  "channels:read",
  "chat:write",
  "chat:write.public",
  "commands",
  "files:read",
  "files:write",
  "groups:history",
  "groups:read",
  "im:history",
  "im:read",
  "im:write",
  "mpim:history",
  "mpim:read",
  "users:read",
  "users:read.email",
] as const;

/** Events that Slack sends to the app. */
const BOT_EVENTS = [
  "app_mention",
  "app_uninstalled",
  "message.channels",
  "message.groups",
  "message.im",
  "message.mpim",
  "tokens_revoked",
] as const;

/** https://docs.slack.dev/reference/app-manifest. `base` is the Worker's public URL without a slash at its end. */
export function createSlackManifest(base: string) {
  return {
    _metadata: { major_version: 2 },
    display_information: {
      name: "Otto",
      description: "An agent that you can leave alone",
      background_color: "#1f2937",
    },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: "Otto", always_online: true },
      slash_commands: [
        {
          command: "/otto",
          url: `${base}/slack/commands`,
          description: "Ask Otto for something",
          usage_hint: "<what you want> | remind me … | status | stop | help",
          should_escape: true,
        },
      ],
    },
    oauth_config: { redirect_urls: [`${base}/slack/oauth`], scopes: { bot: [...BOT_SCOPES] } },
    settings: {
      event_subscriptions: { request_url: `${base}/slack/events`, bot_events: [...BOT_EVENTS] },
      interactivity: { is_enabled: true, request_url: `${base}/slack/interactive` },
      org_deploy_enabled: false,
      socket_mode_enabled: false,
      token_rotation_enabled: false,
    },
  };
}

/** Slack: docs/slack.md. */
import type { ChannelRecord } from "../channel.ts";

export const slack = {
  name: "slack",
  label: "Slack",
  hint: "#channel, or the id of a channel or a person",
  load: async () => (await import("./handlers.ts")).slackHandlers,
} as const satisfies ChannelRecord;

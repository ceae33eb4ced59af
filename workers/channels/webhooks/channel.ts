/** Webhooks, in and out: docs/webhooks.md. */
import type { ChannelRecord } from "../channel.ts";

export const webhook = {
  name: "webhook",
  label: "Webhook",
  hint: "The id of one of your webhooks",
  load: async () => (await import("./handlers.ts")).webhookHandlers,
} as const satisfies ChannelRecord;

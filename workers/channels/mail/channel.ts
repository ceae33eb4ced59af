/** Mail: docs/mail.md. */
import type { ChannelRecord } from "../channel.ts";

export const email = {
  name: "email",
  label: "Mail",
  hint: "One address, or several with commas",
  load: async () => (await import("./handlers.ts")).mailHandlers,
} as const satisfies ChannelRecord;

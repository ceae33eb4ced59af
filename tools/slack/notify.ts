import { isNotSent } from "../../core/base/errors.ts";
import { z } from "zod";
import type { NoteDestination, PostedNote, SlackNotesPort } from "../../core/ports/slack-notes.ts";
import { readIdTime } from "../../core/base/ids.ts";
import { parseChannel } from "../../core/channels/outbox/slack-destination.ts";
import { defineTool, failWith } from "../define-tool.ts";

const MAX_MESSAGE_CHARACTERS = 10_000;
/** Of a call whose key does not say when its task was made. */
const DAY_MS = 86_400_000;

const settings = z.object({
  team: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("The workspace that is meant where a call names none: its id or its name"),
  default_channel: z
    .string()
    .trim()
    .max(100)
    .refine((channel) => parseChannel(channel) !== null, { error: "write #name, or the id of a conversation" })
    .optional()
    .describe("The channel that is meant where a call names none: #name, or the id of a conversation"),
});

export default defineTool({
  name: "slack.notify",
  summary: "Post a message to Slack, in a channel of the team. It waits for no answer: to ask, use ask_human.",
  toolbox: "slack",
  category: "communication",
  permissions: ["network"],
  security: "dangerous",
  effect: "probe",
  needs: ["slack"],
  // People read messages in the order in which they come.
  touches: () => [{ resource: "connection:slack", mode: "write" }],
  settings,
  fills: { channel: "default_channel", team: "team" },
  aliases: { text: "message" },
  input: z.object({
    message: z.string().trim().min(1).max(MAX_MESSAGE_CHARACTERS).describe("Markdown"),
    channel: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .default("#general")
      .describe("#name, or the id of a conversation; omit it for the default"),
    team: z.string().trim().min(1).max(100).optional().describe("The workspace, where Otto is installed in several"),
  }),
  output: z.object({
    sent: z.literal(true),
    message: z.string().describe("As given"),
    channel: z.string().describe("The id of the conversation"),
    ts: z.string().describe("The id of the message in it"),
    permalink: z.string().nullable().describe("Where people read it"),
  }),
  async run({ message, channel, team }, { slack, key, config, nowMs }) {
    const place = { team: teamOf(team, config), channel, key };
    const posted = await slack.post({ ...place, text: message });
    if (posted.ok) return result(message, posted.value);
    const found = isNotSent(posted.error) ? null : await lookUp(slack, place, sinceOf(key, nowMs));
    return found === null ? failWith(posted.error) : result(message, found);
  },
  async probe({ message, channel, team }, { slack, key, config, nowMs }) {
    const place = { team: teamOf(team, config), channel, key };
    const found = await slack.find({ ...place, since: sinceOf(key, nowMs) });
    if (!found.ok) return { kind: "cannot_tell" };
    return found.value === null ? { kind: "not_happened" } : { kind: "happened", result: result(message, found.value) };
  },
  show: ({ channel, ts, permalink }) => `Posted to ${channel} (${permalink ?? ts}).`,
  examples: [
    { note: "tell a channel", given: { message: "The **nightly report** is ready.", channel: "#reports" } },
    { note: "to #general", given: { message: "Deployed version 1.4." } },
  ],
});

/** A call that an earlier release prepared lacks the workspace of the settings. */
function teamOf(team: string | undefined, config: Readonly<Record<string, unknown>>): string | null {
  return team ?? settings.parse(config).team ?? null;
}

/** A call's key holds the moment at which its task was made. */
function sinceOf(key: string, nowMs: number): number {
  return readIdTime(key) ?? nowMs - DAY_MS;
}

/** A message whose answer was lost is looked for once; null: it was not found, and may still come. */
async function lookUp(slack: SlackNotesPort, place: NoteDestination, since: number): Promise<PostedNote | null> {
  const found = await slack.find({ ...place, since });
  return found.ok ? found.value : null;
}

function result(message: string, { channel, ts, permalink }: PostedNote) {
  return { sent: true as const, message, channel, ts, permalink };
}

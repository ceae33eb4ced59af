/** Posts a tool's message to a channel through the tenant's Slack installations. Its key finds it again. */
import { asNotSent, type Failure, notSent, ok, type Result } from "../../base/errors.ts";
import { parseChannel } from "../outbox/slack-destination.ts";
import { toMessages } from "./pack.ts";
import type { SlackInstall } from "../../ports/slack-install-table.ts";
import type { PostedNote, SlackNotesPort } from "../../ports/slack-notes.ts";
import type { SlackPort, SlackRef } from "../../ports/slack.ts";

/** The installations of one tenant. */
export interface TenantInstalls {
  /** Those that work. */
  installs(): Promise<Result<readonly Pick<SlackInstall, "team" | "teamName">[]>>;
  open(team: string): Promise<Result<SlackPort>>;
}

const HOW_TO_INSTALL =
  "Slack is not connected. An administrator of the tenant installs Otto in a workspace with the address from POST /v1/slack/authorize.";

export function openSlackNotes(installed: TenantInstalls): SlackNotesPort {
  return {
    async post({ team, channel, key, text }) {
      const { messages, isWhole } = toMessages(text, 1);
      const [words] = messages;
      if (words === undefined) return notSent("invalid_input", "The message is empty.", { field: "message" });
      if (!isWhole) return notSent("too_large", "The message is too long for one of Slack's.", { field: "message" });
      const place = await findDestination(installed, team, channel);
      if (!place.ok) return place;
      const { slack, name } = place.value;
      // A lost connection does not say whether the message arrived, so an unreachable Slack is found before it is sent.
      const reached = await slack.whoAmI();
      if (!reached.ok) return asNotSent(reached.error);
      const posted = await slack.post({ channel: name, thread: null, ...words, key });
      return posted.ok ? ok(await withPermalink(slack, posted.value)) : withField(posted.error);
    },
    async find({ team, channel, key, since }) {
      const place = await findDestination(installed, team, channel);
      if (!place.ok) return place;
      const { slack, name } = place.value;
      const id = name.startsWith("#") ? await slack.findChannel(name.slice(1)) : ok(name);
      if (!id.ok) return id;
      const own = await slack.listOwnMessages({ channel: id.value, thread: null, since });
      if (!own.ok) return own;
      const found = own.value.find((message) => message.key === key);
      return ok(found === undefined ? null : await withPermalink(slack, found));
    },
  };
}

async function findDestination(
  installed: TenantInstalls,
  team: string | null,
  channel: string,
): Promise<Result<{ readonly slack: SlackPort; readonly name: string }>> {
  const name = parseChannel(channel.trim());
  if (name === null) {
    const message = `"${channel}" is not a channel: write #name, or the id of a conversation.`;
    return notSent("invalid_input", message, { field: "channel" });
  }
  const all = await installed.installs();
  if (!all.ok) return asNotSent(all.error);
  const chosen = chooseInstall(all.value, team);
  if (!chosen.ok) return chosen;
  const opened = await installed.open(chosen.value);
  return opened.ok ? ok({ slack: opened.value, name }) : asNotSent(opened.error);
}

/** The id of the workspace to use. */
function chooseInstall(all: readonly Pick<SlackInstall, "team" | "teamName">[], team: string | null): Result<string> {
  const [only, ...others] = all;
  if (only === undefined) return notSent("not_available", HOW_TO_INSTALL);
  const wanted = team?.trim().toLowerCase() ?? null;
  const named = all.filter((one) => [one.team, one.teamName].some((name) => name.toLowerCase() === wanted));
  const [first, ...more] = wanted === null ? [only, ...others] : named;
  if (first !== undefined && more.length === 0) return ok(first.team);
  const which = all.map((one) => `${one.team} (${one.teamName})`).join(", ");
  const problem =
    wanted === null
      ? "Otto is installed in several workspaces"
      : `the workspace "${team ?? ""}" is unknown or ambiguous`;
  return notSent("invalid_input", `${problem}: give one of ${which} as team.`, { field: "team" });
}

async function withPermalink(slack: SlackPort, { channel, ts }: SlackRef): Promise<PostedNote> {
  const link = await slack.permalink({ channel, ts });
  return { channel, ts, permalink: link.ok ? link.value : null };
}

/** Attributes a failure of the channel to its argument. */
function withField(error: Failure): Result<never> {
  const isOfPlace = error.code === "not_found" || error.code === "conflict";
  return { ok: false, error: isOfPlace ? { ...error, field: "channel" } : error };
}

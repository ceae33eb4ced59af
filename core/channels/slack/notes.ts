/** What a tool says in Slack through its tenant's installations: one message in a channel, that is found again by its key. */
import { asNotSent, type Failure, notSent, ok, type Result } from "../../base/errors.ts";
import { channelOf } from "../outbox/slack-place.ts";
import { messagesOf } from "./pack.ts";
import type { SlackInstall } from "../../ports/slack-install-table.ts";
import type { PostedNote, SlackNotesPort } from "../../ports/slack-notes.ts";
import type { SlackPort, SlackRef } from "../../ports/slack.ts";

/** The installations of one tenant. */
export interface Installed {
  /** Those that work. */
  installs(): Promise<Result<readonly Pick<SlackInstall, "team" | "teamName">[]>>;
  open(team: string): Promise<Result<SlackPort>>;
}

const HOW_TO_INSTALL =
  "Slack is not connected. An administrator of the tenant installs Otto in a workspace: POST /v1/slack/authorize gives the address at which that is done.";

export function openSlackNotes(installed: Installed): SlackNotesPort {
  return {
    async post({ team, channel, key, text }) {
      const { messages, isWhole } = messagesOf(text, 1);
      const [words] = messages;
      if (words === undefined) return notSent("invalid_input", "The message says nothing.", { field: "message" });
      if (!isWhole) return notSent("too_large", "The message is too long for one of Slack's.", { field: "message" });
      const place = await placeOf(installed, team, channel);
      if (!place.ok) return place;
      const { slack, name } = place.value;
      const posted = await slack.post({ channel: name, thread: null, ...words, key });
      return posted.ok ? ok(await shown(slack, posted.value)) : ofField(posted.error);
    },
    async find({ team, channel, key, since }) {
      const place = await placeOf(installed, team, channel);
      if (!place.ok) return place;
      const { slack, name } = place.value;
      const id = name.startsWith("#") ? await slack.findChannel(name.slice(1)) : ok(name);
      if (!id.ok) return id;
      const own = await slack.listOwnMessages({ channel: id.value, thread: null, since });
      if (!own.ok) return own;
      const found = own.value.find((message) => message.key === key);
      return ok(found === undefined ? null : await shown(slack, found));
    },
  };
}

async function placeOf(
  installed: Installed,
  team: string | null,
  channel: string,
): Promise<Result<{ readonly slack: SlackPort; readonly name: string }>> {
  const name = channelOf(channel.trim());
  if (name === null) {
    const message = `"${channel}" is no channel: write #name, or the id of a conversation.`;
    return notSent("invalid_input", message, { field: "channel" });
  }
  const all = await installed.installs();
  if (!all.ok) return asNotSent(all.error);
  const chosen = chosenInstall(all.value, team);
  if (!chosen.ok) return chosen;
  const opened = await installed.open(chosen.value);
  return opened.ok ? ok({ slack: opened.value, name }) : asNotSent(opened.error);
}

/** The id of the workspace that is meant. */
function chosenInstall(all: readonly Pick<SlackInstall, "team" | "teamName">[], team: string | null): Result<string> {
  const [only, ...others] = all;
  if (only === undefined) return notSent("not_available", HOW_TO_INSTALL);
  const wanted = team?.trim().toLowerCase() ?? null;
  const named = all.filter((one) => [one.team, one.teamName].some((name) => name.toLowerCase() === wanted));
  const [first, ...more] = wanted === null ? [only, ...others] : named;
  if (first !== undefined && more.length === 0) return ok(first.team);
  const which = all.map((one) => `${one.team} (${one.teamName})`).join(", ");
  const problem =
    wanted === null ? "Otto is installed in several workspaces" : `Otto is in no one workspace "${team ?? ""}"`;
  return notSent("invalid_input", `${problem}: give one of ${which} as team.`, { field: "team" });
}

async function shown(slack: SlackPort, { channel, ts }: SlackRef): Promise<PostedNote> {
  const link = await slack.permalink({ channel, ts });
  return { channel, ts, permalink: link.ok ? link.value : null };
}

/** What Slack says of the place is of the argument that names it. */
function ofField(error: Failure): Result<never> {
  const isOfPlace = error.code === "not_found" || error.code === "conflict";
  return { ok: false, error: isOfPlace ? { ...error, field: "channel" } : error };
}

/** A fake Slack workspace. */
import { openSlackNotes } from "../../core/channels/slack/notes.ts";
import type { SlackNotesPort } from "../../core/ports/slack-notes.ts";
import type { OwnMessage, SlackPort, SlackUpload, SlackUser, SlackContent } from "../../core/ports/slack.ts";
import { failed, notSent, ok, type Result } from "../../core/base/errors.ts";

/** A message of the bot, with its current text. */
export interface FakeMessage extends OwnMessage, SlackContent {
  readonly thread: string | null;
}

/** A conversation. `isOpen` is false if it is archived. */
export interface FakeChannel {
  readonly id: string;
  readonly name: string;
  readonly isOpen: boolean;
}

export interface FakeWorkspace {
  readonly team: string;
  readonly channels: readonly FakeChannel[];
  readonly users: readonly SlackUser[];
}

/** Its port, and its messages. */
export interface FakeSlack {
  readonly team: string;
  readonly slack: SlackPort;
  readonly messages: FakeMessage[];
  /** The token no longer works. */
  revoke(): void;
}

const WORKSPACE: FakeWorkspace = {
  team: "T1",
  channels: [
    { id: "C1", name: "general", isOpen: true },
    { id: "C3", name: "reports", isOpen: true },
  ],
  users: [],
};
/** Creates the tool's port over these workspaces. */
export function makeNotesPort(workspaces: readonly Pick<FakeSlack, "team" | "slack">[]): SlackNotesPort {
  return openSlackNotes({
    installs: async () => await Promise.resolve(ok(workspaces.map(({ team }) => ({ team, teamName: `Team ${team}` })))),
    async open(asked) {
      await Promise.resolve();
      const found = workspaces.find(({ team }) => team === asked);
      return found === undefined ? failed("not_found", "Not installed.") : ok(found.slack);
    },
  });
}

const SURE = { cause: { kind: "answered" } } as const;

export function fakeSlack({ team, channels, users }: FakeWorkspace = WORKSPACE): FakeSlack {
  const state = { isRevoked: false, lastTs: 0 };
  const messages: FakeMessage[] = [];
  const files = new Map<string, Uint8Array>();

  const place = (named: string): Result<string> => {
    if (state.isRevoked) return notSent("forbidden", "The token was revoked.", SURE);
    if (users.some(({ id }) => `D${id.slice(1)}` === named)) return ok(named);
    const found = channels.find(({ id, name }) => id === named || `#${name}` === named);
    if (found === undefined) return notSent("not_found", "There is no such conversation.", SURE);
    return found.isOpen ? ok(found.id) : notSent("conflict", "It is archived.", SURE);
  };
  const add = (channel: string, said: Omit<FakeMessage, "channel" | "ts">) => {
    state.lastTs = Math.max(state.lastTs + 1, Date.now() * 1000);
    const ts = `${Math.floor(state.lastTs / 1_000_000)}.${String(state.lastTs % 1_000_000).padStart(6, "0")}`;
    messages.push({ channel, ts, ...said });
    return { channel, ts };
  };
  const at = ({ channel, ts }: { channel: string; ts: string }) =>
    messages.findIndex((message) => message.channel === channel && message.ts === ts);
  const person = (found: SlackUser | undefined): Result<SlackUser> =>
    found === undefined ? notSent("not_found", "There is no such person.", SURE) : ok(found);
  const share = ({ channel, thread, title, bytes }: SlackUpload): Result<void> => {
    const found = place(channel);
    if (!found.ok) return found;
    const said = { key: null, text: "", blocks: [], thread, files: [{ title, size: bytes.length }] };
    files.set(`https://files.slack.com/${add(found.value, said).ts}`, bytes);
    return ok(undefined);
  };

  const slack: SlackPort = {
    async post({ channel, thread, text, blocks, key }) {
      await Promise.resolve();
      const found = place(channel);
      return found.ok ? ok(add(found.value, { key, text, blocks, thread, files: [] })) : found;
    },
    async update({ channel, ts, text, blocks }) {
      await Promise.resolve();
      const found = place(channel);
      if (!found.ok) return found;
      const index = at({ channel, ts });
      const old = messages[index];
      if (old === undefined) return notSent("not_found", "The message is gone.", SURE);
      messages[index] = { ...old, text, blocks };
      return ok(undefined);
    },
    async whisper({ channel }) {
      await Promise.resolve();
      const found = place(channel);
      return found.ok ? ok(undefined) : found;
    },
    async respond(url) {
      await Promise.resolve();
      const isSlacks = URL.parse(url)?.hostname === "hooks.slack.com";
      return isSlacks ? ok(undefined) : notSent("blocked_by_policy", "It is not an address of Slack.");
    },
    openView: async () => await Promise.resolve(ok({ id: "V1" })),
    updateView: async () => await Promise.resolve(ok(undefined)),
    user: async (asked) => await Promise.resolve(person(users.find(({ id }) => id === asked))),
    userByEmail: async (asked) => await Promise.resolve(person(users.find(({ email }) => email === asked))),
    async openConversation(user) {
      const found = await this.user(user);
      return found.ok ? ok(`D${user.slice(1)}`) : found;
    },
    async listOwnMessages({ channel, thread }) {
      await Promise.resolve();
      const found = place(channel);
      if (!found.ok) return found;
      const here = messages.filter(
        (one) => one.channel === found.value && (one.thread === thread || one.ts === thread),
      );
      return ok(here.map(({ ts, key, files: its }) => ({ channel: found.value, ts, key, files: its })));
    },
    async listMessagesBefore({ channel, thread, before }) {
      await Promise.resolve();
      const found = place(channel);
      if (!found.ok) return found;
      const here = messages.filter(
        (one) => one.channel === found.value && (one.thread === thread || one.ts === thread) && one.ts < before,
      );
      return ok(
        here.map(({ ts, text, files: its }) => ({ ts, user: "UBOT", text, files: its.map(({ title }) => title) })),
      );
    },
    async findChannel(name) {
      return await Promise.resolve(place(`#${name}`));
    },
    async permalink(ref) {
      await Promise.resolve();
      if (at(ref) === -1) return notSent("not_found", "The message is gone.", SURE);
      return ok(`https://${team.toLowerCase()}.slack.com/archives/${ref.channel}/p${ref.ts.replace(".", "")}`);
    },
    upload: async (file) => await Promise.resolve(share(file)),
    async download(url, maxBytes) {
      await Promise.resolve();
      if (URL.parse(url)?.hostname !== "files.slack.com")
        return notSent("blocked_by_policy", "It is not an address of Slack.");
      const bytes = files.get(url);
      if (bytes === undefined) return notSent("gone", "It has expired.", SURE);
      if (bytes.length > maxBytes) return failed("too_large", "It is too large.");
      return ok({ bytes, contentType: "application/octet-stream" });
    },
    async whoAmI() {
      await Promise.resolve();
      if (state.isRevoked) return notSent("forbidden", "The token was revoked.", SURE);
      const url = `https://${team.toLowerCase()}.slack.com/`;
      return ok({ team, teamName: team, user: "UBOT", bot: "BBOT", url, scopes: null });
    },
  };
  return { team, slack, messages, revoke: () => void (state.isRevoked = true) };
}

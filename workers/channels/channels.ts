/** The channels of the registry by name. */
import type { SecretRow } from "../../core/secrets/worker-secrets.ts";
import type { ChannelHandlers, ChannelRecord } from "./channel.ts";
import * as registry from "./registry.ts";

export type Channels = ReadonlyMap<string, ChannelRecord>;

type ChannelName = (typeof registry)[keyof typeof registry]["name"];

export const CHANNELS: Channels = new Map(
  Object.values<ChannelRecord>(registry).map((channel) => [channel.name, channel]),
);

export const CHANNEL_NAMES = Object.values(registry).map(({ name }) => name) as [ChannelName, ...ChannelName[]];

/** The secrets of all channels. */
export const CHANNEL_SECRETS: Readonly<Record<string, SecretRow>> = Object.fromEntries(
  [...CHANNELS.values()].flatMap(({ secrets = {} }) => Object.entries(secrets)),
);

/** Loads the code of a channel; null for an unknown channel. */
export async function loadHandlers(channels: Channels, name: string): Promise<ChannelHandlers | null> {
  return (await channels.get(name)?.load()) ?? null;
}

/** Loads the code that processes an inbox, by the first word of its name. Throws for an unknown channel. */
export async function loadReceiver(channels: Channels, inbox: string): Promise<ChannelHandlers> {
  const handlers = await loadHandlers(channels, inbox.split("/")[0] ?? "");
  if (handlers === null) throw new Error(`no channel processes the inbox ${inbox}`);
  return handlers;
}

/** Loads the code that sends by a channel. Throws for an unknown channel. */
export async function loadSender(channels: Channels, name: string): Promise<ChannelHandlers> {
  const handlers = await loadHandlers(channels, name);
  if (handlers === null) throw new Error(`there is no channel ${name}`);
  return handlers;
}

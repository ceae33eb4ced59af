/** The objects and the runner of channels. */
import { type Env, readVariable } from "./bindings.ts";
import { getStub } from "./object-stub.ts";
import type { InboxRpc } from "../../core/channels/inbox/inbox.ts";
import type { OutboxRpc } from "../../core/channels/outbox/delivery.ts";
import type { ChannelsRpc } from "../../core/channels/rpc.ts";

/** Reads a channel's own variable; null if unset. */
export function channelVariableFromEnv(env: Env, name: `OTTO_${string}`): string | null {
  return readVariable(env, name);
}

/** The runner of channels. */
export function channelsFromEnv(env: Env): ChannelsRpc {
  return env.CHANNELS as unknown as ChannelsRpc;
}

/** Returns an inbox by its name (`core/channels/inbox/inbox.ts`). */
export function inboxesFromEnv(env: Env): (name: string) => InboxRpc {
  return (name) => getStub<InboxRpc>(env.INBOXES, name);
}

/** Returns an outbox by its name. */
export function outboxesFromEnv(env: Env): (name: string) => OutboxRpc {
  return (name) => getStub<OutboxRpc>(env.OUTBOXES, name);
}

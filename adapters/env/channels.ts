/** The objects and the runner of channels. */
import { type Env, readVariable } from "./bindings.ts";
import { stubOf } from "./object-stub.ts";
import type { InboxRpc } from "../../core/channels/inbox/inbox.ts";
import type { OutboxRpc } from "../../core/channels/outbox/delivery.ts";
import type { ChannelsRpc } from "../../core/channels/rpc.ts";

/** A variable of a channel's own; null: it is not set. */
export function channelVariableFromEnv(env: Env, name: `OTTO_${string}`): string | null {
  return readVariable(env, name);
}

/** The runner of channels. */
export function channelsFromEnv(env: Env): ChannelsRpc {
  return env.CHANNELS as unknown as ChannelsRpc;
}

/** An inbox by its name, as `core/channels/inbox/inbox.ts` says. */
export function inboxesFromEnv(env: Env): (name: string) => InboxRpc {
  return (name) => stubOf<InboxRpc>(env.INBOXES, name);
}

/** An outbox by its name, from `getOutboxName`. */
export function outboxesFromEnv(env: Env): (name: string) => OutboxRpc {
  return (name) => stubOf<OutboxRpc>(env.OUTBOXES, name);
}

/** The record that a channel's folder exports. It imports no handler, so that reading the registry is cheap. */
import type { Env } from "../../adapters/env/bindings.ts";
import type { Attempt, Delivery, SendResult } from "../../core/channels/outbox/delivery.ts";
import type { ItemOutcome, InboxItem } from "../../core/channels/inbox/inbox.ts";
import type { TaskSource } from "../../core/task/source.ts";
import type { Result } from "../../core/base/errors.ts";
import type { AskDestination } from "../../core/people/route-ask.ts";
import type { SecretRow } from "../../core/secrets/worker-secrets.ts";
import type { JsonState } from "../../core/tool/tool.ts";
import type { AppContext } from "../http/context.ts";

export interface ChannelRecord {
  /**
   * In `deliver`, in a task's source, and at the start of the names of its inboxes (`slack/T1`). Never changed,
   * because it is stored.
   */
  readonly name: Lowercase<string>;
  /** The name for people. */
  readonly label: string;
  /** How to write a target, for the forms of the console. */
  readonly hint: string;
  /**
   * Secrets of a deployment, named `OTTO_<NAME>_…`. `channelVariableFromEnv` reads them and the variables that are
   * not secret.
   */
  readonly secrets?: Readonly<Record<`OTTO_${string}`, SecretRow>>;
  /** Loads the channel's code when the first item or delivery needs it. */
  readonly load: () => Promise<ChannelHandlers>;
}

/** The functions of a channel. Expected failures are values. */
export interface ChannelHandlers {
  /** Processes an item of an inbox. The item's id identifies the work, so that repeating it changes nothing. */
  readonly receive: Receiver;
  /** Attempts a delivery once. Expected failures are `later`, `dead` or `unknown`. */
  readonly send: Sender;
  /** Finds the tenant's targets that a caller's text in `deliver` means, in their stored form. */
  readonly resolve: (to: string, of: PlaceOwner) => Promise<Result<readonly string[]>>;
  /** Returns the tenant of an inbox, if its name or its item tells. Absent if they never do. */
  readonly findOwner?: (inbox: string, item: Pick<InboxItem, "body">) => string | null;
  /** Returns where a person at a target can be asked. Absent if nobody can. */
  readonly findStations?: (env: Env, tenant: string, to: string) => Promise<Result<readonly AskDestination[]>>;
  /** Deletes received items of an erased tenant. Idempotent. Absent for a channel without inboxes. */
  readonly eraseInboxes?: (env: Env, tenant: string) => Promise<void>;
  /**
   * Answers a request to `/channels/<name>/…`, such as a provider's event, and checks its sender. Absent for a
   * channel without such requests.
   */
  readonly answer?: (c: AppContext) => Promise<Response>;
}

export type Receiver = (env: Env, inbox: string, item: InboxItem, lane: JsonState | null) => Promise<ItemOutcome>;
export type Sender = (env: Env, delivery: Delivery, attempt: Attempt) => Promise<SendResult>;

/** The owner of the targets. `via` is the source of the task that delivers there. */
export interface PlaceOwner {
  readonly env: Env;
  readonly tenant: string;
  readonly via: TaskSource;
}

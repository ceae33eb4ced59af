/** What a channel is: the record that its folder exports. It imports no handler, so that reading the registry is cheap. */
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
  /** In `deliver`, in a task's source, and at the start of the names of its inboxes (`slack/T1`). Never changed: it is stored. */
  readonly name: Lowercase<string>;
  /** As people write it. */
  readonly label: string;
  /** How a place is written, for the forms of the console. */
  readonly hint: string;
  /** Secrets of a deployment that it needs, named `OTTO_<NAME>_…`. `channelVariableFromEnv` reads them, and variables that are not secret. */
  readonly secrets?: Readonly<Record<`OTTO_${string}`, SecretRow>>;
  /** Loads the channel's code when the first item or delivery needs it. */
  readonly load: () => Promise<ChannelHandlers>;
}

/** What a channel does. Expected failures are values. */
export interface ChannelHandlers {
  /** Works an item of an inbox. What it does is named by the item's id, so that to do it again changes nothing. */
  readonly receive: Receiver;
  /** Sends a delivery once. Expected failures are `later`, `dead` or `unknown`. */
  readonly send: Sender;
  /** Finds the tenant's places that a caller's words in `deliver` mean, in the form in which they are stored. */
  readonly resolve: (to: string, of: PlaceOwner) => Promise<Result<readonly string[]>>;
  /** The tenant that an inbox belongs to, as far as its name and its item say. Absent: they never say. */
  readonly findOwner?: (inbox: string, item: Pick<InboxItem, "body">) => string | null;
  /** Where somebody at a place can be asked. Absent: nobody can. */
  readonly findStations?: (env: Env, tenant: string, to: string) => Promise<Result<readonly AskDestination[]>>;
  /** Forgets what came in for an erased tenant. Can be done again. Absent: it has no inboxes. */
  readonly eraseInboxes?: (env: Env, tenant: string) => Promise<void>;
  /** Answers a request to `/channels/<name>/…`, such as a provider's event; checks who sent it. Absent: none come that way. */
  readonly answer?: (c: AppContext) => Promise<Response>;
}

export type Receiver = (env: Env, inbox: string, item: InboxItem, lane: JsonState | null) => Promise<ItemOutcome>;
export type Sender = (env: Env, delivery: Delivery, attempt: Attempt) => Promise<SendResult>;

/** Whose places they are. `via`: how the task came that delivers there. */
export interface PlaceOwner {
  readonly env: Env;
  readonly tenant: string;
  readonly via: TaskSource;
}

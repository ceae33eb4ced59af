/** Types of an outbox: deliveries, which are stored until they are sent once, and their outcomes. */
import type { JsonState } from "../../tool/tool.ts";
import type { Channel } from "../../task/source.ts";

export const DELIVERY_KINDS = [
  "result",
  "question",
  "approval",
  "notification",
  "reminder",
  "progress",
  "settled",
  "event",
  "alert",
  "reply",
] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

/** A message to one destination. Its id is derived from what it is about, so a repeated request sends once. */
export interface Delivery {
  /** `dlv_…` */
  readonly id: string;
  readonly tenant: string;
  readonly channel: Channel;
  /** In the form of its channel: `T…/C…`, `T…/C…/thread`, `T…/U…`, a mail address, or an endpoint's id. */
  readonly to: string;
  readonly kind: DeliveryKind;
  readonly task: string | null;
  /** The question, approval or progress that it is about: cancelling that cancels the delivery. */
  readonly about: string | null;
  /** What its sender reads; at most `MAX_CONTENT_CHARACTERS` as JSON. */
  readonly content: JsonState;
  /** The queue key: deliveries of one partition are sent in the order of `put`. */
  readonly lane: string;
  /** Of the unsent deliveries with one slot only the latest is sent. Null: it is always sent. */
  readonly slot: string | null;
  /** The name under which the channel's reply is stored for later deliveries. Null: it is not stored. */
  readonly keepAs: string | null;
  /** Names of stored replies of earlier deliveries in this outbox, for its sender. */
  readonly refs: readonly string[];
  /** Earliest time to send it, in milliseconds since the epoch. */
  readonly notBefore: number;
  /** Why it cannot be sent: it is stored as dead and never replayed. Absent for a sendable one. */
  readonly refused?: string;
  /** Fallbacks (to any destination of the tenant) that are sent when this one is dead. */
  readonly otherwise: readonly Delivery[];
  readonly createdAt: number;
}

export const MAX_CONTENT_CHARACTERS = 500_000;

/** What a sender knows about an attempt. */
export interface Attempt {
  /** From 1. */
  readonly number: number;
  /**
   * True when an earlier attempt may have been sent. Without look-up and idempotency key, the delivery is then
   * `unknown`.
   */
  readonly mayHaveLeft: boolean;
  /** Start of the first attempt that may have been sent, in ms since the epoch. Absent until then. */
  readonly mayHaveLeftSince?: number;
  /**
   * True when an ended attempt may have taken effect in part, which has to be looked up. Absent otherwise, and after a
   * person asked to resend an unknown delivery.
   */
  readonly mayBeInPart?: true;
  /** Stored replies by the names in `refs`; names without one are absent. */
  readonly refs: Readonly<Record<string, JsonState>>;
}

/**
 * How an attempt ended. `ref`: the channel's id of the delivery. `later`: a retry is safe; `pausesAllMs` pauses the
 * whole outbox for that time. `dead`: no retry can succeed. `unknown`: it may have been sent, and no look-up can tell.
 * `mayBeInPart`: a part may have taken effect, and the next attempt can look it up. `mayHaveLeft`: its answer was lost,
 * and the receiver recognises the next attempt by its key.
 */
export type SendResult =
  | { readonly kind: "sent"; readonly ref: JsonState | null }
  | {
      readonly kind: "later";
      readonly why: string;
      /** The provider's `Retry-After`. Null: the outbox backs off. */
      readonly afterMs: number | null;
      readonly pausesAllMs?: number;
      /**
       * A dependency of Otto was away, and nothing was sent. It does not count as a try, and is repeated within
       * seconds.
       */
      readonly isOurs?: true;
      readonly mayBeInPart?: true;
      readonly mayHaveLeft?: true;
      /** The attempt was lost inside Otto. It counts as cut off, with an unknown outcome. */
      readonly isCutOff?: true;
    }
  | { readonly kind: "dead"; readonly why: string; readonly mayBeInPart?: true }
  | { readonly kind: "unknown"; readonly why: string };

export const DELIVERY_STATES = ["waiting", "sending", "sent", "dead", "unknown", "called_off"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** True for a delivery that can be sent again. */
export function isReplayable(state: DeliveryState): boolean {
  return state === "dead" || state === "unknown" || state === "called_off";
}

/** How many deliveries are sent again, and how many there are beside them. */
export interface ReplayCount {
  readonly replayed: number;
  readonly left: number;
}

/** An outbox, named `{tenant}/email`, `{tenant}/slack/{team}` or so (`outboxOf`). */
export interface OutboxRpc {
  /** Stores deliveries durably, then sends them in the background. Putting one again can only make it earlier. */
  put(deliveries: readonly Delivery[]): Promise<void>;
  /** Cancels the unsent deliveries about this. */
  callOff(about: string): Promise<void>;
  /** Where deliveries about this were or may be sent. */
  placesOf(about: string): Promise<readonly DeliveryPlace[]>;
  /**
   * The latest questions that were posted to a conversation of the channel, without those that ended before `endedSince`
   * (milliseconds since the epoch).
   */
  questionsIn(conversation: string, endedSince: number, limit: number): Promise<readonly PostedQuestion[]>;
  /**
   * Resends a dead, unknown or cancelled delivery under the same id. False when there is no such delivery that can be
   * sent.
   */
  replay(id: string): Promise<boolean>;
  /**
   * Resends dead and unknown deliveries that were created at `since` (milliseconds since the epoch; any time when null)
   * or later, the earliest first, at most `limit` (≤ 100). `left`: how many more there are.
   */
  replayFailed(since: number | null, limit: number): Promise<ReplayCount>;
  /** A delivery with its attempts, while it is stored; null otherwise. */
  look(id: string): Promise<DeliveryDetails | null>;
  /** Sends due deliveries, in case an alarm was lost. */
  poke(): Promise<void>;
  erase(): Promise<void>;
}

/** The destination of a delivery; `keepAs` as there. */
export type DeliveryPlace = Pick<Delivery, "channel" | "to" | "keepAs">;

/** A question in a conversation. `ts` is the channel's id of its first message there. */
export interface PostedQuestion {
  /** `qst_…` */
  readonly id: string;
  readonly ts: string;
}

/** A delivery as the API shows it. Times are milliseconds since the epoch. */
export interface DeliveryDetails {
  readonly report: DeliveryReport;
  readonly content: JsonState;
  /** The latest hundred, in order. */
  readonly attempts: readonly DeliveryAttempt[];
}

/** One attempt at a delivery; running while it has no end. `cut_off`: its outcome is unknown. */
export interface DeliveryAttempt {
  readonly number: number;
  readonly at: number;
  readonly endedAt: number | null;
  readonly outcome: SendResult["kind"] | "cut_off" | null;
  readonly why: string | null;
}

/** The state of a delivery. Times are milliseconds since the epoch. */
export interface DeliveryReport
  extends Pick<Delivery, "id" | "channel" | "to" | "kind" | "task" | "about" | "createdAt"> {
  /** The name of its outbox. */
  readonly outbox: string;
  /** Grows with every change. */
  readonly version: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** The reason of the last failed attempt. */
  readonly why: string | null;
  /** When its next attempt is due; null once it has ended. */
  readonly dueAt: number | null;
  readonly endedAt: number | null;
}

/**
 * The name of the outbox that sends a delivery: one for each workspace or endpoint, which is the first part of `to`. Mail
 * has one.
 */
export function getOutboxName({ tenant, channel, to }: Pick<Delivery, "tenant" | "channel" | "to">): string {
  return channel === "email" ? `${tenant}/email` : `${tenant}/${channel}/${to.split("/")[0] ?? ""}`;
}

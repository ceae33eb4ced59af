/** What leaves for an outside place, durably and once: the types of an outbox and of what its deliveries come to. */
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

/** One sending to one place. Its id is derived from what it is about, so that what is asked for twice leaves once. */
export interface Delivery {
  /** `dlv_…` */
  readonly id: string;
  readonly tenant: string;
  readonly channel: Channel;
  /** As its channel reads it: `T…/C…`, `T…/C…/thread`, `T…/U…`, an address of mail, the id of an endpoint. */
  readonly to: string;
  readonly kind: DeliveryKind;
  readonly task: string | null;
  /** The question or approval (or other thing) that it is about: it is called off with that. */
  readonly about: string | null;
  /** What its sender reads; at most `MAX_CONTENT_CHARACTERS` as JSON. */
  readonly content: JsonState;
  /** Deliveries of one lane leave one after the other, in the order in which they were put. */
  readonly lane: string;
  /** Of those with one slot that have not left, only the latest leaves; null: every one does. */
  readonly slot: string | null;
  /** Under which name what its channel answered is kept for later deliveries; null: it is not. */
  readonly keepAs: string | null;
  /** Names of what earlier deliveries of this outbox kept, which its sender is given. */
  readonly refs: readonly string[];
  /** Milliseconds since the epoch: it does not leave before. */
  readonly notBefore: number;
  /** Why it cannot leave at all: it is kept as dead, and never replayed. Absent: it can. */
  readonly refused?: string;
  /** Deliveries (to any place of the tenant) that are put in its stead when it is dead. */
  readonly otherwise: readonly Delivery[];
  readonly createdAt: number;
}

export const MAX_CONTENT_CHARACTERS = 500_000;

/** What a sender is told of an attempt. */
export interface Attempt {
  /** From 1. */
  readonly number: number;
  /**
   * True when an earlier attempt may have left. A delivery that can be neither looked up nor repeated under its key
   * is then `unknown`.
   */
  readonly mayHaveLeft: boolean;
  /** Start of the first attempt that may have left, in ms since the epoch. Absent until one may have left. */
  readonly mayHaveLeftSince?: number;
  /** An earlier attempt ended and may have done a part, which is looked up. Absent: none did, or a person has said to send it anew. */
  readonly mayBeInPart?: true;
  /** By the names in `refs`; what was not kept is absent. */
  readonly refs: Readonly<Record<string, JsonState>>;
}

/**
 * How an attempt ended. `ref`: the channel's id of the delivery. `later`: a retry is safe; `pausesAllMs` pauses the whole
 * outbox for that time. `dead`: no retry can succeed. `unknown`: it may have left, and no look-up can tell. `mayBeInPart`: a
 * part may have taken effect, and the next attempt can look it up. `mayHaveLeft`: its answer was lost, and the receiver
 * recognises the next attempt by its key.
 */
export type Sent =
  | { readonly kind: "sent"; readonly ref: JsonState | null }
  | {
      readonly kind: "later";
      readonly why: string;
      /** The provider's own word; null: the outbox backs off as it does. */
      readonly afterMs: number | null;
      readonly pausesAllMs?: number;
      /** What Otto itself needs was away, and nothing was sent: that is no try, and it is done again within seconds. */
      readonly isOurs?: true;
      readonly mayBeInPart?: true;
      readonly mayHaveLeft?: true;
      /** Otto itself lost the attempt on the way: it counts as cut off, and nobody knows whether it left. */
      readonly isCutOff?: true;
    }
  | { readonly kind: "dead"; readonly why: string; readonly mayBeInPart?: true }
  | { readonly kind: "unknown"; readonly why: string };

export const DELIVERY_STATES = ["waiting", "sending", "sent", "dead", "unknown", "called_off"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** True for one that can be sent once more. */
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
  /** Keeps deliveries durably, then sends them in the background. One that was put before leaves earlier at the most. */
  put(deliveries: readonly Delivery[]): Promise<void>;
  /** Deliveries about this that have not left never will. */
  callOff(about: string): Promise<void>;
  /** Where what is about this went, or still may go. */
  placesOf(about: string): Promise<readonly AskedPlace[]>;
  /** Sends a delivery that is dead, unknown or called off once more, under the same id. False: there is none such that can leave. */
  replay(id: string): Promise<boolean>;
  /**
   * Sends those once more that are dead or unknown and were made at `since` (milliseconds since the epoch; null: ever) or later,
   * the earliest first, at most `limit` (≤ 100). `left`: how many there are beside them.
   */
  replayFailed(since: number | null, limit: number): Promise<ReplayCount>;
  /** A delivery with its attempts, as long as it is kept; null: there is none such. */
  look(id: string): Promise<DeliveryLook | null>;
  /** Works what is due again, should an alarm have been lost. */
  poke(): Promise<void>;
  erase(): Promise<void>;
}

/** A place that a delivery went to; `keepAs` as there. */
export type AskedPlace = Pick<Delivery, "channel" | "to" | "keepAs">;

/** What an outbox shows of a delivery. Times are milliseconds since the epoch. */
export interface DeliveryLook {
  readonly report: DeliveryReport;
  readonly content: JsonState;
  /** The latest hundred, in order. */
  readonly attempts: readonly DeliveryAttempt[];
}

/** One attempt at a delivery; without an end it is under way. `cut_off`: nobody knows how it ended. */
export interface DeliveryAttempt {
  readonly number: number;
  readonly at: number;
  readonly endedAt: number | null;
  readonly outcome: Sent["kind"] | "cut_off" | null;
  readonly why: string | null;
}

/** How a delivery stands. Times are milliseconds since the epoch. */
export interface DeliveryReport
  extends Pick<Delivery, "id" | "channel" | "to" | "kind" | "task" | "about" | "createdAt"> {
  /** The name of the outbox that has it. */
  readonly outbox: string;
  /** Grows with every change. */
  readonly version: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Of the last attempt that did not succeed. */
  readonly why: string | null;
  /** When its next attempt is due; null once it is over. */
  readonly dueAt: number | null;
  readonly endedAt: number | null;
}

/** The outbox that a delivery leaves by: one for each workspace or endpoint, which is the first part of a place. Mail has one. */
export function outboxOf({ tenant, channel, to }: Pick<Delivery, "tenant" | "channel" | "to">): string {
  return channel === "email" ? `${tenant}/email` : `${tenant}/${channel}/${to.split("/")[0] ?? ""}`;
}

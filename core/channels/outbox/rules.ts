/** The rules of an outbox for one delivery: when it is tried again, when it is given up, and what each attempt makes of it. */
import { giveUp } from "../../gateway/outcome.ts";
import { computeBackoffMs } from "../../base/backoff.ts";
import { type Delivery, type DeliveryReport, type DeliveryState, outboxOf, type Sent } from "./delivery.ts";
import type { Channel } from "../../task/source.ts";

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

/** Waits between the ten attempts of a webhook: close together for a restart, then spread over three days. */
const WEBHOOK_WAITS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;
/** Of every other channel: the longest backoff, and how long a delivery is tried. */
const MAX_BACKOFF_MS = 5 * MINUTE;
const TRIED_FOR_MS = 24 * HOUR;
/** Of a wait, added by the delivery's id, so that what failed together is not tried together. */
const JITTER = 0.1;
/** What a provider asks for at most, of one delivery or of a whole outbox. */
const MAX_ASKED_WAIT_MS = 24 * HOUR;
/** After a crash the provider did nothing wrong: it is tried again this soon. */
const CRASH_WAIT_MS = SECOND;
/**
 * Attempts of a webhook that Otto itself cut off use up no try: at most so many, each begun within this long after the first
 * attempt. The receiver did nothing wrong. A delivery that ends its own sender every time is given up by the schedule all the same.
 */
const MAX_GIVEN_BACK = 20;
const GIVEN_BACK_FOR_MS = 24 * HOUR;
/** While what Otto itself needs is away. */
const OURS_WAIT_MS = 10 * SECOND;
/** A place that Otto cannot send to for so long is not set up. */
const OURS_FOR_MS = 3 * 24 * HOUR;

/** How long a delivery, what its channel answered, and what was called off are remembered after they are over. */
export const KEPT_MS = 30 * 24 * HOUR;
/** And of what showed the progress of a task, of which there is one for every change: its result says more. */
export const PROGRESS_KEPT_MS = 24 * HOUR;
/** And the body of an event that an endpoint has taken: it is never sent again, and of these a busy endpoint has most. */
export const TAKEN_BODY_KEPT_MS = 3 * 24 * HOUR;

/**
 * How long an attempt of a channel may take; then it counts as cut off, and another begins. What sends has to have ended by then, or
 * it would go on beside its successor: a server of SMTP alone has 90 seconds to take a mail.
 */
export function hangsAfterMs(channel: Channel): number {
  return channel === "email" ? 150 * SECOND : 60 * SECOND;
}

/** A delivery as its outbox keeps it, without what only its sender reads. Times are milliseconds since the epoch. */
export interface QueuedDelivery
  extends Pick<
    Delivery,
    | "id"
    | "tenant"
    | "channel"
    | "to"
    | "kind"
    | "task"
    | "about"
    | "lane"
    | "slot"
    | "keepAs"
    | "createdAt"
    | "notBefore"
  > {
  readonly state: DeliveryState;
  /** Attempts that were ever begun. */
  readonly attempts: number;
  /** Attempts since it was put or replayed, and when the first of them began. */
  readonly tries: number;
  readonly triedSince: number | null;
  /**
   * Of a webhook: attempts that Otto cut off and gave back since it was put or replayed, and when its first attempt began.
   * Absent until an attempt was given back.
   */
  readonly givenBack?: { readonly count: number; readonly since: number };
  /** When it was put or replayed. */
  readonly askedAt: number;
  /** While it waits: when it may leave. */
  readonly dueAt: number;
  readonly mayHaveLeft: boolean;
  /**
   * Start of the latest attempt, and of the first that may have left, in ms since the epoch. Absent without one, and
   * in a row of an earlier release.
   */
  readonly begunAt?: number;
  readonly leftSince?: number;
  /** An attempt that ended may have done a part. Absent: it was put by a release that did not say. */
  readonly mayBeInPart?: boolean;
  /** Of the last attempt that did not succeed. */
  readonly why: string | null;
  readonly endedAt: number | null;
}

/** How an attempt ended: by its sender's report, or cut off, when nobody knows. */
export type Outcome = Sent | CutOff;

/** The outcome that a sender reports. */
export function toOutcome(sent: Sent): Outcome {
  const isCutOff = sent.kind === "later" && sent.isCutOff === true;
  return isCutOff ? { kind: "cut_off", why: sent.why, byCrash: false } : sent;
}

interface CutOff {
  readonly kind: "cut_off";
  readonly why: string;
  readonly byCrash: boolean;
}

/** A delivery as it is put. */
export function asked(delivery: Delivery, now: number): QueuedDelivery {
  const { id, tenant, channel, to, kind, task, about, lane, slot, keepAs, createdAt, notBefore } = delivery;
  return {
    id,
    tenant,
    channel,
    to,
    kind,
    task,
    about,
    lane,
    slot,
    keepAs,
    createdAt,
    notBefore,
    state: "waiting",
    attempts: 0,
    tries: 0,
    triedSince: null,
    askedAt: now,
    dueAt: Math.max(notBefore, now),
    mayHaveLeft: false,
    mayBeInPart: false,
    why: null,
    endedAt: null,
  };
}

/** Its next attempt begins. */
export function begun(row: QueuedDelivery, now: number): QueuedDelivery {
  const { attempts, tries, triedSince } = row;
  return {
    ...row,
    state: "sending",
    attempts: attempts + 1,
    tries: tries + 1,
    triedSince: triedSince ?? now,
    begunAt: now,
    mayBeInPart: row.mayBeInPart ?? attempts > 0,
  };
}

/** An attempt ended. */
export function afterAttempt(before: QueuedDelivery, outcome: Outcome, now: number): QueuedDelivery {
  const tried = "mayBeInPart" in outcome ? { ...before, mayBeInPart: true } : before;
  const row = outcome.kind === "cut_off" || "mayHaveLeft" in outcome ? mayLeave(tried) : tried;
  switch (outcome.kind) {
    case "sent":
      return ended(row, "sent", null, now);
    case "dead":
    case "unknown":
      return ended(row, outcome.kind, outcome.why, now);
    case "later":
      if (outcome.isOurs === true) return untried(row, outcome.why, now);
      return again(row, outcome.why, now, Math.max(waitOf(row), askedWait(outcome.afterMs)), givenUpAs(row));
    case "cut_off": {
      const givenBack = giveBack(row);
      if (givenBack !== null) return retried(givenBack, outcome, now);
      const wait = outcome.byCrash ? Math.min(CRASH_WAIT_MS, waitOf(row)) : waitOf(row);
      return again(row, outcome.why, now, wait, givenUpAs(row));
    }
  }
}

/** The row without the try that Otto cut off; null: the try counts. */
function giveBack(row: QueuedDelivery): QueuedDelivery | null {
  const { channel, begunAt, triedSince, tries } = row;
  if (channel !== "webhook") return null;
  const { count, since } = row.givenBack ?? { count: 0, since: triedSince ?? row.askedAt };
  if (count >= MAX_GIVEN_BACK || (begunAt ?? since) - since > GIVEN_BACK_FOR_MS) return null;
  return { ...row, tries: tries - 1, givenBack: { count: count + 1, since } };
}

/** The next attempt after one that was given back: soon after a crash; ever later while its sender itself fails. */
function retried(row: QueuedDelivery, { why, byCrash }: CutOff, now: number): QueuedDelivery {
  const wait = byCrash ? CRASH_WAIT_MS : computeBackoffMs((row.givenBack?.count ?? 0) + 1, MAX_BACKOFF_MS);
  return { ...row, state: "waiting", why, dueAt: now + wait };
}

/** Records that the ended attempt may have left. */
function mayLeave(row: QueuedDelivery): QueuedDelivery {
  const leftSince = mayHaveLeftSince(row) ?? row.begunAt ?? earliestLeave(row);
  return { ...row, mayHaveLeft: true, leftSince };
}

/** Start of the first attempt that may have left, in ms since the epoch; null when none may have left. */
export function mayHaveLeftSince(row: QueuedDelivery): number | null {
  return row.mayHaveLeft ? (row.leftSince ?? earliestLeave(row)) : null;
}

/** For a row of an earlier release: no attempt began before this. */
function earliestLeave({ createdAt, notBefore }: QueuedDelivery): number {
  return Math.max(createdAt, notBefore);
}

/** It never leaves. */
export function withdrawn(row: QueuedDelivery, why: string, now: number): QueuedDelivery {
  return ended(row, "called_off", why, now);
}

/** It leaves after all. Of one that may have left, in whole or in part, a person has said that it shall leave again. */
export function replayed(row: QueuedDelivery, now: number): QueuedDelivery {
  const isAnew = row.state === "unknown";
  const mayHaveLeft = row.mayHaveLeft && !isAnew;
  const { leftSince: _, givenBack: __, ...unleft } = row;
  const since = mayHaveLeft ? mayHaveLeftSince(row) : null;
  const notBefore = Math.min(row.notBefore, now);
  return {
    ...unleft,
    ...(since !== null && { leftSince: since }),
    state: "waiting",
    tries: 0,
    triedSince: null,
    askedAt: now,
    notBefore,
    dueAt: now,
    mayHaveLeft,
    ...(isAnew && { mayBeInPart: false }),
    why: null,
    endedAt: null,
  };
}

/** What Postgres is told of a delivery. */
export function reportOf(row: QueuedDelivery, version: number): DeliveryReport {
  const { id, channel, to, kind, task, about, state, attempts, why, createdAt, endedAt, dueAt } = row;
  return {
    id,
    channel,
    to,
    kind,
    task,
    about,
    state,
    attempts,
    why,
    createdAt,
    endedAt,
    version,
    outbox: outboxOf(row),
    dueAt: endedAt === null ? dueAt : null,
  };
}

/** What a provider asks to wait, within bounds. */
export function askedWait(ms: number | null): number {
  return ms === null || !(ms > 0) ? 0 : Math.min(ms, MAX_ASKED_WAIT_MS);
}

function again(row: QueuedDelivery, why: string, now: number, waitMs: number, end: "dead" | "unknown"): QueuedDelivery {
  if (isGivenUp(row, now + waitMs)) return ended(row, end, why, now);
  return { ...row, state: "waiting", why, dueAt: now + waitMs };
}

/** What Otto lacked is no fault of the receiver's: no try of its is used up. */
function untried(row: QueuedDelivery, why: string, now: number): QueuedDelivery {
  const tries = row.tries - 1;
  const wait = Math.round(OURS_WAIT_MS * (1 + JITTER * fractionOf(row.id)));
  if (now + wait - Math.max(row.askedAt, row.notBefore) > OURS_FOR_MS) return ended(row, givenUpAs(row), why, now);
  return { ...row, state: "waiting", why, tries, triedSince: tries === 0 ? null : row.triedSince, dueAt: now + wait };
}

/** A message that may have left is not dead. A webhook is: it is delivered at least once, and no receiver acknowledged it. */
function givenUpAs({ channel, mayHaveLeft }: QueuedDelivery): "dead" | "unknown" {
  return giveUp(mayHaveLeft && channel !== "webhook");
}

function ended(row: QueuedDelivery, state: DeliveryState, why: string | null, now: number): QueuedDelivery {
  return { ...row, state, why, endedAt: now };
}

function isGivenUp({ channel, tries, triedSince }: QueuedDelivery, nextAt: number): boolean {
  if (channel === "webhook") return tries > WEBHOOK_WAITS_MS.length;
  return triedSince !== null && nextAt - triedSince > TRIED_FOR_MS;
}

/** How long its next attempt waits after the last one. */
function waitOf({ id, channel, tries }: Pick<QueuedDelivery, "id" | "channel" | "tries">): number {
  return Math.round(plainWait(channel, tries) * (1 + JITTER * fractionOf(`${id} ${tries}`)));
}

function plainWait(channel: Channel, tries: number): number {
  if (channel === "webhook") return WEBHOOK_WAITS_MS[Math.min(tries, WEBHOOK_WAITS_MS.length) - 1] ?? SECOND;
  return computeBackoffMs(tries, MAX_BACKOFF_MS);
}

/** A number from 0 to 1 that looks random (FNV-1a). */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash / 2 ** 32;
}

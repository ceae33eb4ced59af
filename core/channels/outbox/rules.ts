/** The rules for one delivery: when it is retried, when it is given up, and what follows each attempt. */
import { giveUp } from "../../gateway/outcome.ts";
import { computeBackoffMs } from "../../base/backoff.ts";
import { type Delivery, type DeliveryReport, type DeliveryState, getOutboxName, type SendResult } from "./delivery.ts";
import type { Channel } from "../../task/source.ts";

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

/** Waits between the ten attempts of a webhook: short at first for a restart, then spaced over three days. */
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
/** For every other channel: the longest back-off, and how long a delivery is retried. */
const MAX_BACKOFF_MS = 5 * MINUTE;
const RETRY_PERIOD_MS = 24 * HOUR;
/** Part of a wait that is added by the delivery's id, so that failures at one time are not retried at one time. */
const JITTER = 0.1;
/** Longest wait that a provider may request, for one delivery or a whole outbox. */
const MAX_REQUESTED_WAIT_MS = 24 * HOUR;
/** Wait after a crash, which is not the provider's fault. */
const CRASH_WAIT_MS = SECOND;
/**
 * Attempts of a webhook that Otto cut off do not count as tries: at most this many, each started within this period of
 * the first attempt. The receiver is not at fault. A delivery that crashes its sender every time is still given up.
 */
const MAX_REFUNDED_TRIES = 20;
const REFUND_PERIOD_MS = 24 * HOUR;
/** Wait while a dependency of Otto is away. */
const OUTAGE_WAIT_MS = 10 * SECOND;
/** A destination that Otto cannot send to for this long is not set up. */
const MAX_OUTAGE_MS = 3 * 24 * HOUR;

/** How long ended deliveries, stored replies and cancellations are retained. */
export const DELIVERY_RETENTION_MS = 30 * 24 * HOUR;
/** How long progress deliveries are retained: each change makes one, and the result says more. */
export const PROGRESS_RETENTION_MS = 24 * HOUR;
/**
 * How long the body of a delivered event is retained: it is never resent, and most rows of a busy endpoint are such
 * events.
 */
export const EVENT_BODY_RETENTION_MS = 3 * 24 * HOUR;

/**
 * Time limit of an attempt; then it counts as cut off, and another one starts. The sender has to end earlier, or both
 * would run: an SMTP server alone has 90 seconds to accept a mail.
 */
export function getAttemptTimeoutMs(channel: Channel): number {
  return channel === "email" ? 150 * SECOND : 60 * SECOND;
}

/** A delivery as its outbox stores it, without what only its sender reads. Times are milliseconds since the epoch. */
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
  /** All started attempts. */
  readonly attempts: number;
  /** Attempts since it was put or replayed, and when the first of them started. */
  readonly tries: number;
  readonly triedSince: number | null;
  /**
   * For a webhook: attempts that Otto cut off, which do not count as tries, since it was put or replayed, and when the
   * first attempt started. Absent until then.
   */
  readonly givenBack?: { readonly count: number; readonly since: number };
  /** When it was put or replayed. */
  readonly askedAt: number;
  /** When it may be sent, while it waits. */
  readonly dueAt: number;
  readonly mayHaveLeft: boolean;
  /**
   * Start of the latest attempt, and of the first that may have been sent, in ms since the epoch. Absent without one,
   * and in a row of an earlier release.
   */
  readonly begunAt?: number;
  readonly leftSince?: number;
  /** True when an ended attempt may have taken effect in part. Absent in a row of an earlier release. */
  readonly mayBeInPart?: boolean;
  /** The reason of the last failed attempt. */
  readonly why: string | null;
  readonly endedAt: number | null;
}

/** How an attempt ended: the sender's report, or cut off with an unknown outcome. */
export type Outcome = SendResult | CutOff;

/** The outcome that a sender reports. */
export function toOutcome(sent: SendResult): Outcome {
  const isCutOff = sent.kind === "later" && sent.isCutOff === true;
  return isCutOff ? { kind: "cut_off", why: sent.why, byCrash: false } : sent;
}

interface CutOff {
  readonly kind: "cut_off";
  readonly why: string;
  readonly byCrash: boolean;
}

/** Creates the row of a new delivery. */
export function createRow(delivery: Delivery, now: number): QueuedDelivery {
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

/** Starts the next attempt. */
export function startAttempt(row: QueuedDelivery, now: number): QueuedDelivery {
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

/** Applies the outcome of an attempt. */
export function applyOutcome(before: QueuedDelivery, outcome: Outcome, now: number): QueuedDelivery {
  const tried = "mayBeInPart" in outcome ? { ...before, mayBeInPart: true } : before;
  const row = outcome.kind === "cut_off" || "mayHaveLeft" in outcome ? markPossiblySent(tried) : tried;
  switch (outcome.kind) {
    case "sent":
      return endDelivery(row, "sent", null, now);
    case "dead":
    case "unknown":
      return endDelivery(row, outcome.kind, outcome.why, now);
    case "later":
      if (outcome.isOurs === true) return scheduleUncounted(row, outcome.why, now);
      return scheduleRetry(
        row,
        outcome.why,
        now,
        Math.max(getRetryWait(row), boundWait(outcome.afterMs)),
        getGivenUpState(row),
      );
    case "cut_off": {
      const givenBack = refundTry(row);
      if (givenBack !== null) return scheduleRefunded(givenBack, outcome, now);
      const wait = outcome.byCrash ? Math.min(CRASH_WAIT_MS, getRetryWait(row)) : getRetryWait(row);
      return scheduleRetry(row, outcome.why, now, wait, getGivenUpState(row));
    }
  }
}

/** The row without the try that Otto cut off; null when the try counts. */
function refundTry(row: QueuedDelivery): QueuedDelivery | null {
  const { channel, begunAt, triedSince, tries } = row;
  if (channel !== "webhook") return null;
  const { count, since } = row.givenBack ?? { count: 0, since: triedSince ?? row.askedAt };
  if (count >= MAX_REFUNDED_TRIES || (begunAt ?? since) - since > REFUND_PERIOD_MS) return null;
  return { ...row, tries: tries - 1, givenBack: { count: count + 1, since } };
}

/**
 * Schedules the attempt after one that did not count: soon after a crash, with back-off while the sender itself fails.
 */
function scheduleRefunded(row: QueuedDelivery, { why, byCrash }: CutOff, now: number): QueuedDelivery {
  const wait = byCrash ? CRASH_WAIT_MS : computeBackoffMs((row.givenBack?.count ?? 0) + 1, MAX_BACKOFF_MS);
  return { ...row, state: "waiting", why, dueAt: now + wait };
}

/** Records that the ended attempt may have been sent. */
function markPossiblySent(row: QueuedDelivery): QueuedDelivery {
  const leftSince = getPossiblySentSince(row) ?? row.begunAt ?? getEarliestStart(row);
  return { ...row, mayHaveLeft: true, leftSince };
}

/** Start of the first attempt that may have been sent, in ms since the epoch; null without one. */
export function getPossiblySentSince(row: QueuedDelivery): number | null {
  return row.mayHaveLeft ? (row.leftSince ?? getEarliestStart(row)) : null;
}

/** For a row of an earlier release: no attempt started before this time. */
function getEarliestStart({ createdAt, notBefore }: QueuedDelivery): number {
  return Math.max(createdAt, notBefore);
}

/** Cancels a delivery. */
export function cancelDelivery(row: QueuedDelivery, why: string, now: number): QueuedDelivery {
  return endDelivery(row, "called_off", why, now);
}

/** Requeues a delivery. A person has decided to resend one that is unknown, even if it was sent in whole or in part. */
export function replayDelivery(row: QueuedDelivery, now: number): QueuedDelivery {
  const isResend = row.state === "unknown";
  const mayHaveLeft = row.mayHaveLeft && !isResend;
  const { leftSince: _, givenBack: __, ...rest } = row;
  const since = mayHaveLeft ? getPossiblySentSince(row) : null;
  const notBefore = Math.min(row.notBefore, now);
  return {
    ...rest,
    ...(since !== null && { leftSince: since }),
    state: "waiting",
    tries: 0,
    triedSince: null,
    askedAt: now,
    notBefore,
    dueAt: now,
    mayHaveLeft,
    ...(isResend && { mayBeInPart: false }),
    why: null,
    endedAt: null,
  };
}

/** The report of a delivery to Postgres. */
export function toReport(row: QueuedDelivery, version: number): DeliveryReport {
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
    outbox: getOutboxName(row),
    dueAt: endedAt === null ? dueAt : null,
  };
}

/** The wait that a provider requests, bounded. */
export function boundWait(ms: number | null): number {
  return ms === null || !(ms > 0) ? 0 : Math.min(ms, MAX_REQUESTED_WAIT_MS);
}

function scheduleRetry(
  row: QueuedDelivery,
  why: string,
  now: number,
  waitMs: number,
  end: "dead" | "unknown",
): QueuedDelivery {
  if (isGivenUp(row, now + waitMs)) return endDelivery(row, end, why, now);
  return { ...row, state: "waiting", why, dueAt: now + waitMs };
}

/** Schedules a retry after a failure of Otto itself, which does not count as a try. */
function scheduleUncounted(row: QueuedDelivery, why: string, now: number): QueuedDelivery {
  const tries = row.tries - 1;
  const wait = Math.round(OUTAGE_WAIT_MS * (1 + JITTER * toFraction(row.id)));
  if (now + wait - Math.max(row.askedAt, row.notBefore) > MAX_OUTAGE_MS)
    return endDelivery(row, getGivenUpState(row), why, now);
  return { ...row, state: "waiting", why, tries, triedSince: tries === 0 ? null : row.triedSince, dueAt: now + wait };
}

/**
 * A message that may have been sent is `unknown`. A webhook is dead: it is delivered at least once, and no receiver
 * acknowledged it.
 */
function getGivenUpState({ channel, mayHaveLeft }: QueuedDelivery): "dead" | "unknown" {
  return giveUp(mayHaveLeft && channel !== "webhook");
}

function endDelivery(row: QueuedDelivery, state: DeliveryState, why: string | null, now: number): QueuedDelivery {
  return { ...row, state, why, endedAt: now };
}

function isGivenUp({ channel, tries, triedSince }: QueuedDelivery, nextAt: number): boolean {
  if (channel === "webhook") return tries > WEBHOOK_WAITS_MS.length;
  return triedSince !== null && nextAt - triedSince > RETRY_PERIOD_MS;
}

/** The wait before the next attempt. */
function getRetryWait({ id, channel, tries }: Pick<QueuedDelivery, "id" | "channel" | "tries">): number {
  return Math.round(getBaseWait(channel, tries) * (1 + JITTER * toFraction(`${id} ${tries}`)));
}

function getBaseWait(channel: Channel, tries: number): number {
  if (channel === "webhook") return WEBHOOK_WAITS_MS[Math.min(tries, WEBHOOK_WAITS_MS.length) - 1] ?? SECOND;
  return computeBackoffMs(tries, MAX_BACKOFF_MS);
}

/** A pseudo-random number from 0 to 1 (FNV-1a). */
function toFraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash / 2 ** 32;
}

/**
 * The rules of `Idempotency-Key` (docs/decisions/0005-keys-and-idempotency.md). A request with a key stores a row
 * before it runs. The row's seed determines the ids of everything that the request creates, so the next attempt after
 * an interrupted one finds what the first created. The reply is stored for a day and returned to every repeat, byte for
 * byte.
 */
import { joinBytes } from "../base/join-bytes.ts";
import { sha256Hex } from "../base/sha256.ts";

/** How long a reply is stored. */
export const REPLY_LIFETIME_MS = 24 * 60 * 60 * 1000;

/**
 * Age at which an attempt is assumed dead and the next one runs. Above the 60 s that `POST /v1/tasks?wait=60` may take.
 * If the attempt still runs, both create the same ids.
 */
export const TRY_STALE_MS = 90_000;

/** How long a repeat waits for the running attempt; then it has to retry. */
export const REPEAT_WAIT_MS = 60_000;
export const REPEAT_RETRY_AFTER_MS = 5_000;

const KEY_FORM = /^[\x20-\x7e]{1,256}$/;

/** True for 1 to 256 printable ASCII characters. */
export function isIdempotencyKey(text: string): boolean {
  return KEY_FORM.test(text);
}

/** A request that may be repeated. */
export interface IdempotentRequest {
  /** Method, path and the caller's key. With the API key, it identifies the repeats of a request. */
  readonly key: string;
  /** Changes with the query and the body. */
  readonly fingerprint: string;
}

/**
 * `fresh`: run the request with ids from `seed`, then `settle` its `ticket`; `replay`: return this reply; `busy`: the
 * first attempt still runs; `mismatch`: the first request had another body.
 */
export type IdempotencyState =
  | { readonly kind: "fresh"; readonly ticket: string; readonly seed: string; readonly startedAt: number }
  | { readonly kind: "replay"; readonly reply: StoredReply }
  | { readonly kind: "busy"; readonly retryAfterMs: number }
  | { readonly kind: "mismatch" };

/**
 * A reply as it was sent. `sealed` is its body, encrypted with the Worker's key because it can contain a new API key.
 */
export interface StoredReply {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly sealed: Uint8Array;
}

/**
 * The stored row of a request. `runner` names the object instance of the running attempt; null if the last attempt was
 * cut off.
 */
export interface IdempotencyRow {
  readonly fingerprint: string;
  readonly seed: string;
  readonly startedAt: number;
  readonly runner: string | null;
  readonly tryAt: number;
  /** Null until an attempt ended with a reply that is stored. */
  readonly doneAt: number | null;
}

/**
 * The action for a request. `begin`: store `row` and run; `wait`: the first attempt runs; `replay`: return its reply.
 */
export type IdempotencyVerdict =
  | { readonly kind: "begin"; readonly row: IdempotencyRow }
  | { readonly kind: "wait" }
  | { readonly kind: "replay" }
  | { readonly kind: "mismatch" };

/**
 * Judges a request by its stored row. `incarnation` is the object's instance; `newSeed` is the seed of a first request.
 */
export function judgeRepeat(
  stored: IdempotencyRow | null,
  request: { readonly fingerprint: string; readonly incarnation: string; readonly newSeed: string },
  now: number,
): IdempotencyVerdict {
  const { fingerprint, incarnation, newSeed } = request;
  if (stored === null || isExpired(stored, now)) {
    const row = { fingerprint, seed: newSeed, startedAt: now, runner: incarnation, tryAt: now, doneAt: null };
    return { kind: "begin", row };
  }
  if (stored.fingerprint !== fingerprint) return { kind: "mismatch" };
  if (stored.doneAt !== null) return { kind: "replay" };
  const runs = stored.runner === incarnation && now < stored.tryAt + TRY_STALE_MS;
  return runs ? { kind: "wait" } : { kind: "begin", row: { ...stored, runner: incarnation, tryAt: now } };
}

/** Returns when a row expires: a day after its reply, or after its first attempt without a reply. */
export function getExpiresAt(row: Pick<IdempotencyRow, "startedAt" | "doneAt">): number {
  return (row.doneAt ?? row.startedAt) + REPLY_LIFETIME_MS;
}

function isExpired(row: IdempotencyRow, now: number): boolean {
  return now >= getExpiresAt(row);
}

/**
 * Whether every repeat gets this reply. A request that auth or rate limits refused (401, 403, 429) or that failed (5xx)
 * may retry under the same key.
 */
export function shouldStoreReply(status: StoredReply["status"]): boolean {
  return status < 500 && status !== 401 && status !== 403 && status !== 429;
}

/** Computes the fingerprint of a request: SHA-256 in hex of method, path, query and the raw body. */
export async function computeFingerprint(request: {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: Uint8Array | null;
}): Promise<string> {
  const head = new TextEncoder().encode(`${request.method}\n${request.path}\n${request.query}\n`);
  return await sha256Hex(request.body === null ? head : joinBytes([head, request.body]));
}

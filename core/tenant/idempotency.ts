/**
 * The rules of `Idempotency-Key` (docs/decisions/0005-keys-and-idempotency.md). A request that carries one leaves a row
 * before it runs. The row's seed makes the ids of all that the request creates, so a try that was cut off is run again by
 * the next one and finds what the first had made. The reply is kept for a day and given to every repeat, byte for byte.
 */
import { joinBytes } from "../base/join-bytes.ts";
import { sha256Hex } from "../base/sha256.ts";

/** How long a reply is kept. */
export const REPLY_KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * A try that has not ended after this long is taken for dead, and the next one runs. Above the 60 s that
 * `POST /v1/tasks?wait=60` may take. A try that was alive after all does no harm: both make the same ids.
 */
export const TRY_STALE_MS = 90_000;

/** How long a repeat waits for the try that runs; then it is sent away to come again. */
export const REPEAT_WAIT_MS = 60_000;
export const REPEAT_RETRY_AFTER_MS = 5_000;

const KEY_FORM = /^[\x20-\x7e]{1,256}$/;

/** True for 1 to 256 printable ASCII characters. */
export function isIdempotencyKey(text: string): boolean {
  return KEY_FORM.test(text);
}

/** A request that may be repeated. */
export interface IdempotentRequest {
  /** Method, path and the caller's key; together with the API key that asks, what a repeat has in common with its first. */
  readonly key: string;
  /** Changes with the query and the body. */
  readonly fingerprint: string;
}

/**
 * `fresh`: run the request with ids made from `seed`, then `settle` its `ticket`; `replay`: answer with this; `busy`: the
 * first one still runs; `mismatch`: another body came first.
 */
export type IdempotencyState =
  | { readonly kind: "fresh"; readonly ticket: string; readonly seed: string; readonly startedAt: number }
  | { readonly kind: "replay"; readonly reply: StoredReply }
  | { readonly kind: "busy"; readonly retryAfterMs: number }
  | { readonly kind: "mismatch" };

/** A reply as it was sent. `sealed` is its body under the Worker's key: it can hold an API key that is shown once. */
export interface StoredReply {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly sealed: Uint8Array;
}

/** What is stored of one. `runner` names the object instance whose try runs; null: the last try was cut off. */
export interface IdempotencyRow {
  readonly fingerprint: string;
  readonly seed: string;
  readonly startedAt: number;
  readonly runner: string | null;
  readonly tryAt: number;
  /** Null until a try has ended with a reply that is kept. */
  readonly doneAt: number | null;
}

/** What a request has to do. `begin`: store `row` and run; `wait`: the first one runs; `replay`: answer with its reply. */
export type IdempotencyVerdict =
  | { readonly kind: "begin"; readonly row: IdempotencyRow }
  | { readonly kind: "wait" }
  | { readonly kind: "replay" }
  | { readonly kind: "mismatch" };

/** Judges a request against what is stored. `incarnation` is the asking object's instance; `newSeed` is used for a first. */
export function judgeRepeat(
  stored: IdempotencyRow | null,
  request: { readonly fingerprint: string; readonly incarnation: string; readonly newSeed: string },
  now: number,
): IdempotencyVerdict {
  const { fingerprint, incarnation, newSeed } = request;
  if (stored === null || isOver(stored, now)) {
    const row = { fingerprint, seed: newSeed, startedAt: now, runner: incarnation, tryAt: now, doneAt: null };
    return { kind: "begin", row };
  }
  if (stored.fingerprint !== fingerprint) return { kind: "mismatch" };
  if (stored.doneAt !== null) return { kind: "replay" };
  const runs = stored.runner === incarnation && now < stored.tryAt + TRY_STALE_MS;
  return runs ? { kind: "wait" } : { kind: "begin", row: { ...stored, runner: incarnation, tryAt: now } };
}

/** When a row may be forgotten: a day after its reply, or after its first try when it never had one. */
export function forgottenAt(row: Pick<IdempotencyRow, "startedAt" | "doneAt">): number {
  return (row.doneAt ?? row.startedAt) + REPLY_KEPT_MS;
}

function isOver(row: IdempotencyRow, now: number): boolean {
  return now >= forgottenAt(row);
}

/**
 * Whether a reply is what every repeat shall get. Who was turned away at the door (401, 403, 429) or met a failure of
 * Otto's (5xx) may try again under the same key.
 */
export function isKept(status: StoredReply["status"]): boolean {
  return status < 500 && status !== 401 && status !== 403 && status !== 429;
}

/** What identifies the content of a request: SHA-256 in hex of method, path, query and the raw body. */
export async function fingerprintOf(request: {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: Uint8Array | null;
}): Promise<string> {
  const head = new TextEncoder().encode(`${request.method}\n${request.path}\n${request.query}\n`);
  return await sha256Hex(request.body === null ? head : joinBytes([head, request.body]));
}

/**
 * One request to Composio (https://docs.composio.dev/api-reference): bounded in time and bytes, without redirects, and
 * never repeated, because Composio has no idempotency keys. The key is sent to the configured address only.
 */
import { openTimeLimit } from "../../core/base/deadline.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import { readAtMost } from "../http/reply-text.ts";
import type { RequestBudget, RequestKind } from "./request-budget.ts";

const PREFIX = "/api/v3.1";
const DEFAULT_RETRY_AFTER_MS = 5_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
/** In the place of the key where a reply repeats it. */
const HIDDEN = "[key]";

/** Whose key it is: who can help when Composio rejects it. */
export type KeyOwner = "operator" | "tenant";

export interface ComposioSettings {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly keyOf: KeyOwner;
}

/** How requests reach Composio. */
export interface ComposioAccess extends ComposioSettings {
  readonly budget: RequestBudget;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface ComposioRequest {
  readonly kind: RequestKind;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below the prefix, with a leading slash. */
  readonly path: string;
  /** Null values are omitted. */
  readonly query?: Readonly<Record<string, string | null>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Maximum bytes of the reply. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/**
 * `unsent`: the budget has no request left, or the caller gave up before it. `lost`: no whole reply arrived, so the request
 * may have been carried out.
 */
export type ComposioReply =
  | {
      readonly kind: "reply";
      readonly status: number;
      readonly retryAfterMs: number;
      readonly body: unknown;
      readonly keyOf: KeyOwner;
    }
  | { readonly kind: "lost"; readonly why: "timeout" | "unavailable" | "too_large" }
  | { readonly kind: "unsent"; readonly waitMs: number | null };

/** True for a reply with a status of success. */
export function isSuccess(reply: ComposioReply): reply is ComposioReply & { readonly kind: "reply" } {
  return reply.kind === "reply" && reply.status >= 200 && reply.status < 300;
}

/** Sends a request. Never throws. `body` of a reply is null for a text that is not JSON, and never has the key. */
export async function sendToComposio(access: ComposioAccess, request: ComposioRequest): Promise<ComposioReply> {
  if (request.signal?.aborted === true) return { kind: "unsent", waitMs: null };
  const waitMs = access.budget.take(request.kind, access.now());
  if (waitMs > 0) return { kind: "unsent", waitMs };
  const limit = openTimeLimit(globalThis, request.timeoutMs, request.signal);
  try {
    const response = await fetch(toUrl(access.baseUrl, request), {
      method: request.method,
      headers: {
        accept: "application/json",
        "x-api-key": access.apiKey,
        ...(request.body === undefined ? {} : { "content-type": "application/json" }),
        ...request.headers,
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      redirect: "manual",
      signal: limit.signal,
    });
    const text = await readAtMost(response, request.maxBytes);
    if (text === null) return { kind: "lost", why: "too_large" };
    const retryAfterMs = readRetryAfterMs(response.headers.get("retry-after"));
    const body = parseJson(text.replaceAll(access.apiKey, HIDDEN));
    return { kind: "reply", status: response.status, retryAfterMs, body, keyOf: access.keyOf };
  } catch {
    return { kind: "lost", why: limit.signal.aborted ? "timeout" : "unavailable" };
  } finally {
    limit.end();
  }
}

function toUrl(baseUrl: string, { path, query = {} }: ComposioRequest): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null) search.set(name, value);
  }
  return `${baseUrl}${PREFIX}${path}${search.size === 0 ? "" : `?${search.toString()}`}`;
}

/** Reads RFC 9110, section 10.2.3, in seconds; a date or no value gives the default. */
function readRetryAfterMs(value: string | null): number {
  if (value === null || !/^\d{1,6}$/.test(value.trim())) return DEFAULT_RETRY_AFTER_MS;
  return Math.min(Number(value) * 1_000, MAX_RETRY_AFTER_MS);
}

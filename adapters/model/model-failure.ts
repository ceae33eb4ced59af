/** Converts every failure of a model server to a `ModelFailure`. */
import { getOwn } from "../../core/base/own-field.ts";
import type { ModelFailure } from "../../core/ports/model.ts";

/** Maximum delay that a provider can request. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Maximum characters of a provider's message that are quoted. */
const MAX_QUOTE_CHARACTERS = 300;

/** How compatible servers report that the conversation is too long. OpenAI's code is `context_length_exceeded`. */
const CONTEXT_WORDS =
  /context[ _-]?(length|limit|window|size)|maximum (context|prompt|input)|too many (input )?tokens|prompt (is )?too long|input (is )?too long|reduce the length/i;
const FILTER_WORDS = /content[ _-]?(filter|policy|management)/i;

/** Carries a failure through code that can only throw. */
export class ModelCallFailed extends Error {
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure) {
    super(failure.message);
    this.name = "ModelCallFailed";
    this.failure = failure;
  }
}

/** Builds a failure; `retryAfterMs` is null unless the provider gave one. */
export function createModelFailure(
  kind: ModelFailure["kind"],
  retryable: boolean,
  message: string,
  retryAfterMs: number | null = null,
): ModelFailure {
  return { kind, retryable, retryAfterMs, message };
}

/** The failure of a reply with an error status. `quote` is the provider's text, already scrubbed. */
export function fromStatus(status: number, retryAfter: string | null, quote: string, nowMs: number): ModelFailure {
  const said = quote === "" ? "" : `: ${quote}`;
  const retryAfterMs = parseRetryAfter(retryAfter, nowMs);
  if (status === 429) {
    // An exhausted account also replies 429, and waiting does not help.
    if (/insufficient_quota/i.test(quote)) {
      return createModelFailure(
        "refused",
        false,
        `The model's provider says that the account's quota is used up${said}`,
      );
    }
    return createModelFailure("rate_limited", true, `The model's provider limits requests (429)${said}`, retryAfterMs);
  }
  if (status >= 500 || status === 408 || status === 409 || status === 425) {
    return createModelFailure("unavailable", true, `The model server replied ${status}${said}`, retryAfterMs);
  }
  if (status >= 300 && status < 400) {
    return createModelFailure(
      "refused",
      false,
      `The model server replied with a redirect (${status}), which is not followed. Set the base URL to its target.`,
    );
  }
  if (FILTER_WORDS.test(quote)) {
    return createModelFailure("refused", false, `The model's content filter refused the request${said}`);
  }
  if (status === 413 || CONTEXT_WORDS.test(quote)) {
    return createModelFailure("context_overflow", false, `The conversation is too long for the model${said}`);
  }
  return createModelFailure("refused", false, `The model server refused the request (${status})${said}`);
}

/** The failure of a reply that violates the API. */
export function createUnreadableFailure(): ModelCallFailed {
  return new ModelCallFailed(createModelFailure("cut_off", true, "The model's reply could not be read to its end."));
}

/** Error codes and types, and the status with which the same error replies to a whole request. */
const STATUS_OF_WORDS: readonly (readonly [words: RegExp, status: number])[] = [
  [/insufficient_quota|rate_limit/i, 429],
  [/authentication|api_key/i, 401],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/invalid|bad_request|context_length|content_filter|content_policy/i, 400],
  [/overload/i, 503],
  [/timeout/i, 504],
];

/** The failure of an error event in a stream that started with 200. */
export function fromErrorEvent(error: unknown, apiKey: string): ModelFailure {
  const code = readField(error, "code");
  const stated = Number(code);
  const words = [code, readField(error, "type")].filter((word) => typeof word === "string").join(" ");
  const status =
    Number.isInteger(stated) && stated >= 400 && stated <= 599
      ? stated
      : (STATUS_OF_WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? 500);
  return fromStatus(status, null, scrubQuote(formatQuote(error), apiKey), 0);
}

/** The failure in a thrown error, or in an error event. Any other error is a failed connection. */
export function fromThrown(thrown: unknown, apiKey: string): ModelFailure {
  let current: unknown = thrown;
  for (let depth = 0; depth < 8; depth += 1) {
    if (current instanceof ModelCallFailed) return current.failure;
    // The SDK gives an error event its status, with the event as `data` or as the text of a body.
    const status = readField(current, "statusCode");
    if (typeof status === "number" && status >= 400) {
      return fromStatus(status, null, scrubQuote(readErrorQuote(current), apiKey), 0);
    }
    current = readField(current, "cause");
  }
  return createModelFailure("unavailable", true, "The connection to the model server failed.");
}

function readErrorQuote(error: unknown): string {
  const body = readField(error, "responseBody");
  return formatQuote(readField(error, "data")) || (typeof body === "string" ? readBodyQuote(body) : "");
}

/** RFC 9110, section 10.2.3: seconds or an HTTP date. Null for anything else. */
export function parseRetryAfter(value: string | null, nowMs: number): number | null {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text)) return Math.min(MAX_RETRY_AFTER_MS, Math.ceil(Number(text) * 1000));
  const date = Date.parse(text);
  if (Number.isNaN(date)) return null;
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(0, date - nowMs));
}

/**
 * What may be quoted of a provider's text: one line, bounded, without the key, anything like a key, or the query of a
 * URL.
 */
export function scrubQuote(text: string, apiKey: string): string {
  let quote = text;
  if (apiKey !== "") quote = quote.replaceAll(apiKey, "[key]");
  return quote
    .replaceAll(/\b(sk|pk|key|bearer)[-_ ][\w*.-]{6,}/gi, "[key]")
    .replaceAll(/(https?:\/\/[^\s?"']*)\?[^\s"']*/gi, "$1")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, MAX_QUOTE_CHARACTERS);
}

/** The text of a provider's error body; "" if it is unreadable. */
export function readBodyQuote(body: string): string {
  try {
    return formatQuote(JSON.parse(body));
  } catch {
    return "";
  }
}

/** The code, type and message of a provider's error: `{"error": {…}}`, `{"error": "…"}` or the inner part. */
function formatQuote(body: unknown): string {
  const inner = readField(body, "response") ?? body;
  const error = readField(inner, "error") ?? inner;
  if (typeof error === "string") return error;
  const words = [readField(error, "code"), readField(error, "type"), readField(error, "message")];
  return words.filter((word): word is string => typeof word === "string").join(" ");
}

function readField(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return getOwn(value as Record<string, unknown>, name);
}

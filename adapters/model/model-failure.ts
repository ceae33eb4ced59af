/** How everything that can go wrong with a model server becomes a `ModelFailure`. */
import { getOwn } from "../../core/base/own-field.ts";
import type { ModelFailure } from "../../core/ports/model.ts";

/** A provider asks for at most this long; a longer wait is cut to it. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Characters of a provider's own words that a message quotes. */
const MAX_QUOTE_CHARACTERS = 300;

/** How compatible servers say that the conversation is too long. OpenAI's code is `context_length_exceeded`. */
const CONTEXT_WORDS =
  /context[ _-]?(length|limit|window|size)|maximum (context|prompt|input)|too many (input )?tokens|prompt (is )?too long|input (is )?too long|reduce the length/i;
const FILTER_WORDS = /content[ _-]?(filter|policy|management)/i;

/** A failure on its way through code that can only throw. */
export class ModelCallFailed extends Error {
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure) {
    super(failure.message);
    this.name = "ModelCallFailed";
    this.failure = failure;
  }
}

/** Builds a failure; `retryAfterMs` is null unless the provider gave one. */
export function modelFailure(
  kind: ModelFailure["kind"],
  retryable: boolean,
  message: string,
  retryAfterMs: number | null = null,
): ModelFailure {
  return { kind, retryable, retryAfterMs, message };
}

/** The failure that a reply with an error status stands for. `quote` is the provider's own text, already scrubbed. */
export function failureOfStatus(status: number, retryAfter: string | null, quote: string, nowMs: number): ModelFailure {
  const said = quote === "" ? "" : `: ${quote}`;
  const retryAfterMs = parseRetryAfter(retryAfter, nowMs);
  if (status === 429) {
    // A used-up account answers 429 too, and no wait of ours changes that.
    if (/insufficient_quota/i.test(quote)) {
      return modelFailure("refused", false, `The model's provider says that the account's quota is used up${said}`);
    }
    return modelFailure("rate_limited", true, `The model's provider limits requests (429)${said}`, retryAfterMs);
  }
  if (status >= 500 || status === 408 || status === 409 || status === 425) {
    return modelFailure("unavailable", true, `The model server answered ${status}${said}`, retryAfterMs);
  }
  if (status >= 300 && status < 400) {
    return modelFailure(
      "refused",
      false,
      `The model server answered with a redirect (${status}), which is not followed. Set the base URL to its target.`,
    );
  }
  if (FILTER_WORDS.test(quote)) {
    return modelFailure("refused", false, `The model's content filter refused the request${said}`);
  }
  if (status === 413 || CONTEXT_WORDS.test(quote)) {
    return modelFailure("context_overflow", false, `The conversation is too long for the model${said}`);
  }
  return modelFailure("refused", false, `The model server refused the request (${status})${said}`);
}

/** The failure of a reply that is not what the API says. */
export function unreadable(): ModelCallFailed {
  return new ModelCallFailed(modelFailure("cut_off", true, "The model's reply could not be read to its end."));
}

/** What an error's code and type say, and the status with which the same error answers a whole request. */
const STATUS_OF_WORDS: readonly (readonly [words: RegExp, status: number])[] = [
  [/insufficient_quota|rate_limit/i, 429],
  [/authentication|api_key/i, 401],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/invalid|bad_request|context_length|content_filter|content_policy/i, 400],
  [/overload/i, 503],
  [/timeout/i, 504],
];

/** The failure that an error stands for which came as an event of the stream, after the reply had begun with 200. */
export function failureOfErrorEvent(error: unknown, apiKey: string): ModelFailure {
  const code = field(error, "code");
  const stated = Number(code);
  const words = [code, field(error, "type")].filter((word) => typeof word === "string").join(" ");
  const status =
    Number.isInteger(stated) && stated >= 400 && stated <= 599
      ? stated
      : (STATUS_OF_WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? 500);
  return failureOfStatus(status, null, scrubQuote(quoteOf(error), apiKey), 0);
}

/**
 * The failure inside something that was thrown, or inside an error that the stream carried as an event. What is neither
 * ours nor the provider's is a connection that failed.
 */
export function failureOfThrown(thrown: unknown, apiKey: string): ModelFailure {
  let current: unknown = thrown;
  for (let depth = 0; depth < 8; depth += 1) {
    if (current instanceof ModelCallFailed) return current.failure;
    // The SDK gives an error event the status that it stands for, with the event as `data` or as the text of a body.
    const status = field(current, "statusCode");
    if (typeof status === "number" && status >= 400) {
      return failureOfStatus(status, null, scrubQuote(quoteOfError(current), apiKey), 0);
    }
    current = field(current, "cause");
  }
  return modelFailure("unavailable", true, "The connection to the model server failed.");
}

function quoteOfError(error: unknown): string {
  const body = field(error, "responseBody");
  return quoteOf(field(error, "data")) || (typeof body === "string" ? quoteOfBody(body) : "");
}

/** RFC 9110, section 10.2.3: seconds, or an HTTP date. Null for anything else. */
export function parseRetryAfter(value: string | null, nowMs: number): number | null {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text)) return Math.min(MAX_RETRY_AFTER_MS, Math.ceil(Number(text) * 1000));
  const date = Date.parse(text);
  if (Number.isNaN(date)) return null;
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(0, date - nowMs));
}

/**
 * What may be repeated of a provider's own words: one line, bounded, without the key, anything that looks like one,
 * and the query of a URL.
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

/** What a provider's error body says; "" when it says nothing that can be read. */
export function quoteOfBody(body: string): string {
  try {
    return quoteOf(JSON.parse(body));
  } catch {
    return "";
  }
}

/** The code, type and message of an error as providers write it: `{"error": {…}}`, `{"error": "…"}` or the inner part. */
function quoteOf(body: unknown): string {
  const inner = field(body, "response") ?? body;
  const error = field(inner, "error") ?? inner;
  if (typeof error === "string") return error;
  const words = [field(error, "code"), field(error, "type"), field(error, "message")];
  return words.filter((word): word is string => typeof word === "string").join(" ");
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return getOwn(value as Record<string, unknown>, name);
}

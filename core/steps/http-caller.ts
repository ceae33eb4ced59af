/** Calls a tenant's HTTP tool: one request through the web port, whose reply is the result. */
import { getOwn } from "../base/own-field.ts";
import { type ErrorCode, failed, type Failure } from "../base/errors.ts";
import { isSafeMethod } from "../web/http-method.ts";
import type { WebResponse } from "../ports/web.ts";
import type { ToolOutcome } from "../tool/tool.ts";
import { fillTemplate } from "../gateway/http-template.ts";
import { type OutsideCaller, splitPointer } from "../gateway/outside-tool.ts";

/** The most bytes of a reply. */
const MAX_REPLY_BYTES = 1_048_576;
/** The request times out this much before the gateway's limit, so that its own error is reported. */
const MARGIN_MS = 1_000;
const CUT = `\n[cut at ${MAX_REPLY_BYTES} bytes]`;
/** The most characters of an error reply for the model. */
const MAX_ERROR_CHARACTERS = 1_000;

/** Sends the call's key as `Idempotency-Key`, unless the request only reads. */
export const httpCaller: OutsideCaller<"http", "web"> = {
  needs: ["web"],
  async call({ origin: { request: template }, timeoutMs }, given, { web, key, allowedDomains, signal }) {
    const filled = fillTemplate(template, given);
    if (!filled.ok) return toFailureOutcome(filled.error);
    const { url, headers, body } = filled.value;
    const hasKey = isSafeMethod(template.method) || headers.some(([name]) => name === "idempotency-key");
    const replied = await web.request({
      method: template.method,
      url,
      headers: hasKey ? headers : [...headers, ["idempotency-key", key]],
      body: body === null ? null : new TextEncoder().encode(body),
      timeoutMs: Math.max(1, timeoutMs - MARGIN_MS),
      maxBytes: MAX_REPLY_BYTES,
      followRedirects: true,
      allowedDomains,
      signal,
    });
    if (!replied.ok) return toFailureOutcome(replied.error);
    return toResult(replied.value, template.resultAt);
  },
};

/**
 * Converts a reply to a result: its JSON, or the part that the tool selects (null if absent); other text unchanged. A
 * success status means that the service did the request; the body does not count.
 */
function toResult(reply: WebResponse, resultAt: string | null): ToolOutcome<unknown> {
  const text = new TextDecoder().decode(reply.body);
  if (reply.status < 200 || reply.status > 299) return toFailureOutcome(toReplyFailure(reply, text));
  const value = readJson(text);
  if (value === undefined) return { kind: "result", result: reply.truncated ? `${text}${CUT}` : text };
  return { kind: "result", result: resultAt === null ? value : (getAtPointer(value, resultAt) ?? null) };
}

/**
 * Converts an error status to a failure. The service answered, so a refused request did not happen; one that failed may
 * have.
 */
function toReplyFailure(reply: WebResponse, text: string): Failure {
  const host = URL.parse(reply.url)?.host ?? "the service";
  const detail = text.trim() === "" ? "" : `: ${text.trim().slice(0, MAX_ERROR_CHARACTERS)}`;
  const message = `${host} answered ${reply.status}${detail}`;
  const code = getErrorCode(reply.status);
  const details = { service: host, status: reply.status };
  const retryAfterMs = reply.status === 429 ? readRetryAfterMs(reply) : null;
  if (code === "rate_limited")
    return failed(code, message, { details, ...(retryAfterMs === null ? {} : { retryAfterMs }) }).error;
  return code === "upstream_failed" ? failed(code, message, { details }).error : { code, message };
}

function getErrorCode(status: number): ErrorCode {
  switch (status) {
    case 401:
    case 403:
      return "permission_denied";
    case 404:
    case 410:
      return "not_found";
    case 409:
      return "conflict";
    case 413:
      return "too_large";
    case 429:
      return "rate_limited";
    default:
      return status >= 400 && status < 500 ? "invalid_input" : "upstream_failed";
  }
}

/** Reads RFC 9110, section 10.2.3, in seconds; ignores a date. */
function readRetryAfterMs(reply: WebResponse): number | null {
  const [, value = ""] = reply.headers.find(([name]) => name.toLowerCase() === "retry-after") ?? [];
  return /^\d{1,6}$/.test(value) ? Number(value) * 1000 : null;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the value at a JSON pointer (RFC 6901); undefined if absent. */
function getAtPointer(value: unknown, pointer: string): unknown {
  let at = value;
  for (const key of splitPointer(pointer)) {
    if (at === null || typeof at !== "object" || !Object.hasOwn(at, key)) return undefined;
    at = getOwn(at as Readonly<Record<string, unknown>>, key);
  }
  return at;
}

function toFailureOutcome(failure: Failure): ToolOutcome<never> {
  return { kind: "failure", failure };
}

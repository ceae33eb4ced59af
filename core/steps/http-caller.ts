/** How a call of a tenant's HTTP tool is made: one request through the web's port, and its reply as the result. */
import { getOwn } from "../base/own-field.ts";
import type { ErrorCode, Failure } from "../base/errors.ts";
import { isReading } from "../web/http-method.ts";
import type { WebResponse } from "../ports/web.ts";
import type { ToolOutcome } from "../tool/tool.ts";
import { fillTemplate } from "../gateway/http-template.ts";
import { type OutsideCaller, pointerSteps } from "../gateway/outside-tool.ts";

/** Bytes of a reply. */
const MAX_REPLY_BYTES = 1_048_576;
/** What the gateway's own limit leaves to the request, so that the request's own message is the one that is seen. */
const MARGIN_MS = 1_000;
const CUT = `\n[cut at ${MAX_REPLY_BYTES} bytes]`;
/** Of a reply that tells a failure, what the model reads. */
const SHOWN_CHARACTERS = 1_000;

/** The request carries the call's key as `Idempotency-Key`, unless it only reads. */
export const httpCaller: OutsideCaller<"http", "web"> = {
  needs: ["web"],
  async call({ origin: { request: template }, timeoutMs }, given, { web, key, allowedDomains, signal }) {
    const filled = fillTemplate(template, given);
    if (!filled.ok) return failureOf(filled.error);
    const { url, headers, body } = filled.value;
    const hasKey = isReading(template.method) || headers.some(([name]) => name === "idempotency-key");
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
    if (!replied.ok) return failureOf(replied.error);
    return resultOf(replied.value, template.resultAt);
  },
};

/**
 * The reply as a result: its JSON, or the part of it that the tool names (null when there is none); any other text as it is.
 * The other side has done what it was asked, so whatever it says is no failure.
 */
function resultOf(reply: WebResponse, resultAt: string | null): ToolOutcome<unknown> {
  const text = new TextDecoder().decode(reply.body);
  if (reply.status < 200 || reply.status > 299) return failureOf(refusedBy(reply, text));
  const value = readJson(text);
  if (value === undefined) return { kind: "result", result: reply.truncated ? `${text}${CUT}` : text };
  return { kind: "result", result: resultAt === null ? value : (atPointer(value, resultAt) ?? null) };
}

/** A status that is no success. The other side has answered, so what it refused did not happen; what broke may have. */
function refusedBy(reply: WebResponse, text: string): Failure {
  const host = URL.parse(reply.url)?.host ?? "the service";
  const said = text.trim() === "" ? "" : `: ${text.trim().slice(0, SHOWN_CHARACTERS)}`;
  const message = `${host} answered ${reply.status}${said}`;
  const code = codeOf(reply.status);
  const retryAfterMs = reply.status === 429 ? retryAfter(reply) : null;
  return { code, message, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
}

function codeOf(status: number): ErrorCode {
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

/** RFC 9110, section 10.2.3, as seconds; a date is not read. */
function retryAfter(reply: WebResponse): number | null {
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

/** What stands at a JSON pointer (RFC 6901); undefined: nothing. */
function atPointer(value: unknown, pointer: string): unknown {
  let at = value;
  for (const key of pointerSteps(pointer)) {
    if (at === null || typeof at !== "object" || !Object.hasOwn(at, key)) return undefined;
    at = getOwn(at as Readonly<Record<string, unknown>>, key);
  }
  return at;
}

function failureOf(failure: Failure): ToolOutcome<never> {
  return { kind: "failure", failure };
}

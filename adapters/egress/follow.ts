/** A request with its redirects: each place is judged before anything is sent there. */
import { type Failure, type Result, failed, ok } from "../../core/errors.ts";
import { hostIsListed } from "../../core/host-pattern.ts";
import { isReading } from "../../core/http-method.ts";
import { surelyNotSent, type WebRequest, type WebResponse } from "../../core/ports.ts";
import { judgeUrl, type EgressAllow } from "./address.ts";
import { nextHop, type Hop } from "./redirect.ts";

/** Redirects that are followed; the next one is a failure. */
const MAX_REDIRECTS = 5;

/** A reply to one request. */
export type Reply = Pick<WebResponse, "status" | "headers" | "body" | "truncated">;

/** Sends one judged request and follows nothing. Never throws; `timeoutMs` is what is left of the whole. */
export type Exchange = (
  hop: Hop,
  limits: { timeoutMs: number; maxBytes: number; signal: AbortSignal },
) => Promise<Result<Reply>>;

/**
 * Makes the request by `exchange`, with one time limit over all redirects. A request with an effect that was answered by a
 * redirect has been answered: when the redirect leads nowhere, that answer is the reply.
 */
export async function requestByHops(
  request: WebRequest,
  allow: EgressAllow,
  exchange: Exchange,
): Promise<Result<WebResponse>> {
  const startedAt = Date.now();
  const first = URL.parse(request.url);
  if (first === null)
    return failed("invalid_input", "url: that is not a URL", { field: "url", details: { sent: false } });
  let hop: Hop = { method: request.method, url: first, headers: request.headers, body: request.body };
  let before: { hop: Hop; reply: Reply } | null = null;
  for (let redirects = 0; ; redirects += 1) {
    const replied = await judgeAndSend(hop, request, allow, exchange, startedAt, redirects);
    if (!replied.ok) {
      const answered = before !== null && !isReading(before.hop.method);
      if (before === null) return replied;
      if (answered && (isReading(hop.method) || surelyNotSent(replied.error))) return ok(toResponse(before, startedAt));
      return { ok: false, error: afterRedirect(replied.error) };
    }
    const location = replied.value.headers.find(([name]) => name.toLowerCase() === "location")?.[1];
    const next = request.followRedirects ? nextHop(hop, replied.value.status, location) : null;
    before = { hop, reply: replied.value };
    if (next === null) return ok(toResponse(before, startedAt));
    hop = next;
  }
}

async function judgeAndSend(
  hop: Hop,
  request: WebRequest,
  allow: EgressAllow,
  exchange: Exchange,
  startedAt: number,
  redirects: number,
): Promise<Result<Reply>> {
  if (redirects > MAX_REDIRECTS)
    return notSent("upstream_failed", `${shownUrl(hop.url)}: more than ${MAX_REDIRECTS} redirects.`);
  const judged = judgeUrl(hop.url.href, allow);
  if (!judged.ok) return notSent("blocked_by_policy", judged.message);
  if (request.allowedDomains !== null && !hostIsListed(hop.url, request.allowedDomains)) {
    return notSent("blocked_by_policy", `The host ${hop.url.hostname} is not on this agent's list of allowed domains.`);
  }
  const timeoutMs = request.timeoutMs - (Date.now() - startedAt);
  if (timeoutMs <= 0 || request.signal.aborted)
    return notSent("timeout", `${shownUrl(hop.url)} was given up before it was sent.`);
  return await exchange(hop, { timeoutMs, maxBytes: request.maxBytes, signal: request.signal });
}

/** Without its query, userinfo and fragment, which may hold secrets: for messages and logs. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** A failure of a request that surely never left. */
export function notSent(code: Failure["code"], message: string): Result<never> {
  return failed(code, message, { field: "url", details: { sent: false } });
}

function afterRedirect(error: Failure): Failure {
  return { ...error, message: `After a redirect: ${error.message}`, details: { ...error.details, sent: true } };
}

function toResponse({ hop, reply }: { hop: Hop; reply: Reply }, startedAt: number): WebResponse {
  return { ...reply, url: hop.url.href, durationMs: Date.now() - startedAt };
}

/**
 * A request with its redirects: each place is judged before anything is sent there, secrets are filled in for that place
 * only, and what comes back is searched for them.
 */
import { asMaybeSent, type Failed, type Failure, ok, type Result, isNotSent, notSent } from "../../core/base/errors.ts";
import { isSameHost, isHostListed, isHostNamed, isPortListed } from "../../core/web/host-pattern.ts";
import { isSafeMethod } from "../../core/web/http-method.ts";
import { findMethodOverride } from "../../core/web/method-override.ts";
import type { WebRequest, WebResponse, WebStream, WebStreamRequest } from "../../core/ports/web.ts";
import type { SecretsPort } from "../../core/ports/secrets.ts";
import { judgeUrl, type EgressAllow } from "./address.ts";
import { type Draft, fillSecrets, refersToSecrets } from "./fill-secrets.ts";
import { nextHop, type Hop } from "./redirect.ts";
import { MARGIN_BYTES, openSecretBook, type SecretBook } from "./secret-book.ts";

/** Redirects that are followed; the next one is a failure. */
const MAX_REDIRECTS = 5;

/** A reply to one request. */
export type Reply = Pick<WebResponse, "status" | "headers" | "body" | "truncated">;

/** `timeoutMs` is what is left of the whole; `portIsListed`: the agent names the host with this port. */
export interface ExchangeLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly portIsListed: boolean;
  readonly signal: AbortSignal;
}

/** Sends one judged request and follows nothing. Never throws. */
export type Exchange<R = Reply> = (hop: Hop, limits: ExchangeLimits) => Promise<Result<R>>;

/** Where requests may go, how one is sent, and whose secrets it may hold. */
export interface Ways<R = Reply> {
  readonly allow: EgressAllow;
  readonly exchange: Exchange<R>;
  readonly secrets: SecretsPort;
}

/** A request that was sent, as it left, with what its caller wrote and what came of it. */
interface Answered<R = Reply> {
  readonly draft: Draft;
  readonly sent: Hop;
  readonly reply: R;
}

/**
 * Makes the request, with one time limit over all redirects. A request with an effect that was answered by a redirect has
 * been answered: when the redirect leads nowhere, that answer is the reply.
 */
export async function requestByHops(request: WebRequest, ways: Ways): Promise<Result<WebResponse>> {
  const startedAt = Date.now();
  const url = URL.parse(request.url);
  if (url === null) return refuseUrl("invalid_input", "url: that is not a URL");
  const { method, headers, body } = request;
  const first: Draft = { hop: { method, url, headers, body }, urlIsOurs: true };
  const book = await openSecretBook(ways.secrets, refersToSecrets(first));
  if (!book.ok) return book;
  const answered = await followHops(first, request, ways, book.value, startedAt);
  return await book.value.redact(answered.ok ? ok(toResponse(answered.value, startedAt)) : answered, request.maxBytes);
}

/** Makes the request, hands the reply over as it comes, and follows no redirect. */
export async function openByHop(request: WebStreamRequest, ways: Ways<WebStream>): Promise<Result<WebStream>> {
  const url = URL.parse(request.url);
  if (url === null) return refuseUrl("invalid_input", "url: that is not a URL");
  const { method, headers, secretHeaders = [], body } = request;
  const draft: Draft = { hop: { method, url, headers: secretHeaders, body: null }, urlIsOurs: false };
  const book = await openSecretBook(ways.secrets, refersToSecrets(draft));
  if (!book.ok) return book;
  const exchange: Exchange<WebStream> = (hop, limits) =>
    ways.exchange({ ...hop, headers: [...headers, ...hop.headers], body }, limits);
  const sent = { startedAt: Date.now(), redirects: 0 };
  const answered = await judgeAndSend(draft, request, { ...ways, exchange }, book.value, sent);
  return await book.value.redactStream(answered.ok ? ok(answered.value.reply) : answered, request.maxBytes);
}

async function followHops(
  first: Draft,
  request: WebRequest,
  ways: Ways,
  book: SecretBook,
  startedAt: number,
): Promise<Result<Answered>> {
  let draft = first;
  let before: Answered | null = null;
  for (let redirects = 0; ; redirects += 1) {
    const answered = await judgeAndSend(draft, request, ways, book, { startedAt, redirects });
    if (!answered.ok) {
      if (before === null) return answered;
      const effectHappened = !isSafeMethod(before.sent.method);
      if (effectHappened && (isSafeMethod(draft.hop.method) || isNotSent(answered.error))) return ok(before);
      return afterRedirect(answered.error);
    }
    before = answered.value;
    const next = request.followRedirects ? nextDraft(before) : null;
    if (next === null || !mayFollow(request, next.hop.url, first.hop.url)) return ok(before);
    draft = next;
  }
}

async function judgeAndSend<R>(
  draft: Draft,
  request: WebRequest,
  { allow, exchange }: Ways<R>,
  book: SecretBook,
  { startedAt, redirects }: { startedAt: number; redirects: number },
): Promise<Result<Answered<R>>> {
  const { url } = draft.hop;
  if (redirects > MAX_REDIRECTS)
    return refuseUrl("upstream_failed", `${shownUrl(url)}: more than ${MAX_REDIRECTS} redirects.`);
  const { allowedDomains } = request;
  const listedPort = isPortListed(url, allowedDomains ?? []);
  const override = findMethodOverride(draft.hop.method, url, [...draft.hop.headers, ...request.headers]);
  if (override !== null) {
    const message = `A ${draft.hop.method} request cannot ask for another method: leave out ${override.name}. Nothing was sent.`;
    return notSent("blocked_by_policy", message, { field: override.field });
  }
  const judged = judgeUrl(url.href, allow, listedPort);
  if (!judged.ok) return refuseUrl("blocked_by_policy", judged.message);
  if (allowedDomains === null ? !judged.opened : !isHostListed(url, allowedDomains)) {
    const message = `The host ${url.hostname} is not on this agent's list of allowed domains: its allowed_domains have to name it, or "*" for every public host.`;
    return refuseUrl("blocked_by_policy", message);
  }
  const carried = draft.urlIsOurs ? null : await book.strayIn(url);
  if (carried !== null) {
    const message = `It carries the secret ${carried} to ${url.host}, which that is not bound to. Nothing was sent there.`;
    return refuseUrl("blocked_by_policy", message);
  }
  const filled = fillSecrets(draft, book.named, judged.opened);
  if (!filled.ok) return filled;
  const timeoutMs = request.timeoutMs - (Date.now() - startedAt);
  if (timeoutMs <= 0 || request.signal.aborted)
    return refuseUrl("timeout", `${shownUrl(url)} was given up before it was sent.`);
  const maxBytes = request.maxBytes + MARGIN_BYTES;
  const limits = { timeoutMs, maxBytes, portIsListed: listedPort, signal: request.signal };
  const replied = await exchange(filled.value, limits);
  return replied.ok ? ok({ draft, sent: filled.value, reply: replied.value }) : replied;
}

/** A request that stays on its host is redirected within that host, and to hosts that the agent's list names. */
function mayFollow({ staysOnHost = false, allowedDomains }: WebRequest, next: URL, first: URL): boolean {
  return !staysOnHost || isSameHost(next, first) || isHostNamed(next, allowedDomains ?? []);
}

/** Where a redirect leads: with the caller's headers and body, so that their secrets are judged again for that place. */
function nextDraft({ draft, sent, reply }: Answered): Draft | null {
  const location = reply.headers.find(([name]) => name.toLowerCase() === "location")?.[1];
  const hop = nextHop({ ...draft.hop, url: sent.url }, reply.status, location);
  return hop === null ? null : { hop, urlIsOurs: false };
}

/** Without its query, userinfo and fragment, which may hold secrets: for messages and logs. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** The failure of a request whose URL is at fault, or that there was no time for. It never left. */
export function refuseUrl(code: Failure["code"], message: string): Result<never> {
  return notSent(code, message, { field: "url" });
}

function afterRedirect(error: Failure): Failed {
  return asMaybeSent({ ...error, message: `After a redirect: ${error.message}` });
}

function toResponse({ draft, reply }: Answered, startedAt: number): WebResponse {
  return { ...reply, url: draft.hop.url.href, durationMs: Date.now() - startedAt };
}

/**
 * Sends a request and follows its redirects. Each destination is checked before anything is sent to it, secrets are
 * filled in for that destination only, and they are redacted from the reply.
 */
import { asMaybeSent, type Failed, type Failure, ok, type Result, isNotSent, notSent } from "../../core/base/errors.ts";
import { isSameHost, isHostListed, isHostNamed, isPortListed } from "../../core/web/host-pattern.ts";
import { isSafeMethod } from "../../core/web/http-method.ts";
import { findMethodOverride } from "../../core/web/method-override.ts";
import type { WebRequest, WebResponse, WebStream, WebStreamRequest } from "../../core/ports/web.ts";
import type { SecretsPort } from "../../core/ports/secrets.ts";
import { CONNECTION_NAME } from "../../core/web/connection-reference.ts";
import { judgeUrl, type EgressAllow } from "./address.ts";
import {
  type AccountCredentials,
  needsConnection,
  openRequestAccount,
  type RequestAccount,
} from "./fill-connection.ts";
import { type Draft, fillSecrets, hasReferences } from "./fill-secrets.ts";
import { createRedirect, type WebHop } from "./redirect.ts";
import { MARGIN_BYTES, openSecretBook, type SecretBook } from "./secret-book.ts";

/** Maximum redirects; one more is a failure. */
const MAX_REDIRECTS = 5;

/** A reply to one request. */
export type Reply = Pick<WebResponse, "status" | "headers" | "body" | "truncated" | "release">;

/** `timeoutMs` is what is left of the total; `portIsListed`: the agent lists the host with this port. */
export interface ExchangeLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly portIsListed: boolean;
  readonly signal: AbortSignal;
}

/** Sends one checked request without following redirects. Never throws. */
export type Exchange<R = Reply> = (hop: WebHop, limits: ExchangeLimits) => Promise<Result<R>>;

/** Allowed destinations, how a request is sent, and the secrets that it may contain. */
export interface EgressParts<R = Reply> {
  readonly allow: EgressAllow;
  readonly exchange: Exchange<R>;
  readonly secrets: SecretsPort;
  /** Null where no request has an account. */
  readonly accounts: AccountCredentials | null;
}

/** What one request with its redirects carries. */
interface Carried {
  readonly book: SecretBook;
  readonly account: RequestAccount;
}

/** A sent request with its draft and its reply. */
interface Exchanged<R = Reply> {
  readonly draft: Draft;
  readonly sent: WebHop;
  readonly reply: R;
}

/**
 * Sends the request under one time limit over all redirects. A redirect is already a reply to a request with an effect:
 * if it cannot be followed, it is returned.
 */
export async function sendWithRedirects(request: WebRequest, ways: EgressParts): Promise<Result<WebResponse>> {
  const startedAt = Date.now();
  const url = URL.parse(request.url);
  if (url === null) return refuseUrl("invalid_input", "url: that is not a URL");
  const { method, headers, body } = request;
  const first: Draft = { hop: { method, url, headers, body }, urlIsOurs: true };
  const book = await openSecretBook(ways.secrets, hasReferences(first));
  if (!book.ok) return book;
  const carried = { book: book.value, account: openRequestAccount(request.account, ways.accounts, book.value) };
  const answered = await followRedirects(first, request, ways, carried, startedAt);
  return await book.value.redact(answered.ok ? ok(toResponse(answered.value, startedAt)) : answered, request.maxBytes);
}

/** Sends the request, streams the reply, and follows no redirect. */
export async function openStream(request: WebStreamRequest, ways: EgressParts<WebStream>): Promise<Result<WebStream>> {
  const url = URL.parse(request.url);
  if (url === null) return refuseUrl("invalid_input", "url: that is not a URL");
  const { method, headers, secretHeaders = [], body } = request;
  const draft: Draft = { hop: { method, url, headers: secretHeaders, body: null }, urlIsOurs: false };
  const book = await openSecretBook(ways.secrets, hasReferences(draft));
  if (!book.ok) return book;
  const exchange: Exchange<WebStream> = (hop, limits) =>
    ways.exchange({ ...hop, headers: [...headers, ...hop.headers], body }, limits);
  const sent = { startedAt: Date.now(), redirects: 0 };
  const carried = { book: book.value, account: openRequestAccount(request.account, ways.accounts, book.value) };
  const answered = await checkAndSend(draft, request, { ...ways, exchange }, carried, sent);
  return await book.value.redactStream(answered.ok ? ok(answered.value.reply) : answered, request.maxBytes);
}

async function followRedirects(
  first: Draft,
  request: WebRequest,
  ways: EgressParts,
  carried: Carried,
  startedAt: number,
): Promise<Result<Exchanged>> {
  let draft = first;
  let before: Exchanged | null = null;
  for (let redirects = 0; ; redirects += 1) {
    const answered = await checkAndSend(draft, request, ways, carried, { startedAt, redirects });
    if (!answered.ok) {
      if (before === null) return answered;
      const effectHappened = !isSafeMethod(before.sent.method);
      if (effectHappened && (isSafeMethod(draft.hop.method) || isNotSent(answered.error))) return ok(before);
      return failAfterRedirect(answered.error);
    }
    before = answered.value;
    const next = request.followRedirects ? createNextDraft(before) : null;
    if (next === null || !mayFollow(request, next.hop.url, first.hop.url)) return ok(before);
    // Nobody reads the body of a redirect that is followed.
    before.reply.release?.();
    draft = next;
  }
}

async function checkAndSend<R extends Reply | WebStream>(
  draft: Draft,
  request: WebRequest,
  { allow, exchange }: EgressParts<R>,
  { book, account }: Carried,
  { startedAt, redirects }: { startedAt: number; redirects: number },
): Promise<Result<Exchanged<R>>> {
  const { url } = draft.hop;
  if (redirects > MAX_REDIRECTS)
    return refuseUrl("upstream_failed", `${formatUrl(url)}: more than ${MAX_REDIRECTS} redirects.`);
  const { allowedDomains } = request;
  const listedPort = isPortListed(url, allowedDomains ?? []);
  const override = findMethodOverride(draft.hop.method, url, [...draft.hop.headers, ...request.headers]);
  if (override !== null) {
    const message = `A ${draft.hop.method} request cannot override its method: remove ${override.name}. Nothing was sent.`;
    return notSent("blocked_by_policy", message, { field: override.field });
  }
  const judged = judgeUrl(url.href, allow, listedPort);
  if (!judged.ok) return refuseUrl("blocked_by_policy", judged.message);
  if (allowedDomains === null ? !judged.opened : !isHostListed(url, allowedDomains)) {
    const message = `The host ${url.hostname} is not on this agent's list of allowed domains: its allowed_domains have to name it, or "*" for every public host.`;
    return refuseUrl("blocked_by_policy", message);
  }
  const stray = draft.urlIsOurs ? null : await book.findStray(url);
  if (stray !== null) {
    const what = stray === CONNECTION_NAME ? "the credential of an account" : `the secret ${stray}`;
    const message = `It carries ${what} to ${url.host}, to which that is not bound. Nothing was sent there.`;
    return refuseUrl("blocked_by_policy", message);
  }
  const filled = fillSecrets(draft, book.named, judged.opened);
  if (!filled.ok) return filled;
  const send = async (): Promise<Result<Exchanged<R>>> => {
    const sent = await account.fill({ ...draft, hop: filled.value }, judged.opened);
    if (!sent.ok) return sent;
    const timeoutMs = request.timeoutMs - (Date.now() - startedAt);
    if (timeoutMs <= 0 || request.signal.aborted)
      return refuseUrl("timeout", `${formatUrl(url)} was cancelled before it was sent.`);
    const maxBytes = request.maxBytes + MARGIN_BYTES;
    const limits = { timeoutMs, maxBytes, portIsListed: listedPort, signal: request.signal };
    const replied = await exchange(sent.value, limits);
    return replied.ok ? ok({ draft, sent: sent.value, reply: replied.value }) : replied;
  };
  return needsConnection(draft) ? await sendWithAccount(send, account) : await send();
}

/** Sends a request with a credential, and once more with a renewed one after the app refused the first. */
async function sendWithAccount<R extends Reply | WebStream>(
  send: () => Promise<Result<Exchanged<R>>>,
  account: RequestAccount,
): Promise<Result<Exchanged<R>>> {
  for (;;) {
    const answered = await send();
    if (!answered.ok || answered.value.reply.status !== UNAUTHORIZED) return answered;
    discard(answered.value.reply);
    const renewed = await account.renew();
    if (!renewed.ok) return renewed;
  }
}

const UNAUTHORIZED = 401;

/** Ends a reply that nobody reads. */
function discard(reply: Reply | WebStream): void {
  if (reply.body instanceof ReadableStream) void reply.body.cancel().catch(() => undefined);
  else if ("release" in reply) reply.release?.();
}

/** A request that stays on its host follows redirects within that host and to listed hosts. */
function mayFollow({ staysOnHost = false, allowedDomains }: WebRequest, next: URL, first: URL): boolean {
  return !staysOnHost || isSameHost(next, first) || isHostNamed(next, allowedDomains ?? []);
}

/**
 * The redirected request with the caller's headers and body, so that their secrets are checked again for the new
 * destination.
 */
function createNextDraft({ draft, sent, reply }: Exchanged): Draft | null {
  const location = reply.headers.find(([name]) => name.toLowerCase() === "location")?.[1];
  const hop = createRedirect({ ...draft.hop, url: sent.url }, reply.status, location);
  return hop === null ? null : { hop, urlIsOurs: false };
}

/** Omits query, user info and fragment, which may contain secrets. For messages and logs. */
export function formatUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** The failure of a request with a wrong URL or without time left. It was not sent. */
export function refuseUrl(code: Failure["code"], message: string): Result<never> {
  return notSent(code, message, { field: "url" });
}

function failAfterRedirect(error: Failure): Failed {
  return asMaybeSent({ ...error, message: `After a redirect: ${error.message}` });
}

function toResponse({ draft, reply }: Exchanged, startedAt: number): WebResponse {
  return { ...reply, url: draft.hop.url.href, durationMs: Date.now() - startedAt };
}

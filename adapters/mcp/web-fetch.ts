/**
 * `fetch` for the MCP package through the web port: each request goes to a destination that the tenant, or a foreign
 * server, named. An operation has limits of requests, bytes and time.
 */
import type { FetchLike } from "@modelcontextprotocol/client";
import type { Failure } from "../../core/base/errors.ts";
import type { Account } from "../../core/connections/account.ts";
import type { WebPort, WebStream } from "../../core/ports/web.ts";
import { CONNECTION_REFERENCE } from "../../core/web/connection-reference.ts";
import { awaitWithin } from "../../core/base/deadline.ts";

/** Limits of one operation: a listing, or a call. */
const MAX_REQUESTS = 150;
const MAX_BYTES = 16 * 1024 * 1024;
/** More than one piece of a body. */
const MARGIN_BYTES = 1024 * 1024;
/** How long nothing may happen before the operation ends: the package may be about to resume a stream. */
const MAX_IDLE_MS = 6_000;
/** Time for a cancellation after its call was abandoned. */
const CANCELLATION_MS = 1_000;
const RETRY_AFTER_MS = 1_000;

/** A request without a reply, as it is thrown through the package. */
export class NoReply extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "NoReply";
    this.failure = failure;
  }
}

/** The requests of one operation. */
export interface OperationFetch {
  readonly send: FetchLike;
  /**
   * Rejects once the operation exceeded its limits, and when the last reply has ended and nothing follows: the package
   * itself would wait until the time limit.
   */
  readonly hopeless: Promise<never>;
  /** True once a tool's call may have been accepted. */
  readonly mayHaveCalled: () => boolean;
  /** Ends when nothing is running, or soon: the last request may be a cancellation. */
  settled(): Promise<void>;
}

interface FetchOptions {
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly timeoutMs: number;
  /** Its credential is sent as a bearer token. */
  readonly account?: Account | null;
}

/**
 * `timeoutMs` covers the whole operation. `headers`, and the credential of the account, are sent with every request to
 * `origin`, and nowhere else.
 */
export function openOperationFetch(
  web: Pick<WebPort, "open">,
  { url, headers: fixed, timeoutMs, account = null }: FetchOptions,
): OperationFetch {
  const headers = account === null ? fixed : [...fixed, ["authorization", `Bearer ${CONNECTION_REFERENCE}`] as const];
  const { origin } = new URL(url);
  const deadline = AbortSignal.timeout(timeoutMs);
  const underWay = new Set<Promise<unknown>>();
  const { promise: hopeless, reject: giveUp } = Promise.withResolvers<never>();
  hopeless.catch(() => undefined);
  let open = 0;
  let hasEnded = false;
  let idle: ReturnType<typeof setTimeout> | null = null;
  let requests = 0;
  let bytes = 0;
  /** Calls of a tool that may have been accepted. */
  let calls = 0;

  function refuse(code: Failure["code"], message: string): never {
    const refused = createNoReply(code, message);
    giveUp(refused);
    throw refused;
  }

  function begin(): void {
    open += 1;
    if (idle !== null) clearTimeout(idle);
  }

  function end(): void {
    open -= 1;
    if (open > 0 || hasEnded) return;
    idle = setTimeout(() => {
      const message = "The connection was lost or closed before the reply arrived.";
      giveUp(new NoReply({ code: "upstream_failed", message, retryAfterMs: RETRY_AFTER_MS }));
    }, MAX_IDLE_MS);
  }

  async function exchangeOrNot(target: string | URL, init: RequestInit = {}): Promise<Response> {
    const { href, origin: its } = new URL(target);
    const sent = new Headers(init.headers);
    // A permanently open stream would block the Worker; only an interrupted stream is resumed.
    if ((init.method ?? "GET") === "GET" && href === url && !sent.has("last-event-id")) return NO_STREAM();
    begin();
    try {
      return await exchange(href, its, sent, init);
    } catch (thrown) {
      end();
      throw thrown;
    }
  }

  /** The end of the reply's body ends the exchange. */
  async function exchange(href: string, its: string, sent: Headers, init: RequestInit): Promise<Response> {
    requests += 1;
    if (requests > MAX_REQUESTS) refuse("upstream_failed", `The server caused more than ${MAX_REQUESTS} requests.`);
    const own = its === origin ? headers.filter(([name]) => !sent.has(name)) : [];
    const { body, type } = readBody(init.body);
    if (type !== null && !sent.has("content-type")) sent.set("content-type", type);
    const isCall = body?.includes('"method":"tools/call"') === true;
    if (isCall) calls += 1;
    const replied = await web.open({
      method: init.method ?? "GET",
      url: href,
      // They contain arguments of a call and values from servers: session ids, event ids, tokens.
      headers: [...sent],
      secretHeaders: own,
      ...(account === null ? {} : { account }),
      body: body === null ? null : new TextEncoder().encode(body),
      timeoutMs,
      // Bytes are counted here over all replies, so that the limit is distinguished from a lost connection.
      maxBytes: MAX_BYTES + MARGIN_BYTES,
      followRedirects: false,
      // The tenant configured the server with its port.
      allowedDomains: ["*", new URL(url).host],
      signal: AbortSignal.any([deadline, ...(init.signal == null ? [] : [init.signal])]),
    });
    if (!replied.ok) throw new NoReply(replied.error);
    // Only this says that the token was refused before the call: 401 alone may be of a service behind the server (RFC 6750, section 3).
    if (isCall && isTokenRefused(replied.value)) calls -= 1;
    const count = (length: number) => {
      bytes += length;
      if (bytes > MAX_BYTES) refuse("too_large", `The server replied with more than ${MAX_BYTES} bytes.`);
    };
    return toResponse({ ...replied.value, body: watchBody(replied.value.body, { count, end, lost: giveUp }) });
  }

  return {
    send: (target, init) => {
      const sending = exchangeOrNot(target, init);
      const ended = sending.catch(() => undefined);
      underWay.add(ended);
      void ended.finally(() => underWay.delete(ended));
      return sending;
    },
    hopeless,
    mayHaveCalled: () => calls > 0,
    settled: async () => {
      hasEnded = true;
      if (idle !== null) clearTimeout(idle);
      await awaitWithin(globalThis, CANCELLATION_MS, Promise.all(underWay), null);
    },
  };
}

/** The reply of a server without such a stream: the package continues without it. */
const NO_STREAM = (): Response => new Response(null, { status: 405 });

function createNoReply(code: Failure["code"], message: string): NoReply {
  return new NoReply({ code, message });
}

/** The package sends JSON as text, and forms. */
function readBody(body: RequestInit["body"]): { readonly body: string | null; readonly type: string | null } {
  if (body == null) return { body: null, type: null };
  if (typeof body === "string") return { body, type: null };
  if (body instanceof URLSearchParams) return { body: body.toString(), type: "application/x-www-form-urlencoded" };
  throw new TypeError("the MCP package sent a body of an unknown kind");
}

interface Reply {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ReadableStream<Uint8Array>;
}

/** Statuses whose responses have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Observes a body: its bytes, its end, and the reason of a failure if known. */
interface Watcher {
  readonly count: (bytes: number) => void;
  readonly end: () => void;
  readonly lost: (why: NoReply) => void;
}

/** A body whose bytes are counted, and whose end is reported once. */
function watchBody(body: ReadableStream<Uint8Array>, { count, end, lost }: Watcher): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isOver = false;
  const over = () => {
    if (!isOver) end();
    isOver = true;
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          over();
          controller.close();
        } else {
          count(value.length);
          controller.enqueue(value);
        }
      } catch (thrown) {
        over();
        if (thrown instanceof NoReply) lost(thrown);
        controller.error(thrown);
        await reader.cancel().catch(() => undefined);
      }
    },
    async cancel(reason) {
      over();
      await reader.cancel(reason);
    },
  });
}

async function toResponse({ status, headers, body }: Reply): Promise<Response> {
  if (status < 200 || status > 599) {
    await body.cancel();
    throw createNoReply("upstream_failed", `The server replied with status ${status}.`);
  }
  const accepted = new Headers();
  for (const [name, value] of headers) {
    try {
      accepted.append(name, value);
    } catch {
      // A header that `Headers` rejects is dropped.
    }
  }
  if (EMPTY.has(status)) {
    await body.cancel();
    return new Response(null, { status, headers: accepted });
  }
  return new Response(body, { status, headers: accepted });
}

function isTokenRefused({ status, headers }: Pick<WebStream, "status" | "headers">): boolean {
  const isChallenge = ([name, value]: readonly [string, string]) =>
    name.toLowerCase() === "www-authenticate" && /^bearer\b/i.test(value.trim());
  return status === 401 && headers.some(isChallenge);
}

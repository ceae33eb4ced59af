/**
 * `fetch` for the MCP package, by way of the web port: each of its requests is one of a tenant's to a place that the
 * tenant, or a stranger's server, named. One operation has a number of requests, of bytes and a time that it may take.
 */
import type { FetchLike } from "@modelcontextprotocol/client";
import type { Failure } from "../../core/base/errors.ts";
import type { WebPort } from "../../core/ports/web.ts";
import { awaitWithin } from "../../core/base/deadline.ts";

/** Of one operation: a listing, or a call. */
const MAX_REQUESTS = 150;
const MAX_BYTES = 16 * 1024 * 1024;
/** More than one piece of a body. */
const MARGIN_BYTES = 1024 * 1024;
/** How long nothing may be under way before the operation ends: the package may be about to take up a stream again. */
const MAX_IDLE_MS = 6_000;
/** What a cancellation has, once its call was given up. */
const LAST_WORD_MS = 1_000;
const AGAIN_AFTER_MS = 1_000;

/** A request that got no reply, as it is thrown through the package. */
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
   * Rejects once the operation has asked, or was answered, more than it may, and when the last answer has ended and nothing
   * follows: the package itself would wait until the time is over.
   */
  readonly hopeless: Promise<never>;
  /** True once a tool's call may have left. */
  readonly mayHaveCalled: () => boolean;
  /** Ends when nothing is under way, or soon: what was sent last may be the word that a call is cancelled. */
  settled(): Promise<void>;
}

/** `timeoutMs` is for all of it. `headers` go with every request to `origin`, and to no other place. */
export function operationFetch(
  web: Pick<WebPort, "open">,
  { url, headers, timeoutMs }: { url: string; headers: readonly (readonly [string, string])[]; timeoutMs: number },
): OperationFetch {
  const { origin } = new URL(url);
  const deadline = AbortSignal.timeout(timeoutMs);
  const underWay = new Set<Promise<unknown>>();
  const { promise: hopeless, reject: giveUp } = Promise.withResolvers<never>();
  hopeless.catch(() => undefined);
  let open = 0;
  let isOver = false;
  let idle: ReturnType<typeof setTimeout> | null = null;
  let requests = 0;
  let bytes = 0;
  let called = false;

  function refuse(code: Failure["code"], message: string): never {
    const refused = noReply(code, message);
    giveUp(refused);
    throw refused;
  }

  function begin(): void {
    open += 1;
    if (idle !== null) clearTimeout(idle);
  }

  function end(): void {
    open -= 1;
    if (open > 0 || isOver) return;
    idle = setTimeout(() => {
      const message = "The connection was lost, or ended, before the reply came.";
      giveUp(new NoReply({ code: "upstream_failed", message, retryAfterMs: AGAIN_AFTER_MS }));
    }, MAX_IDLE_MS);
  }

  async function exchangeOrNot(target: string | URL, init: RequestInit = {}): Promise<Response> {
    const { href, origin: its } = new URL(target);
    const sent = new Headers(init.headers);
    // A stream that stands open for whatever may come would hold the Worker; a stream that broke off is taken up again.
    if ((init.method ?? "GET") === "GET" && href === url && !sent.has("last-event-id")) return NO_STREAM();
    begin();
    try {
      return await exchange(href, its, sent, init);
    } catch (thrown) {
      end();
      throw thrown;
    }
  }

  /** The body of the reply ends the exchange. */
  async function exchange(href: string, its: string, sent: Headers, init: RequestInit): Promise<Response> {
    requests += 1;
    if (requests > MAX_REQUESTS) refuse("upstream_failed", `The server made Otto ask more than ${MAX_REQUESTS} times.`);
    const own = its === origin ? headers.filter(([name]) => !sent.has(name)) : [];
    const { body, type } = bodyOf(init.body);
    if (type !== null && !sent.has("content-type")) sent.set("content-type", type);
    called ||= body?.includes('"method":"tools/call"') === true;
    const replied = await web.open({
      method: init.method ?? "GET",
      url: href,
      // Among them are arguments of a call, and words of servers: the id of a session, of an event, a token.
      headers: [...sent],
      secretHeaders: own,
      body: body === null ? null : new TextEncoder().encode(body),
      timeoutMs,
      // The bytes are counted here, over all replies, so that too many are told apart from a connection that broke.
      maxBytes: MAX_BYTES + MARGIN_BYTES,
      followRedirects: false,
      // The tenant named the server with its port.
      allowedDomains: ["*", new URL(url).host],
      signal: AbortSignal.any([deadline, ...(init.signal == null ? [] : [init.signal])]),
    });
    if (!replied.ok) throw new NoReply(replied.error);
    const count = (length: number) => {
      bytes += length;
      if (bytes > MAX_BYTES) refuse("too_large", `The server answered more than ${MAX_BYTES} bytes.`);
    };
    return responseOf({ ...replied.value, body: watched(replied.value.body, { count, end, lost: giveUp }) });
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
    mayHaveCalled: () => called,
    settled: async () => {
      isOver = true;
      if (idle !== null) clearTimeout(idle);
      await awaitWithin(globalThis, LAST_WORD_MS, Promise.all(underWay), null);
    },
  };
}

/** As a server answers that offers no such stream: the package goes on without. */
const NO_STREAM = (): Response => new Response(null, { status: 405 });

function noReply(code: Failure["code"], message: string): NoReply {
  return new NoReply({ code, message });
}

/** The package sends JSON as text, and forms. */
function bodyOf(body: RequestInit["body"]): { readonly body: string | null; readonly type: string | null } {
  if (body == null) return { body: null, type: null };
  if (typeof body === "string") return { body, type: null };
  if (body instanceof URLSearchParams) return { body: body.toString(), type: "application/x-www-form-urlencoded" };
  throw new TypeError("a request of the MCP package has a body of another kind");
}

interface Reply {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ReadableStream<Uint8Array>;
}

/** Statuses whose responses have no body, as `Response` demands. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** What hears of a body: its bytes, its end, and why it broke off where that is known. */
interface Watcher {
  readonly count: (bytes: number) => void;
  readonly end: () => void;
  readonly lost: (why: NoReply) => void;
}

/** A body whose bytes are counted, and whose end is told once, however it ends. */
function watched(body: ReadableStream<Uint8Array>, { count, end, lost }: Watcher): ReadableStream<Uint8Array> {
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

async function responseOf({ status, headers, body }: Reply): Promise<Response> {
  if (status < 200 || status > 599) {
    await body.cancel();
    throw noReply("upstream_failed", `The server answered with the status ${status}.`);
  }
  const told = new Headers();
  for (const [name, value] of headers) {
    try {
      told.append(name, value);
    } catch {
      // A header that no client of the web could read is none.
    }
  }
  if (EMPTY.has(status)) {
    await body.cancel();
    return new Response(null, { status, headers: told });
  }
  return new Response(body, { status, headers: told });
}

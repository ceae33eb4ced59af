/**
 * The one way to an endpoint of a provider: through the egress module, without redirects, by https unless the operator
 * opened the host, within the limits of one operation. A reply is read whole before anyone sees it.
 */
import type { FetchLike } from "@modelcontextprotocol/client";
import { awaitUnlessAborted, openTimeLimit, type Timer } from "../../core/base/deadline.ts";
import { notSent, type Failed, type Failure } from "../../core/base/errors.ts";
import { joinBytes } from "../../core/base/join-bytes.ts";
import { LEASE_MS } from "../../core/connections/renewal-lease.ts";
import type { WebPort, WebStream } from "../../core/ports/web.ts";

/** Of one operation: all its requests together. The lease of a renewal outlasts it. */
const OPERATION_MS = LEASE_MS - 5_000;
const MAX_REPLY_BYTES = 256 * 1024;
/** So that the limit is found here, not by a stream that breaks off. */
const MARGIN_BYTES = 64 * 1024;
/** Descriptions, a registration and a token. */
const MAX_REQUESTS = 8;

/** Why no reply can be used. */
export type FaultKind = "unanswered" | "redirected" | "blocked" | "insecure" | "unreadable";

/** Thrown through the package's functions. */
export class EndpointFault extends Error {
  readonly kind: FaultKind;
  /** Of `blocked`: the reason for anyone to read. */
  readonly reason: string;

  constructor(kind: FaultKind, reason = "") {
    super(`${kind} ${reason}`);
    this.name = "EndpointFault";
    this.kind = kind;
    this.reason = reason;
  }
}

/** How requests leave, and what limits them. */
export interface EndpointAccess {
  readonly web: Pick<WebPort, "open">;
  /** True for a destination that the operator opened: it may be reached without TLS. */
  readonly isOpened: (url: URL) => boolean;
  readonly timer: Timer;
  /** Replaces `OPERATION_MS`. */
  readonly timeoutMs?: number;
}

/** Runs one operation with a `fetch` of its own. `domains` are hosts that the tenant named, with their ports. */
export async function callEndpoints<T>(
  access: EndpointAccess,
  domains: readonly string[],
  operation: (send: FetchLike) => Promise<T>,
): Promise<T> {
  const ms = access.timeoutMs ?? OPERATION_MS;
  const limit = openTimeLimit(access.timer, ms, new AbortController().signal);
  let requests = 0;
  const send: FetchLike = async (target, init = {}) => {
    requests += 1;
    if (requests > MAX_REQUESTS) throw new EndpointFault("unanswered");
    return await exchange(access, { url: new URL(target), init, domains, ms, signal: limit.signal });
  };
  try {
    return await operation(send);
  } finally {
    limit.end();
  }
}

interface Sent {
  readonly url: URL;
  readonly init: RequestInit;
  readonly domains: readonly string[];
  readonly ms: number;
  readonly signal: AbortSignal;
}

async function exchange(access: EndpointAccess, { url, init, domains, ms, signal }: Sent): Promise<Response> {
  if (!isSecure(url, access)) throw new EndpointFault("insecure");
  const late = notSent("timeout", "The time limit was reached.");
  const opening = access.web.open({
    method: init.method ?? "GET",
    url: url.href,
    // Headers and body contain tokens and texts of servers: no references to secrets are filled in.
    headers: [...new Headers(init.headers)],
    body: encodeBody(init.body),
    timeoutMs: ms,
    maxBytes: MAX_REPLY_BYTES + MARGIN_BYTES,
    followRedirects: false,
    allowedDomains: ["*", ...domains],
    signal,
  });
  const opened = await awaitUnlessAborted<Awaited<typeof opening>, Failed>(signal, opening, late);
  if (!opened.ok) throw toFault(opened.error);
  const { status, headers, body } = opened.value;
  const problem = findProblem(status);
  if (problem !== null) {
    await body.cancel().catch(() => undefined);
    throw new EndpointFault(problem);
  }
  const whole = await readWhole(body, signal);
  const isEmpty = whole.length === 0 || status === 204 || status === 205;
  return new Response(isEmpty ? null : whole, { status, headers: copyHeaders(headers) });
}

/** True for https, and for a destination that the operator opened. */
export function isSecure(url: URL, { isOpened }: Pick<EndpointAccess, "isOpened">): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isOpened(url));
}

/** What a status says about the server itself. A status of 4xx is an answer, except those that ask for patience. */
function findProblem(status: number): FaultKind | null {
  if (status >= 300 && status < 400) return "redirected";
  const isAnswer = status >= 200 && status < 500 && status !== 408 && status !== 425 && status !== 429;
  return isAnswer ? null : "unanswered";
}

function toFault(error: Failure): EndpointFault {
  return error.code === "blocked_by_policy"
    ? new EndpointFault("blocked", error.message)
    : new EndpointFault("unanswered");
}

/** The package sends forms and JSON as text. */
function encodeBody(body: RequestInit["body"]): Uint8Array | null {
  if (body == null) return null;
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof URLSearchParams) return new TextEncoder().encode(body.toString());
  throw new TypeError("a body of an unknown kind");
}

async function readWhole(body: WebStream["body"], signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const read = await awaitUnlessAborted(signal, reader.read(), null);
      if (read === null) throw new EndpointFault("unanswered");
      if (read.done) return joinBytes(parts);
      bytes += read.value.length;
      if (bytes > MAX_REPLY_BYTES) throw new EndpointFault("unanswered");
      parts.push(read.value);
    }
  } catch (thrown) {
    // A body that is read no further also ends its request. Waiting for that could take as long as the server wants.
    void reader.cancel().catch(() => undefined);
    throw thrown instanceof EndpointFault ? thrown : new EndpointFault("unanswered");
  }
}

function copyHeaders(headers: WebStream["headers"]): Headers {
  const copy = new Headers();
  for (const [name, value] of headers) {
    try {
      copy.append(name, value);
    } catch {
      // A header that `Headers` rejects is dropped.
    }
  }
  return copy;
}

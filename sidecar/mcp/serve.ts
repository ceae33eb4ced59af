/**
 * Serves MCP over streamable HTTP from a process: one message in, events out. `initialize` and `server/discover` are answered from the
 * greeting, which happens once per process. If the process cannot answer, the last event is `failed` with `{code, message}`, an event
 * name that no message of a process can have.
 */
import type { ServerResponse } from "node:http";
import type { ExchangeFailure } from "./exchange.ts";
import type { Greeting } from "./greet.ts";
import {
  makeError,
  type Id,
  METHOD_NOT_FOUND,
  type Message,
  getParams,
  makeResult,
  type ClassifiedMessage,
} from "./json-rpc.ts";
import type { ServerPool } from "./server-pool.ts";
import type { McpOrder } from "./order.ts";
import type { Lease, LeaseFailure } from "./managed-server.ts";

/** Buffer for a slow reader. Further notifications are dropped. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
const UNSUPPORTED_VERSION = -32_022;

const LEASE_FAILURE_STATUS: Readonly<Record<LeaseFailure["code"], number>> = {
  not_available: 422,
  rate_limited: 503,
  timeout: 502,
  too_large: 502,
  upstream_failed: 502,
};

/** One message and its reply. */
export interface McpRequest {
  readonly tenant: string;
  readonly order: McpOrder;
  readonly message: Exclude<ClassifiedMessage, { kind: "response" }>;
  readonly response: ServerResponse;
}

/** Serves requests, and tracks pending ones so that a notification can cancel them. */
export function makeMcpServe(pool: ServerPool): (request: McpRequest) => Promise<void> {
  /** Cancels pending requests, by tenant, channel and id. */
  const cancels = new Map<string, (reason: string) => void>();
  const getRequestKey = ({ tenant, order }: McpRequest, id: unknown) => JSON.stringify([tenant, order.channel, id]);

  function receiveNotification(request: McpRequest): void {
    const { message, response } = request;
    if (message.method === "notifications/cancelled") {
      const { requestId, reason } = getParams(message.message);
      cancels.get(getRequestKey(request, requestId))?.(typeof reason === "string" ? reason : "it was cancelled");
    }
    response.writeHead(202).end();
  }

  return async function serve(request) {
    const { tenant, order, message, response } = request;
    if (message.kind === "notification") return receiveNotification(request);
    const closed = new AbortController();
    response.once("close", () => closed.abort());
    const limit = AbortSignal.any([closed.signal, AbortSignal.timeout(order.timeout_ms)]);
    const leased = await pool.lease(tenant, order, limit);
    if (closed.signal.aborted) return leased.ok ? leased.lease.done() : undefined;
    if (!leased.ok) return refuse(response, leased.failure);
    const known = answerFromGreeting(leased.lease.greeting, message.id, message.method);
    const events = openEvents(response);
    if (known !== null) {
      leased.lease.done();
      return events.answer(known);
    }
    const key = getRequestKey(request, message.id);
    await forwardRequest(leased.lease, message, events, limit, (cancel) => cancels.set(key, cancel));
    cancels.delete(key);
  };
}

/** Answers from the greeting. Null if the process must answer. */
function answerFromGreeting({ era, result }: Greeting, id: Id, method: string): Message | null {
  if (method === "server/discover")
    return era === "modern"
      ? makeResult(id, result)
      : makeError(id, METHOD_NOT_FOUND, "It speaks an earlier revision.");
  if (method !== "initialize") return null;
  return era === "legacy" ? makeResult(id, result) : makeError(id, UNSUPPORTED_VERSION, "It speaks a later revision.");
}

/** Resolves when the request is answered or cancelled. */
async function forwardRequest(
  lease: Lease,
  { id, message }: { id: Id; message: Message },
  events: Events,
  limit: AbortSignal,
  onCancelable: (cancel: (reason: string) => void) => void,
): Promise<void> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const cancel = lease.exchange.request(
    { id, message },
    {
      notify: (notification) => events.notify(notification),
      answer(answer) {
        events.answer(answer);
        end();
      },
      fail(failure) {
        events.fail(failure);
        end();
      },
    },
  );
  onCancelable((reason) => {
    cancel(reason);
    events.end();
    end();
  });
  const giveUp = () => {
    cancel("the caller no longer waits");
    events.end();
    end();
  };
  if (limit.aborted) giveUp();
  else limit.addEventListener("abort", giveUp, { once: true });
  await ended;
  limit.removeEventListener("abort", giveUp);
  lease.done();
}

interface Events {
  notify(message: Message): void;
  answer(message: Message): void;
  fail(failure: ExchangeFailure): void;
  end(): void;
}

function openEvents(response: ServerResponse): Events {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  return {
    notify(message) {
      if (response.writableLength <= MAX_BUFFERED_BYTES) response.write(`data: ${JSON.stringify(message)}\n\n`);
    },
    answer: (message) => void response.end(`data: ${JSON.stringify(message)}\n\n`),
    fail: (failure) => void response.end(`event: failed\ndata: ${JSON.stringify(failure)}\n\n`),
    end: () => void response.end(),
  };
}

function refuse(response: ServerResponse, { code, message }: LeaseFailure): void {
  response.writeHead(LEASE_FAILURE_STATUS[code], { "content-type": "application/json" });
  response.end(JSON.stringify({ code, message, sent: false }));
}

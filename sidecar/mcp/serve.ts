/**
 * MCP over streamable HTTP towards a process: one message in, events out. The greeting is the process' own, made once, so
 * `initialize` and `server/discover` are answered from it. When the process does not answer any more, the last event is
 * `failed`, with `{code, message}`: no message of a process can look like it.
 */
import type { ServerResponse } from "node:http";
import type { ExchangeFailure } from "./exchange.ts";
import type { Greeting } from "./greet.ts";
import { errorOf, type Id, METHOD_NOT_FOUND, type Message, paramsOf, resultOf, type Sorted } from "./json-rpc.ts";
import type { Keeper } from "./server-pool.ts";
import type { McpOrder } from "./order.ts";
import type { Lease, NoLease } from "./managed-server.ts";

/** What waits for a reader that is slow; more of what is only told on the way is left out. */
const MAX_TOLD_BYTES = 1024 * 1024;
const UNSUPPORTED_VERSION = -32_022;

const STATUS_OF_NO_LEASE: Readonly<Record<NoLease["code"], number>> = {
  not_available: 422,
  rate_limited: 503,
  timeout: 502,
  too_large: 502,
  upstream_failed: 502,
};

/** What one message needs. */
export interface McpRequest {
  readonly tenant: string;
  readonly order: McpOrder;
  readonly message: Exclude<Sorted, { kind: "response" }>;
  readonly response: ServerResponse;
}

/** Answers requests, and knows which are under way, so that another message can take one back. */
export function makeMcpDoor(keeper: Keeper): (request: McpRequest) => Promise<void> {
  /** By tenant, channel and id. */
  const underWay = new Map<string, (reason: string) => void>();
  const keyOf = ({ tenant, order }: McpRequest, id: unknown) => JSON.stringify([tenant, order.channel, id]);

  function hearNotification(request: McpRequest): void {
    const { message, response } = request;
    if (message.method === "notifications/cancelled") {
      const { requestId, reason } = paramsOf(message.message);
      underWay.get(keyOf(request, requestId))?.(typeof reason === "string" ? reason : "it was cancelled");
    }
    response.writeHead(202).end();
  }

  return async function serve(request) {
    const { tenant, order, message, response } = request;
    if (message.kind === "notification") return hearNotification(request);
    const over = new AbortController();
    response.once("close", () => over.abort());
    const limit = AbortSignal.any([over.signal, AbortSignal.timeout(order.timeout_ms)]);
    const leased = await keeper.lease(tenant, order, limit);
    if (over.signal.aborted) return leased.ok ? leased.lease.done() : undefined;
    if (!leased.ok) return refuse(response, leased.failure);
    const known = answerOf(leased.lease.greeting, message.id, message.method);
    const events = beginEvents(response);
    if (known !== null) {
      leased.lease.done();
      return events.answer(known);
    }
    const key = keyOf(request, message.id);
    await ask(leased.lease, message, events, limit, (cancel) => underWay.set(key, cancel));
    underWay.delete(key);
  };
}

/** What the greeting has told already; null: the process is to be asked. */
function answerOf({ era, result }: Greeting, id: Id, method: string): Message | null {
  if (method === "server/discover")
    return era === "modern" ? resultOf(id, result) : errorOf(id, METHOD_NOT_FOUND, "It speaks a revision of before.");
  if (method !== "initialize") return null;
  return era === "legacy" ? resultOf(id, result) : errorOf(id, UNSUPPORTED_VERSION, "It speaks a later revision.");
}

/** Ends when the answer is there, or nobody waits for it any more. */
async function ask(
  lease: Lease,
  { id, message }: { id: Id; message: Message },
  events: Events,
  limit: AbortSignal,
  tellCancel: (cancel: (reason: string) => void) => void,
): Promise<void> {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const cancel = lease.exchange.ask(
    { id, message },
    {
      tell: (told) => events.tell(told),
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
  tellCancel((reason) => {
    cancel(reason);
    events.end();
    end();
  });
  const giveUp = () => {
    cancel("nobody waits for it any more");
    events.end();
    end();
  };
  if (limit.aborted) giveUp();
  else limit.addEventListener("abort", giveUp, { once: true });
  await over;
  limit.removeEventListener("abort", giveUp);
  lease.done();
}

interface Events {
  tell(message: Message): void;
  answer(message: Message): void;
  fail(failure: ExchangeFailure): void;
  end(): void;
}

function beginEvents(response: ServerResponse): Events {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  return {
    tell(message) {
      if (response.writableLength <= MAX_TOLD_BYTES) response.write(`data: ${JSON.stringify(message)}\n\n`);
    },
    answer: (message) => void response.end(`data: ${JSON.stringify(message)}\n\n`),
    fail: (failure) => void response.end(`event: failed\ndata: ${JSON.stringify(failure)}\n\n`),
    end: () => void response.end(),
  };
}

function refuse(response: ServerResponse, { code, message }: NoLease): void {
  response.writeHead(STATUS_OF_NO_LEASE[code], { "content-type": "application/json" });
  response.end(JSON.stringify({ code, message, sent: false }));
}

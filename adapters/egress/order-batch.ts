/**
 * Sends the requests that a step makes in one turn to the sidecar in one order, under one token. Each has its own
 * limits, is ended on its own, and gets its reply when it arrives. What goes wrong with the order as a whole is the
 * outcome of each request that has none yet.
 */
import { z } from "zod";
import { ok, type Result } from "../../core/base/errors.ts";
import { openTimeLimit } from "../../core/base/deadline.ts";
import { joinBytes } from "../../core/base/join-bytes.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import type { YieldTurn } from "../../core/base/turns.ts";
import { isSafeMethod } from "../../core/web/http-method.ts";
import {
  encodeFrame,
  FrameReader,
  MAX_BATCH_BYTES,
  MAX_BATCH_REPLY_BYTES,
  MAX_BATCH_REQUESTS,
  MAX_REQUEST_HEAD_BYTES,
} from "../sidecar/egress-batch.ts";
import { readRefusal } from "../sidecar/refusal.ts";
import { isUp, type Sidecar } from "../sidecar/sidecar.ts";
import { signEgressBatch, signEgressEnd } from "../sidecar/token.ts";
import type { Exchange, ExchangeLimits, Reply } from "./follow.ts";
import { failCancelled, failLate, failLost, failUnreachable, MARGIN_MS, toRefusal, upstreamSchema } from "./order.ts";
import type { WebHop } from "./redirect.ts";

/** `sendAlone` sends a request that no other joins. A batch of `joined` requests waits for no others. */
interface BatchSettings {
  readonly sidecar: Sidecar;
  readonly tenant: string;
  readonly giveTurn: YieldTurn;
  readonly joined?: number | undefined;
  readonly sendAlone: Exchange;
}

/** Collects the requests of one turn. Each reply has at most `MAX_BATCH_REPLY_BYTES`. */
export class OrderBatches {
  readonly #settings: BatchSettings;
  #waiting: BatchedOrder[] = [];
  #bytes = 0;

  constructor(settings: BatchSettings) {
    this.#settings = settings;
  }

  /** Sends a request with the others of this turn. Never throws. */
  async send(hop: WebHop, limits: ExchangeLimits): Promise<Result<Reply>> {
    if ((hop.body?.length ?? 0) > MAX_BATCH_BYTES) return await this.#settings.sendAlone(hop, limits);
    const order = new BatchedOrder(hop, limits);
    const { length: bytes } = order.frame;
    if (bytes > MAX_BATCH_BYTES || bytes - (hop.body?.length ?? 0) > MAX_REQUEST_HEAD_BYTES)
      return await this.#settings.sendAlone(hop, limits);
    if (this.#waiting.length >= MAX_BATCH_REQUESTS || this.#bytes + bytes > MAX_BATCH_BYTES) this.#flush();
    this.#bytes += bytes;
    const count = this.#waiting.push(order);
    if (count === this.#settings.joined) this.#flush();
    else if (count === 1) {
      const waiting = this.#waiting;
      void this.#settings.giveTurn().then(() => {
        if (this.#waiting === waiting) this.#flush();
      });
    }
    return await order.outcome;
  }

  #flush(): void {
    const orders = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    const [only] = orders;
    if (orders.length === 1 && only !== undefined) only.sendAlone(this.#settings.sendAlone);
    else void sendBatch(orders, this.#settings);
  }
}

/** A request of a batch, with its outcome. */
class BatchedOrder {
  readonly hop: WebHop;
  readonly limits: ExchangeLimits;
  readonly timeoutMs: number;
  /** As it is sent. */
  readonly frame: Uint8Array;
  readonly outcome: Promise<Result<Reply>>;
  readonly #resolve: (outcome: Result<Reply>) => void;
  #isOpen = true;

  constructor(hop: WebHop, limits: ExchangeLimits) {
    const { promise, resolve } = Promise.withResolvers<Result<Reply>>();
    this.hop = hop;
    this.limits = limits;
    this.timeoutMs = Math.ceil(limits.timeoutMs);
    this.frame = encodeFrame({ head: toHead(hop, limits), body: hop.body ?? new Uint8Array() });
    this.outcome = promise;
    this.#resolve = resolve;
  }

  /** False once it is settled, or sent in an order of its own. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isSafe(): boolean {
    return isSafeMethod(this.hop.method);
  }

  /** Sets the outcome. Later ones are ignored. */
  settle(outcome: Result<Reply>): void {
    if (this.#isOpen) this.#resolve(outcome);
    this.#isOpen = false;
  }

  /** Sends it in an order of its own. */
  sendAlone(send: Exchange): void {
    this.#isOpen = false;
    void send(this.hop, this.limits).then(this.#resolve);
  }
}

function toHead({ method, url, headers }: WebHop, { timeoutMs, maxBytes, portIsListed }: ExchangeLimits) {
  const limits = { timeout_ms: Math.ceil(timeoutMs), max_bytes: maxBytes };
  return { method, url: url.href, headers, ...limits, ...(portIsListed ? { port_is_listed: true } : {}) };
}

/** Sends the requests and settles each. Never throws. */
async function sendBatch(orders: readonly BatchedOrder[], settings: BatchSettings): Promise<void> {
  const { sidecar } = settings;
  const connection = new AbortController();
  const stop = settleOnAbort(orders, {
    getSignals: ({ limits }) => [limits.signal],
    toOutcome: failCancelled,
    onAllSettled: () => connection.abort(),
  });
  // A failed fetch does not tell whether its request arrived.
  const isAway = orders.some(({ isSafe }) => !isSafe) && !(await isUp(sidecar, connection.signal));
  stop();
  const open = orders.filter(({ isOpen }) => isOpen);
  if (isAway) for (const order of open) order.settle(failUnreachable());
  else if (open.length > 0) await exchangeAll(open, connection, settings);
}

/** Sends the order with these requests, and reads the replies. Never throws. */
async function exchangeAll(
  orders: readonly BatchedOrder[],
  connection: AbortController,
  { sidecar, tenant, sendAlone }: BatchSettings,
): Promise<void> {
  const batch = crypto.randomUUID();
  const times = [...new Set(orders.map(({ timeoutMs }) => timeoutMs))];
  const timeLimits = new Map(times.map((timeMs) => [timeMs, openTimeLimit(globalThis, timeMs + MARGIN_MS)]));
  const stop = settleOnAbort(orders, {
    getSignals: ({ limits: { signal }, timeoutMs }) => [signal, timeLimits.get(timeoutMs)?.signal ?? signal],
    toOutcome: ({ hop, timeoutMs }) => failLate(hop, timeoutMs),
    onAllSettled: () => connection.abort(),
    onSettled: (order) => void endRequest(sidecar, { tenant, batch, index: orders.indexOf(order) }),
  });
  const startedAt = Date.now();
  try {
    const body = joinBytes(orders.map(({ frame }) => frame));
    const token = await signEgressBatch(
      sidecar.secret,
      { tenant, batch, bodySha256: await sha256Hex(body) },
      Date.now(),
    );
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" };
    const { signal } = connection;
    const response = await sidecar.fetch("/egress/batch", { method: "POST", headers, body, signal });
    if (response.status === 200) await readReplies(response, orders);
    else settleRefused(response.status, await response.text(), orders, sendAlone);
  } catch {
    // Requests without an outcome are settled below.
  }
  await settleLost(orders, sidecar, { elapsedMs: Date.now() - startedAt, signal: connection.signal });
  stop();
  for (const limit of timeLimits.values()) limit.end();
}

/** How requests are settled whose signals abort. */
interface AbortRules {
  readonly getSignals: (order: BatchedOrder) => readonly AbortSignal[];
  readonly toOutcome: (order: BatchedOrder) => Result<Reply>;
  /** After the last open request has aborted. */
  readonly onAllSettled: () => void;
  /** After another one has. */
  readonly onSettled?: (order: BatchedOrder) => void;
}

/** Settles each request when one of its signals aborts, until the returned function is called. */
function settleOnAbort(
  orders: readonly BatchedOrder[],
  { getSignals, toOutcome, onAllSettled, onSettled }: AbortRules,
): () => void {
  const stops = orders.map((order) => {
    const signals = getSignals(order);
    const giveUp = () => {
      if (!order.isOpen) return;
      order.settle(toOutcome(order));
      // Signals of one cause abort together, before this.
      queueMicrotask(() => {
        if (orders.some(({ isOpen }) => isOpen)) onSettled?.(order);
        else onAllSettled();
      });
    };
    if (signals.some(({ aborted }) => aborted)) giveUp();
    else for (const signal of signals) signal.addEventListener("abort", giveUp, { once: true });
    return () => signals.forEach((signal) => signal.removeEventListener("abort", giveUp));
  });
  return () => {
    for (const stop of stops) stop();
  };
}

/** Ends one request of a batch in the sidecar. Failures are ignored: the request also has a time limit there. */
async function endRequest(
  sidecar: Sidecar,
  order: { readonly tenant: string; readonly batch: string; readonly index: number },
): Promise<void> {
  try {
    const token = await signEgressEnd(sidecar.secret, order, Date.now());
    const headers = { authorization: `Bearer ${token}` };
    const response = await sidecar.fetch("/egress/batch", { method: "DELETE", headers });
    await response.body?.cancel();
  } catch {
    // The connection of the batch is probably lost too.
  }
}

const replyHead = z.object({
  index: z.int().min(0),
  status: z.int(),
  upstream: upstreamSchema.optional().catch(undefined),
});

/** Settles each request with its reply or refusal when it arrives. Throws when the order's reply is damaged. */
async function readReplies(response: Response, orders: readonly BatchedOrder[]): Promise<void> {
  // fetch gives bytes for every type.
  const body = response.body as ReadableStream<Uint8Array> | null;
  const frames = new FrameReader(MAX_BATCH_REPLY_BYTES);
  const reader = body?.getReader();
  try {
    for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
      for (const frame of frames.add(read.value)) {
        const { index, status, upstream } = replyHead.parse(frame.head);
        const order = orders[index];
        if (order === undefined) throw new RangeError(`the batch has no request ${index}`);
        order.settle(toOutcome(order, status, upstream, frame.body));
      }
    }
  } finally {
    // Ends the requests of a damaged reply.
    await reader?.cancel().catch(() => undefined);
  }
}

function toOutcome(
  { hop, limits: { maxBytes }, timeoutMs }: BatchedOrder,
  status: number,
  upstream: z.infer<typeof upstreamSchema> | undefined,
  body: Uint8Array,
): Result<Reply> {
  if (status !== 200) return toRefusal(status, new TextDecoder().decode(body), hop, timeoutMs);
  if (upstream === undefined) return failLost(hop.url);
  const truncated = upstream.truncated || body.length > maxBytes;
  return ok({ ...upstream, body: body.subarray(0, maxBytes), truncated });
}

/** Settles all requests of a refused order. A sidecar of an earlier release began none: each is sent alone. */
function settleRefused(status: number, text: string, orders: readonly BatchedOrder[], sendAlone: Exchange): void {
  const isEarlier = status === 404 && readRefusal(status, text)?.code === "not_available";
  for (const order of orders.filter(({ isOpen }) => isOpen)) {
    if (isEarlier) order.sendAlone(sendAlone);
    else order.settle(toRefusal(status, text, order.hop, order.timeoutMs));
  }
}

/** Settles the requests without a reply: the connection was lost, so each may have left. */
async function settleLost(
  orders: readonly BatchedOrder[],
  sidecar: Sidecar,
  { elapsedMs, signal }: { readonly elapsedMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const lost = orders.filter(({ isOpen }) => isOpen);
  for (const order of lost.filter(({ isSafe, timeoutMs }) => !isSafe || elapsedMs >= timeoutMs))
    order.settle(elapsedMs >= order.timeoutMs ? failLate(order.hop, order.timeoutMs) : failLost(order.hop.url));
  // Requests that only read are retried, once the sidecar is back.
  const reading = lost.filter(({ isOpen }) => isOpen);
  if (reading.length === 0) return;
  await isUp(sidecar, signal);
  for (const order of reading) order.settle(failLost(order.hop.url));
}

/**
 * Web requests through the sidecar: a Worker cannot see what a name resolves to, so a process that checks the address
 * makes the connection. Without a sidecar no request is sent.
 */
import { ok, type Result } from "../../core/base/errors.ts";
import type { YieldTurn } from "../../core/base/turns.ts";
import type { WebPort, WebRequest, WebStream } from "../../core/ports/web.ts";
import type { SecretsPort } from "../../core/ports/secrets.ts";
import { VERSION } from "../../core/base/version.ts";
import type { Sidecar } from "../sidecar/sidecar.ts";
import type { EgressAllow } from "./address.ts";
import type { AccountCredentials } from "./fill-connection.ts";
import { type Exchange, type ExchangeLimits, refuseUrl, openStream, type Reply, sendWithRedirects } from "./follow.ts";
import { readLargeReply, SMALL_REPLY_BYTES } from "./large-reply.ts";
import { readDescription, sendOrder } from "./order.ts";
import { OrderBatches } from "./order-batch.ts";
import type { WebHop } from "./redirect.ts";

/** More than a piece of a stream has. */
const STREAM_MARGIN_BYTES = 2 * 1024 * 1024;

/** `sidecar` is null without one. `tenant` owns the requests and the `secrets`. */
export interface WebSettings {
  readonly sidecar: Sidecar | null;
  readonly allow: EgressAllow;
  readonly tenant: string;
  readonly secrets: SecretsPort;
  /** The credentials of accounts. Without them no request has an account. */
  readonly accounts?: AccountCredentials;
  /** Sent where a request names none. */
  readonly userAgent?: string;
  /** Yields to other work: requests that are made before it resolves go in one order. Each goes alone when omitted. */
  readonly giveTurn?: YieldTurn;
  /** Requests that do not wait for others: as many as are expected. Unknown when omitted. */
  readonly joined?: number;
}

/** The only path for URLs of tenants and models. */
export function openWeb(settings: WebSettings): WebPort {
  const { sidecar, allow, tenant, secrets, accounts = null, userAgent = `Otto/${VERSION}` } = settings;
  const exchange = sidecar === null ? null : createExchange(sidecar, tenant, settings);
  return {
    async request(request) {
      if (exchange === null) return failWithoutSidecar();
      return await sendWithRedirects(addUserAgent(request, userAgent), { allow, exchange, secrets, accounts });
    },
    async open(request) {
      if (sidecar === null) return failWithoutSidecar();
      return await openStream(addUserAgent(request, userAgent), {
        allow,
        exchange: createStream(sidecar, tenant),
        secrets,
        accounts,
      });
    },
  };
}

/** Adds the product's name unless the caller wrote one. */
function addUserAgent<R extends WebRequest>(request: R, userAgent: string): R {
  if (request.headers.some(([name]) => name.toLowerCase() === "user-agent")) return request;
  return { ...request, headers: [...request.headers, ["user-agent", userAgent]] };
}

function failWithoutSidecar(): Result<never> {
  return refuseUrl("not_available", "Web requests need the sidecar, and none is configured (SIDECAR_SECRET).");
}

function createExchange(
  sidecar: Sidecar,
  tenant: string,
  { giveTurn, joined }: Pick<WebSettings, "giveTurn" | "joined">,
): Exchange {
  const sendAlone: Exchange = (hop, limits) => readSmall(sidecar, tenant, hop, limits);
  const batches = giveTurn === undefined ? null : new OrderBatches({ sidecar, tenant, giveTurn, joined, sendAlone });
  return (hop, limits) => {
    if (limits.maxBytes > SMALL_REPLY_BYTES) return readLarge(sidecar, tenant, hop, limits);
    return batches === null ? sendAlone(hop, limits) : batches.send(hop, limits);
  };
}

/** The sidecar streams a large reply, so that it is not held whole there. */
async function readLarge(
  sidecar: Sidecar,
  tenant: string,
  hop: WebHop,
  limits: ExchangeLimits,
): Promise<Result<Reply>> {
  // The sidecar breaks the stream off at its limit, and this side counts first.
  const order = { tenant, hop, limits: { ...limits, maxBytes: limits.maxBytes + STREAM_MARGIN_BYTES }, stream: true };
  return await sendOrder(sidecar, order, async (response, signal) => {
    const { status, headers, length } = readDescription(response);
    // fetch gives bytes for every type.
    const body = response.body as ReadableStream<Uint8Array> | null;
    return await readLargeReply({ status, headers, length, body }, { maxBytes: limits.maxBytes, signal });
  });
}

function readSmall(sidecar: Sidecar, tenant: string, hop: WebHop, limits: ExchangeLimits): Promise<Result<Reply>> {
  return sendOrder(sidecar, { tenant, hop, limits, stream: false }, (response) => readReply(response, limits.maxBytes));
}

function createStream(sidecar: Sidecar, tenant: string): Exchange<WebStream> {
  return (hop, limits) =>
    sendOrder(sidecar, { tenant, hop, limits, stream: true }, async (response) => {
      const { status, headers } = readDescription(response);
      const body = response.body ?? new ReadableStream({ start: (controller) => controller.close() });
      return await Promise.resolve(ok({ status, headers, body }));
    });
}

async function readReply(response: Response, maxBytes: number): Promise<Result<Reply>> {
  const described = readDescription(response);
  const body = new Uint8Array(await response.arrayBuffer());
  return ok({
    ...described,
    body: body.subarray(0, maxBytes),
    truncated: described.truncated || body.length > maxBytes,
  });
}

/**
 * Web requests through the sidecar: a Worker cannot see what a name resolves to, so a process that checks the address
 * makes the connection. Without a sidecar no request is sent.
 */
import { z } from "zod";
import { fromBase64Url } from "../../core/base/base64.ts";
import { maybeSent, notSent, ok, type Result } from "../../core/base/errors.ts";
import { isSafeMethod } from "../../core/web/http-method.ts";
import type { WebPort, WebRequest, WebStream } from "../../core/ports/web.ts";
import type { SecretsPort } from "../../core/ports/secrets.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import { VERSION } from "../../core/base/version.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { isUp, type Sidecar } from "../sidecar/sidecar.ts";
import { signEgressOrder } from "../sidecar/token.ts";
import type { EgressAllow } from "./address.ts";
import {
  type Exchange,
  type ExchangeLimits,
  refuseUrl,
  openStream,
  type Reply,
  sendWithRedirects,
  formatUrl,
} from "./follow.ts";
import { readLargeReply, SMALL_REPLY_BYTES } from "./large-reply.ts";
import type { WebHop } from "./redirect.ts";

/** The sidecar's own time, beyond that of the request. */
const MARGIN_MS = 2_000;
/** More than a piece of a stream has. */
const STREAM_MARGIN_BYTES = 2 * 1024 * 1024;

/** `sidecar` is null without one. `tenant` owns the requests and the `secrets`. */
export interface WebSettings {
  readonly sidecar: Sidecar | null;
  readonly allow: EgressAllow;
  readonly tenant: string;
  readonly secrets: SecretsPort;
  /** Sent where a request names none. */
  readonly userAgent?: string;
}

/** The only path for URLs of tenants and models. */
export function openWeb({ sidecar, allow, tenant, secrets, userAgent = `Otto/${VERSION}` }: WebSettings): WebPort {
  return {
    async request(request) {
      if (sidecar === null) return failWithoutSidecar();
      return await sendWithRedirects(addUserAgent(request, userAgent), {
        allow,
        exchange: createExchange(sidecar, tenant),
        secrets,
      });
    },
    async open(request) {
      if (sidecar === null) return failWithoutSidecar();
      return await openStream(addUserAgent(request, userAgent), {
        allow,
        exchange: createStream(sidecar, tenant),
        secrets,
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

function createExchange(sidecar: Sidecar, tenant: string): Exchange {
  return (hop, limits) =>
    limits.maxBytes > SMALL_REPLY_BYTES
      ? readLarge(sidecar, tenant, hop, limits)
      : readSmall(sidecar, tenant, hop, limits);
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
  return await callSidecar(sidecar, order, async (response, signal) => {
    const { status, headers, length } = readDescription(response);
    // fetch gives bytes for every type.
    const body = response.body as ReadableStream<Uint8Array> | null;
    return await readLargeReply({ status, headers, length, body }, { maxBytes: limits.maxBytes, signal });
  });
}

function readSmall(sidecar: Sidecar, tenant: string, hop: WebHop, limits: ExchangeLimits): Promise<Result<Reply>> {
  return callSidecar(sidecar, { tenant, hop, limits, stream: false }, (response) =>
    readReply(response, limits.maxBytes),
  );
}

function createStream(sidecar: Sidecar, tenant: string): Exchange<WebStream> {
  return (hop, limits) =>
    callSidecar(sidecar, { tenant, hop, limits, stream: true }, async (response) => {
      const { status, headers } = readDescription(response);
      const body = response.body ?? new ReadableStream({ start: (controller) => controller.close() });
      return await Promise.resolve(ok({ status, headers, body }));
    });
}

/** A request for the sidecar. */
interface Order {
  readonly tenant: string;
  readonly hop: WebHop;
  readonly limits: ExchangeLimits;
  readonly stream: boolean;
}

/** Sends an order to the sidecar and reads its reply. `read` receives the signal that ends the exchange. */
async function callSidecar<R>(
  sidecar: Sidecar,
  { tenant, hop, limits, stream }: Order,
  read: (response: Response, signal: AbortSignal) => Promise<Result<R>>,
): Promise<Result<R>> {
  if (!isSafeMethod(hop.method) && !(await isUp(sidecar, limits.signal)))
    return limits.signal.aborted ? refuseUrl("timeout", "It was cancelled before it was sent.") : failUnreachable();
  const { method, url, headers, body } = hop;
  const { maxBytes, portIsListed } = limits;
  const timeoutMs = Math.ceil(limits.timeoutMs);
  const bodySha256 = await sha256Hex(body ?? new Uint8Array());
  const order = { tenant, method, url: url.href, headers, timeoutMs, maxBytes, bodySha256, portIsListed, stream };
  const token = await signEgressOrder(sidecar.secret, order, Date.now());
  const limit = AbortSignal.any([limits.signal, AbortSignal.timeout(timeoutMs + MARGIN_MS)]);
  const startedAt = Date.now();
  try {
    const response = await sidecar.fetch("/egress", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" },
      body,
      signal: limit,
    });
    if (response.status !== 200) return toRefusal(response.status, await response.text(), hop, timeoutMs);
    return await read(response, limit);
  } catch {
    // A streamed reply breaks off at the sidecar's own limit, which is sooner.
    if (limit.aborted || Date.now() - startedAt >= timeoutMs) {
      const details = { timeout_ms: timeoutMs };
      return maybeSent("timeout", `No reply from ${formatUrl(url)} in time.`, { field: "url", details });
    }
    // A request that only reads is retried, also when it may have been sent.
    if (isSafeMethod(hop.method)) await isUp(sidecar, limit);
    return failLost(url);
  }
}

const AT_URL = { field: "url", retryAfterMs: 1000 } as const;

/** The sidecar is unavailable, as for a second during its restart. Nothing was sent, so a retry is safe. */
function failUnreachable(): Result<never> {
  const message = "The service for web requests does not reply. Try again later.";
  return notSent("upstream_failed", message, { ...AT_URL, cause: { kind: "sidecar_away" } });
}

/**
 * The sidecar reports failures of the other side in a reply. Without a reply the sidecar itself was lost, and the
 * request may have been sent.
 */
function failLost(url: URL): Result<never> {
  const message = `The connection was lost during the request to ${formatUrl(url)}.`;
  return maybeSent("upstream_failed", message, { ...AT_URL, cause: { kind: "sidecar_lost" } });
}

const upstreamSchema = z.object({
  status: z.int().min(100).max(999),
  headers: z.array(z.tuple([z.string(), z.string()])),
  truncated: z.boolean().default(false),
  /** Bytes of a streamed body, where its server stated them and it is not encoded. */
  length: z.int().min(0).optional(),
});

function readDescription(response: Response): z.infer<typeof upstreamSchema> {
  return upstreamSchema.parse(
    JSON.parse(new TextDecoder().decode(fromBase64Url(response.headers.get("x-otto-upstream") ?? ""))),
  );
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

const refusalSchema = z.object({ code: z.string(), message: z.string(), sent: z.boolean().optional() });

/** The sidecar's refusals. Nothing was sent, except perhaps after a failure of the other side. */
function toRefusal(status: number, text: string, hop: WebHop, timeoutMs: number): Result<never> {
  const refusal = refusalSchema.safeParse(parseJson(text)).data;
  if (status === 403 && refusal !== undefined) return refuseUrl("blocked_by_policy", refusal.message);
  if (status === 422 && refusal !== undefined) return refuseUrl("invalid_input", refusal.message);
  if (status === 413) return refuseUrl("too_large", "The body of the request is too large to send.");
  // Without the sidecar's format, the reply comes from a proxy before it, and the request may still run.
  if ((status === 401 || status === 503) && refusal !== undefined && refusal.sent !== true) return failUnreachable();
  if (refusal === undefined) return failLost(hop.url);
  const fail = refusal.sent === false ? notSent : maybeSent;
  if (refusal.code === "timeout")
    return fail("timeout", refusal.message, { field: "url", details: { timeout_ms: timeoutMs } });
  return fail("upstream_failed", refusal.message, { field: "url", details: { service: hop.url.host } });
}

/** One HTTP request as an order to the sidecar, and what its replies and refusals mean. */
import { z } from "zod";
import { fromBase64Url } from "../../core/base/base64.ts";
import { openTimeLimit } from "../../core/base/deadline.ts";
import { maybeSent, notSent, type Result } from "../../core/base/errors.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { isSafeMethod } from "../../core/web/http-method.ts";
import { isUp, type Sidecar } from "../sidecar/sidecar.ts";
import { signEgressOrder } from "../sidecar/token.ts";
import { type ExchangeLimits, formatUrl, refuseUrl } from "./follow.ts";
import type { WebHop } from "./redirect.ts";

/** The sidecar's own time, beyond that of the request. */
export const MARGIN_MS = 2_000;

/** A request for the sidecar. */
export interface Order {
  readonly tenant: string;
  readonly hop: WebHop;
  readonly limits: ExchangeLimits;
  readonly stream: boolean;
}

/** Sends an order to the sidecar and reads its reply. `read` receives the signal that ends the exchange. */
export async function sendOrder<R>(
  sidecar: Sidecar,
  { tenant, hop, limits, stream }: Order,
  read: (response: Response, signal: AbortSignal) => Promise<Result<R>>,
): Promise<Result<R>> {
  if (!isSafeMethod(hop.method) && !(await isUp(sidecar, limits.signal)))
    return limits.signal.aborted ? failCancelled() : failUnreachable();
  const { method, url, headers, body } = hop;
  const { maxBytes, portIsListed } = limits;
  const timeoutMs = Math.ceil(limits.timeoutMs);
  const bodySha256 = await sha256Hex(body ?? new Uint8Array());
  const order = { tenant, method, url: url.href, headers, timeoutMs, maxBytes, bodySha256, portIsListed, stream };
  const token = await signEgressOrder(sidecar.secret, order, Date.now());
  const timeLimit = openTimeLimit(globalThis, timeoutMs + MARGIN_MS, limits.signal);
  const { signal: limit } = timeLimit;
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
    if (limit.aborted || Date.now() - startedAt >= timeoutMs) return failLate(hop, timeoutMs);
    // A request that only reads is retried, also when it may have been sent.
    if (isSafeMethod(hop.method)) await isUp(sidecar, limit);
    return failLost(url);
  } finally {
    // The limit of a stream holds while it is read.
    if (!stream) timeLimit.end();
  }
}

/** The request was cancelled. Nothing was sent. */
export function failCancelled(): Result<never> {
  return refuseUrl("timeout", "It was cancelled before it was sent.");
}

/** There was no reply in time. The request may have been sent. */
export function failLate({ url }: WebHop, timeoutMs: number): Result<never> {
  const details = { timeout_ms: timeoutMs };
  return maybeSent("timeout", `No reply from ${formatUrl(url)} in time.`, { field: "url", details });
}

const AT_URL = { field: "url", retryAfterMs: 1000 } as const;

/** The sidecar is unavailable, as for a second during its restart. Nothing was sent, so a retry is safe. */
export function failUnreachable(): Result<never> {
  const message = "The service for web requests does not reply. Try again later.";
  return notSent("upstream_failed", message, { ...AT_URL, cause: { kind: "sidecar_away" } });
}

/**
 * The sidecar reports failures of the other side in a reply. Without a reply the sidecar itself was lost, and the
 * request may have been sent.
 */
export function failLost(url: URL): Result<never> {
  const message = `The connection was lost during the request to ${formatUrl(url)}.`;
  return maybeSent("upstream_failed", message, { ...AT_URL, cause: { kind: "sidecar_lost" } });
}

/** How the sidecar describes the reply of a server. */
export const upstreamSchema = z.object({
  status: z.int().min(100).max(999),
  headers: z.array(z.tuple([z.string(), z.string()])),
  truncated: z.boolean().default(false),
  /** Bytes of a streamed body, where its server stated them and it is not encoded. */
  length: z.int().min(0).optional(),
});

/** Reads the description of a reply from its header. */
export function readDescription(response: Response): z.infer<typeof upstreamSchema> {
  return upstreamSchema.parse(
    JSON.parse(new TextDecoder().decode(fromBase64Url(response.headers.get("x-otto-upstream") ?? ""))),
  );
}

const refusalSchema = z.object({ code: z.string(), message: z.string(), sent: z.boolean().optional() });

/** The sidecar's refusals. Nothing was sent, except perhaps after a failure of the other side. */
export function toRefusal(status: number, text: string, hop: WebHop, timeoutMs: number): Result<never> {
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

/**
 * The web, by way of the sidecar: a Worker cannot see what a name resolves to, so the connection is made by a process that
 * checks the address when it connects. Where there is no sidecar, nothing is requested.
 */
import { z } from "zod";
import { fromBase64Url } from "../../core/base/base64.ts";
import { maybeSent, notSent, ok, type Result } from "../../core/base/errors.ts";
import { isSafeMethod } from "../../core/web/http-method.ts";
import type { WebPort, WebStream } from "../../core/ports/web.ts";
import type { SecretsPort } from "../../core/ports/secrets.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { isUp, type Sidecar } from "../sidecar/sidecar.ts";
import { signEgressOrder } from "../sidecar/token.ts";
import type { EgressAllow } from "./address.ts";
import {
  type Exchange,
  type ExchangeLimits,
  refuseUrl,
  openByHop,
  type Reply,
  requestByHops,
  shownUrl,
} from "./follow.ts";
import type { Hop } from "./redirect.ts";

/** What the sidecar takes beyond the time of the request itself. */
const MARGIN_MS = 2_000;

/** `sidecar` is null where there is none. `tenant`: whose requests they are, and whose `secrets`. */
export interface WebSettings {
  readonly sidecar: Sidecar | null;
  readonly allow: EgressAllow;
  readonly tenant: string;
  readonly secrets: SecretsPort;
}

/** The one way out for the URLs of tenants and models. */
export function openWeb({ sidecar, allow, tenant, secrets }: WebSettings): WebPort {
  return {
    async request(request) {
      if (sidecar === null) return noSidecar();
      return await requestByHops(request, { allow, exchange: exchangeBy(sidecar, tenant), secrets });
    },
    async open(request) {
      if (sidecar === null) return noSidecar();
      return await openByHop(request, { allow, exchange: streamBy(sidecar, tenant), secrets });
    },
  };
}

function noSidecar(): Result<never> {
  return refuseUrl("not_available", "Requests to the web need the sidecar, and none is set up here (SIDECAR_SECRET).");
}

function exchangeBy(sidecar: Sidecar, tenant: string): Exchange {
  return (hop, limits) =>
    askSidecar(sidecar, { tenant, hop, limits, stream: false }, (response) => readReply(response, limits.maxBytes));
}

function streamBy(sidecar: Sidecar, tenant: string): Exchange<WebStream> {
  return (hop, limits) =>
    askSidecar(sidecar, { tenant, hop, limits, stream: true }, async (response) => {
      const { status, headers } = describedIn(response);
      const body = response.body ?? new ReadableStream({ start: (controller) => controller.close() });
      return await Promise.resolve(ok({ status, headers, body }));
    });
}

/** One request, as the sidecar is to make it. */
interface Order {
  readonly tenant: string;
  readonly hop: Hop;
  readonly limits: ExchangeLimits;
  readonly stream: boolean;
}

/** Sends an order to the sidecar, and reads its reply. */
async function askSidecar<R>(
  sidecar: Sidecar,
  { tenant, hop, limits, stream }: Order,
  read: (response: Response) => Promise<Result<R>>,
): Promise<Result<R>> {
  if (!isSafeMethod(hop.method) && !(await isUp(sidecar, limits.signal)))
    return limits.signal.aborted ? refuseUrl("timeout", "It was given up before it was sent.") : unreachable();
  const { method, url, headers, body } = hop;
  const { maxBytes, portIsListed } = limits;
  const timeoutMs = Math.ceil(limits.timeoutMs);
  const bodySha256 = await sha256Hex(body ?? new Uint8Array());
  const order = { tenant, method, url: url.href, headers, timeoutMs, maxBytes, bodySha256, portIsListed, stream };
  const token = await signEgressOrder(sidecar.secret, order, Date.now());
  const limit = AbortSignal.any([limits.signal, AbortSignal.timeout(timeoutMs + MARGIN_MS)]);
  try {
    const response = await sidecar.fetch("/egress", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" },
      body,
      signal: limit,
    });
    if (response.status !== 200) return refusalOf(response.status, await response.text(), hop);
    return await read(response);
  } catch {
    if (limit.aborted) return maybeSent("timeout", `No reply from ${shownUrl(url)} in time.`, { field: "url" });
    // What only reads did not ask before, and is tried again.
    if (isSafeMethod(hop.method)) await isUp(sidecar, limit);
    return lost(url);
  }
}

const AT_URL = { field: "url", retryAfterMs: 1000 } as const;

/** The sidecar is away, as it is for a second when it is started again: worth waiting for, since nothing was sent. */
function unreachable(): Result<never> {
  const message = "The service that makes requests to the web does not answer. Try again later.";
  return notSent("upstream_failed", message, { ...AT_URL, cause: { kind: "sidecar_away" } });
}

/** What the other side does, the sidecar says in a reply. Without one, the sidecar itself was lost, and the request may have left. */
function lost(url: URL): Result<never> {
  const message = `The connection was lost during the request to ${shownUrl(url)}.`;
  return maybeSent("upstream_failed", message, { ...AT_URL, cause: { kind: "sidecar_lost" } });
}

const upstreamSchema = z.object({
  status: z.int().min(100).max(999),
  headers: z.array(z.tuple([z.string(), z.string()])),
  truncated: z.boolean().default(false),
});

function describedIn(response: Response): z.infer<typeof upstreamSchema> {
  return upstreamSchema.parse(
    JSON.parse(new TextDecoder().decode(fromBase64Url(response.headers.get("x-otto-upstream") ?? ""))),
  );
}

async function readReply(response: Response, maxBytes: number): Promise<Result<Reply>> {
  const described = describedIn(response);
  const body = new Uint8Array(await response.arrayBuffer());
  return ok({
    ...described,
    body: body.subarray(0, maxBytes),
    truncated: described.truncated || body.length > maxBytes,
  });
}

const refusalSchema = z.object({ code: z.string(), message: z.string(), sent: z.boolean().optional() });

/** The sidecar's refusals: nothing was sent, except perhaps where it reports trouble with the other side. */
function refusalOf(status: number, text: string, hop: Hop): Result<never> {
  const refusal = refusalSchema.safeParse(parseJson(text)).data;
  if (status === 403 && refusal !== undefined) return refuseUrl("blocked_by_policy", refusal.message);
  if (status === 422 && refusal !== undefined) return refuseUrl("invalid_input", refusal.message);
  if (status === 413) return refuseUrl("too_large", "The body of the request is too large to send.");
  // Without the sidecar's words they are those of something before it, behind which the request may go on.
  if ((status === 401 || status === 503) && refusal !== undefined && refusal.sent !== true) return unreachable();
  if (refusal === undefined) return lost(hop.url);
  const fail = refusal.sent === false ? notSent : maybeSent;
  return fail(refusal.code === "timeout" ? "timeout" : "upstream_failed", refusal.message, { field: "url" });
}

/**
 * A fake web: each host is a function. Otto's real code decides where a request may go and which redirects it follows.
 */
import { parseEgressAllow } from "../../adapters/egress/address.ts";
import type { AccountCredentials } from "../../adapters/egress/fill-connection.ts";
import { type Exchange, openStream, sendWithRedirects } from "../../adapters/egress/follow.ts";
import { failed, ok } from "../../core/base/errors.ts";
import type { WebPort, WebStream } from "../../core/ports/web.ts";
import type { SecretsPort } from "../../core/ports/secrets.ts";
import { fakeSecrets } from "./secrets.ts";

/** A received request. Header names are in lower case. */
export interface OutsideRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer. `hang` never answers; `cut` closes the connection before a reply. */
export interface OutsideReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly fault?: "hang" | "cut";
}

/** Creates a web in which `answer` serves every host. `allow` is `OTTO_EGRESS_ALLOW`; `secrets` are the tenant's. */
export function fakeWeb(
  answer: (request: OutsideRequest) => OutsideReply,
  allow = "",
  secrets: SecretsPort = fakeSecrets(),
  accounts: AccountCredentials | null = null,
): WebPort {
  const exchange: Exchange = async (request, { timeoutMs, maxBytes, signal }) => {
    const headers = Object.fromEntries(request.headers.map(([name, value]) => [name.toLowerCase(), value]));
    const body = new TextDecoder().decode(request.body ?? new Uint8Array());
    const reply = answer({ method: request.method, url: request.url.href, headers, body });
    if (reply.fault === "cut") return failed("upstream_failed", "The connection was lost.", { field: "url" });
    if (reply.fault === "hang") {
      await waitForAbort(AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
      return failed("timeout", "No reply in time.", { field: "url" });
    }
    const bytes =
      typeof reply.body === "string" ? new TextEncoder().encode(reply.body) : (reply.body ?? new Uint8Array());
    const sent = request.method === "HEAD" ? new Uint8Array() : bytes;
    return ok({
      status: reply.status ?? 200,
      headers: Object.entries(reply.headers ?? {}),
      body: sent.subarray(0, maxBytes),
      truncated: sent.length > maxBytes,
    });
  };
  const stream: Exchange<WebStream> = async (hop, limits) => {
    const replied = await exchange(hop, limits);
    if (!replied.ok) return replied;
    const { status, headers, body, truncated } = replied.value;
    return ok({ status, headers, body: toStream(body, truncated) });
  };
  const ways = { allow: parseEgressAllow(allow), secrets, accounts };
  return {
    request: (request) => sendWithRedirects(request, { ...ways, exchange }),
    open: (request) => openStream(request, { ...ways, exchange: stream }),
  };
}

/** Creates a body in two pieces, which breaks off if it is `truncated`. */
function toStream(body: Uint8Array, truncated: boolean): ReadableStream<Uint8Array> {
  const pieces = [body.subarray(0, body.length / 2), body.subarray(body.length / 2)];
  return new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (truncated) controller.error(new Error("the body is too large"));
      else controller.close();
    },
  });
}

async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

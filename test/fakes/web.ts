/**
 * The world outside, in memory: each host is a function. What Otto itself decides about a request (where it may go, which
 * redirects it follows and with what) is Otto's own code here too.
 */
import { parseEgressAllow } from "../../adapters/egress/address.ts";
import { type Exchange, requestByHops } from "../../adapters/egress/follow.ts";
import { failed, ok } from "../../core/errors.ts";
import type { SecretsPort, WebPort } from "../../core/ports.ts";
import { fakeSecrets } from "./secrets.ts";

/** A request as it arrives outside. Header names are in lower case. */
export interface OutsideRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the outside answers. `hang`: never. `cut`: the connection ends before a reply. */
export interface OutsideReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly fault?: "hang" | "cut";
}

/** A web in which `answer` stands for every host; `allow` is `OTTO_EGRESS_ALLOW`, and `secrets` are the tenant's. */
export function fakeWeb(
  answer: (request: OutsideRequest) => OutsideReply,
  allow = "",
  secrets: SecretsPort = fakeSecrets(),
): WebPort {
  const exchange: Exchange = async (hop, { timeoutMs, maxBytes, signal }) => {
    const headers = Object.fromEntries(hop.headers.map(([name, value]) => [name.toLowerCase(), value]));
    const body = new TextDecoder().decode(hop.body ?? new Uint8Array());
    const reply = answer({ method: hop.method, url: hop.url.href, headers, body });
    if (reply.fault === "cut") return failed("upstream_failed", "The connection was lost.", { field: "url" });
    if (reply.fault === "hang") {
      await aborted(AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
      return failed("timeout", "No reply in time.", { field: "url" });
    }
    const bytes =
      typeof reply.body === "string" ? new TextEncoder().encode(reply.body) : (reply.body ?? new Uint8Array());
    const sent = hop.method === "HEAD" ? new Uint8Array() : bytes;
    return ok({
      status: reply.status ?? 200,
      headers: Object.entries(reply.headers ?? {}),
      body: sent.subarray(0, maxBytes),
      truncated: sent.length > maxBytes,
    });
  };
  return { request: (request) => requestByHops(request, { allow: parseEgressAllow(allow), exchange, secrets }) };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

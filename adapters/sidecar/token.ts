/**
 * Signs the tokens that order work from the sidecar. A token is valid once, for 30 seconds, and covers the body of its request. The body's
 * hash follows a dot in the token's id, because a sidecar of the previous release rejects unknown fields.
 */
import { toBase64Url } from "../../core/base/base64.ts";

const LIFETIME_SECONDS = 30;

/** Allows the sidecar to send one request. */
export interface EgressOrder {
  /** Requests of one tenant may share a connection. */
  readonly tenant: string;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** SHA-256 (hex) of the request's body, which is empty for a request without one. */
  readonly bodySha256: string;
  /** True if the agent's host pattern names this port. Other ports must be those of the web. */
  readonly portIsListed: boolean;
  /** Streams the reply and cuts it off after `maxBytes`. */
  readonly stream?: boolean;
}

/** Allows the sidecar to run one job. */
export interface JobOrder {
  readonly kind: string;
  readonly tenant: string;
  /** SHA-256 (hex) of the packet's head. */
  readonly head: string;
  /** SHA-256 (hex) of the joined hashes of the packet's files (`joinHashes`). */
  readonly filesSha256: string;
  readonly timeoutMs: number;
}

/** `nowMs` is the time of signing. */
export async function signEgressOrder(secret: string, order: EgressOrder, nowMs: number): Promise<string> {
  const payload = {
    purpose: "egress",
    tenant: order.tenant,
    method: order.method,
    url: order.url,
    headers: order.headers,
    timeout_ms: order.timeoutMs,
    max_bytes: order.maxBytes,
    // Omitted when false: a sidecar of an earlier release rejects unknown fields.
    ...(order.portIsListed ? { port_is_listed: true } : {}),
    ...(order.stream === true ? { stream: true } : {}),
  };
  return await sign(secret, payload, order.bodySha256, nowMs);
}

/** `nowMs` is the time of signing. */
export async function signJobOrder(secret: string, order: JobOrder, nowMs: number): Promise<string> {
  const { kind, tenant, head, filesSha256, timeoutMs } = order;
  return await sign(secret, { purpose: "job", kind, tenant, head, timeout_ms: timeoutMs }, filesSha256, nowMs);
}

/** Orders all HTTP requests of a body, which the token covers. `batch` names them for `signEgressEnd`. */
export async function signEgressBatch(
  secret: string,
  { tenant, batch, bodySha256 }: { readonly tenant: string; readonly batch: string; readonly bodySha256: string },
  nowMs: number,
): Promise<string> {
  return await sign(secret, { purpose: "egress_batch", tenant, batch }, bodySha256, nowMs);
}

/** Orders the end of one request of a batch. */
export async function signEgressEnd(
  secret: string,
  { tenant, batch, index }: { readonly tenant: string; readonly batch: string; readonly index: number },
  nowMs: number,
): Promise<string> {
  return await sign(secret, { purpose: "egress_end", tenant, batch, index }, null, nowMs);
}

/** Orders a message to an MCP server that runs as a process in the sidecar. */
export async function signMcpOrder(
  secret: string,
  { tenant, head, filesSha256 }: Pick<JobOrder, "tenant" | "head" | "filesSha256">,
  nowMs: number,
): Promise<string> {
  return await sign(secret, { purpose: "mcp", tenant, head }, filesSha256, nowMs);
}

/** Orders the end of a tenant's processes of one MCP server, or of all servers if `server` is null. */
export async function signMcpEnd(
  secret: string,
  { tenant, server }: { readonly tenant: string; readonly server: string | null },
  nowMs: number,
): Promise<string> {
  return await sign(secret, { purpose: "mcp_end", tenant, server }, null, nowMs);
}

/** Returns `base64url(payload) + "." + base64url(HMAC-SHA256(secret, base64url payload))`. `body` is its hash, null without a body. */
async function sign(
  secret: string,
  order: Readonly<Record<string, unknown>>,
  body: string | null,
  nowMs: number,
): Promise<string> {
  const exp = Math.floor(nowMs / 1_000) + LIFETIME_SECONDS;
  const encoder = new TextEncoder();
  const id = crypto.randomUUID().replaceAll("-", "");
  const jti = body === null ? id : `${id}.${body}`;
  const payload = toBase64Url(encoder.encode(JSON.stringify({ ...order, exp, jti })));
  const signature = await crypto.subtle.sign("HMAC", await openKey(secret), encoder.encode(payload));
  return `${payload}.${toBase64Url(new Uint8Array(signature))}`;
}

/** The key of the last secret: a process has one sidecar. */
let lastKey: { readonly secret: string; readonly key: Key } | null = null;

/** The Worker and Node name this type differently. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

async function openKey(secret: string): Promise<Key> {
  if (lastKey?.secret === secret) return lastKey.key;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), algorithm, false, ["sign"]);
  lastKey = { secret, key };
  return key;
}

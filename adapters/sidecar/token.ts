/**
 * The token that orders one piece of work from the sidecar: signed, good for half a minute and for one use. It covers the body that comes
 * with it. The body's hash stands in the token's id, behind a dot: a sidecar of the release before takes no field that it does not know.
 */
import { toBase64Url } from "../../core/base/base64.ts";

const LIFETIME_SECONDS = 30;

/** One request that the sidecar may make once. */
export interface EgressOrder {
  /** Requests of one tenant may share a connection. */
  readonly tenant: string;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** SHA-256 in hex of the body that comes with the token; of no bytes for a request without a body. */
  readonly bodySha256: string;
  /** The port need not be one of the web's: the agent names the host with it. */
  readonly portIsListed: boolean;
  /** The reply is handed back as it comes, and breaks off after `maxBytes`. */
  readonly stream?: boolean;
}

/** A job that the sidecar may do once. */
export interface JobOrder {
  readonly kind: string;
  readonly tenant: string;
  /** SHA-256 in hex of the head of the packet that comes with it. */
  readonly head: string;
  /** SHA-256 in hex of the hashes of the packet's files (`textOfHashes`). */
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
    // A sidecar of an earlier release knows no such field.
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

/** A message to an MCP server that the sidecar runs as a process. `head`: as in a job's order. */
export async function signMcpOrder(
  secret: string,
  { tenant, head, filesSha256 }: Pick<JobOrder, "tenant" | "head" | "filesSha256">,
  nowMs: number,
): Promise<string> {
  return await sign(secret, { purpose: "mcp", tenant, head }, filesSha256, nowMs);
}

/** The end of a tenant's processes of one MCP server; `server` null: of all of them. */
export async function signMcpEnd(
  secret: string,
  { tenant, server }: { readonly tenant: string; readonly server: string | null },
  nowMs: number,
): Promise<string> {
  return await sign(secret, { purpose: "mcp_end", tenant, server }, null, nowMs);
}

/** `base64url(payload) + "." + base64url(HMAC-SHA256(secret, base64url payload))`. `body`: its hash; null for an order without one. */
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
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(payload)));
  return `${payload}.${toBase64Url(signature)}`;
}

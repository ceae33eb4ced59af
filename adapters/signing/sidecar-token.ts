/** The token that orders one piece of work from the sidecar: signed, good for half a minute and for one use. */
import { toBase64Url } from "../../core/base64.ts";

const LIFETIME_SECONDS = 30;

/** What the sidecar may do once. The request's body travels beside the token, unsigned: the connection is private. */
export interface EgressOrder {
  /** Requests of one tenant may share a connection. */
  readonly tenant: string;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly timeoutMs: number;
  readonly maxBytes: number;
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
  return await sign(secret, payload, nowMs);
}

/** `nowMs` is the time of signing. */
export async function signJobOrder(secret: string, order: JobOrder, nowMs: number): Promise<string> {
  const { kind, tenant, head, timeoutMs } = order;
  return await sign(secret, { purpose: "job", kind, tenant, head, timeout_ms: timeoutMs }, nowMs);
}

/** A message to an MCP server that the sidecar runs as a process. `head`: as in a job's order. */
export async function signMcpOrder(
  secret: string,
  { tenant, head }: Pick<JobOrder, "tenant" | "head">,
  nowMs: number,
): Promise<string> {
  return await sign(secret, { purpose: "mcp", tenant, head }, nowMs);
}

/** The end of a tenant's processes of one MCP server; `server` null: of all of them. */
export async function signMcpEnd(
  secret: string,
  { tenant, server }: { readonly tenant: string; readonly server: string | null },
  nowMs: number,
): Promise<string> {
  return await sign(secret, { purpose: "mcp_end", tenant, server }, nowMs);
}

/** `base64url(payload) + "." + base64url(HMAC-SHA256(secret, base64url payload))`. */
async function sign(secret: string, order: Readonly<Record<string, unknown>>, nowMs: number): Promise<string> {
  const exp = Math.floor(nowMs / 1_000) + LIFETIME_SECONDS;
  const encoder = new TextEncoder();
  const payload = toBase64Url(encoder.encode(JSON.stringify({ ...order, exp, jti: crypto.randomUUID() })));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(payload)));
  return `${payload}.${toBase64Url(signature)}`;
}

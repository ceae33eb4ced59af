/** What the routes of egress share: reading the body that a token covers, and describing the server's answer. */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { EgressHead, EgressRefusal } from "./egress.ts";
import { sendJson } from "./reply.ts";

const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

export const REFUSAL_STATUS: Readonly<Record<EgressRefusal["code"], number>> = {
  blocked_by_policy: 403,
  invalid_input: 422,
  upstream_failed: 502,
  timeout: 502,
};

/** Describes the server's status and headers for the Worker. */
export function describeAnswer({ status, headers, length }: EgressHead, truncated: boolean) {
  return {
    status,
    headers,
    ...(truncated ? { truncated: true } : {}),
    ...(length !== undefined && { length }),
  };
}

export function hashBytes(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Reads a request's body. Null if it is too large. */
export async function readBody(request: IncomingMessage, maxBytes = MAX_REQUEST_BYTES): Promise<Buffer | null> {
  if (request.headers["content-length"] === "0") return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Refuses a body that `readBody` did not read. */
export function sendTooLarge(response: ServerResponse, maxBytes = MAX_REQUEST_BYTES): void {
  sendJson(response, 413, { code: "too_large", message: `A request body may have ${maxBytes} bytes.` });
}

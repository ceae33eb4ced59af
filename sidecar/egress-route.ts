/** `POST /egress` sends one HTTP request to the outside. Its body is the body to send. */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import {
  type StreamedAnswer,
  type EgressDeps,
  type EgressHead,
  type EgressRefusal,
  openEgress,
  performEgress,
} from "./egress.ts";
import { sendJson, sendTooMany } from "./reply.ts";
import { getBodyHash, type EgressOrder } from "./token.ts";

const MAX_REQUEST_BYTES = 16 * 1024 * 1024;
/** Limits one tenant, since a server of its choice can hold each request for minutes. */
const MAX_CONCURRENT_PER_TENANT = 128;

const REFUSAL_STATUS: Readonly<Record<EgressRefusal["code"], number>> = {
  blocked_by_policy: 403,
  invalid_input: 422,
  upstream_failed: 502,
  timeout: 502,
};

const WRONG_BODY = "The body does not match the token. Nothing was sent.";

/** Serves the order of a token. */
export type EgressRoute = (order: EgressOrder, request: IncomingMessage, response: ServerResponse) => Promise<void>;

export function makeEgressRoute(egress: EgressDeps): EgressRoute {
  const activeByTenant = new Map<string, number>();

  async function serve(order: EgressOrder, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (body === null) {
      return sendJson(response, 413, {
        code: "too_large",
        message: `A request body may have ${MAX_REQUEST_BYTES} bytes.`,
      });
    }
    if (![null, hashBytes(body)].includes(getBodyHash(order)))
      return sendRefusal(response, { ok: false, code: "invalid_input", message: WRONG_BODY, sent: false });
    const gone = new AbortController();
    response.on("close", () => {
      if (!response.writableFinished) gone.abort();
    });
    if (order.stream === true) {
      const streamed = await openEgress(order, body, egress, gone.signal);
      return streamed.ok ? await sendStream(response, streamed) : sendRefusal(response, streamed);
    }
    const answer = await performEgress(order, body, egress, gone.signal);
    if (!answer.ok) return sendRefusal(response, answer);
    response.writeHead(200, { ...buildHeaders(answer, answer.truncated), "content-length": answer.body.length });
    response.end(answer.body);
  }

  return async function egressRoute(order, request, response) {
    const { tenant = "" } = order;
    const before = activeByTenant.get(tenant) ?? 0;
    if (before >= MAX_CONCURRENT_PER_TENANT)
      return sendTooMany(response, `${MAX_CONCURRENT_PER_TENANT} requests of one tenant are in progress.`);
    activeByTenant.set(tenant, before + 1);
    try {
      await serve(order, request, response);
    } finally {
      const remaining = (activeByTenant.get(tenant) ?? 1) - 1;
      if (remaining > 0) activeByTenant.set(tenant, remaining);
      else activeByTenant.delete(tenant);
    }
  };
}

/** Builds the reply headers, which carry the server's status and headers. */
function buildHeaders({ status, headers, length }: EgressHead, truncated: boolean): Record<string, string> {
  const upstream = {
    status,
    headers,
    ...(truncated ? { truncated: true } : {}),
    ...(length !== undefined && { length }),
  };
  return {
    "content-type": "application/octet-stream",
    "x-otto-upstream": Buffer.from(JSON.stringify(upstream)).toString("base64url"),
  };
}

/** Streams the body. If it breaks, the reply breaks too. */
async function sendStream(response: ServerResponse, answer: StreamedAnswer): Promise<void> {
  response.writeHead(200, buildHeaders(answer, false));
  response.flushHeaders();
  try {
    await pipeline(answer.chunks, response);
  } catch {
    response.destroy();
  }
}

function sendRefusal(response: ServerResponse, { code, message, sent }: EgressRefusal): void {
  sendJson(response, REFUSAL_STATUS[code], { code, message, sent });
}

function hashBytes(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  if (request.headers["content-length"] === "0") return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

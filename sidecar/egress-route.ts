/** `POST /egress`: one HTTP request to the outside. The body is the body to send. */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import {
  type ComingAnswer,
  type EgressDeps,
  type EgressHead,
  type EgressRefusal,
  openEgress,
  performEgress,
} from "./egress.ts";
import { sendJson, sendTooMany } from "./reply.ts";
import { bodyHashOf, type EgressOrder } from "./token.ts";

const MAX_REQUEST_BYTES = 16 * 1024 * 1024;
/** Of one tenant: a server of its choice can hold each of them for minutes, and the others go on. */
const MAX_AT_ONCE_EACH = 128;

const STATUS_OF_REFUSAL: Readonly<Record<EgressRefusal["code"], number>> = {
  blocked_by_policy: 403,
  invalid_input: 422,
  upstream_failed: 502,
  timeout: 502,
};

const OTHER_BODY = "The body is not the one that was ordered. Nothing was sent.";

/** Does what a token orders. */
export type EgressRoute = (order: EgressOrder, request: IncomingMessage, response: ServerResponse) => Promise<void>;

export function makeEgressRoute(egress: EgressDeps): EgressRoute {
  const underWayOf = new Map<string, number>();

  async function serve(order: EgressOrder, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (body === null) {
      return sendJson(response, 413, {
        code: "too_large",
        message: `A request body may have ${MAX_REQUEST_BYTES} bytes.`,
      });
    }
    if (![null, sha256Of(body)].includes(bodyHashOf(order)))
      return sendRefusal(response, { ok: false, code: "invalid_input", message: OTHER_BODY, sent: false });
    const gone = new AbortController();
    response.on("close", () => {
      if (!response.writableFinished) gone.abort();
    });
    if (order.stream === true) {
      const coming = await openEgress(order, body, egress, gone.signal);
      return coming.ok ? await sendAsItComes(response, coming) : sendRefusal(response, coming);
    }
    const answer = await performEgress(order, body, egress, gone.signal);
    if (!answer.ok) return sendRefusal(response, answer);
    response.writeHead(200, { ...headersFor(answer, answer.truncated), "content-length": answer.body.length });
    response.end(answer.body);
  }

  return async function egressRoute(order, request, response) {
    const { tenant = "" } = order;
    const before = underWayOf.get(tenant) ?? 0;
    if (before >= MAX_AT_ONCE_EACH)
      return sendTooMany(response, `${MAX_AT_ONCE_EACH} requests of one tenant are under way.`);
    underWayOf.set(tenant, before + 1);
    try {
      await serve(order, request, response);
    } finally {
      const left = (underWayOf.get(tenant) ?? 1) - 1;
      if (left > 0) underWayOf.set(tenant, left);
      else underWayOf.delete(tenant);
    }
  };
}

/** What tells the other side's status and headers. */
function headersFor({ status, headers }: EgressHead, truncated: boolean): Record<string, string> {
  const upstream = { status, headers, ...(truncated ? { truncated: true } : {}) };
  return {
    "content-type": "application/octet-stream",
    "x-otto-upstream": Buffer.from(JSON.stringify(upstream)).toString("base64url"),
  };
}

/** A body that breaks off breaks the reply off too. */
async function sendAsItComes(response: ServerResponse, answer: ComingAnswer): Promise<void> {
  response.writeHead(200, headersFor(answer, false));
  response.flushHeaders();
  try {
    await pipeline(answer.coming, response);
  } catch {
    response.destroy();
  }
}

function sendRefusal(response: ServerResponse, { code, message, sent }: EgressRefusal): void {
  sendJson(response, STATUS_OF_REFUSAL[code], { code, message, sent });
}

function sha256Of(bytes: Buffer): string {
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

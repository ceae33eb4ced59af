/**
 * The routes of egress. `POST /egress` sends one HTTP request to the outside; its body is the body to send.
 * `POST /egress/batch` sends several (`egress-batch-route.ts`), and `DELETE /egress/batch` ends one of them.
 */
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
import { type BatchRoutes, makeBatchRoutes } from "./egress-batch-route.ts";
import { describeAnswer, hashBytes, readBody, REFUSAL_STATUS, sendTooLarge } from "./egress-answer.ts";
import { sendJson, sendTooMany } from "./reply.ts";
import { Slots } from "./slots.ts";
import { getBodyHash, type EgressOrder } from "./token.ts";

/** Limits one tenant, since a server of its choice can hold each request for minutes. */
const MAX_CONCURRENT_PER_TENANT = 128;

/** A request whose reply is streamed may be the upload of a file. */
const MAX_UPLOAD_BYTES = 52_428_800;

const WRONG_BODY = "The body does not match the token. Nothing was sent.";

export interface EgressRoutes extends BatchRoutes {
  one(order: EgressOrder, request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** `slots` limits the requests of all tenants. */
export function makeEgressRoutes(egress: EgressDeps, slots: Slots): EgressRoutes {
  const ofTenant = new Slots(MAX_CONCURRENT_PER_TENANT);

  async function serve(order: EgressOrder, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const maxBytes = order.stream === true ? MAX_UPLOAD_BYTES : undefined;
    const body = await readBody(request, maxBytes);
    if (body === null) return sendTooLarge(response, maxBytes);
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

  return {
    ...makeBatchRoutes({ egress, slots, ofTenant }),
    async one(order, request, response) {
      const release = ofTenant.take(order.tenant);
      if (release === null) return sendTooMany(response, TOO_MANY_OF_TENANT);
      try {
        await serve(order, request, response);
      } finally {
        release();
      }
    },
  };
}

const TOO_MANY_OF_TENANT = `${MAX_CONCURRENT_PER_TENANT} requests of one tenant are in progress.`;

/** Builds the reply headers, which carry the server's status and headers. */
function buildHeaders(head: EgressHead, truncated: boolean): Record<string, string> {
  return {
    "content-type": "application/octet-stream",
    "x-otto-upstream": Buffer.from(JSON.stringify(describeAnswer(head, truncated))).toString("base64url"),
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

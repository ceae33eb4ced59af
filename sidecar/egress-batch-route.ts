/**
 * `POST /egress/batch`: several HTTP requests in one order. All begin at once; each is judged, limited and ended on its
 * own, and its reply is sent when it arrives. One that does not begin is refused in its frame with `sent: false`.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  encodeFrame,
  type Frame,
  MAX_BATCH_BYTES,
  MAX_BATCH_REQUESTS,
  FrameReader,
} from "../adapters/sidecar/egress-batch.ts";
import { PacketError } from "../adapters/sidecar/packet.ts";
import { type EgressDeps, performEgress } from "./egress.ts";
import { describeAnswer, hashBytes, readBody, REFUSAL_STATUS, sendTooLarge } from "./egress-answer.ts";
import { sendJson } from "./reply.ts";
import type { Slots } from "./slots.ts";
import {
  batchedRequest,
  type EgressBatchOrder,
  type EgressEndOrder,
  type EgressRequest,
  getBodyHash,
} from "./token.ts";

/** `slots` limits the requests of all tenants, and `ofTenant` those of one. */
interface BatchDeps {
  readonly egress: EgressDeps;
  readonly slots: Slots;
  readonly ofTenant: Slots;
}

export interface BatchRoutes {
  batch(order: EgressBatchOrder, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends a request of a batch. Does nothing if it has ended. */
  endOne(order: EgressEndOrder): void;
}

/** A request of a batch, with what ends it. `order` is null if it is invalid. */
interface BatchedRequest {
  readonly order: EgressRequest | null;
  readonly body: Buffer;
  readonly ending: AbortController;
}

const WRONG_BODY = "The body does not match the token. Nothing was sent.";
const KNOWN_BATCH = "The batch has an id that is in use. Nothing was sent.";
const INVALID = "The request has a method, headers or limits that cannot be sent. It was not sent.";
const TOO_MANY = "Too many requests are in progress. This one was not sent.";

export function makeBatchRoutes({ egress, slots, ofTenant }: BatchDeps): BatchRoutes {
  /** Batches in progress by tenant and id. */
  const batches = new Map<string, readonly BatchedRequest[]>();

  /** Makes one request and returns its frame. Never throws. */
  async function perform({ order, body, ending }: BatchedRequest, tenant: string): Promise<Frame> {
    if (order === null) return toRefusal(422, { code: "invalid_input", message: INVALID, sent: false });
    const [release, releaseOfTenant] = [slots.take(), ofTenant.take(tenant)];
    try {
      if (release === null || releaseOfTenant === null)
        return toRefusal(503, { code: "rate_limited", message: TOO_MANY, sent: false });
      const answer = await performEgress(order, body, egress, ending.signal);
      if (answer.ok)
        return { head: { status: 200, upstream: describeAnswer(answer, answer.truncated) }, body: answer.body };
      const { code, message, sent } = answer;
      return toRefusal(REFUSAL_STATUS[code], { code, message, sent });
    } finally {
      release?.();
      releaseOfTenant?.();
    }
  }

  async function serve(requests: readonly BatchedRequest[], tenant: string, response: ServerResponse): Promise<void> {
    response.on("close", () => {
      if (!response.writableFinished) for (const { ending } of requests) ending.abort();
    });
    response.writeHead(200, { "content-type": "application/octet-stream" });
    await Promise.all(
      requests.map(async (request, index) => {
        const { head, body } = await perform(request, tenant);
        if (!response.destroyed) response.write(encodeFrame({ head: { index, ...head }, body }));
      }),
    );
    response.end();
  }

  return {
    async batch(order, request, response) {
      const body = await readBody(request);
      if (body === null) return sendTooLarge(response);
      if (hashBytes(body) !== getBodyHash(order)) return refuse(response, WRONG_BODY);
      const requests = readRequests(body, order.tenant);
      if (typeof requests === "string") return refuse(response, requests);
      const name = getName(order);
      if (batches.has(name)) return refuse(response, KNOWN_BATCH);
      batches.set(name, requests);
      try {
        await serve(requests, order.tenant, response);
      } finally {
        batches.delete(name);
      }
    },
    endOne(order) {
      batches.get(getName(order))?.[order.index]?.ending.abort();
    },
  };
}

function getName({ tenant, batch }: Pick<EgressBatchOrder, "tenant" | "batch">): string {
  return `${batch} ${tenant}`;
}

/** Reads the requests of a body, or why it is invalid. */
function readRequests(bytes: Buffer, tenant: string): BatchedRequest[] | string {
  const reader = new FrameReader(MAX_BATCH_BYTES);
  try {
    const frames = reader.add(bytes);
    if (!reader.isComplete || frames.length === 0) return "The batch is empty or breaks off. Nothing was sent.";
    if (frames.length > MAX_BATCH_REQUESTS)
      return `A batch has at most ${MAX_BATCH_REQUESTS} requests. Nothing was sent.`;
    return frames.map(({ head, body }) => {
      const parsed = batchedRequest.safeParse(head);
      const order = parsed.success ? { ...parsed.data, tenant } : null;
      return { order, body: Buffer.from(body), ending: new AbortController() };
    });
  } catch (error) {
    if (error instanceof PacketError) return `${error.message} Nothing was sent.`;
    throw error;
  }
}

function toRefusal(status: number, refusal: Readonly<Record<string, unknown>>): Frame {
  return { head: { status }, body: Buffer.from(JSON.stringify(refusal)) };
}

function refuse(response: ServerResponse, message: string): void {
  sendJson(response, 422, { code: "invalid_input", message, sent: false });
}

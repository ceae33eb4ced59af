/**
 * `POST /mcp`: a packet comes, its head an order for an MCP server that runs here, its one file a message of JSON-RPC to it.
 * The answer is a stream of events, or 202 for a message that wants none.
 */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { joined, openPacket, PacketError } from "../../adapters/sidecar/packet.ts";
import { ERRORS } from "../../core/base/errors.ts";
import { sendJson, sendTooMany } from "../reply.ts";
import { type McpMessageOrder, requireFiles } from "../token.ts";
import { type Sorted, sortMessage } from "./json-rpc.ts";
import type { Keeper } from "./server-pool.ts";
import { type McpOrder, mcpOrder } from "./order.ts";
import { makeMcpDoor } from "./serve.ts";

/** Messages of one tenant that are under way: its servers can hold each of them for minutes, and the others go on. */
export const MAX_AT_ONCE_EACH = 64;
const LIMITS = { files: 1, bytes: 16 * 1024 * 1024 };

/** Hands on the message that a token orders. */
export type McpRoute = (order: McpMessageOrder, request: IncomingMessage, response: ServerResponse) => Promise<void>;

export function makeMcpRoute(keeper: Keeper): McpRoute {
  const serve = makeMcpDoor(keeper);

  const underWay = new Map<string, number>();

  return async function mcpRoute(token, request, response) {
    const { tenant } = token;
    const before = underWay.get(tenant) ?? 0;
    if (before >= MAX_AT_ONCE_EACH) {
      request.resume();
      return sendTooMany(response, `${before} messages to MCP servers of one tenant are under way.`);
    }
    underWay.set(tenant, before + 1);
    try {
      const { order, message } = await receive(token, request);
      await serve({ tenant, order, message, response });
    } catch (error) {
      if (!(error instanceof PacketError)) throw error;
      request.resume();
      sendJson(response, ERRORS[error.code].status, { code: error.code, message: error.message, sent: false });
    } finally {
      const left = (underWay.get(tenant) ?? 1) - 1;
      if (left > 0) underWay.set(tenant, left);
      else underWay.delete(tenant);
    }
  };
}

/** Throws `PacketError`. */
async function receive(
  token: McpMessageOrder,
  request: IncomingMessage,
): Promise<{ readonly order: McpOrder; readonly message: Exclude<Sorted, { kind: "response" }> }> {
  const chunks = (request as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const pull = async () => {
    const next = await chunks.next();
    return next.done === true ? null : next.value;
  };
  const packet = await openPacket(pull, LIMITS);
  if (createHash("sha256").update(packet.headBytes).digest("hex") !== token.head)
    throw new PacketError("invalid_input", "The packet is not the one that was ordered.");
  const order = mcpOrder.safeParse(packet.head.body);
  const files: Uint8Array[] = [];
  for await (const { file, chunks: bytes } of packet.contents()) files.push(await joined(bytes, file.size));
  requireFiles(
    token,
    files.map((bytes) => createHash("sha256").update(bytes).digest("hex")),
  );
  const [text = ""] = files.map((bytes) => new TextDecoder().decode(bytes));
  const message = sortMessage(text);
  if (!order.success || message === null || message.kind === "response")
    throw new PacketError("invalid_input", "This is no message to an MCP server.");
  return { order: order.data, message };
}

/**
 * `POST /mcp` receives a packet: its head is an order for an MCP server that runs here, its one file a JSON-RPC message to it. The reply
 * is a stream of events, or 202 for a notification.
 */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { openPacket, PacketError, joinChunks } from "../../adapters/sidecar/packet.ts";
import { ERRORS } from "../../core/base/errors.ts";
import { sendJson, sendTooMany } from "../reply.ts";
import { type McpMessageOrder, requireFiles } from "../token.ts";
import { type ClassifiedMessage, classifyMessage } from "./json-rpc.ts";
import type { ServerPool } from "./server-pool.ts";
import { type McpOrder, mcpOrderSchema } from "./order.ts";
import { makeMcpServe } from "./serve.ts";

/** Limits the concurrent messages of one tenant, since its servers can hold each for minutes. */
export const MAX_CONCURRENT_PER_TENANT = 64;
const LIMITS = { files: 1, bytes: 16 * 1024 * 1024 };

/** Forwards the message that a token orders. */
export type McpRoute = (order: McpMessageOrder, request: IncomingMessage, response: ServerResponse) => Promise<void>;

export function makeMcpRoute(pool: ServerPool): McpRoute {
  const serve = makeMcpServe(pool);

  const activeByTenant = new Map<string, number>();

  return async function mcpRoute(token, request, response) {
    const { tenant } = token;
    const before = activeByTenant.get(tenant) ?? 0;
    if (before >= MAX_CONCURRENT_PER_TENANT) {
      request.resume();
      return sendTooMany(response, `${before} messages to MCP servers of one tenant are in progress.`);
    }
    activeByTenant.set(tenant, before + 1);
    try {
      const { order, message } = await receive(token, request);
      await serve({ tenant, order, message, response });
    } catch (error) {
      if (!(error instanceof PacketError)) throw error;
      request.resume();
      sendJson(response, ERRORS[error.code].status, { code: error.code, message: error.message, sent: false });
    } finally {
      const remaining = (activeByTenant.get(tenant) ?? 1) - 1;
      if (remaining > 0) activeByTenant.set(tenant, remaining);
      else activeByTenant.delete(tenant);
    }
  };
}

/** Throws `PacketError`. */
async function receive(
  token: McpMessageOrder,
  request: IncomingMessage,
): Promise<{ readonly order: McpOrder; readonly message: Exclude<ClassifiedMessage, { kind: "response" }> }> {
  const chunks = (request as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const pull = async () => {
    const next = await chunks.next();
    return next.done === true ? null : next.value;
  };
  const packet = await openPacket(pull, LIMITS);
  if (createHash("sha256").update(packet.headBytes).digest("hex") !== token.head)
    throw new PacketError("invalid_input", "The packet does not match the token.");
  const order = mcpOrderSchema.safeParse(packet.head.body);
  const files: Uint8Array[] = [];
  for await (const { file, chunks: bytes } of packet.contents()) files.push(await joinChunks(bytes, file.size));
  requireFiles(
    token,
    files.map((bytes) => createHash("sha256").update(bytes).digest("hex")),
  );
  const [text = ""] = files.map((bytes) => new TextDecoder().decode(bytes));
  const message = classifyMessage(text);
  if (!order.success || message === null || message.kind === "response")
    throw new PacketError("invalid_input", "This is not a message to an MCP server.");
  return { order: order.data, message };
}

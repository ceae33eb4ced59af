/**
 * A mock MCP server over streamable HTTP, written from the specification: of the stateless revision 2026-07-28, or of an earlier one with a
 * handshake and a session. A test can answer any message itself.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closeServer, listenOnLoopback } from "./listen.ts";

export type Revision = "2026-07-28" | "2025-11-25" | "2025-06-18" | "2025-03-26";

/** A received JSON-RPC message with its HTTP headers. */
export interface McpMessage {
  readonly httpMethod: string;
  readonly path: string;
  /** The received text. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface McpMockServerOptions {
  readonly revision?: Revision;
  /** Sends replies as events, after one notification. */
  readonly asEvents?: boolean;
  readonly tools?: (message: McpMessage) => readonly unknown[];
  /** Tools per page of a list. */
  readonly pageSize?: number;
  /** The result of `tools/call`, or `{ error: { code, message } }`. */
  readonly answer?: (params: Readonly<Record<string, unknown>>, message: McpMessage) => unknown;
  /** Handles a request itself. True if it was answered or must not be. */
  readonly takeOver?: (message: McpMessage, response: ServerResponse) => boolean;
  /** Notifications before a call's result, for replies as events. */
  readonly notifications?: (message: McpMessage) => readonly string[];
}

export interface McpMockServer {
  readonly url: string;
  /** `host:port`. */
  readonly host: string;
  readonly received: readonly McpMessage[];
  /** The methods of all messages in order. */
  methods(): readonly string[];
  /** Forgets every session. */
  forgetSessions(): void;
  close(): Promise<void>;
}

const UNSUPPORTED_VERSION = -32022;
const METHOD_NOT_FOUND = -32601;

export async function startMcpServer(options: McpMockServerOptions = {}): Promise<McpMockServer> {
  const { revision = "2026-07-28", asEvents = false, pageSize = 100, notifications } = options;
  const isModern = revision === "2026-07-28";
  const received: McpMessage[] = [];
  const sessions = new Set<string>();

  function list(message: McpMessage): unknown {
    const { cursor = "0" } = message.params ?? {};
    const tools = options.tools?.(message) ?? [];
    const end = Number(cursor) + pageSize;
    return {
      tools: tools.slice(Number(cursor), end),
      ...(end < tools.length ? { nextCursor: String(end) } : {}),
      ...(isModern ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {}),
    };
  }

  function resultOf(message: McpMessage): unknown {
    const { method = "", params = {} } = message;
    const about = { capabilities: { tools: { listChanged: true } }, instructions: "A mock server." };
    switch (method) {
      case "server/discover":
        return { resultType: "complete", supportedVersions: [revision], ttlMs: 0, cacheScope: "private", ...about };
      case "initialize":
        return { protocolVersion: revision, serverInfo: { name: "mock-server", version: "1" }, ...about };
      case "ping":
        return {};
      case "tools/list":
        return list(message);
      case "tools/call":
        return options.answer?.(params, message) ?? { content: [] };
      default:
        return { error: { code: METHOD_NOT_FOUND, message: `no method ${method}` } };
    }
  }

  /** Refuses a message of another generation or without a session. */
  function refusalOf({
    method = "",
    headers,
  }: McpMessage): { readonly status: number; readonly error?: unknown } | null {
    if (isModern) {
      if (method === "initialize") {
        const data = { supported: [revision], requested: "" };
        return { status: 400, error: { code: UNSUPPORTED_VERSION, message: "Unsupported protocol version", data } };
      }
      return headers["mcp-method"] === method
        ? null
        : { status: 400, error: { code: -32020, message: "HeaderMismatch" } };
    }
    if (method === "initialize") return null;
    if (method === "server/discover") return { status: 400, error: { code: -32600, message: "not initialized" } };
    const session = headers["mcp-session-id"];
    if (session === undefined) return { status: 400, error: { code: -32600, message: "no session" } };
    return sessions.has(session) ? null : { status: 404, error: { code: -32001, message: "Session not found" } };
  }

  function serve(message: McpMessage, response: ServerResponse): void {
    if (options.takeOver?.(message, response) === true) return;
    const { httpMethod, id, method, headers } = message;
    if (httpMethod === "DELETE") {
      sessions.delete(headers["mcp-session-id"] ?? "");
      return void response.writeHead(isModern ? 405 : 200).end();
    }
    if (httpMethod !== "POST") return void response.writeHead(405).end();
    const refusal = refusalOf(message);
    if (refusal !== null) return sendJson(response, refusal.status, { jsonrpc: "2.0", id, error: refusal.error });
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "initialize") {
      const session = randomUUID();
      sessions.add(session);
      response.setHeader("mcp-session-id", session);
    }
    const result = resultOf(message);
    const isError = typeof result === "object" && result !== null && "error" in result;
    const reply = isError ? { jsonrpc: "2.0", id, error: result.error } : { jsonrpc: "2.0", id, result };
    if (!asEvents) return sendJson(response, 200, reply);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const name of notifications?.(message) ?? []) response.write(event({ jsonrpc: "2.0", method: name }));
    response.write(event(reply));
    // Keep the stream open: the reply tells the client that it is the last.
  }

  const server = createServer((request, response) => {
    void readMessage(request).then((message) => {
      received.push(message);
      serve(message, response);
    });
  });
  const host = `127.0.0.1:${await listenOnLoopback(server, 0)}`;
  return {
    url: `http://${host}/mcp`,
    host,
    received,
    methods: () => received.map(({ method, httpMethod }) => method ?? httpMethod),
    forgetSessions: () => sessions.clear(),
    close: () => closeServer(server),
  };
}

/** Formats one event of a stream. */
export function event(message: unknown): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function readMessage(request: IncomingMessage): Promise<McpMessage> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const message = text.startsWith("{") ? (JSON.parse(text) as Pick<McpMessage, "id" | "method" | "params">) : {};
  return { httpMethod: request.method ?? "", path: request.url ?? "", text, headers, ...message };
}

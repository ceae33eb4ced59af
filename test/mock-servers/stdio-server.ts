/**
 * Mock MCP servers of either generation as processes. Each process is a relay to this module, which runs in the test.
 */
import { randomUUID } from "node:crypto";
import { chmodSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";

type Message = Readonly<Record<string, unknown>>;

export interface StdioMockServer {
  /** The arguments of `node` to start it. */
  readonly args: readonly string[];
  /** Received messages by the connection of each process. */
  readonly received: readonly Message[];
  close(): Promise<void>;
}

export interface StdioMockServerOptions {
  readonly isModern: boolean;
  readonly tools: readonly unknown[];
  /** The result of `tools/call` or `{ error: { code, message } }`, or a promise of it. */
  readonly answer: (params: Message) => unknown;
}

const METHOD_NOT_FOUND = -32_601;
const PAGE = 100;
const RELAY = "stdio-relay.mjs";

/** `folder` contains `stdio-relay.mjs`; processes see it at `at`. */
export async function startStdioServer(
  folder: string,
  at: string,
  options: StdioMockServerOptions,
): Promise<StdioMockServer> {
  const received: Message[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
    const lines = createInterface({ input: socket });
    // Ignore the socket's error when the process is killed.
    lines.on("error", () => undefined);
    lines.on("line", (line) => {
      const message = JSON.parse(line) as Message;
      received.push(message);
      const { id } = message;
      if (id === undefined || message["method"] === undefined) return;
      const write = (answered: Message) => socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answered })}\n`);
      answerTo(message, options).then(write, () => socket.destroy());
    });
  });
  const name = `${randomUUID().slice(0, 8)}.sock`;
  const path = join(folder, name);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  // The process runs as another user.
  chmodSync(path, 0o777);
  return {
    args: [join(at, RELAY), join(at, name)],
    received,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answerTo(message: Message, { isModern, tools, answer }: StdioMockServerOptions): Promise<Message> {
  const params = (message["params"] ?? {}) as Message;
  const cached = isModern ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
  const info = { capabilities: { tools: {} }, serverInfo: { name: "mock-server", version: "1" } };
  switch (message["method"]) {
    case "server/discover":
      return isModern ? { result: { supportedVersions: ["2026-07-28"], ...info, ...cached } } : unknown(message);
    case "initialize":
      return isModern ? unknown(message) : { result: { protocolVersion: params["protocolVersion"], ...info } };
    case "tools/list": {
      const from = Number(params["cursor"] ?? 0);
      const next = from + PAGE < tools.length ? { nextCursor: String(from + PAGE) } : {};
      return { result: { tools: tools.slice(from, from + PAGE), ...next, ...cached } };
    }
    case "tools/call": {
      const answered = (await answer(params)) as Message;
      return "error" in answered ? { error: answered["error"] } : { result: answered };
    }
    default:
      return unknown(message);
  }
}

function unknown(message: Message): Message {
  return { error: { code: METHOD_NOT_FOUND, message: `no method ${String(message["method"])}` } };
}

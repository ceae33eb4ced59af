/**
 * A mock server on loopback that violates SMTP. The local part of a mail's sender selects how:
 *
 * - `stuck`: stops reading after the data has begun. `drip`: sends a character of an endless reply every 20 ms.
 * - `endless`: sends endless lines of one reply. `ahead`: replies to the data before receiving it.
 *
 * It never answers a silent client, such as one that waits for TLS or starts it.
 */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

export interface OddSmtp {
  /** Greets a client. */
  readonly port: number;
  /** Accepts connections and never sends anything. */
  readonly mutePort: number;
  close(): Promise<void>;
}

export async function startOddSmtp(): Promise<OddSmtp> {
  const sockets = new Set<Socket>();
  const [greeting, mute] = [createServer(converse), createServer((socket) => void socket.resume())];
  for (const server of [greeting, mute])
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    });
  const [port = 0, mutePort = 0] = await Promise.all([greeting, mute].map(listening));
  return {
    port,
    mutePort,
    async close() {
      const closed = [greeting, mute].map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

function converse(socket: Socket): void {
  let wish = "";
  let unread = "";
  socket.write("220 odd\r\n");
  socket.setEncoding("utf8").on("data", (text: string) => {
    unread += text;
    const lines = unread.split("\r\n");
    unread = lines.pop() ?? "";
    for (const line of lines) {
      wish = /^MAIL FROM:<([a-z]+)/.exec(line)?.[1] ?? wish;
      if (line === "DATA") beginData(socket, wish);
      else if (/^(?:EHLO|MAIL|RCPT)/.test(line)) socket.write("250 ok\r\n");
    }
  });
}

function beginData(socket: Socket, wish: string): void {
  switch (wish) {
    case "stuck":
      socket.write("354 go on\r\n");
      socket.pause();
      break;
    case "drip":
      every(20, socket, () => socket.write("3"));
      break;
    case "endless":
      every(1, socket, () => socket.write("354-go on\r\n".repeat(1_000)));
      break;
    default:
      socket.write("354 go on\r\n250 taken\r\n");
  }
}

function every(ms: number, socket: Socket, say: () => void): void {
  const timer = setInterval(say, ms);
  socket.on("close", () => clearInterval(timer));
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

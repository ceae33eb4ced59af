/**
 * Demo apps: a server on loopback that speaks the part of Composio's API that Otto uses. `npm start` without a key runs it,
 * and tests do. Apps and actions are made when they are listed; what a person stores lives in this process.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type BookStore, openAccounts } from "./accounts.ts";
import { openExecutions, toError } from "./executions.ts";
import { openFaults } from "./faults.ts";
import { openFileStorage } from "./file-storage.ts";
import { answer, type DemoParts, type DemoReply, STORAGE } from "./routes.ts";

const MAX_BODY_BYTES = 1_048_576;
const MAX_FILE_BYTES = 52_428_800;
const RETRY_AFTER_SECONDS = "1";
/** How long an event waits for its answer. */
const SEND_MS = 10_000;

export interface DemoOptions {
  /** 0: a free one. */
  readonly port: number;
  readonly apiKey: string;
  /** Null: accounts end with the process. */
  readonly store?: BookStore | null;
  /** Opens `/control` for tests. */
  readonly isControlled?: boolean;
}

export interface DemoServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Listens on 127.0.0.1. Rejects if the port is taken. */
export async function startDemoApps({
  port,
  apiKey,
  store = null,
  isControlled = false,
}: DemoOptions): Promise<DemoServer> {
  const now = Date.now;
  const accounts = openAccounts(store, now);
  const faults = openFaults(isControlled);
  const files = openFileStorage(faults, now);
  const executions = openExecutions({ accounts, faults, files, now });
  const parts: DemoParts = { apiKey, accounts, executions, files, faults, now };
  const server = createServer((request, response) => {
    serve(parts, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(parts: DemoParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const isFile = request.url?.startsWith(`/${STORAGE}/`) === true;
  const bytes = await readBytes(request, isFile ? MAX_FILE_BYTES : MAX_BODY_BYTES);
  if (bytes === null) return write(response, { kind: "json", status: 413, body: toError(413, "Payload too large") });
  const { "x-api-key": apiKey, "x-request-id": requestId, host = "127.0.0.1", origin = null } = request.headers;
  const reply = answer(parts, {
    method: request.method ?? "GET",
    url: new URL(request.url ?? "/", `http://${host}`),
    apiKey: typeof apiKey === "string" ? apiKey : null,
    requestId: typeof requestId === "string" ? requestId : null,
    origin,
    bytes,
  });
  write(response, reply.kind === "send" ? await sendEvent(reply) : reply);
}

/** Sends an event to its subscriber, and returns the page that says how it was answered. */
async function sendEvent({ event, render }: DemoReply & { readonly kind: "send" }): Promise<WrittenReply> {
  const { url, headers, body } = event;
  const signal = AbortSignal.timeout(SEND_MS);
  const note = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal }).then(
    async (answered) => `Otto answered ${answered.status}: ${(await answered.text()).slice(0, 300)}`,
    () => "Otto did not answer.",
  );
  return { kind: "page", status: 200, html: render(note) };
}

type WrittenReply = Exclude<DemoReply, { readonly kind: "send" }>;

function write(response: ServerResponse, reply: WrittenReply): void {
  if (reply.kind === "no_reply") {
    if (reply.how === "cut") response.destroy();
    return;
  }
  if (reply.kind === "redirect") {
    response.writeHead(303, { location: reply.to }).end();
    return;
  }
  if (reply.kind === "bytes") {
    response.writeHead(reply.status, { "content-type": reply.contentType }).end(reply.bytes);
    return;
  }
  if (reply.kind === "page") {
    const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
    const type = "text/html; charset=utf-8";
    response.writeHead(reply.status, { "content-type": type, "content-security-policy": policy }).end(reply.html);
    return;
  }
  const retry = reply.status === 429 ? { "retry-after": RETRY_AFTER_SECONDS } : {};
  response.writeHead(reply.status, { "content-type": "application/json", ...retry }).end(JSON.stringify(reply.body));
}

/** Null for a body that is too large. */
async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > maxBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

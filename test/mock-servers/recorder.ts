/**
 * An HTTP server on loopback that records every request. For each it decides whether a service that honours `Idempotency-Key` for a key's
 * lifetime would have acted on it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { KeyMemory } from "./key-memory.ts";
import { closeServer, listenOnLoopback } from "./listen.ts";

/** A received request. `at` is `performance.now()` milliseconds. */
export interface RecordedRequest {
  readonly seq: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | null;
  /** False for a repeat under a stored key. */
  readonly acted: boolean;
  readonly body: string;
}

/** The recorder's reply. */
export type RecorderReply =
  | {
      readonly status: number;
      readonly body?: string;
      readonly contentType?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly fault: "reset" | "hang" };

/** A complete request before it is recorded. */
export interface ArrivingRequest {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
}

export interface RecorderOptions {
  readonly port?: number;
  /** How long a key is stored after its first request, and by which clock. Forever when omitted. */
  readonly keys?: { readonly lifetimeMs: number; readonly now?: () => number };
  /**
   * Awaited before a complete request is recorded, that is, before its effect. `"drop"` prevents the effect and resets the
   * connection.
   */
  readonly beforeEffect?: (arriving: ArrivingRequest) => Promise<"drop" | void> | "drop" | void;
  /** Awaited after recording and before the reply: the effect has happened but is unknown to the caller. */
  readonly afterEffect?: (record: RecordedRequest) => Promise<void> | void;
  /** Computes the reply. The default is 200 and `{"ok":true,"path":…}`. */
  readonly reply?: (record: RecordedRequest) => RecorderReply | undefined;
}

/** A running recorder. `host` is `127.0.0.1:port`. */
export interface Recorder {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

/** Starts a recorder. */
export async function startRecorder(options: RecorderOptions = {}): Promise<Recorder> {
  const requests: RecordedRequest[] = [];
  const keys = new KeyMemory();
  const { lifetimeMs = Number.POSITIVE_INFINITY, now = () => performance.now() } = options.keys ?? {};
  const acts = (key: string | null): boolean => key === null || !keys.isRepeat(key, lifetimeMs, now());
  const server = createServer((request, response) => {
    record({ ...options, acts }, requests, request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  const port = await listenOnLoopback(server, options.port ?? 0);
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    port,
    requests,
    close: () => closeServer(server),
  };
}

async function record(
  options: RecorderOptions & { acts(key: string | null): boolean },
  requests: RecordedRequest[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const method = request.method ?? "GET";
  const path = request.url ?? "/";
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers))
    headers[name] = Array.isArray(value) ? value.join(", ") : (value ?? "");
  const idempotencyKey = headers["idempotency-key"] ?? null;

  const verdict = await options.beforeEffect?.({ method, path, idempotencyKey });
  if (verdict === "drop") request.socket.resetAndDestroy();
  // The client disconnected before the effect, so a real service would not act.
  if (request.socket.destroyed) return;
  const entry: RecordedRequest = {
    seq: requests.length + 1,
    at: performance.now(),
    method,
    path,
    headers,
    idempotencyKey,
    acted: options.acts(idempotencyKey),
    body: Buffer.concat(parts).toString("utf8"),
  };
  requests.push(entry);
  await options.afterEffect?.(entry);

  const reply = options.reply?.(entry) ?? { status: 200, body: JSON.stringify({ ok: true, path }) };
  if ("fault" in reply) {
    if (reply.fault === "reset") request.socket.resetAndDestroy();
    return;
  }
  response.writeHead(reply.status, { "content-type": reply.contentType ?? "application/json", ...reply.headers });
  response.end(reply.body ?? "");
}

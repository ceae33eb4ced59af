/**
 * The outside oracle: an HTTP server that records every request. For each it says whether a service that honours
 * `Idempotency-Key`, and forgets a key after its lifetime, would have acted on it. Plain `node:http`, on loopback.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { KeyMemory } from "./key-memory.ts";
import { closeServer, listenOnLoopback } from "./listen.ts";

/** A request as it was received. `at` is `performance.now()` milliseconds. */
export interface RecordedRequest {
  readonly seq: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | null;
  /** False for a repeat under a key that the service still remembers. */
  readonly acted: boolean;
  readonly body: string;
}

/** What the recorder answers. */
export type RecorderReply =
  | {
      readonly status: number;
      readonly body?: string;
      readonly contentType?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly fault: "reset" | "hang" };

/** A request that is whole and not yet written down. */
export interface ArrivingRequest {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
}

export interface RecorderOptions {
  readonly port?: number;
  /** How long a key is remembered from the first request under it, and by which clock; without it, for ever. */
  readonly keys?: { readonly lifetimeMs: number; readonly now?: () => number };
  /**
   * Awaited when a request is whole and before it is written down: the effect has not happened yet. `"drop"`: it never
   * happens, and the connection is reset.
   */
  readonly beforeEffect?: (arriving: ArrivingRequest) => Promise<"drop" | void> | "drop" | void;
  /** Awaited when it is written down and before the answer leaves: the effect has happened, and nobody knows. */
  readonly afterEffect?: (record: RecordedRequest) => Promise<void> | void;
  /** Default, also for what it gives no answer: 200 and `{"ok":true,"path":…}`. */
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

/** Starts one. */
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
  // A client that went away before the effect: a real service would not act either.
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

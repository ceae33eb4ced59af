/**
 * The bridge: an HTTP server on loopback that speaks Neon's SQL-over-HTTP protocol in front of any Postgres, so that the
 * Worker uses one driver everywhere. The user in the connection string becomes the role of the request's transaction.
 * The password keeps out the machine's other processes.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { freeBytes } from "./embedded-folder.ts";
import { MalformedRequest, readCredentials, readRequest, writeFailure, writeResults } from "./neon-protocol.ts";
import { DatabaseUnavailable, PostgresFailure, type SqlBackend, type TransactionOptions } from "./sql-backend.ts";

/** Neon's own limit for requests and replies. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

export interface BridgeOptions {
  readonly backend: SqlBackend;
  /** 0: any free port. */
  readonly port: number;
  /** The password of the user `otto_app`, who becomes the role `otto_app`. */
  readonly appPassword: string;
  /** The password of the user `otto_owner`, who owns the tables. Null: that user is turned away. */
  readonly ownerPassword: string | null;
  /** The folder whose disk `GET /disk` reports on. Absent: none. */
  readonly diskFolder?: string;
}

export interface Bridge {
  /** Where the driver sends its requests. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Starts the bridge. Rejects when the port is taken. */
export async function startBridge(options: BridgeOptions): Promise<Bridge> {
  const server = createServer((request, response) => {
    answer(options, request).then(
      ({ status, body }) => reply(response, status, body),
      (error: unknown) => reply(response, 500, JSON.stringify({ message: String(error) })),
    );
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}/sql`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Reply {
  readonly status: number;
  readonly body: string;
}

async function answer(options: BridgeOptions, request: IncomingMessage): Promise<Reply> {
  if (request.method === "GET" && request.url === "/disk" && options.diskFolder !== undefined)
    return { status: 200, body: JSON.stringify({ free_bytes: freeBytes(options.diskFolder) }) };
  if (request.method !== "POST" || request.url !== "/sql") return failed(404, "POST /sql is all there is here");
  const role = readRole(options, request);
  if (role === undefined) return failed(401, "the connection string's user or password is wrong");
  const body = await readBody(request);
  if (body === null) return failed(413, `the request is larger than ${MAX_BODY_BYTES} bytes`);
  try {
    const asked = readRequest(request.headers, body);
    const results = await options.backend.transact(asked.statements, { ...asked.options, role });
    const written = writeResults(asked, results);
    if (written.length > MAX_BODY_BYTES) return failed(507, `the response is larger than ${MAX_BODY_BYTES} bytes`);
    return { status: 200, body: written };
  } catch (error) {
    if (error instanceof PostgresFailure) return { status: 400, body: writeFailure(error) };
    if (error instanceof MalformedRequest) return failed(400, error.message);
    if (error instanceof DatabaseUnavailable) return failed(503, `the database is away: ${error.message}`);
    throw error;
  }
}

/** The role that the request may take; undefined when its credentials are wrong. */
function readRole(options: BridgeOptions, request: IncomingMessage): TransactionOptions["role"] | undefined {
  const credentials = readCredentials(request.headers);
  if (credentials?.user === "otto_app" && same(credentials.password, options.appPassword)) return "otto_app";
  if (credentials?.user !== "otto_owner" || options.ownerPassword === null) return undefined;
  return same(credentials.password, options.ownerPassword) ? null : undefined;
}

function same(given: string, right: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(right));
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function failed(status: number, message: string): Reply {
  return { status, body: JSON.stringify({ message }) };
}

function reply(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}

/**
 * The way out for one caged program: an HTTP proxy on a socket that is mounted into its cage. It takes requests with a whole
 * URL, and CONNECT. What may be reached is decided as for every other request (`egress.ts`), for the hosts of this program.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { judgeUrl } from "../../adapters/egress/address.ts";
import { isHostListed, isPortListed } from "../../core/web/host-pattern.ts";
import { type EgressDeps, judgedAddresses, readHeaders, sentHeaders } from "../egress.ts";

const MAX_CONNECTIONS = 64;
/** Both ways, of all connections together. */
const MAX_BYTES = 256 * 1024 * 1024;
const CONNECT_MS = 15_000;
const TLS_PORT = "443";
/** Of the web. Some clients tunnel plain http too: Node's own `fetch`. */
const TUNNEL_PORTS: ReadonlySet<string> = new Set(["80", TLS_PORT]);
const REFUSED = 403;
const UNREACHABLE = 502;
const MALFORMED = 400;

export interface Proxy {
  /** Ends it and all its connections. */
  close(): void;
}

export interface ProxyRules {
  /** Host patterns; `*` is any public host. */
  readonly hosts: readonly string[];
  readonly egress: EgressDeps;
}

/** A place that may be reached, or why it may not. */
type Reached =
  | { readonly ok: true; readonly url: URL; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly status: number; readonly message: string };

/** Listens at `path`, a socket that is not there yet. */
export async function openProxy(path: string, rules: ProxyRules): Promise<Proxy> {
  const open = new Set<Duplex>();
  const over = new AbortController();
  let bytes = 0;

  function close(): void {
    over.abort();
    for (const stream of open) stream.destroy();
    server.close();
  }

  /** Lets bytes through while there are not too many of them. */
  function counted(): Transform {
    return new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        if (bytes > MAX_BYTES) return close();
        done(null, chunk);
      },
    });
  }

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reached = await reach(targetOf(request), rules, over.signal);
    if (!reached.ok) return refuse(response, reached.status, reached.message);
    const { url, addresses } = reached;
    const { egress } = rules;
    const connection = egress.connections.open(url.origin, egress.connectTo(addresses), null);
    try {
      const answer = await connection.client.request({
        path: url.pathname + url.search,
        method: request.method ?? "GET",
        headers: forwardedHeaders(request),
        body: hasBody(request) ? request.pipe(counted()) : null,
        signal: over.signal,
        responseHeaders: "raw",
      });
      response.writeHead(answer.statusCode, readHeaders(answer.headers as unknown as readonly Buffer[]).flat());
      await pipeline(answer.body, counted(), response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else
        refuse(response, UNREACHABLE, `The request failed: ${error instanceof Error ? error.message : "no reason"}.`);
    } finally {
      connection.end(false);
    }
  }

  async function tunnel(request: IncomingMessage, near: Duplex, head: Buffer): Promise<void> {
    const reached = await reachTunnel(request.url ?? "", rules, over.signal);
    if (!reached.ok) return void near.end(statusLine(reached.status, reached.message));
    const far = await connect(reached.url, reached.addresses, rules.egress, over.signal);
    if (far === null) return void near.end(statusLine(UNREACHABLE, "It cannot be reached."));
    open.add(far);
    far.once("close", () => open.delete(far));
    near.write("HTTP/1.1 200 Connection established\r\n\r\n");
    far.write(head);
    await Promise.all([pipeline(near, counted(), far), pipeline(far, counted(), near)]);
  }

  const server: Server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.on("connect", (request, near: Duplex, head) => {
    near.on("error", () => undefined);
    tunnel(request, near, head).catch(() => near.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  return { close };
}

/** The URL of a request to a proxy. Null: it names none, or names two hosts. */
function targetOf(request: IncomingMessage): URL | null {
  const url = /^http:\/\//i.test(request.url ?? "") ? URL.parse(request.url ?? "") : null;
  const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  if (url === null || hosts.length !== 1) return null;
  const named = URL.parse(`http://${request.headers.host ?? ""}/`);
  return named?.host === url.host ? url : null;
}

async function reach(url: URL | null, { hosts, egress }: ProxyRules, signal: AbortSignal): Promise<Reached> {
  if (url === null) return no(MALFORMED, "A request to a proxy names one whole http URL.");
  if (!isHostListed(url, hosts)) return no(REFUSED, `The host ${url.host} is not on the list.`);
  const judged = judgeUrl(url.href, egress.allow, isPortListed(url, hosts));
  if (!judged.ok) return no(REFUSED, judged.message);
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
    const addresses = await judgedAddresses(judged, egress, limit);
    if (typeof addresses === "string") return no(REFUSED, addresses);
    return { ok: true, url: judged.url, addresses };
  } catch {
    return no(UNREACHABLE, `The name ${url.hostname} was not found.`);
  }
}

/** `authority`: host:port. What goes through a tunnel is not seen, so it leads to the ports of the web, or to a listed one. */
async function reachTunnel(authority: string, rules: ProxyRules, signal: AbortSignal): Promise<Reached> {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^\s:/?#@\\[\]]+):(\d{1,5})$/.exec(authority);
  const url = match === null ? null : URL.parse(`https://${authority}/`);
  if (match === null || url === null) return no(MALFORMED, "CONNECT names one host and one port.");
  const isOpened = rules.egress.allow.has(`${url.hostname}:${match[2]}`);
  if (!TUNNEL_PORTS.has(match[2] ?? "") && !isOpened && !isPortListed(url, rules.hosts))
    return no(REFUSED, `CONNECT leads to the ports ${[...TUNNEL_PORTS].join(" and ")}, or to one that is listed.`);
  return await reach(url, rules, signal);
}

/** A connection to exactly one of the judged addresses. */
async function connect(
  url: URL,
  addresses: readonly string[],
  egress: EgressDeps,
  signal: AbortSignal,
): Promise<Socket | null> {
  const port = url.port === "" ? TLS_PORT : url.port;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
  return await new Promise((resolve) => {
    limit.addEventListener("abort", () => resolve(null), { once: true });
    // Without TLS of its own: that is between the program and the other side.
    const target = { hostname: url.hostname, host: url.host, protocol: "http:", port };
    egress.connectTo(addresses)(target, (...[error, socket]) => {
      if (error !== null) return resolve(null);
      if (limit.aborted) return socket.destroy();
      resolve(socket);
    });
  });
}

function forwardedHeaders(request: IncomingMessage): string[] {
  const { rawHeaders } = request;
  const pairs = rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""]] : [],
  );
  const codings = pairs.filter(([name]) => name.toLowerCase() === "accept-encoding");
  return [...sentHeaders(pairs), ...codings.flat()];
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function no(status: number, message: string): Reached {
  return { ok: false, status, message };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(`${message}\n`);
}

function statusLine(status: number, message: string): string {
  return `HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${message}\n`;
}

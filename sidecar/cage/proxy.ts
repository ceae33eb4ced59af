/**
 * An HTTP proxy for one caged program, on a socket that is mounted into its cage. It accepts requests with an absolute URL, and
 * CONNECT. It checks each target by the same rules as egress (`egress.ts`), limited to the program's hosts.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { judgeUrl } from "../../adapters/egress/address.ts";
import { isHostListed, isPortListed } from "../../core/web/host-pattern.ts";
import { type EgressDeps, readHeaders, resolvePublicAddresses, dropRequestHeaders } from "../egress.ts";

const MAX_CONNECTIONS = 64;
/** Limits both directions of all connections together. */
const MAX_BYTES = 256 * 1024 * 1024;
const CONNECT_MS = 15_000;
const TLS_PORT = "443";
/** Some clients, such as Node's `fetch`, tunnel plain http too. */
const TUNNEL_PORTS: ReadonlySet<string> = new Set(["80", TLS_PORT]);
const REFUSED = 403;
const UNREACHABLE = 502;
const MALFORMED = 400;

export interface Proxy {
  /** Closes the server and all its connections. */
  close(): void;
}

export interface ProxyRules {
  /** Host patterns; `*` is any public host. */
  readonly hosts: readonly string[];
  readonly egress: EgressDeps;
  /**
   * What is sent in the place of a request of the program, so that it needs no credentials; null refuses it. With this, nothing
   * is tunnelled. Absent: requests are sent as they are.
   */
  readonly replace?: (method: string, url: URL) => ReplacedRequest | null;
}

/** `headers` are names and values alternating. They replace the program's headers of those names. */
export interface ReplacedRequest {
  readonly url: URL;
  readonly headers: readonly string[];
}

/** A permitted target, or why it is refused. */
type Target =
  | { readonly ok: true; readonly url: URL; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly status: number; readonly message: string };

/** Listens on a new socket at `path`. */
export async function openProxy(path: string, rules: ProxyRules): Promise<Proxy> {
  const open = new Set<Duplex>();
  const closed = new AbortController();
  let bytes = 0;

  function close(): void {
    closed.abort();
    for (const stream of open) stream.destroy();
    server.close();
  }

  /** Passes bytes through, and closes the proxy beyond the limit. */
  function createByteCounter(): Transform {
    return new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        if (bytes > MAX_BYTES) return close();
        done(null, chunk);
      },
    });
  }

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = parseTarget(request);
    const { method = "GET" } = request;
    const replaced = target === null ? null : replaceRequest(rules, method, target);
    if (target !== null && replaced === null) return refuse(response, REFUSED, "This request is not allowed.");
    const reached = await resolveTarget(replaced?.url ?? null, rules, closed.signal);
    if (!reached.ok) return refuse(response, reached.status, reached.message);
    const { url, addresses } = reached;
    const { egress } = rules;
    const connection = egress.connections.open(url.origin, egress.connectTo(addresses), null);
    try {
      const answer = await connection.client.request({
        path: url.pathname + url.search,
        method,
        headers: buildForwardedHeaders(request, replaced?.headers ?? []),
        body: hasBody(request) ? request.pipe(createByteCounter()) : null,
        signal: closed.signal,
        responseHeaders: "raw",
      });
      response.writeHead(answer.statusCode, readHeaders(answer.headers as unknown as readonly Buffer[]).flat());
      await pipeline(answer.body, createByteCounter(), response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else
        refuse(response, UNREACHABLE, `The request failed: ${error instanceof Error ? error.message : "no reason"}.`);
    } finally {
      connection.end(false);
    }
  }

  async function tunnel(request: IncomingMessage, near: Duplex, head: Buffer): Promise<void> {
    const reached = await resolveTunnel(request.url ?? "", rules, closed.signal);
    if (!reached.ok) return void near.end(formatRefusal(reached.status, reached.message));
    const far = await connect(reached.url, reached.addresses, rules.egress, closed.signal);
    if (far === null) return void near.end(formatRefusal(UNREACHABLE, "It cannot be reached."));
    open.add(far);
    far.once("close", () => open.delete(far));
    near.write("HTTP/1.1 200 Connection established\r\n\r\n");
    far.write(head);
    await Promise.all([pipeline(near, createByteCounter(), far), pipeline(far, createByteCounter(), near)]);
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

/** Returns the URL of a request to a proxy. Null if it has none or names two hosts. */
function parseTarget(request: IncomingMessage): URL | null {
  const url = /^http:\/\//i.test(request.url ?? "") ? URL.parse(request.url ?? "") : null;
  const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  if (url === null || hosts.length !== 1) return null;
  const hostHeader = URL.parse(`http://${request.headers.host ?? ""}/`);
  return hostHeader?.host === url.host ? url : null;
}

async function resolveTarget(url: URL | null, { hosts, egress }: ProxyRules, signal: AbortSignal): Promise<Target> {
  if (url === null) return refuseTarget(MALFORMED, "A request to a proxy must name one absolute http URL.");
  if (!isHostListed(url, hosts)) return refuseTarget(REFUSED, `The host ${url.host} is not on the list.`);
  const judged = judgeUrl(url.href, egress.allow, isPortListed(url, hosts));
  if (!judged.ok) return refuseTarget(REFUSED, judged.message);
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
    const addresses = await resolvePublicAddresses(judged, egress, limit);
    if (typeof addresses === "string") return refuseTarget(REFUSED, addresses);
    return { ok: true, url: judged.url, addresses };
  } catch {
    return refuseTarget(UNREACHABLE, `The name ${url.hostname} was not found.`);
  }
}

/** `authority` is host:port. The content of a tunnel is opaque, so only web ports and listed ports are allowed. */
async function resolveTunnel(authority: string, rules: ProxyRules, signal: AbortSignal): Promise<Target> {
  if (rules.replace !== undefined) return refuseTarget(REFUSED, "Tunnels are not allowed here.");
  const match = /^(\[[0-9a-fA-F:.]+\]|[^\s:/?#@\\[\]]+):(\d{1,5})$/.exec(authority);
  const url = match === null ? null : URL.parse(`https://${authority}/`);
  if (match === null || url === null) return refuseTarget(MALFORMED, "CONNECT must name one host and one port.");
  const isAllowed = rules.egress.allow.has(`${url.hostname}:${match[2]}`);
  if (!TUNNEL_PORTS.has(match[2] ?? "") && !isAllowed && !isPortListed(url, rules.hosts))
    return refuseTarget(
      REFUSED,
      `CONNECT is allowed to ports ${[...TUNNEL_PORTS].join(" and ")} and to listed ports only.`,
    );
  return await resolveTarget(url, rules, signal);
}

/** Connects to one of the checked addresses. Null if that fails. */
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
    // Plain TCP: the program makes TLS with the server itself.
    const target = { hostname: url.hostname, host: url.host, protocol: "http:", port };
    egress.connectTo(addresses)(target, (...[error, socket]) => {
      if (error !== null) return resolve(null);
      if (limit.aborted) return socket.destroy();
      resolve(socket);
    });
  });
}

function replaceRequest({ replace }: ProxyRules, method: string, url: URL): ReplacedRequest | null {
  return replace === undefined ? { url, headers: [] } : replace(method, url);
}

function buildForwardedHeaders(request: IncomingMessage, added: readonly string[]): string[] {
  const { rawHeaders } = request;
  const replaced = new Set(added.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
  const pairs = rawHeaders
    .flatMap((name, index): [string, string][] => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""]] : []))
    .filter(([name]) => !replaced.has(name.toLowerCase()));
  const codings = pairs.filter(([name]) => name.toLowerCase() === "accept-encoding");
  return [...dropRequestHeaders(pairs), ...codings.flat(), ...added];
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function refuseTarget(status: number, message: string): Target {
  return { ok: false, status, message };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(`${message}\n`);
}

function formatRefusal(status: number, message: string): string {
  return `HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${message}\n`;
}

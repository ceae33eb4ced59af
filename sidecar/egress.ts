/**
 * Makes one HTTP request to the outside: resolves the name once, checks every address, and connects to one of the checked addresses
 * only. A reused connection was opened to the same addresses. Returns redirects unfollowed.
 */
import { lookup } from "node:dns/promises";
import { type LookupFunction, isIP } from "node:net";
import type { Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { type Dispatcher, buildConnector } from "undici";
import { awaitUnlessAborted } from "../core/base/deadline.ts";
import { getOwn } from "../core/base/own-field.ts";
import { type EgressAllow, isPublicAddress, judgeUrl, type UrlJudgement } from "../adapters/egress/address.ts";
import { type Connection, type Connections, makeConnections } from "./connections.ts";
import type { EgressRequest } from "./token.ts";

const MAX_ADDRESSES = 32;

/** Hop-by-hop headers (RFC 9110, 7.6.1), and headers that this side sets itself. */
const DROPPED_REQUEST_HEADERS: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authorization",
  "te",
  "trailer",
  "upgrade",
  "expect",
  "accept-encoding",
]);
const DROPPED_RESPONSE_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "content-length",
]);

/** The server's status and headers. `length`: of a body that is not encoded, if the server stated it. */
export interface EgressHead {
  readonly ok: true;
  readonly status: number;
  readonly length?: number;
  readonly headers: readonly (readonly [string, string])[];
}

/** The server's answer. The body is decoded and truncated at the order's `max_bytes`. */
export interface EgressAnswer extends EgressHead {
  readonly body: Buffer;
  readonly truncated: boolean;
}

/** An answer with a streamed, decoded body. Reading throws if the body breaks off; stopping early closes the connection. */
export interface StreamedAnswer extends EgressHead {
  readonly chunks: AsyncIterable<Buffer>;
}

export interface EgressRefusal {
  readonly ok: false;
  readonly code: "blocked_by_policy" | "upstream_failed" | "timeout" | "invalid_input";
  readonly message: string;
  /** False if there was no connection, so the request certainly did not arrive. */
  readonly sent: boolean;
}

export interface EgressDeps {
  readonly allow: EgressAllow;
  /** Resolves all addresses of a name. */
  readonly resolve: (hostname: string) => Promise<readonly string[]>;
  /** Connects to one of the checked addresses. */
  readonly connectTo: (addresses: readonly string[]) => buildConnector.connector;
  readonly connections: Connections;
}

/** Uses the system's resolver, and TCP or TLS to the given addresses only. TLS verifies the name in the URL. */
export function makeSystemEgress(allow: EgressAllow): EgressDeps {
  return {
    allow,
    resolve: async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address),
    connectTo: (addresses) => buildConnector({ lookup: makeLookup(addresses), autoSelectFamily: true, allowH2: false }),
    connections: makeConnections(),
  };
}

/** Creates a look-up function that always returns these addresses. */
export function makeLookup(addresses: readonly string[]): LookupFunction {
  const answer = addresses.map((address) => ({ address, family: isIP(address) }));
  return (hostname, options, callback) => {
    const [first] = answer;
    if (first === undefined) callback(new Error(`${hostname} has no address`), "", 0);
    else if (options.all) callback(null, answer);
    else callback(null, first.address, first.family);
  };
}

/** Makes the request. Never throws. `signal` and the order's `timeout_ms` cancel it. */
export async function performEgress(
  order: EgressRequest,
  body: Buffer,
  deps: EgressDeps,
  signal: AbortSignal,
): Promise<EgressAnswer | EgressRefusal> {
  return await request(order, body, deps, signal, readAnswer);
}

/** Like `performEgress`, but returns the answer as soon as it begins. */
export async function openEgress(
  order: EgressRequest,
  body: Buffer,
  deps: EgressDeps,
  signal: AbortSignal,
): Promise<StreamedAnswer | EgressRefusal> {
  return await request(order, body, deps, signal, openAnswer);
}

async function request<A>(
  order: EgressRequest,
  body: Buffer,
  deps: EgressDeps,
  signal: AbortSignal,
  read: (answered: OpenResponse, order: EgressRequest) => Promise<A>,
): Promise<A | EgressRefusal> {
  const judged = judgeUrl(order.url, deps.allow, order.port_is_listed);
  if (!judged.ok) return refuse("blocked_by_policy", judged.message, false);
  if (order.method === "CONNECT" || order.method === "TRACE") {
    return refuse("blocked_by_policy", `The method ${order.method} is not sent.`, false);
  }
  const limit = AbortSignal.any([signal, AbortSignal.timeout(order.timeout_ms)]);
  let connected = false;
  try {
    const addresses = await resolvePublicAddresses(judged, deps, limit);
    if (typeof addresses === "string") return refuse("blocked_by_policy", addresses, false);
    const answered = await sendRequest(order, judged.url, body, addresses, deps, limit, () => {
      connected = true;
    });
    return await read(answered, order);
  } catch (error) {
    const { host } = judged.url;
    if (limit.aborted) return refuse("timeout", `No answer from ${host} within ${order.timeout_ms} ms.`, connected);
    const known = error instanceof Error && "code" in error && error.code === "UND_ERR_INVALID_ARG";
    if (known) return refuse("invalid_input", `The request cannot be sent: ${error.message}.`, false);
    return refuse("upstream_failed", `The request to ${host} failed: ${describeError(error)}.`, connected);
  }
}

function reportConnect(connect: buildConnector.connector, onConnected: () => void): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...outcome) => {
      if (outcome[0] === null) onConnected();
      callback(...outcome);
    });
  };
}

/**
 * Resolves the host of a checked URL once and returns all addresses, or a public message that names a forbidden one. Throws if the name
 * has no address.
 */
export async function resolvePublicAddresses(
  { url, opened }: Extract<UrlJudgement, { ok: true }>,
  deps: Pick<EgressDeps, "resolve">,
  limit: AbortSignal,
): Promise<readonly string[] | string> {
  const addresses = await resolveAddresses(url, deps, limit);
  const privateAddress = opened ? undefined : addresses.find((address) => !isPublicAddress(address));
  if (privateAddress === undefined) return addresses;
  return `The name ${url.hostname} leads to ${privateAddress}, which is not a public address.`;
}

async function resolveAddresses(
  url: URL,
  deps: Pick<EgressDeps, "resolve">,
  limit: AbortSignal,
): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return [host];
  const addresses = await awaitUnlessAborted(limit, deps.resolve(host), null);
  if (addresses === null) throw new Error("given up");
  if (addresses.length === 0) throw new Error("the name has no address");
  return addresses.slice(0, MAX_ADDRESSES);
}

/** A response with an unread body, and its connection. */
interface OpenResponse {
  readonly connection: Connection;
  readonly response: Dispatcher.ResponseData;
}

/** Sends the request on an idle connection with the same key, or on a new one. Calls `onConnected` once it may have left. */
async function sendRequest(
  order: EgressRequest,
  url: URL,
  body: Buffer,
  addresses: readonly string[],
  { connections, connectTo }: EgressDeps,
  limit: AbortSignal,
  tell: () => void,
): Promise<OpenResponse> {
  const share = getConnectionKey(order, url, body, addresses);
  const open = share === null ? null : connections.take(share);
  if (open !== null) {
    tell();
    try {
      return await send(open, order, url, body, limit);
    } catch {
      // The server may have just closed it. Only requests that may be sent twice have a key, and a cancelled one fails again below.
    }
  }
  const connector = reportConnect(connectTo(addresses), tell);
  return await send(connections.open(url.origin, connector, share), order, url, body, limit);
}

/**
 * Returns the key by which requests share a connection: GETs without a body, of the same tenant, to the same scheme, host, port and
 * checked addresses. Null for all others: a server that parses bodies unusually could answer the next request with leftovers
 * (request smuggling).
 */
function getConnectionKey(order: EgressRequest, url: URL, body: Buffer, addresses: readonly string[]): string | null {
  if (order.tenant === undefined || order.method !== "GET" || body.length > 0) return null;
  return JSON.stringify([order.tenant, url.origin, ...addresses.toSorted()]);
}

async function send(
  connection: Connection,
  order: EgressRequest,
  url: URL,
  body: Buffer,
  limit: AbortSignal,
): Promise<OpenResponse> {
  try {
    const response = await connection.client.request({
      path: url.pathname + url.search,
      method: order.method,
      headers: [...dropRequestHeaders(order.headers), "accept-encoding", "gzip, deflate, br, zstd"],
      body: body.length > 0 ? body : null,
      signal: limit,
      responseHeaders: "raw",
    });
    return { connection, response };
  } catch (error) {
    connection.end(false);
    throw error;
  }
}

async function readAnswer(answered: OpenResponse, order: EgressRequest): Promise<EgressAnswer> {
  try {
    const { head, body } = decodeAnswer(answered, order);
    return { ...head, ...(await readUpTo(body, order.max_bytes)) };
  } finally {
    endAnswer(answered);
  }
}

async function openAnswer(answered: OpenResponse, order: EgressRequest): Promise<StreamedAnswer> {
  const { head, body } = decodeAnswer(answered, order);
  return await Promise.resolve({ ...head, chunks: limitBody(answered, body, order.max_bytes) });
}

function decodeAnswer(
  { response }: OpenResponse,
  order: EgressRequest,
): { readonly head: EgressHead; readonly body: Readable } {
  const raw = response.headers as unknown as readonly (string | Buffer)[];
  const headers = readHeaders(raw);
  const decodedBody = order.method === "HEAD" ? null : decodeBody(response.body, headers);
  const headersLeft = headers.filter(([name]) => !(decodedBody !== null && name.toLowerCase() === "content-encoding"));
  const length = decodedBody === null ? readLength(raw) : {};
  const head = { ok: true, status: response.statusCode, headers: headersLeft, ...length } as const;
  return { head, body: decodedBody ?? response.body };
}

function readLength(raw: readonly (string | Buffer)[]): Pick<EgressHead, "length"> {
  const at = raw.findIndex((name, index) => index % 2 === 0 && String(name).toLowerCase() === "content-length");
  const length = at < 0 ? "" : String(raw[at + 1]);
  return /^\d{1,15}$/.test(length) ? { length: Number(length) } : {};
}

/** Reuses the connection only if the answer was read to its end. */
function endAnswer({ connection, response }: OpenResponse): void {
  connection.end(response.body.readableEnded);
}

/** Streams the body. Exceeding the limit is an error, so that no reader mistakes a part for the whole. */
async function* limitBody(answered: OpenResponse, body: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new Error(`the body has more than ${maxBytes} bytes`);
      yield chunk;
    }
  } finally {
    endAnswer(answered);
  }
}

/** Drops hop-by-hop headers. Returns names and values alternating. */
export function dropRequestHeaders(headers: EgressRequest["headers"]): string[] {
  const connectionHeaders = headers
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.split(",").map((part) => part.trim().toLowerCase()));
  return headers
    .filter(
      ([name]) => !DROPPED_REQUEST_HEADERS.has(name.toLowerCase()) && !connectionHeaders.includes(name.toLowerCase()),
    )
    .flat();
}

/** Pairs the server's raw names and values, without hop-by-hop headers. */
export function readHeaders(raw: readonly (string | Buffer)[]): [string, string][] {
  const headers: [string, string][] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name, value] = [String(raw[i]), raw[i + 1]];
    const text = typeof value === "string" ? value : (value?.toString("latin1") ?? "");
    if (!DROPPED_RESPONSE_HEADERS.has(name.toLowerCase())) headers.push([name, text]);
  }
  return headers;
}

/** Decodes the body's content coding. Null if it has none or an unknown one. */
function decodeBody(body: Readable, headers: readonly (readonly [string, string])[]): Readable | null {
  const codings = headers
    .filter(([name]) => name.toLowerCase() === "content-encoding")
    .flatMap(([, value]) => value.split(",").map((part) => part.trim().toLowerCase()))
    .filter((coding) => coding !== "" && coding !== "identity");
  const [coding] = codings;
  const makeDecoder = codings.length === 1 && coding !== undefined ? getOwn(DECODERS, coding) : undefined;
  if (makeDecoder === undefined) return null;
  const decoder = makeDecoder();
  body.on("error", (error) => decoder.destroy(error));
  decoder.on("close", () => body.destroy());
  return body.pipe(decoder);
}

/** Accepts a truncated body, as browsers do. */
const SYNC = { finishFlush: constants.Z_SYNC_FLUSH };
const DECODERS: Readonly<
  Record<string, () => ReturnType<typeof createGunzip> | ReturnType<typeof createZstdDecompress>>
> = {
  gzip: () => createGunzip(SYNC),
  "x-gzip": () => createGunzip(SYNC),
  deflate: () => createInflate(SYNC),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => createZstdDecompress(),
};

async function readUpTo(body: Readable, maxBytes: number): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (bytes + chunk.length > maxBytes) {
      chunks.push(chunk.subarray(0, maxBytes - bytes));
      return { body: Buffer.concat(chunks), truncated: true };
    }
    chunks.push(chunk);
    bytes += chunk.length;
  }
  return { body: Buffer.concat(chunks), truncated: false };
}

function refuse(code: EgressRefusal["code"], message: string, sent: boolean): EgressRefusal {
  return { ok: false, code, message, sent };
}

function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describeError(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}

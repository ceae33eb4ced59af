/**
 * One HTTP request to a place outside: resolve the name once, judge every address of the answer, connect to one of the
 * judged addresses and no other. A connection that is open already is one to them. Redirects are handed back unfollowed.
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
import type { EgressOrder } from "./token.ts";

const MAX_ADDRESSES = 32;

/** Headers that belong to one connection (RFC 9110, 7.6.1), and those that this side states itself. */
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

/** The other side's status and headers. */
export interface EgressHead {
  readonly ok: true;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
}

/** What the other side answered. The body is decoded, and cut off at the order's `max_bytes`. */
export interface EgressAnswer extends EgressHead {
  readonly body: Buffer;
  readonly truncated: boolean;
}

/** An answer whose decoded body still comes: reading it throws when it breaks off, and leaving it ends the connection. */
export interface ComingAnswer extends EgressHead {
  readonly coming: AsyncIterable<Buffer>;
}

export interface EgressRefusal {
  readonly ok: false;
  readonly code: "blocked_by_policy" | "upstream_failed" | "timeout" | "invalid_input";
  readonly message: string;
  /** False: there was no connection, so the request surely did not arrive. */
  readonly sent: boolean;
}

export interface EgressDeps {
  readonly allow: EgressAllow;
  /** Every address of a name. */
  readonly resolve: (hostname: string) => Promise<readonly string[]>;
  /** Opens a connection to one of the addresses that were judged. */
  readonly connectTo: (addresses: readonly string[]) => buildConnector.connector;
  readonly connections: Connections;
}

/** The system's resolver, and TCP or TLS to exactly the addresses given. TLS asks for the name in the URL. */
export function systemEgress(allow: EgressAllow): EgressDeps {
  return {
    allow,
    resolve: async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address),
    connectTo: (addresses) => buildConnector({ lookup: lookupOf(addresses), autoSelectFamily: true, allowH2: false }),
    connections: makeConnections(),
  };
}

/** A look-up function that knows one answer only. */
export function lookupOf(addresses: readonly string[]): LookupFunction {
  const answer = addresses.map((address) => ({ address, family: isIP(address) }));
  return (hostname, options, callback) => {
    const [first] = answer;
    if (first === undefined) callback(new Error(`${hostname} has no address`), "", 0);
    else if (options.all) callback(null, answer);
    else callback(null, first.address, first.family);
  };
}

/** Makes the request. Never throws; `signal` gives it up, as does the order's `timeout_ms`. */
export async function performEgress(
  order: EgressOrder,
  body: Buffer,
  deps: EgressDeps,
  signal: AbortSignal,
): Promise<EgressAnswer | EgressRefusal> {
  return await request(order, body, deps, signal, readAnswer);
}

/** As `performEgress`, and gives the answer as soon as it has begun. */
export async function openEgress(
  order: EgressOrder,
  body: Buffer,
  deps: EgressDeps,
  signal: AbortSignal,
): Promise<ComingAnswer | EgressRefusal> {
  return await request(order, body, deps, signal, openAnswer);
}

async function request<A>(
  order: EgressOrder,
  body: Buffer,
  deps: EgressDeps,
  signal: AbortSignal,
  read: (answered: Answered, order: EgressOrder) => Promise<A>,
): Promise<A | EgressRefusal> {
  const judged = judgeUrl(order.url, deps.allow, order.port_is_listed);
  if (!judged.ok) return refused("blocked_by_policy", judged.message, false);
  if (order.method === "CONNECT" || order.method === "TRACE") {
    return refused("blocked_by_policy", `The method ${order.method} is not sent.`, false);
  }
  const limit = AbortSignal.any([signal, AbortSignal.timeout(order.timeout_ms)]);
  let connected = false;
  try {
    const addresses = await judgedAddresses(judged, deps, limit);
    if (typeof addresses === "string") return refused("blocked_by_policy", addresses, false);
    const answered = await ask(order, judged.url, body, addresses, deps, limit, () => {
      connected = true;
    });
    return await read(answered, order);
  } catch (error) {
    const { host } = judged.url;
    if (limit.aborted) return refused("timeout", `No answer from ${host} within ${order.timeout_ms} ms.`, connected);
    const known = error instanceof Error && "code" in error && error.code === "UND_ERR_INVALID_ARG";
    if (known) return refused("invalid_input", `The request cannot be sent: ${error.message}.`, false);
    return refused("upstream_failed", `The request to ${host} failed: ${reasonOf(error)}.`, connected);
  }
}

function tellingWhenConnected(connect: buildConnector.connector, tell: () => void): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...outcome) => {
      if (outcome[0] === null) tell();
      callback(...outcome);
    });
  };
}

/**
 * Every address of a judged URL's host, from one look-up. A text says, for anyone, which one may not be reached. Throws when
 * there is none.
 */
export async function judgedAddresses(
  { url, opened }: Extract<UrlJudgement, { ok: true }>,
  deps: Pick<EgressDeps, "resolve">,
  limit: AbortSignal,
): Promise<readonly string[] | string> {
  const addresses = await addressesOf(url, deps, limit);
  const unfit = opened ? undefined : addresses.find((address) => !isPublicAddress(address));
  if (unfit === undefined) return addresses;
  return `The name ${url.hostname} leads to ${unfit}, which is not a public address.`;
}

async function addressesOf(
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

/** An answer whose body is not read yet, and the connection that it comes on. */
interface Answered {
  readonly connection: Connection;
  readonly response: Dispatcher.ResponseData;
}

/** Sends the request on an open connection that it may share, else on one of its own. `tell` hears that it may have left. */
async function ask(
  order: EgressOrder,
  url: URL,
  body: Buffer,
  addresses: readonly string[],
  { connections, connectTo }: EgressDeps,
  limit: AbortSignal,
  tell: () => void,
): Promise<Answered> {
  const share = shareOf(order, url, body, addresses);
  const open = share === null ? null : connections.take(share);
  if (open !== null) {
    tell();
    try {
      return await send(open, order, url, body, limit);
    } catch {
      // The other side may have closed it at that moment. Only what may be sent twice has a share, and what was given up
      // meanwhile is not sent again.
    }
  }
  const connector = tellingWhenConnected(connectTo(addresses), tell);
  return await send(connections.open(url.origin, connector, share), order, url, body, limit);
}

/**
 * Who may use a connection again: a GET without a body, of the same tenant, to the same scheme, host and port, whose name
 * leads to the same addresses, as it was judged for this request. Null: nobody. With a body, and at a server that reads
 * bodies in a way of its own, one request could leave behind what the next one is answered with.
 */
function shareOf(order: EgressOrder, url: URL, body: Buffer, addresses: readonly string[]): string | null {
  if (order.tenant === undefined || order.method !== "GET" || body.length > 0) return null;
  return JSON.stringify([order.tenant, url.origin, ...addresses.toSorted()]);
}

async function send(
  connection: Connection,
  order: EgressOrder,
  url: URL,
  body: Buffer,
  limit: AbortSignal,
): Promise<Answered> {
  try {
    const response = await connection.client.request({
      path: url.pathname + url.search,
      method: order.method,
      headers: [...sentHeaders(order.headers), "accept-encoding", "gzip, deflate, br, zstd"],
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

async function readAnswer(answered: Answered, order: EgressOrder): Promise<EgressAnswer> {
  try {
    const { head, body } = decodedAnswer(answered, order);
    return { ...head, ...(await readUpTo(body, order.max_bytes)) };
  } finally {
    endAnswer(answered);
  }
}

async function openAnswer(answered: Answered, order: EgressOrder): Promise<ComingAnswer> {
  const { head, body } = decodedAnswer(answered, order);
  return await Promise.resolve({ ...head, coming: chunksUpTo(answered, body, order.max_bytes) });
}

function decodedAnswer(
  { response }: Answered,
  order: EgressOrder,
): { readonly head: EgressHead; readonly body: Readable } {
  const headers = readHeaders(response.headers as unknown as readonly (string | Buffer)[]);
  const coded = order.method === "HEAD" ? null : decoded(response.body, headers);
  const kept = headers.filter(([name]) => !(coded !== null && name.toLowerCase() === "content-encoding"));
  return { head: { ok: true, status: response.statusCode, headers: kept }, body: coded ?? response.body };
}

/** The connection serves again only when nothing of this answer is left on it. */
function endAnswer({ connection, response }: Answered): void {
  connection.end(response.body.readableEnded);
}

/** The body as it comes. What is beyond the limit is an error, so that nobody takes a part for the whole. */
async function* chunksUpTo(answered: Answered, body: Readable, maxBytes: number): AsyncGenerator<Buffer> {
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

/** Names and values by turns, without those of one connection. */
export function sentHeaders(headers: EgressOrder["headers"]): string[] {
  const named = headers
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.split(",").map((part) => part.trim().toLowerCase()));
  return headers
    .filter(([name]) => !DROPPED_REQUEST_HEADERS.has(name.toLowerCase()) && !named.includes(name.toLowerCase()))
    .flat();
}

/** What the other side sent as names and values by turns, as the wire had them, without those of one connection. */
export function readHeaders(raw: readonly (string | Buffer)[]): [string, string][] {
  const headers: [string, string][] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name, value] = [String(raw[i]), raw[i + 1]];
    const text = typeof value === "string" ? value : (value?.toString("latin1") ?? "");
    if (!DROPPED_RESPONSE_HEADERS.has(name.toLowerCase())) headers.push([name, text]);
  }
  return headers;
}

/** The body without its content coding; null when it has none, or one that is not known here. */
function decoded(body: Readable, headers: readonly (readonly [string, string])[]): Readable | null {
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

/** A body that was cut short is handed on as far as it goes, as browsers do. */
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

function refused(code: EgressRefusal["code"], message: string, sent: boolean): EgressRefusal {
  return { ok: false, code, message, sent };
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}

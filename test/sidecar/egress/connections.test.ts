/** Which requests reuse another request's connection. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { buildConnector } from "undici";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { makeConnections } from "../../../sidecar/connections.ts";
import { type EgressDeps, performEgress, makeLookup } from "../../../sidecar/egress.ts";
import type { EgressOrder } from "../../../sidecar/token.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";

const FIRST = "93.184.215.14";
const SECOND = "93.184.215.15";

/** Received requests, each with the number of its connection, from 1. */
let hits: { readonly connection: number; readonly path: string }[];
let respond: (request: IncomingMessage, response: ServerResponse) => void;
let sockets: Socket[];
let dialled: (readonly string[])[];
let addresses: readonly string[];
let port: number;
let deps: EgressDeps;
let outside: Server;

beforeEach(async () => {
  hits = [];
  sockets = [];
  dialled = [];
  addresses = [FIRST];
  respond = (_request, response) => response.end("hello");
  outside = createServer((request, response) => {
    hits.push({ connection: sockets.indexOf(request.socket) + 1, path: request.url ?? "" });
    respond(request, response);
  });
  outside.on("connection", (socket: Socket) => sockets.push(socket));
  port = await listenOnLoopback(outside, 0);
  deps = {
    allow: parseEgressAllow("opened.example.com:8080"),
    resolve: async () => addresses,
    connectTo: (to) => {
      dialled.push(to);
      const connect = buildConnector({ lookup: makeLookup(["127.0.0.1"]), allowH2: false });
      return (options, callback) =>
        connect({ ...options, protocol: "http:", hostname: "outside.example", port: String(port) }, callback);
    },
    connections: makeConnections(),
  };
});

afterEach(() => closeServer(outside));

async function ask(more: Partial<EgressOrder> = {}, body = "") {
  const order: EgressOrder = {
    purpose: "egress",
    exp: 0,
    jti: randomUUID(),
    tenant: "t1",
    method: "GET",
    url: "http://public.example.com/",
    headers: [],
    timeout_ms: 15_000,
    max_bytes: 1_000,
    ...more,
  };
  return await performEgress(order, Buffer.from(body), deps, new AbortController().signal);
}

const textOf = (answer: Awaited<ReturnType<typeof ask>>) => (answer.ok ? answer.body.toString() : answer.code);

/** Resolves once data on a closed connection would have arrived. */
const closed = (socket: Socket | undefined) =>
  new Promise<void>((resolve) => {
    if (socket === undefined || socket.destroyed) resolve();
    else socket.once("close", () => resolve());
  });

describe("a connection", () => {
  it("is reused by a GET of the same tenant to the same address", async () => {
    for (const path of ["/a", "/b", "/c"]) {
      expect(textOf(await ask({ url: `http://public.example.com${path}`, headers: [["x-own", path]] }))).toBe("hello");
    }
    expect(hits).toEqual(["/a", "/b", "/c"].map((path) => ({ connection: 1, path })));
    expect(dialled).toEqual([[FIRST]]);
  });

  it("is reused after a decoded answer", async () => {
    respond = (_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("packed"));
    expect([textOf(await ask()), textOf(await ask())]).toEqual(["packed", "packed"]);
    expect(hits.map(({ connection }) => connection)).toEqual([1, 1]);
  });

  it("serves one request at a time", async () => {
    let waiting: ServerResponse[] = [];
    respond = (_request, response) => {
      waiting.push(response);
      if (waiting.length < 3) return;
      for (const one of waiting) one.end("late");
      waiting = [];
    };
    await Promise.all([ask(), ask(), ask()]);
    expect(new Set(hits.map(({ connection }) => connection)).size).toBe(3);
    await Promise.all([ask(), ask(), ask()]);
    expect(new Set(hits.slice(3).map(({ connection }) => connection))).toEqual(new Set([1, 2, 3]));
  });

  it.each<[string, Partial<EgressOrder>, string?]>([
    ["another tenant", { tenant: "t2" }],
    ["no tenant", { tenant: undefined }],
    ["another host at the same addresses", { url: "http://other.example.com/" }],
    ["another port", { url: "http://opened.example.com:8080/" }],
    ["a method with an effect", { method: "POST" }],
    ["HEAD", { method: "HEAD" }],
    ["a GET with a body", {}, "GET /two HTTP/1.1\r\nhost: public.example.com\r\n\r\n"],
  ])("is not shared with a request of %s", async (_name, more, body) => {
    await ask();
    for (const _time of [1, 2]) expect(await ask(more, body)).toMatchObject({ ok: true, status: 200 });
    const own = "url" in more || more.tenant !== undefined ? [2, 2] : [2, 3];
    expect(hits.map(({ connection }) => connection)).toEqual([1, ...own]);
    await ask();
    expect(hits.at(-1)?.connection).toBe(1);
  });

  it("is reused only while its name resolves to the same addresses in any order", async () => {
    addresses = [FIRST, SECOND];
    await ask();
    addresses = [SECOND, FIRST];
    await ask();
    expect(hits.map(({ connection }) => connection)).toEqual([1, 1]);
    for (addresses of [[FIRST], [SECOND], [FIRST, SECOND, "93.184.215.16"]]) await ask();
    expect(hits.map(({ connection }) => connection)).toEqual([1, 1, 2, 3, 4]);
  });

  it.each([[["127.0.0.1"]], [[FIRST, "10.0.0.1"]], [["169.254.169.254"]]])(
    "that is open does not carry a request whose name leads to %j by now",
    async (now) => {
      await ask();
      addresses = now;
      expect(await ask()).toMatchObject({ ok: false, code: "blocked_by_policy", sent: false });
      expect(hits).toHaveLength(1);
    },
  );

  it("closes if the answer was not read to its end", async () => {
    respond = (_request, response) => response.end("x".repeat(100_000));
    expect(await ask({ max_bytes: 10 })).toMatchObject({ ok: true, truncated: true });
    respond = (_request, response) => response.end("hello");
    expect(textOf(await ask())).toBe("hello");
    expect(hits.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  it("closes if the server announces it", async () => {
    respond = (_request, response) => response.writeHead(200, { connection: "close" }).end("bye");
    await ask();
    await closed(sockets[0]);
    expect(textOf(await ask())).toBe("bye");
    expect(hits.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  it("that the server closed is not reused", async () => {
    await ask();
    sockets[0]?.destroy();
    await closed(sockets[0]);
    expect(textOf(await ask())).toBe("hello");
    expect(hits.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  it("that closes during reuse is replaced, and the GET is resent once", async () => {
    await ask();
    respond = (request, response) => {
      if (request.socket === sockets[0]) request.socket.destroy();
      else response.end("after all");
    };
    expect(textOf(await ask())).toBe("after all");
    expect(hits.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });

  it("is replaced once: a GET that is cut off on its own connection fails", async () => {
    respond = (request) => request.socket.destroy();
    expect(await ask()).toMatchObject({ ok: false, code: "upstream_failed", sent: true });
    expect(hits).toHaveLength(1);
  });

  it("is not replaced after the time limit", async () => {
    await ask();
    respond = () => undefined;
    expect(await ask({ timeout_ms: 1_000 })).toMatchObject({ ok: false, code: "timeout", sent: true });
    expect(hits.map(({ connection }) => connection)).toEqual([1, 1]);
  });

  it("with unsolicited data is closed, and the data answers no request", async () => {
    const answer = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
    let opened = 0;
    const chatty = createTcpServer((socket) => {
      opened += 1;
      socket.on("error", () => undefined);
      const mine = opened;
      socket.on("data", () => socket.write(mine === 1 ? answer("first") + answer("unasked") : answer("second")));
    });
    await new Promise<void>((resolve) => chatty.listen(0, "127.0.0.1", resolve));
    const place = chatty.address();
    port = typeof place === "object" && place !== null ? place.port : 0;
    try {
      expect([textOf(await ask()), textOf(await ask())]).toEqual(["first", "second"]);
    } finally {
      chatty.close();
    }
  });
});

describe("open connections", () => {
  const lead = buildConnector({ lookup: makeLookup(["127.0.0.1"]), allowH2: false });

  it("are limited in number: the oldest is closed", async () => {
    for (let tenant = 0; tenant <= 256; tenant += 1) await ask({ tenant: `t${tenant}` });
    await ask({ tenant: "t256" });
    await ask({ tenant: "t0" });
    await ask({ tenant: "t2" });
    expect(hits.slice(257).map(({ connection }) => connection)).toEqual([257, 258, 3]);
  });

  it("are those that are still open after a completely read answer", async () => {
    const connections = makeConnections();
    const place = `http://127.0.0.1:${port}`;
    const open = async (path: string) => {
      const connection = connections.open(place, lead, path);
      await (await connection.client.request({ path, method: "GET" })).body.text();
      return connection;
    };
    respond = ({ url }, response) => response.writeHead(200, url === "/closes" ? { connection: "close" } : {}).end();
    const [closes, unread, stays] = [await open("/closes"), await open("/unread"), await open("/stays")];
    await closed(sockets[0]);
    closes.end(true);
    unread.end(false);
    stays.end(true);
    expect(["/closes", "/unread"].map((share) => connections.take(share))).toEqual([null, null]);
    expect(connections.take("/stays")).toBe(stays);
    expect(connections.take("/stays")).toBeNull();
    stays.end(false);
  });
});

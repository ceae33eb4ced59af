import { createHmac, randomUUID } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { buildConnector } from "undici";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { makeConnections } from "../../../sidecar/connections.ts";
import { type EgressDeps, makeLookup, makeSystemEgress } from "../../../sidecar/egress.ts";

const SECRET = "a-secret-for-this-test-of-32-characters";

let upstream: Server;
let upstreamPort: number;
let hits: IncomingMessage[];
let respond: (request: IncomingMessage, response: ServerResponse) => void;

let sidecar: Server | undefined;
let names: Record<string, string[] | (() => string[])>;
let lookups: string[];
let dialled: (readonly string[])[];
let nowMs: () => number;

beforeAll(async () => {
  upstream = createServer((request, response) => {
    hits.push(request);
    respond(request, response);
  });
  await listen(upstream);
  upstreamPort = (upstream.address() as AddressInfo).port;
});

afterAll(() => close(upstream));

beforeEach(() => {
  hits = [];
  names = {};
  lookups = [];
  dialled = [];
  nowMs = Date.now;
  respond = (_request, response) => response.end("hello");
});

afterEach(async () => {
  if (sidecar !== undefined) await close(sidecar);
  sidecar = undefined;
});

/** The real egress, with a resolver of names made up here, and every connection led to the local upstream. */
function outside(allow = ""): EgressDeps {
  return {
    allow: parseEgressAllow(allow),
    resolve: async (hostname) => {
      lookups.push(hostname);
      const known = names[hostname];
      if (known === undefined) throw new Error(`getaddrinfo ENOTFOUND ${hostname}`);
      return typeof known === "function" ? known() : known;
    },
    connectTo: (addresses) => {
      dialled.push(addresses);
      const connect = buildConnector({ lookup: makeLookup(["127.0.0.1"]), allowH2: false });
      return (options, callback) =>
        connect({ ...options, hostname: "upstream.example", port: String(upstreamPort) }, callback);
    },
    connections: makeConnections(),
  };
}

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

function order(fields: Record<string, unknown> = {}) {
  return {
    purpose: "egress",
    exp: Math.floor(Date.now() / 1_000) + 30,
    jti: randomUUID(),
    method: "GET",
    url: "http://public.example.com/",
    headers: [],
    timeout_ms: 20_000,
    max_bytes: 1_000,
    ...fields,
  };
}

function sign(payload: unknown, secret = SECRET): string {
  const text = Buffer.from(JSON.stringify(payload)).toString("base64url");
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

async function send(token: string, body?: string, deps: EgressDeps = outside()) {
  if (sidecar === undefined) {
    sidecar = makeSidecar(SECRET, deps, null, () => nowMs());
    await listen(sidecar);
  }
  const { port } = sidecar.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/egress`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const head = response.headers.get("x-otto-upstream");
  return {
    status: response.status,
    text: bytes.toString("utf8"),
    upstream:
      head === null
        ? null
        : (JSON.parse(Buffer.from(head, "base64url").toString()) as {
            status: number;
            headers: [string, string][];
            truncated?: boolean;
          }),
    error:
      head === null ? (JSON.parse(bytes.toString("utf8")) as { code: string; message: string; sent?: boolean }) : null,
  };
}

describe("the sidecar's egress", () => {
  it("makes one request to a checked address and returns the answer", async () => {
    names["public.example.com"] = ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"];
    respond = (request, response) => {
      response.writeHead(
        201,
        [
          ["x-thing", "one"],
          ["set-cookie", "a=1"],
          ["set-cookie", "b=2"],
        ].flat(),
      );
      request.pipe(response);
    };
    const answer = await send(
      sign(
        order({
          method: "POST",
          url: "http://public.example.com/path?q=1",
          headers: [
            ["X-Mine", "yes"],
            ["x-mine", "twice"],
          ],
        }),
      ),
      "the body",
    );
    expect(answer).toMatchObject({ status: 200, text: "the body", upstream: { status: 201 } });
    expect(answer.upstream?.truncated).toBeUndefined();
    expect(answer.upstream?.headers).toEqual(
      expect.arrayContaining([
        ["x-thing", "one"],
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"],
      ]),
    );
    expect(hits).toHaveLength(1);
    expect(hits[0]).toMatchObject({ method: "POST", url: "/path?q=1" });
    expect(hits[0]?.headers).toMatchObject({
      host: "public.example.com",
      "x-mine": "yes, twice",
      "content-length": "8",
    });
    expect(dialled).toEqual([names["public.example.com"]]);
    expect(lookups).toEqual(["public.example.com"]);
  });

  it.each([
    [["127.0.0.1"]],
    [["10.1.2.3"]],
    [["169.254.169.254"]],
    [["::1"]],
    [["::ffff:127.0.0.1"]],
    [["64:ff9b::7f00:1"]],
    [["93.184.215.14", "127.0.0.1"]],
    [["127.0.0.1", "93.184.215.14"]],
    [["2606:4700::1", "fd00::1"]],
  ])("does not connect for a name that resolves to %j", async (addresses) => {
    names["inward.example.com"] = addresses;
    const answer = await send(sign(order({ url: "http://inward.example.com/" })));
    expect(answer).toMatchObject({ status: 403, error: { code: "blocked_by_policy" } });
    expect(dialled).toEqual([]);
    expect(hits).toEqual([]);
  });

  it("resolves a name once, so that a changing answer has no effect", async () => {
    let asked = 0;
    names["changing.example.com"] = () => (asked++ === 0 ? ["93.184.215.14"] : ["127.0.0.1"]);
    const first = await send(sign(order({ url: "http://changing.example.com/" })));
    expect(first.status).toBe(200);
    expect(dialled).toEqual([["93.184.215.14"]]);
    const second = await send(sign(order({ url: "http://changing.example.com/" })));
    expect(second).toMatchObject({ status: 403, error: { code: "blocked_by_policy" } });
    expect(dialled).toHaveLength(1);
  });

  it.each([
    "http://127.0.0.1/",
    "http://0x7f.1/",
    "http://[::1]/",
    "http://localhost/",
    "http://metadata.google.internal/",
    "ftp://a.com/",
    "http://a.com:22/",
  ])("refuses %s without a look-up", async (url) => {
    expect(await send(sign(order({ url })))).toMatchObject({ status: 403, error: { code: "blocked_by_policy" } });
    expect(lookups).toEqual([]);
    expect(dialled).toEqual([]);
  });

  it("reaches a loopback listener only when the allow list names its host and port", async () => {
    const allow = parseEgressAllow(`127.0.0.1:${upstreamPort}`);
    const real = makeSystemEgress(allow);
    const open = await send(sign(order({ url: `http://127.0.0.1:${upstreamPort}/open` })), undefined, real);
    expect(open).toMatchObject({ status: 200, text: "hello" });
    const closed = await send(sign(order({ url: `http://localhost:${upstreamPort}/` })), undefined, real);
    expect(closed.status).toBe(403);
    expect(hits.map((hit) => hit.url)).toEqual(["/open"]);
  });

  it("returns a redirect unfollowed", async () => {
    names["public.example.com"] = ["93.184.215.14"];
    respond = (_request, response) => response.writeHead(302, { location: "http://127.0.0.1/" }).end();
    const answer = await send(sign(order()));
    expect(answer.upstream).toMatchObject({ status: 302 });
    expect(answer.upstream?.headers).toContainEqual(["location", "http://127.0.0.1/"]);
    expect(hits).toHaveLength(1);
  });

  it("drops headers that it sets itself", async () => {
    names["public.example.com"] = ["93.184.215.14"];
    const headers = [
      ["Host", "127.0.0.1"],
      ["Content-Length", "999"],
      ["Transfer-Encoding", "chunked"],
      ["Connection", "close, X-Hop"],
      ["X-Hop", "1"],
      ["Proxy-Authorization", "Basic x"],
      ["Upgrade", "websocket"],
      ["Authorization", "Bearer theirs"],
    ];
    expect((await send(sign(order({ headers })))).status).toBe(200);
    expect(hits[0]?.headers.host).toBe("public.example.com");
    expect(hits[0]?.headers.authorization).toBe("Bearer theirs");
    for (const name of ["content-length", "transfer-encoding", "x-hop", "proxy-authorization", "upgrade"]) {
      expect(hits[0]?.headers[name], name).toBeUndefined();
    }
  });

  it("refuses headers that would break the request apart", async () => {
    names["public.example.com"] = ["93.184.215.14"];
    const answer = await send(sign(order({ headers: [["x-a", "1\r\nhost: 127.0.0.1"]] })));
    expect(answer).toMatchObject({ status: 422, error: { code: "invalid_input" } });
    expect(hits).toEqual([]);
  });

  it("truncates the body at max_bytes and reports it", async () => {
    names["public.example.com"] = ["93.184.215.14"];
    respond = (_request, response) => response.end("x".repeat(100_000));
    const cut = await send(sign(order({ max_bytes: 10 })));
    expect(cut).toMatchObject({ status: 200, text: "xxxxxxxxxx", upstream: { truncated: true } });
    const whole = await send(sign(order({ max_bytes: 100_000 })));
    expect(whole.text).toHaveLength(100_000);
    expect(whole.upstream?.truncated).toBeUndefined();
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
    ["zstd", zstdCompressSync],
    ["constructor", (bytes: Buffer) => bytes],
  ] as const)("decodes %s and counts the decoded bytes", async (coding, compress) => {
    names["public.example.com"] = ["93.184.215.14"];
    respond = (_request, response) =>
      response.writeHead(200, { "content-encoding": coding }).end(compress(Buffer.alloc(5_000_000, "z")));
    const answer = await send(sign(order({ max_bytes: 64 })));
    expect(answer).toMatchObject({ status: 200, text: "z".repeat(64), upstream: { truncated: true } });
    expect(answer.upstream?.headers.some(([name]) => name === "content-encoding")).toBe(coding === "constructor");
  });

  it("answers HEAD and 204 with an empty body", async () => {
    names["public.example.com"] = ["93.184.215.14"];
    respond = (request, response) =>
      response.writeHead(request.method === "HEAD" ? 200 : 204, { "content-encoding": "gzip" }).end();
    expect(await send(sign(order({ method: "HEAD" })))).toMatchObject({
      status: 200,
      text: "",
      upstream: { status: 200 },
    });
    expect(await send(sign(order({})))).toMatchObject({ status: 200, text: "", upstream: { status: 204 } });
  });

  it("gives up after timeout_ms, before the answer and in the middle of it", async () => {
    names["public.example.com"] = ["93.184.215.14"];
    respond = () => undefined;
    expect(await send(sign(order({ timeout_ms: 150 })))).toMatchObject({ status: 502, error: { code: "timeout" } });
    respond = (_request, response) => {
      response.write("half");
    };
    expect(await send(sign(order({ timeout_ms: 150 })))).toMatchObject({ status: 502, error: { code: "timeout" } });
  });

  it("reports failures outside", async () => {
    expect(await send(sign(order({ url: "http://nowhere.example.com/" })))).toMatchObject({
      status: 502,
      error: { code: "upstream_failed" },
    });
    names["public.example.com"] = ["93.184.215.14"];
    respond = (request) => request.socket.destroy();
    expect(await send(sign(order()))).toMatchObject({ status: 502, error: { code: "upstream_failed" } });
    respond = (_request, response) => response.writeHead(200, { "x-long": "x".repeat(70_000) }).end();
    expect(await send(sign(order()))).toMatchObject({ status: 502, error: { code: "upstream_failed" } });
  });

  it("reports that nothing was sent only without a connection", async () => {
    names["public.example.com"] = ["93.184.215.14"];
    const refusing: EgressDeps = {
      ...outside(),
      connectTo: () => (_options, callback) => callback(new Error("connect ECONNREFUSED"), null),
    };
    expect(await send(sign(order()), undefined, refusing)).toMatchObject({ status: 502, error: { sent: false } });
    expect(await send(sign(order({ url: "http://nowhere.example.com/" })))).toMatchObject({ error: { sent: false } });
    if (sidecar !== undefined) await close(sidecar);
    sidecar = undefined;
    respond = (request) => request.socket.destroy();
    expect(await send(sign(order()))).toMatchObject({ status: 502, error: { sent: true } });
    respond = () => undefined;
    expect(await send(sign(order({ timeout_ms: 1_000 })))).toMatchObject({ status: 502, error: { sent: true } });
  });
});

describe("a token", () => {
  beforeEach(() => {
    names["public.example.com"] = ["93.184.215.14"];
  });

  it("passes once", async () => {
    const token = sign(order());
    expect((await send(token)).status).toBe(200);
    expect((await send(token)).status).toBe(401);
    expect(hits).toHaveLength(1);
  });

  it("passes until it expires, and is stored until then", async () => {
    const token = sign(order({ exp: Math.floor(Date.now() / 1_000) + 10 }));
    expect((await send(token)).status).toBe(200);
    nowMs = () => Date.now() + 60_000;
    expect((await send(sign(order({ exp: Math.floor(Date.now() / 1_000) + 90 })))).status).toBe(200);
    expect((await send(token)).status).toBe(401);
  });

  it.each([
    ["of another secret", () => sign(order(), "another-secret-of-at-least-32-characters")],
    ["whose payload was changed", () => sign(order()).replace(/^./, "f")],
  ])("%s is refused with a report that the secrets differ", async (_name, make) => {
    expect(await send(make())).toMatchObject({ status: 401, error: { code: "wrong_secret" } });
    expect(hits).toEqual([]);
  });

  it.each([
    ["that has ended", () => sign(order({ exp: Math.floor(Date.now() / 1_000) - 10 }))],
    ["that would last too long", () => sign(order({ exp: Math.floor(Date.now() / 1_000) + 3_600 }))],
    ["for another purpose", () => sign(order({ purpose: "script" }))],
    ["with an unknown field", () => sign(order({ follow: true }))],
    ["without a jti", () => sign(order({ jti: undefined }))],
    ["with an invalid method", () => sign(order({ method: "GET / HTTP/1.1" }))],
    ["that is truncated", () => sign(order()).slice(0, -2)],
    [
      "that is not JSON",
      () =>
        `${Buffer.from("x").toString("base64url")}.${createHmac("sha256", SECRET).update("eA").digest("base64url")}`,
    ],
    ["that is empty", () => ""],
    ["of three parts", () => `${sign(order())}.x`],
  ])("%s is refused", async (_name, make) => {
    expect(await send(make())).toMatchObject({ status: 401, error: { code: "unauthenticated" } });
    expect(hits).toEqual([]);
  });
});

describe("the sidecar", () => {
  it("reports its health, and has no other route", async () => {
    sidecar = makeSidecar(SECRET, outside());
    await listen(sidecar);
    const { port } = sidecar.address() as AddressInfo;
    expect(await (await fetch(`http://127.0.0.1:${port}/health`)).json()).toEqual({ ok: true, services: ["egress"] });
    expect((await fetch(`http://127.0.0.1:${port}/egress`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${port}/`, { method: "POST" })).status).toBe(404);
  });
});

/** Several requests in one order: what the token covers, and that each request is judged and limited like one that is alone. */
import { createHash, createHmac, randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import { buildConnector } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { encodeFrame, FrameReader } from "../../../adapters/sidecar/egress-batch.ts";
import { signEgressBatch, signEgressEnd } from "../../../adapters/sidecar/token.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { makeConnections } from "../../../sidecar/connections.ts";
import { type EgressDeps, makeLookup } from "../../../sidecar/egress.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";

const SECRET = "a-secret-for-this-test-of-32-characters";
const NAMES: Readonly<Record<string, string[]>> = {
  "public.example.com": ["93.184.215.14"],
  "inward.example.com": ["93.184.215.14", "10.0.0.7"],
};

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map(closeServer));
});

/** A sidecar whose connections all lead to an outside of the test. `arrived`: the paths that it got; `closed`: those whose connections ended. */
async function system(hang = false) {
  const arrived: string[] = [];
  const closed: string[] = [];
  const outside = createServer((request, response) => {
    arrived.push(request.url ?? "");
    request.socket.once("close", () => closed.push(request.url ?? ""));
    if (!hang) response.end("hello");
  });
  const port = await listenOnLoopback(outside, 0);
  const dialled: (readonly string[])[] = [];
  const deps: EgressDeps = {
    allow: parseEgressAllow(""),
    resolve: async (hostname) => await Promise.resolve(NAMES[hostname] ?? []),
    connectTo: (addresses) => {
      dialled.push(addresses);
      const connect = buildConnector({ lookup: makeLookup(["127.0.0.1"]), allowH2: false });
      return (options, callback) => connect({ ...options, hostname: "outside.example", port: String(port) }, callback);
    },
    connections: makeConnections(),
  };
  const sidecar = makeSidecar(SECRET, deps);
  servers.push(outside, sidecar);
  const url = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
  return { url, arrived, closed, dialled };
}

const request = (url: string, more: Readonly<Record<string, unknown>> = {}) =>
  encodeFrame({
    head: { method: "GET", url, headers: [], timeout_ms: 20_000, max_bytes: 1_000, ...more },
    body: new Uint8Array(),
  });

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function tokenFor(body: Uint8Array, batch: string = randomUUID(), tenant = "t1"): Promise<string> {
  return await signEgressBatch(SECRET, { tenant, batch, bodySha256: sha256(body) }, Date.now());
}

async function send(url: string, token: string, body: Uint8Array, path = "/egress/batch", method = "POST") {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(url + path, {
    method,
    headers,
    ...(method === "POST" ? { body: Buffer.from(body) } : {}),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200)
    return { status: response.status, error: JSON.parse(bytes.toString()) as unknown, frames: [] };
  const frames = new FrameReader(1_000_000)
    .add(bytes)
    .map(({ head, body: its }): Record<string, unknown> => ({ ...head, text: Buffer.from(its).toString() }));
  return { status: 200, error: null, frames: frames.toSorted((a, b) => Number(a["index"]) - Number(b["index"])) };
}

describe("a batch of requests", () => {
  it("is judged request by request, when it arrives and when it connects", async () => {
    const { url, arrived, dialled } = await system();
    const body = Buffer.concat([
      request("http://public.example.com/one"),
      request("http://127.0.0.1/"),
      request("http://169.254.169.254/latest/meta-data"),
      request("http://inward.example.com/"),
      request("http://public.example.com:8080/"),
      request("http://public.example.com/connect", { method: "CONNECT" }),
      request("http://public.example.com/two", { method: "POST" }),
    ]);
    const { frames } = await send(url, await tokenFor(body), body);
    expect(frames.map(({ index, status }) => [index, status])).toEqual([
      [0, 200],
      [1, 403],
      [2, 403],
      [3, 403],
      [4, 403],
      [5, 403],
      [6, 200],
    ]);
    for (const { status, text } of frames)
      if (status === 403) expect(JSON.parse(String(text))).toMatchObject({ code: "blocked_by_policy", sent: false });
    expect(arrived.toSorted()).toEqual(["/one", "/two"]);
    expect(dialled).toEqual([["93.184.215.14"], ["93.184.215.14"]]);
  });

  it("refuses a request that it does not know, and makes the others", async () => {
    const { url, arrived } = await system();
    const body = Buffer.concat([
      request("http://public.example.com/one", { later: true }),
      request("http://public.example.com/two", { max_bytes: 1e9 }),
      request("http://public.example.com/three"),
    ]);
    const { frames } = await send(url, await tokenFor(body), body);
    expect(frames.map(({ status }) => status)).toEqual([422, 422, 200]);
    expect(arrived).toEqual(["/three"]);
  });

  it("passes once, with exactly the bytes that its token covers, for its purpose", async () => {
    const { url, arrived } = await system();
    const body = request("http://public.example.com/one");
    const token = await tokenFor(body);
    const other = request("http://public.example.com/other");
    expect(await send(url, await tokenFor(body), other)).toMatchObject({ status: 422, error: { sent: false } });
    expect(await send(url, token, body, "/egress")).toMatchObject({ status: 401 });
    expect(await send(url, token, body)).toMatchObject({ status: 401, error: { sent: true } });
    expect(arrived).toEqual([]);
    const fresh = await tokenFor(body);
    expect(await send(url, fresh, body)).toMatchObject({ status: 200 });
    expect(await send(url, fresh, body)).toMatchObject({ status: 401, error: { sent: true } });
    expect(arrived).toEqual(["/one"]);
  });

  it("is refused whole without the hash of its body, signed by another, damaged, empty or too long", async () => {
    const { url, arrived } = await system();
    const body = request("http://public.example.com/one");
    const payload = { purpose: "egress_batch", tenant: "t1", batch: randomUUID(), exp: Date.now() / 1_000 + 30 };
    const text = Buffer.from(JSON.stringify({ ...payload, jti: randomUUID() })).toString("base64url");
    const uncovered = `${text}.${createHmac("sha256", SECRET).update(text).digest("base64url")}`;
    expect(await send(url, uncovered, body)).toMatchObject({ status: 422, error: { sent: false } });
    const order = { tenant: "t1", batch: randomUUID(), bodySha256: sha256(body) };
    const foreign = await signEgressBatch(`${SECRET}!`, order, Date.now());
    expect(await send(url, foreign, body)).toMatchObject({ status: 401, error: { code: "wrong_secret" } });
    for (const bytes of [
      body.subarray(0, -20),
      Buffer.from("not a frame"),
      new Uint8Array(),
      Buffer.concat(Array.from({ length: 17 }, () => body)),
    ])
      expect(await send(url, await tokenFor(bytes), bytes)).toMatchObject({ status: 422, error: { sent: false } });
    expect(arrived).toEqual([]);
  });

  it("counts each of its requests: what exceeds the tenant's limit is not sent", async () => {
    const { url, arrived } = await system(true);
    const body = Buffer.concat(
      Array.from({ length: 16 }, () => request("http://public.example.com/", { timeout_ms: 3_000 })),
    );
    const sent = Promise.all(Array.from({ length: 9 }, async () => await send(url, await tokenFor(body), body)));
    const statuses = (await sent).flatMap(({ frames }) => frames.map(({ status }) => status));
    expect(statuses.filter((status) => status === 503)).toHaveLength(16);
    expect(arrived).toHaveLength(128);
  });

  it("loses one request by an order of its tenant, and by none of another's", async () => {
    const { url, arrived, closed } = await system(true);
    const batch = randomUUID();
    const body = Buffer.concat([1, 2].map((n) => request(`http://public.example.com/${n}`, { timeout_ms: 2_000 })));
    const sent = send(url, await tokenFor(body, batch), body);
    await expect.poll(() => arrived.length).toBe(2);
    const end = async (tenant: string) => {
      const token = await signEgressEnd(SECRET, { tenant, batch, index: 0 }, Date.now());
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetch(`${url}/egress/batch`, { method: "DELETE", headers })).status).toBe(200);
    };
    await end("t2");
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(closed).toEqual([]);
    await end("t1");
    await expect.poll(() => closed).toEqual(["/1"]);
    expect((await sent).frames).toMatchObject([{ status: 502 }, { status: 502 }]);
  });
});

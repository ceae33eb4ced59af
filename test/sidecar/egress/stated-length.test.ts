/** The length of a body, as the sidecar states it to a Worker that reserves memory for it. */
import { randomBytes } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { signEgressOrder } from "../../../adapters/sidecar/token.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";

const SECRET = randomBytes(32).toString("hex");

let respond: (response: ServerResponse) => void;
let outside: Server;
let sidecar: Server;
let ask: () => Promise<unknown>;

beforeEach(async () => {
  outside = createServer((_request, response) => respond(response));
  const host = `127.0.0.1:${await listenOnLoopback(outside, 0)}`;
  sidecar = makeSidecar(SECRET, makeSystemEgress(parseEgressAllow(host)));
  const egress = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}/egress`;
  ask = async () => {
    const bodySha256 = await sha256Hex(new Uint8Array());
    const limits = { timeoutMs: 15_000, maxBytes: 1_000, portIsListed: false, stream: true };
    const order = { tenant: "t1", method: "GET", url: `http://${host}/`, headers: [], bodySha256, ...limits };
    const token = await signEgressOrder(SECRET, order, Date.now());
    const replied = await fetch(egress, { method: "POST", headers: { authorization: `Bearer ${token}` } });
    await replied.arrayBuffer();
    const head = replied.headers.get("x-otto-upstream") ?? "";
    return (JSON.parse(Buffer.from(head, "base64url").toString()) as { readonly length?: number }).length;
  };
});

afterEach(async () => {
  await Promise.all([closeServer(outside), closeServer(sidecar)]);
});

it("is that of the server's header", async () => {
  respond = (response) => void response.writeHead(200, { "content-length": 3 }).end("abc");
  expect(await ask()).toBe(3);
});

it("is absent for a body that is decoded, and for one of unknown length", async () => {
  const packed = gzipSync("abc");
  respond = (response) =>
    void response.writeHead(200, { "content-encoding": "gzip", "content-length": packed.length }).end(packed);
  expect(await ask()).toBeUndefined();
  respond = (response) => void response.writeHead(200, { "transfer-encoding": "chunked" }).end("abc");
  expect(await ask()).toBeUndefined();
});

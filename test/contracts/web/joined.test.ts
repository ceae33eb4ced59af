/** Requests of one turn, which go to the real sidecar in one order: how many orders there are, and that each request is on its own. */
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { openWeb } from "../../../adapters/egress/web.ts";
import { encodeFrame, type Frame } from "../../../adapters/sidecar/egress-batch.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import type { WebPort, WebRequest } from "../../../core/ports/web.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";
import { fakeSecrets } from "../../fakes/secrets.ts";
import { closeServer, findUnusedPort, listenOnLoopback } from "../../mock-servers/listen.ts";
import { ask } from "./suite.ts";

const secret = randomBytes(32).toString("hex");
const servers: Server[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map(closeServer));
});

async function serve(server: Server): Promise<string> {
  servers.push(server);
  return `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
}

function open(sidecarUrl: string, outside: readonly string[], patienceMs?: number): WebPort {
  const allow = parseEgressAllow(outside.map((url) => new URL(url).host).join(","));
  const giveTurn = async () => await new Promise<void>((resolve) => setTimeout(resolve, 30));
  return openWeb({
    sidecar: connectSidecar(sidecarUrl, secret, patienceMs),
    allow,
    tenant: "t1",
    secrets: fakeSecrets(),
    giveTurn,
  });
}

/** The real sidecar, an outside, and a port that joins requests. `orders`: what arrived at the sidecar. */
async function system(answer: RequestListener) {
  const outside = await serve(createServer(answer));
  const sidecar = makeSidecar(secret, makeSystemEgress(parseEgressAllow(new URL(outside).host)));
  const orders: string[] = [];
  const connections: unknown[] = [];
  sidecar.prependListener("request", ({ method, url }: IncomingMessage) => orders.push(`${method} ${url}`));
  sidecar.on("connection", (socket) => connections.push(socket));
  const url = await serve(sidecar);
  return { outside, orders, connections, sidecar, web: open(url, [outside]) };
}

const post = (url: string, more: Partial<WebRequest> = {}) =>
  ask(url, { method: "POST", body: Buffer.from("x"), ...more });
const readText = (reply: Awaited<ReturnType<WebPort["request"]>>) =>
  reply.ok ? new TextDecoder().decode(reply.value.body) : reply.error.code;
const NUMBERS = [1, 2, 3, 4, 5];

/** A sidecar that answers every order so, and counts what arrived. */
async function fakeSidecar(answer: RequestListener) {
  const orders: string[] = [];
  const url = await serve(
    createServer((request, response) => {
      orders.push(`${request.method} ${request.url}`);
      if (request.url === "/health") response.end();
      else answer(request, response);
    }),
  );
  return { orders, url };
}

describe("requests of one turn", () => {
  it("are one order on one connection, however often, and one that is alone is an order of its own", async () => {
    const { web, outside, orders, connections } = await system((request, response) => response.end(request.url));
    for (const round of [1, 2, 3]) {
      const replies = await Promise.all(NUMBERS.map((n) => web.request(ask(`${outside}/${round}/${n}`))));
      expect(replies.map(readText)).toEqual(NUMBERS.map((n) => `/${round}/${n}`));
    }
    expect(readText(await web.request(ask(`${outside}/alone`)))).toBe("/alone");
    expect(orders).toEqual([...NUMBERS.slice(0, 3).map(() => "POST /egress/batch"), "POST /egress"]);
    expect(connections).toHaveLength(1);
  });

  it("leave without the turn once as many are there as are made at once", async () => {
    const outside = await serve(createServer((request, response) => response.end(request.url)));
    const sidecar = makeSidecar(secret, makeSystemEgress(parseEgressAllow(new URL(outside).host)));
    const orders: string[] = [];
    sidecar.prependListener("request", ({ url }: IncomingMessage) => orders.push(`${url}`));
    const turn = Promise.withResolvers<void>();
    const web = openWeb({
      sidecar: connectSidecar(await serve(sidecar), secret),
      allow: parseEgressAllow(new URL(outside).host),
      tenant: "t1",
      secrets: fakeSecrets(),
      giveTurn: async () => await turn.promise,
      joined: NUMBERS.length,
    });
    const replies = await Promise.all(NUMBERS.map((n) => web.request(ask(`${outside}/${n}`))));
    expect(replies.map(readText)).toEqual(NUMBERS.map((n) => `/${n}`));
    const alone = web.request(ask(`${outside}/alone`));
    turn.resolve();
    expect(readText(await alone)).toBe("/alone");
    expect(orders).toEqual(["/egress/batch", "/egress"]);
  });

  it("with effects ask once whether the sidecar is there", async () => {
    const { web, outside, orders } = await system((request, response) => response.end(request.method));
    const replies = await Promise.all(NUMBERS.map((n) => web.request(post(`${outside}/${n}`))));
    expect(replies.map(readText)).toEqual(NUMBERS.map(() => "POST"));
    expect(orders).toEqual(["GET /health", "POST /egress/batch"]);
  });

  it("get their replies as they arrive: a slow one delays no other", async () => {
    const release = Promise.withResolvers<void>();
    const { web, outside, orders } = await system((request, response) => {
      if (request.url === "/slow") void release.promise.then(() => response.end("slow"));
      else response.end("quick");
    });
    const slow = web.request(ask(`${outside}/slow`));
    expect(readText(await web.request(ask(`${outside}/quick`)))).toBe("quick");
    release.resolve();
    expect(readText(await slow)).toBe("slow");
    expect(orders).toHaveLength(1);
  });

  it("are judged one by one, and none that is refused was sent", async () => {
    const arrived: string[] = [];
    const { web, outside } = await system((request, response) => {
      arrived.push(request.url ?? "");
      response.end("ok");
    });
    const inward = await serve(createServer((_request, response) => response.end("inside")));
    const [fine, closed, invalid, other] = await Promise.all([
      web.request(post(`${outside}/fine`)),
      web.request(post(`${inward}/closed`)),
      web.request(
        post(`${outside}/invalid`, { headers: Array.from({ length: 201 }, (_, n) => [`x-${n}`, "1"] as const) }),
      ),
      web.request(post(`${outside}/other`)),
    ]);
    expect([fine, other].map(readText)).toEqual(["ok", "ok"]);
    expect(closed).toMatchObject({ ok: false, error: { code: "blocked_by_policy", happened: "no" } });
    expect(invalid).toMatchObject({ ok: false, error: { code: "invalid_input", happened: "no" } });
    expect(arrived.toSorted()).toEqual(["/fine", "/other"]);
  });

  it("have their own limits of time and size", async () => {
    const { web, outside, orders } = await system((request, response) => {
      if (request.url !== "/hang") response.end("x".repeat(50_000));
    });
    const [late, cut, whole] = await Promise.all([
      web.request(post(`${outside}/hang`, { timeoutMs: 300 })),
      web.request(ask(`${outside}/cut`, { maxBytes: 1_000 })),
      web.request(ask(`${outside}/whole`)),
    ]);
    expect(late).toMatchObject({ ok: false, error: { code: "timeout", happened: "unknown" } });
    expect([cut, whole].map((reply) => reply.ok && [reply.value.body.length, reply.value.truncated])).toEqual([
      [1_000, true],
      [50_000, false],
    ]);
    expect(orders).toEqual(["GET /health", "POST /egress/batch"]);
  });

  it("are ended one by one at the outside, and together by closing the connection", async () => {
    const ended: string[] = [];
    const arrived: string[] = [];
    const { web, outside, orders } = await system((request) => {
      arrived.push(request.url ?? "");
      request.socket.once("close", () => ended.push(request.url ?? ""));
    });
    const [one, all] = [new AbortController(), new AbortController()];
    const replies = [
      web.request(post(`${outside}/one`, { signal: AbortSignal.any([one.signal, all.signal]) })),
      ...[2, 3].map((n) => web.request(post(`${outside}/${n}`, { signal: all.signal }))),
    ];
    await expect.poll(() => arrived.length).toBe(3);
    one.abort();
    expect(await replies[0]).toMatchObject({ ok: false, error: { code: "timeout", happened: "unknown" } });
    await expect.poll(() => ended).toEqual(["/one"]);
    expect(orders.slice(1)).toEqual(["POST /egress/batch", "DELETE /egress/batch"]);
    all.abort();
    expect(await Promise.all(replies)).toMatchObject(replies.map(() => ({ ok: false, error: { code: "timeout" } })));
    await expect.poll(() => ended.length).toBe(3);
    expect(orders.slice(1)).toEqual(["POST /egress/batch", "DELETE /egress/batch"]);
  });

  it("that were cancelled before they left were not sent", async () => {
    const { web, outside, orders } = await system((_request, response) => response.end("ok"));
    const caller = new AbortController();
    const replies = [1, 2].map((n) => web.request(post(`${outside}/${n}`, { signal: caller.signal })));
    await Promise.resolve();
    caller.abort();
    for (const reply of replies)
      expect(await reply).toMatchObject({ ok: false, error: { code: "timeout", happened: "no" } });
    expect(orders).not.toContain("POST /egress/batch");
  });

  it("are several orders above the limits of one", async () => {
    const { web, outside, orders } = await system((request, response) => {
      let bytes = 0;
      request.on("data", (chunk: Buffer) => (bytes += chunk.length));
      request.on("end", () => response.end(String(bytes)));
    });
    const many = Array.from({ length: 20 }, (_, n) => web.request(ask(`${outside}/${n}`)));
    expect((await Promise.all(many)).every(({ ok }) => ok)).toBe(true);
    expect(orders.splice(0)).toEqual(["POST /egress/batch", "POST /egress/batch"]);
    const bodies = [3_000_000, 3_000_000, 5_000_000].map((length) => Buffer.alloc(length));
    const large = await Promise.all(bodies.map((body, n) => web.request(post(`${outside}/${n}`, { body }))));
    expect(large.map(readText)).toEqual(["3000000", "3000000", "5000000"]);
    expect(orders.filter((order) => order !== "GET /health").toSorted()).toEqual(
      NUMBERS.slice(0, 3).map(() => "POST /egress"),
    );
    const headers = [["x-large", "x".repeat(300_000)]] as const;
    const [wide, fine] = await Promise.all([
      web.request(post(`${outside}/wide`, { headers })),
      web.request(post(`${outside}/fine`)),
    ]);
    expect(wide).toMatchObject({ ok: false });
    expect(readText(fine)).toBe("1");
  });
});

describe("when the order fails", () => {
  it("a request with a reply has it, and the others may have been sent", async () => {
    const { web, outside, sidecar } = await system((request, response) => {
      if (request.url === "/quick") response.end("quick");
    });
    const hanging = [1, 2].map((n) => web.request(post(`${outside}/${n}`)));
    expect(readText(await web.request(post(`${outside}/quick`)))).toBe("quick");
    sidecar.closeAllConnections();
    for (const reply of hanging)
      expect(await reply).toMatchObject({
        ok: false,
        error: { code: "upstream_failed", happened: "unknown", cause: { kind: "sidecar_lost" } },
      });
  });

  it("because the sidecar is away, none was sent", async () => {
    const web = open(`http://127.0.0.1:${await findUnusedPort()}`, ["http://127.0.0.1:1"], 0);
    for (const reply of await Promise.all([1, 2].map((n) => web.request(post(`http://127.0.0.1:1/${n}`)))))
      expect(reply).toMatchObject({ ok: false, error: { happened: "no", cause: { kind: "sidecar_away" } } });
  });

  it.each([
    [401, { code: "unauthenticated", message: "no", sent: false }, "no"],
    [401, { code: "unauthenticated", message: "used", sent: true }, "unknown"],
    [413, { code: "too_large", message: "no" }, "no"],
    [422, { code: "invalid_input", message: "no", sent: false }, "no"],
    [503, { code: "rate_limited", message: "no", sent: false }, "no"],
    [500, { code: "internal", message: "broken" }, "unknown"],
    [404, "a proxy's page", "unknown"],
    [200, "no frames", "unknown"],
    [200, { index: 7, status: 200 }, "unknown"],
  ])("a %i with %j means of each: happened %s", async (status, body, happened) => {
    const { url, orders } = await fakeSidecar((_request, response) => {
      const isFrame = status === 200 && typeof body !== "string";
      response
        .writeHead(status)
        .end(isFrame ? encodeFrame({ head: body, body: new Uint8Array() }) : JSON.stringify(body));
    });
    const web = open(url, ["http://127.0.0.1:1"]);
    for (const reply of await Promise.all([1, 2].map((n) => web.request(post(`http://127.0.0.1:1/${n}`)))))
      expect(reply).toMatchObject({ ok: false, error: { happened } });
    expect(orders).toEqual(["GET /health", "POST /egress/batch"]);
  });

  it("in one reply that makes no sense, the others have theirs", async () => {
    const frame = (head: Frame["head"], text = "") => encodeFrame({ head, body: Buffer.from(text) });
    const { url } = await fakeSidecar((_request, response) => {
      response.write(frame({ index: 1, status: 200, upstream: { status: 7 } }));
      response.end(frame({ index: 0, status: 200, upstream: { status: 204, headers: [] } }, "fine"));
    });
    const web = open(url, ["http://127.0.0.1:1"]);
    const [fine, strange] = await Promise.all([1, 2].map((n) => web.request(post(`http://127.0.0.1:1/${n}`))));
    expect(fine).toMatchObject({ ok: true, value: { status: 204 } });
    expect(strange).toMatchObject({ ok: false, error: { happened: "unknown" } });
  });

  it("because the sidecar is of an earlier release, each is sent alone", async () => {
    const upstream = Buffer.from(JSON.stringify({ status: 200, headers: [] })).toString("base64url");
    const { url, orders } = await fakeSidecar((request, response) => {
      const isKnown = request.url === "/egress";
      const message = "Not found. Routes: GET /health, POST /egress, POST /jobs/<kind>, POST /mcp and DELETE /mcp.";
      if (isKnown) response.writeHead(200, { "x-otto-upstream": upstream }).end("alone");
      else response.writeHead(404).end(JSON.stringify({ code: "not_found", message }));
    });
    const web = open(url, ["http://127.0.0.1:1"]);
    const replies = await Promise.all([1, 2].map((n) => web.request(ask(`http://127.0.0.1:1/${n}`))));
    expect(replies.map(readText)).toEqual(["alone", "alone"]);
    expect(orders).toEqual(["POST /egress/batch", "POST /egress", "POST /egress"]);
  });
});

/** The adapter with the real sidecar, over loopback, and the fake in memory: one contract. */
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import type { AccountCredentials } from "../../../adapters/egress/fill-connection.ts";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { openWeb, type WebSettings } from "../../../adapters/egress/web.ts";
import type { WebPort, WebRequest } from "../../../core/ports/web.ts";
import type { SecretsPort } from "../../../core/ports/secrets.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { VERSION } from "../../../core/base/version.ts";
import { MAX_SAVED_BYTES } from "../../../core/web/exchange.ts";
import { fakeSecrets } from "../../fakes/secrets.ts";
import { fakeWeb, type OutsideReply, type OutsideRequest } from "../../fakes/web.ts";
import { closeServer, listenOnLoopback, findUnusedPort } from "../../mock-servers/listen.ts";
import { webConnectionsContract } from "./connection-suite.ts";
import { webSecretsContract } from "./secrets-suite.ts";
import { ask, webContract, type WebUnderTest } from "./suite.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";

async function inMemory(secrets: SecretsPort = fakeSecrets(), accounts?: AccountCredentials): Promise<WebUnderTest> {
  const received: OutsideRequest[] = [];
  let reply: (request: OutsideRequest) => OutsideReply = () => ({});
  const answer = (request: OutsideRequest) => {
    received.push(request);
    return reply(request);
  };
  const web = fakeWeb(answer, "outside.example:8080,other.example:8080", secrets, accounts);
  return await Promise.resolve({
    web,
    hosts: ["outside.example:8080", "other.example:8080"] as const,
    answer: (next: typeof reply) => {
      reply = next;
    },
    received,
    close: () => Promise.resolve(),
  });
}

webContract("the fake in memory", inMemory);
webContract("the adapter and the sidecar", overLoopback);
webContract(
  "the adapter and the sidecar, with joined requests",
  async () => await overLoopback(fakeSecrets(), giveTurn),
);
webSecretsContract("the fake in memory", inMemory);
webSecretsContract("the adapter and the sidecar", overLoopback);
webSecretsContract(
  "the adapter and the sidecar, with joined requests",
  async (secrets) => await overLoopback(secrets, giveTurn),
);
webConnectionsContract("the fake in memory", async (accounts) => await inMemory(fakeSecrets(), accounts));
webConnectionsContract(
  "the adapter and the sidecar",
  async (accounts) => await overLoopback(fakeSecrets(), undefined, accounts),
);

/** Long enough for requests that were made together. */
async function giveTurn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
}

async function overLoopback(
  secrets: SecretsPort = fakeSecrets(),
  joinWithin?: WebSettings["giveTurn"],
  accounts?: AccountCredentials,
): Promise<WebUnderTest> {
  const received: OutsideRequest[] = [];
  let reply: (request: OutsideRequest) => OutsideReply = () => ({});
  const outside = createServer((request, response) => {
    void readRequest(request).then((read) => {
      received.push(read);
      const { status = 200, headers = {}, body = "", fault } = reply(read);
      if (fault === "cut") response.destroy();
      if (fault !== undefined) return;
      response.writeHead(status, headers);
      response.end(body);
    });
  });
  const port = await listenOnLoopback(outside, 0);
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`] as const;
  const quiet = createServer((_request, response) => response.end());
  const quietHost = `127.0.0.1:${await listenOnLoopback(quiet, 0)}`;
  const allow = parseEgressAllow([...hosts, quietHost].join(","));
  const secret = randomBytes(32).toString("hex");
  const sidecar = makeSidecar(secret, makeSystemEgress(allow));
  const url = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
  const shared = { sidecar: connectSidecar(url, secret), allow, tenant: "t1", secrets };
  const settings = accounts === undefined ? shared : { ...shared, accounts };
  return {
    web:
      joinWithin === undefined
        ? openWeb(settings)
        : withCompanion(openWeb({ ...settings, giveTurn: joinWithin }), `http://${quietHost}/`),
    hosts,
    answer: (next) => {
      reply = next;
    },
    received,
    close: async () => {
      await Promise.all([outside, quiet, sidecar].map(closeServer));
    },
  };
}

/** A port that makes another request with each, so that both are in one order. */
function withCompanion(web: WebPort, url: string): WebPort {
  return {
    ...web,
    async request(request) {
      const replied = web.request(request);
      await web.request(ask(url));
      return await replied;
    },
  };
}

async function readRequest(request: IncomingMessage): Promise<OutsideRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const url = `http://${request.headers.host ?? ""}${request.url ?? ""}`;
  return { method: request.method ?? "", url, headers, body: Buffer.concat(chunks).toString() };
}

it("requests say whose they are, unless the caller does", async () => {
  const outside = await overLoopback();
  const ask = { method: "GET", url: `http://${outside.hosts[0]}/`, body: null, timeoutMs: 20_000, maxBytes: 1_000 };
  const rest = { followRedirects: true, allowedDomains: ["*"], signal: new AbortController().signal };
  await outside.web.request({ ...ask, ...rest, headers: [] });
  await outside.web.request({ ...ask, ...rest, headers: [["User-Agent", "mine"]] });
  expect(outside.received.map(({ headers }) => headers["user-agent"])).toEqual([`Otto/${VERSION}`, "mine"]);
  await outside.close();
});

it("a large reply streams through the sidecar, and is cut at its limit", async () => {
  const outside = await overLoopback();
  const body = new Uint8Array(9_000_000).fill(7);
  outside.answer(() => ({ body }));
  const ask = { method: "GET", url: `http://${outside.hosts[0]}/`, headers: [], body: null, timeoutMs: 20_000 };
  const rest = { followRedirects: true, allowedDomains: ["*"], signal: new AbortController().signal };
  const whole = await outside.web.request({ ...ask, ...rest, maxBytes: 10_000_000 });
  expect(whole.ok && [whole.value.body.length, whole.value.truncated]).toEqual([body.length, false]);
  if (whole.ok) whole.value.release?.();
  const cut = await outside.web.request({ ...ask, ...rest, maxBytes: 5_000_000 });
  expect(cut.ok && [cut.value.body.length, cut.value.truncated]).toEqual([5_000_000, true]);
  if (cut.ok) cut.value.release?.();
  await outside.close();
});

it("a large reply behind a redirect waits for no memory of the redirect", async () => {
  const outside = await overLoopback();
  const redirect = { status: 302, headers: { location: "/file", "transfer-encoding": "chunked" }, body: "moved" };
  outside.answer(({ url }) => (url.endsWith("/file") ? { body: "the file" } : redirect));
  const ask = { method: "GET", headers: [], body: null, timeoutMs: 5_000, maxBytes: MAX_SAVED_BYTES };
  const rest = { followRedirects: true, allowedDomains: ["*"], signal: new AbortController().signal };
  const read = await outside.web.request({ ...ask, ...rest, url: `http://${outside.hosts[0]}/` });
  expect(read.ok && new TextDecoder().decode(read.value.body)).toBe("the file");
  await outside.close();
});

it("a large reply that does not end in time is a timeout", async () => {
  const slow = createServer((_request, response) => void response.write("the beginning"));
  const host = `127.0.0.1:${await listenOnLoopback(slow, 0)}`;
  const allow = parseEgressAllow(host);
  const secret = randomBytes(32).toString("hex");
  const sidecar = makeSidecar(secret, makeSystemEgress(allow));
  const url = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
  const web = openWeb({ sidecar: connectSidecar(url, secret), allow, tenant: "t1", secrets: fakeSecrets() });
  const ask = { method: "GET", url: `http://${host}/`, headers: [], body: null, timeoutMs: 500 };
  const rest = { followRedirects: true, allowedDomains: ["*"], signal: new AbortController().signal };
  const failed = { ok: false, error: { code: "timeout" } };
  expect(await web.request({ ...ask, ...rest, maxBytes: 1_000 })).toMatchObject(failed);
  expect(await web.request({ ...ask, ...rest, maxBytes: MAX_SAVED_BYTES })).toMatchObject(failed);
  await Promise.all([closeServer(slow), closeServer(sidecar)]);
});

describe("the way to the sidecar", () => {
  const request: WebRequest = {
    method: "POST",
    url: "http://93.184.215.14/",
    headers: [],
    body: null,
    timeoutMs: 20_000,
    maxBytes: 1_000,
    followRedirects: true,
    allowedDomains: ["*"],
    signal: new AbortController().signal,
  };
  const allow = parseEgressAllow("");
  const secret = "x".repeat(32);
  const secrets = fakeSecrets();

  it("is needed: without a sidecar nothing is requested", async () => {
    const reply = await openWeb({ sidecar: null, allow, tenant: "t1", secrets }).request(request);
    expect(reply).toMatchObject({ ok: false, error: { code: "not_available", happened: "no" } });
  });

  it("while it is down, a request with an effect was certainly not sent", async () => {
    const url = `http://127.0.0.1:${await findUnusedPort()}`;
    const reply = await openWeb({ sidecar: connectSidecar(url, secret, 0), allow, tenant: "t1", secrets }).request(
      request,
    );
    expect(reply).toMatchObject({ ok: false, error: { code: "upstream_failed", happened: "no" } });
  });

  it.each([
    [401, { code: "unauthenticated", message: "no" }, "upstream_failed", false],
    [403, { code: "blocked_by_policy", message: "no" }, "blocked_by_policy", false],
    [413, { code: "too_large", message: "no" }, "too_large", false],
    [422, { code: "invalid_input", message: "no" }, "invalid_input", false],
    [503, { code: "rate_limited", message: "no" }, "upstream_failed", false],
    [502, { code: "timeout", message: "late" }, "timeout", undefined],
    [502, { code: "upstream_failed", message: "lost" }, "upstream_failed", undefined],
    [502, { code: "upstream_failed", message: "no connection", sent: false }, "upstream_failed", false],
    [500, { code: "internal", message: "broken" }, "upstream_failed", undefined],
    [200, { what: "no upstream header" }, "upstream_failed", undefined],
  ])("a %i of the sidecar with %j is %s, and sent is %j", async (status, body, code, sent) => {
    const sidecar = createServer((incoming, response) => {
      response.writeHead(incoming.url === "/health" ? 200 : status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    });
    const url = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
    try {
      const reply = await openWeb({ sidecar: connectSidecar(url, secret), allow, tenant: "t1", secrets }).request(
        request,
      );
      expect(reply).toMatchObject({ ok: false, error: { code } });
      expect(reply).toMatchObject({ error: { happened: sent === false ? "no" : "unknown" } });
    } finally {
      await closeServer(sidecar);
    }
  });

  it("lets requests of one tenant share a connection to the outside, and no others", async () => {
    const connections: unknown[] = [];
    const outside = createServer((_request, response) => response.end("ok"));
    outside.on("connection", (socket) => connections.push(socket));
    const host = `127.0.0.1:${await listenOnLoopback(outside, 0)}`;
    const open = parseEgressAllow(host);
    const sidecar = makeSidecar(secret, makeSystemEgress(open));
    const there = connectSidecar(`http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`, secret);
    try {
      for (const [tenant, count] of [
        ["t1", 1],
        ["t1", 1],
        ["t2", 2],
        ["t1", 2],
      ] as const) {
        const web = openWeb({ sidecar: there, allow: open, tenant, secrets });
        expect(await web.request({ ...request, method: "GET", url: `http://${host}/` })).toMatchObject({ ok: true });
        expect(connections).toHaveLength(count);
      }
    } finally {
      await Promise.all([closeServer(outside), closeServer(sidecar)]);
    }
  });

  it("ends a request at the outside when the caller gives it up", async () => {
    const arrived = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const outside = createServer((incoming) => {
      incoming.socket.once("close", () => left.resolve());
      arrived.resolve();
    });
    const host = `127.0.0.1:${await listenOnLoopback(outside, 0)}`;
    const open = parseEgressAllow(host);
    const sidecar = makeSidecar(secret, makeSystemEgress(open));
    const url = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
    const caller = new AbortController();
    try {
      const web = openWeb({ sidecar: connectSidecar(url, secret), allow: open, tenant: "t1", secrets });
      const pending = web.request({ ...request, url: `http://${host}/`, timeoutMs: 60_000, signal: caller.signal });
      await arrived.promise;
      caller.abort();
      await left.promise;
      expect(await pending).toMatchObject({ ok: false });
    } finally {
      await Promise.all([closeServer(outside), closeServer(sidecar)]);
    }
  });

  it("streams a reply before it has ended, and ends it at the server when the reader stops", async () => {
    const left = Promise.withResolvers<void>();
    const outside = createServer((_incoming, response) => {
      response.once("close", () => left.resolve());
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: one\n\n");
    });
    const host = `127.0.0.1:${await listenOnLoopback(outside, 0)}`;
    const open = parseEgressAllow(host);
    const sidecar = makeSidecar(secret, makeSystemEgress(open));
    const url = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
    try {
      const web = openWeb({ sidecar: connectSidecar(url, secret), allow: open, tenant: "t1", secrets: fakeSecrets() });
      const opened = await web.open({ ...request, url: `http://${host}/`, timeoutMs: 60_000 });
      if (!opened.ok) throw new Error(opened.error.message);
      const reader = opened.value.body.getReader();
      expect(new TextDecoder().decode((await reader.read()).value)).toBe("data: one\n\n");
      await reader.cancel();
      await left.promise;
    } finally {
      await Promise.all([closeServer(outside), closeServer(sidecar)]);
    }
  });

  it("ends a reply that continues past its time", async () => {
    const outside = createServer((_incoming, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => response.write("data: more\n\n"), 20);
      response.once("close", () => clearInterval(timer));
    });
    const host = `127.0.0.1:${await listenOnLoopback(outside, 0)}`;
    const open = parseEgressAllow(host);
    const sidecar = makeSidecar(secret, makeSystemEgress(open));
    const url = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
    try {
      const web = openWeb({ sidecar: connectSidecar(url, secret), allow: open, tenant: "t1", secrets: fakeSecrets() });
      const opened = await web.open({ ...request, url: `http://${host}/`, timeoutMs: 3_000 });
      if (!opened.ok) throw new Error(opened.error.message);
      await expect(new Response(opened.value.body).text()).rejects.toThrow(Error);
    } finally {
      await Promise.all([closeServer(outside), closeServer(sidecar)]);
    }
  });

  it("is checked again after a read was lost with it, so that the next attempt finds it", async () => {
    const seen: (string | undefined)[] = [];
    const sidecar = createServer((incoming, response) => {
      seen.push(incoming.url);
      if (incoming.url === "/health") response.end();
      else response.destroy();
    });
    const url = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
    try {
      const web = openWeb({ sidecar: connectSidecar(url, secret), allow, tenant: "t1", secrets });
      const lost = await web.request({ ...request, method: "GET", body: null });
      expect(lost).toMatchObject({ ok: false, error: { code: "upstream_failed", retryAfterMs: 1_000 } });
      expect(seen).toEqual(["/egress", "/health"]);
    } finally {
      await closeServer(sidecar);
    }
  });

  it("if it breaks off, it is unknown whether a request was sent", async () => {
    const sidecar = createServer((incoming, response) => {
      if (incoming.url === "/health") response.end();
      else response.destroy();
    });
    const url = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
    try {
      const reply = await openWeb({ sidecar: connectSidecar(url, secret), allow, tenant: "t1", secrets }).request(
        request,
      );
      expect(reply).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
      expect(reply).toMatchObject({ error: { happened: "unknown", cause: { kind: "sidecar_lost" } } });
    } finally {
      await closeServer(sidecar);
    }
  });

  it("that dies during a request is distinguished from a receiver that breaks off", async () => {
    const reached = Promise.withResolvers<void>();
    const outside = createServer((incoming, response) => {
      if (incoming.url === "/cut") response.destroy();
      else reached.resolve();
    });
    const port = await listenOnLoopback(outside, 0);
    const reachable = parseEgressAllow(`127.0.0.1:${port}`);
    const sidecar = makeSidecar(secret, makeSystemEgress(reachable));
    const url = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
    try {
      const web = openWeb({ sidecar: connectSidecar(url, secret), allow: reachable, tenant: "t1", secrets });
      const to = (path: string) =>
        web.open({ ...request, url: `http://127.0.0.1:${port}${path}`, followRedirects: false });
      const cut = await to("/cut");
      expect(!cut.ok && [cut.error.code, cut.error.cause]).toEqual(["upstream_failed", undefined]);
      const waiting = to("/hang");
      await reached.promise;
      sidecar.closeAllConnections();
      const lost = await waiting;
      expect(lost).toMatchObject({ error: { code: "upstream_failed", cause: { kind: "sidecar_lost" } } });
    } finally {
      await Promise.all([closeServer(outside), closeServer(sidecar)]);
    }
  });
});

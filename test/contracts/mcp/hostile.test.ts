/** The adapter towards servers that mean harm, are broken, or forget: every fault has an end, and nothing inward is reached. */
import { createServer, type ServerResponse } from "node:http";
import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { openWeb } from "../../../adapters/egress/web.ts";
import { type McpServers, openMcp } from "../../../adapters/mcp/mcp.ts";
import type { McpServer, SavedAuth } from "../../../adapters/mcp/server.ts";
import { ok } from "../../../core/base/errors.ts";
import type { TenantSecret } from "../../../core/ports/secrets.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { fakeAuthStore, noProcesses } from "../../fakes/mcp.ts";
import { fakeSecrets } from "../../fakes/secrets.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";
import {
  event,
  type McpMessage,
  type McpMockServer,
  type McpMockServerOptions,
  sendJson,
  startMcpServer,
} from "../../mock-servers/mcp-server.ts";
import { callOf, tool } from "./suite.ts";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** A port that knows one server, which is all that it may reach. */
async function portTo(
  mockServer: McpMockServer,
  change: Partial<McpServer> = {},
  secrets: readonly TenantSecret[] = [],
): Promise<McpServers> {
  const allow = parseEgressAllow(mockServer.host);
  const secret = randomBytes(32).toString("hex");
  const sidecar = makeSidecar(secret, makeSystemEgress(allow));
  const sidecarUrl = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
  closing.push(() => closeServer(sidecar));
  const server: McpServer = {
    name: "notes",
    url: mockServer.url,
    headers: [],
    version: 1,
    prior: null,
    process: null,
    oauth: null,
    ...change,
  };
  return openMcp({
    web: openWeb({ sidecar: connectSidecar(sidecarUrl, secret), allow, tenant: "t1", secrets: fakeSecrets(secrets) }),
    processes: noProcesses,
    tenant: randomBytes(8).toString("hex"),
    find: () => Promise.resolve(ok(server)),
    consent: null,
    noteListChanged: () => Promise.resolve(),
    noteGrantEnded: () => Promise.resolve(),
  });
}

async function start(options: McpMockServerOptions): Promise<McpMockServer> {
  const mockServer = await startMcpServer({ tools: () => [tool("echo")], ...options });
  closing.push(() => mockServer.close());
  return mockServer;
}

/** A server of 2026-07-28 whose calls are answered by `reply`. */
const answering = (reply: (message: McpMessage, response: ServerResponse) => void) =>
  start({
    takeOver: (message, response) => {
      if (message.method !== "tools/call") return false;
      reply(message, response);
      return true;
    },
  });

const signal = () => new AbortController().signal;

/** The last word of an operation is not waited for to its end. */
const SOON = { timeout: 10_000 };

describe("a list", () => {
  it("that has no end is given up", async () => {
    const mockServer = await start({
      takeOver: ({ method, id, params }, response) => {
        if (method !== "tools/list") return false;
        const next = Number(params?.["cursor"] ?? 0) + 1;
        const result = {
          resultType: "complete",
          tools: [tool(`tool_${next}`)],
          nextCursor: String(next),
          ttlMs: 0,
          cacheScope: "private",
        };
        sendJson(response, 200, { jsonrpc: "2.0", id, result });
        return true;
      },
    });
    const listed = await (await portTo(mockServer)).list("notes", signal());
    expect(listed).toMatchObject({ ok: false, error: { code: "too_large" } });
    expect(mockServer.received.length).toBeLessThan(150);
  });

  it("that is larger than memory allows is given up", async () => {
    const big = tool("big", { description: "x".repeat(1_000_000) });
    const mockServer = await start({
      pageSize: 1,
      tools: () => Array.from({ length: 60 }, (_, index) => ({ ...big, name: `t${index}` })),
    });
    expect(await (await portTo(mockServer)).list("notes", signal())).toMatchObject({ ok: false });
  });

  it("is requested again with the old protocol when the server's remembered version is no longer valid", async () => {
    const modern = await start({});
    const known = await (await portTo(modern)).list("notes", signal());
    const prior = known.ok ? known.value.prior : null;
    const older = await start({ revision: "2025-06-18" });
    const listed = await (await portTo(older, { prior })).list("notes", signal());
    expect(listed).toMatchObject({ ok: true, value: { protocolVersion: "2025-06-18", prior: { era: "legacy" } } });
    expect(await (await portTo(older, { prior: { era: "legacy" } })).list("notes", signal())).toMatchObject({
      ok: true,
    });
    expect(await (await portTo(modern, { prior: { era: "legacy" } })).list("notes", signal())).toMatchObject({
      ok: true,
      value: { protocolVersion: "2026-07-28" },
    });
  });
});

describe("a reply", () => {
  it("as a page for people is no result", async () => {
    const mockServer = await answering((_message, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<script>alert(1)</script>");
    });
    expect(await (await portTo(mockServer)).call(callOf())).toMatchObject({
      ok: false,
      error: { code: "upstream_failed" },
    });
  });

  it("to another request is no result", async () => {
    const mockServer = await answering((message, response) => {
      sendJson(response, 200, { jsonrpc: "2.0", id: 9_999, result: { resultType: "complete", content: [] } });
      return message;
    });
    const replied = await (await portTo(mockServer)).call(callOf({ timeoutMs: 3_000 }));
    expect(replied).toMatchObject({ ok: false, error: { code: "timeout" } });
    expect(!replied.ok && replied.error.happened).not.toBe("no");
    // With more time it is not waited for to its end: nothing is under way any more.
    const later = await (await portTo(mockServer)).call(callOf({ timeoutMs: 50_000 }));
    expect(later).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
  });

  it("that never ends is given up after its time", async () => {
    const mockServer = await answering((_message, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(
        () => response.write(event({ jsonrpc: "2.0", method: "notifications/message", params: {} })),
        5,
      );
      response.once("close", () => clearInterval(timer));
    });
    const replied = await (await portTo(mockServer)).call(callOf({ timeoutMs: 700 }));
    expect(replied).toMatchObject({ ok: false, error: { code: "timeout" } });
  });

  it("of more bytes than one operation may have is given up", async () => {
    const mockServer = await answering((_message, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = `: ${"x".repeat(1_000_000)}\n\n`;
      const write = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    });
    const replied = await (await portTo(mockServer)).call(callOf({ timeoutMs: 50_000 }));
    expect(replied).toMatchObject({ ok: false, error: { code: "too_large" } });
  });

  it("in one piece that is larger than memory allows is given up", async () => {
    const text = "x".repeat(18_000_000);
    const mockServer = await answering(({ id }, response) => {
      const result = { resultType: "complete", content: [{ type: "text", text }] };
      sendJson(response, 200, { jsonrpc: "2.0", id, result });
    });
    expect(await (await portTo(mockServer)).call(callOf({}))).toMatchObject({ ok: false });
  });

  it.each(["2026-07-28", "2025-11-25"] as const)(
    "that breaks off is not waited for to the end of its time, %s",
    async (revision) => {
      const mockServer = await start({
        revision,
        takeOver: ({ method }, response) => {
          if (method !== "tools/call") return false;
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.write("event: message\ndata: {");
          setTimeout(() => response.destroy(), 50);
          return true;
        },
      });
      const replied = await (await portTo(mockServer)).call(callOf({ timeoutMs: 50_000 }));
      expect(replied).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
      expect(!replied.ok && replied.error.happened).not.toBe("no");
    },
  );

  it.each([
    [401, "permission_denied"],
    [403, "permission_denied"],
    [429, "rate_limited"],
    [500, "upstream_failed"],
  ])("of status %i is %s", async (status, code) => {
    const mockServer = await answering((_message, response) => sendJson(response, status, {}));
    expect(await (await portTo(mockServer)).call(callOf())).toMatchObject({ ok: false, error: { code } });
  });

  it("with an error of the server is reported as answered, in plain words", async () => {
    const mockServer = await answering(({ id }, response) =>
      sendJson(response, 200, { jsonrpc: "2.0", id, error: { code: -32603, message: "broken\u202e\u0000 here" } }),
    );
    expect(await (await portTo(mockServer)).call(callOf())).toMatchObject({
      ok: false,
      error: { code: "upstream_failed", message: expect.stringMatching(/broken here$/), cause: { kind: "answered" } },
    });
  });

  it("that asks for a model or for folders is refused", async () => {
    for (const method of ["sampling/createMessage", "roots/list"]) {
      const params = method === "roots/list" ? {} : { messages: [], maxTokens: 1 };
      const mockServer = await answering(({ id }, response) =>
        sendJson(response, 200, {
          jsonrpc: "2.0",
          id,
          result: { resultType: "input_required", inputRequests: { a: { method, params } } },
        }),
      );
      expect(await (await portTo(mockServer)).call(callOf())).toMatchObject({
        ok: false,
        error: { code: "upstream_failed" },
      });
    }
  });
});

describe("a redirect", () => {
  it.each([307, 308])("of status %i to an inward address is not followed", async (status) => {
    const inside: string[] = [];
    const victim = createServer((request, response) => {
      inside.push(request.url ?? "");
      response.end("{}");
    });
    const address = `127.0.0.1:${await listenOnLoopback(victim, 0)}`;
    closing.push(() => closeServer(victim));
    const mockServer = await answering((_message, response) => {
      response.writeHead(status, { location: `http://${address}/inside` });
      response.end();
    });
    expect(await (await portTo(mockServer)).call(callOf())).toMatchObject({ ok: false });
    expect(inside).toEqual([]);
  });
});

describe("a server that wants credentials", () => {
  const oauth = (saved: SavedAuth = {}) => ({
    grant: "client_credentials" as const,
    clientId: "otto",
    clientSecret: "canary-1c7",
    scope: null,
    store: fakeAuthStore(() => saved),
  });

  it("and rejects all of them is called a few times only, and no message contains a secret", async () => {
    const mockServer = await start({
      takeOver: ({ path, httpMethod }, response) => {
        if (path.startsWith("/token")) sendJson(response, 200, { access_token: "canary-9e2", token_type: "Bearer" });
        else if (httpMethod === "GET") sendJson(response, 404, {});
        else sendJson(response, 401, {});
        return true;
      },
    });
    const replied = await (await portTo(mockServer, { oauth: oauth() })).list("notes", signal());
    expect(replied).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    expect(JSON.stringify(replied)).not.toMatch(/canary/);
    expect(mockServer.received.length).toBeLessThan(20);
  });

  it("leads to no inward address: the URL that it names is checked like any other", async () => {
    const requests: string[] = [];
    const victim = createServer((request, response) => {
      requests.push(request.url ?? "");
      response.end("{}");
    });
    const address = `http://127.0.0.1:${await listenOnLoopback(victim, 0)}`;
    closing.push(() => closeServer(victim));
    const mockServer = await start({
      takeOver: (_message, response) => {
        response.setHeader("www-authenticate", `Bearer resource_metadata="${address}/metadata"`);
        sendJson(response, 401, {});
        return true;
      },
    });
    expect(await (await portTo(mockServer, { oauth: oauth() })).list("notes", signal())).toMatchObject({ ok: false });
    expect(requests).toEqual([]);
  });

  it("does not get the headers that belong to another server", async () => {
    const mockServer = await start({
      takeOver: ({ path }, response) => {
        response.setHeader(
          "www-authenticate",
          `Bearer resource_metadata="http://localhost:${response.req.socket.localPort}/metadata"`,
        );
        sendJson(response, path === "/metadata" ? 404 : 401, {});
        return true;
      },
    });
    const port = new URL(mockServer.url).port;
    const both = { ...mockServer, host: `${mockServer.host},localhost:${port}` };
    await (await portTo(both, { oauth: oauth(), headers: [["x-api-key", "canary-77f"]] })).list("notes", signal());
    const other = mockServer.received.filter(({ headers }) => headers["host"] === `localhost:${port}`);
    expect(other.length).toBeGreaterThan(0);
    expect(JSON.stringify(other)).not.toContain("canary-77f");
  });
});

describe("a session", () => {
  it("serves the calls of one task, and is opened again when the server has forgotten it", async () => {
    const mockServer = await start({ revision: "2025-11-25", answer: () => ({ content: [] }) });
    const mcp = await portTo(mockServer, { prior: { era: "legacy" } });
    const handshakes = () => mockServer.methods().filter((method) => method === "initialize").length;
    await mcp.call(callOf());
    await mcp.call(callOf());
    expect(handshakes()).toBe(1);
    expect(mockServer.received.at(-1)?.headers["mcp-protocol-version"]).toBe("2025-11-25");
    await mcp.call(callOf({ task: "task_2" }));
    expect(handshakes()).toBe(2);
    mockServer.forgetSessions();
    expect(await mcp.call(callOf())).toMatchObject({ ok: true });
    expect(handshakes()).toBe(3);
  });

  it("of a look at the tools is ended, and no stream is left standing", async () => {
    const mockServer = await start({ revision: "2025-06-18" });
    await (await portTo(mockServer)).list("notes", signal());
    await vi.waitFor(() => expect(mockServer.methods().at(-1)).toBe("DELETE"), SOON);
    expect(mockServer.received.filter(({ httpMethod }) => httpMethod === "GET")).toEqual([]);
  });
});

describe("a call", () => {
  it("notifies a server of the old protocol when it is given up", async () => {
    const arrived = Promise.withResolvers<void>();
    const mockServer = await start({
      revision: "2025-11-25",
      takeOver: ({ method }) => {
        if (method === "tools/call") arrived.resolve();
        return method === "tools/call";
      },
    });
    const caller = new AbortController();
    const calling = (await portTo(mockServer)).call(callOf({ signal: caller.signal }));
    await arrived.promise;
    caller.abort();
    expect((await calling).ok).toBe(false);
    await vi.waitFor(() => expect(mockServer.methods()).toContain("notifications/cancelled"), SOON);
  });

  it("ends its stream when it is given up, which notifies a server of the present protocol", async () => {
    const arrived = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const mockServer = await answering((_message, response) => {
      response.once("close", () => left.resolve());
      arrived.resolve();
    });
    const caller = new AbortController();
    const calling = (await portTo(mockServer)).call(callOf({ signal: caller.signal }));
    await arrived.promise;
    caller.abort();
    expect((await calling).ok).toBe(false);
    await left.promise;
  });

  it("carries in headers what the approved schema says, and has secrets filled into those that the tenant set only", async () => {
    const mockServer = await start({ answer: () => ({ resultType: "complete", content: [] }) });
    const input = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } };
    const key: TenantSecret = { name: "KEY", value: "value-of-key", hosts: [mockServer.host] };
    const port = await portTo(mockServer, { headers: [["x-key", "{{secret.KEY}}"]] }, [key]);
    await port.call(callOf({ input, arguments: { region: "{{secret.KEY}}" } }));
    const headers = { "mcp-method": "tools/call", "mcp-name": "echo", "x-key": "value-of-key" };
    expect(mockServer.received.at(-1)?.headers).toMatchObject({ ...headers, "mcp-param-region": "{{secret.KEY}}" });
  });
});

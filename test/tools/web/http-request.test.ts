import { describe, expect, it } from "vitest";
import type { EffectFacts } from "../../../core/tool/tool.ts";
import httpRequest from "../../../tools/web/http-request.ts";
import { fakeWeb, type OutsideReply, type OutsideRequest } from "../../fakes/web.ts";
import { runTool } from "../run-tool.ts";

/** Runs the tool against one answer; returns its result and the request that arrived. */
async function request(given: unknown, reply: OutsideReply = {}, facts: Parameters<typeof runTool>[3] = {}) {
  const received: OutsideRequest[] = [];
  const web = fakeWeb((arrived) => {
    received.push(arrived);
    return reply;
  });
  return { ran: await runTool(httpRequest, given, { web }, facts), received };
}

const URL_A = "https://api.example.com/items";

describe("http_request", () => {
  it("gives status, headers, body and duration", async () => {
    const { ran } = await request(
      { url: URL_A },
      { status: 201, headers: { "Content-Type": "text/plain", "X-Own": "yes" }, body: "done" },
    );
    expect(ran.result).toMatchObject({
      status_code: 201,
      headers: { "content-type": "text/plain", "x-own": "yes" },
      body: "done",
      body_encoding: "text",
      truncated: false,
      url: URL_A,
    });
    expect((ran.result as { duration_ms: number }).duration_ms).toBeGreaterThanOrEqual(0);
    expect(ran.output).toBe("HTTP 201, text/plain\n\ndone");
  });

  it("gives an error status as a result, for the model to judge", async () => {
    expect((await request({ url: URL_A }, { status: 500, body: "oops" })).ran.result).toMatchObject({
      status_code: 500,
      body: "oops",
    });
  });

  it("is cautious and repeats freely for GET and HEAD, and is dangerous for all else", () => {
    const facts: EffectFacts = { idempotentHosts: [], skills: [], mailKeyedForMs: 86_400_000 };
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const given = { method, url: URL_A } as never;
      const reads = method === "GET" || method === "HEAD";
      expect([method, (httpRequest.security as (...of: unknown[]) => string)(given, facts)]).toEqual([
        method,
        reads ? "cautious" : "dangerous",
      ]);
      expect([method, (httpRequest.effect as (...of: unknown[]) => string)(given, facts)]).toEqual([
        method,
        reads ? "none" : "once",
      ]);
    }
  });

  it.each([
    ["api.example.com", "keyed"],
    ["API.example.com", "keyed"],
    ["*.example.com", "keyed"],
    ["*", "keyed"],
    ["api.example.com:443", "keyed"],
    ["api.example.com:8443", "once"],
    ["example.com", "once"],
    ["evilapi.example.com", "once"],
    ["api.example.com.evil.net", "once"],
  ])("with %s among the idempotent hosts, a POST there is %s", (host, effect) => {
    const given = { method: "POST", url: URL_A } as never;
    expect((httpRequest.effect as (...of: unknown[]) => string)(given, { idempotentHosts: [host] })).toBe(effect);
  });

  it("sends the call's key with everything but GET and HEAD, whatever the caller says", async () => {
    const headers = { "idempotency-KEY": "mine" };
    const { received } = await request({ url: URL_A, method: "POST", headers }, {}, { key: "call_7" });
    expect(received[0]?.headers["idempotency-key"]).toBe("call_7");
    expect(
      (await request({ url: URL_A }, {}, { key: "call_7" })).received[0]?.headers["idempotency-key"],
    ).toBeUndefined();
  });

  it.each([
    ["text", "plain", "plain", "text/plain; charset=utf-8"],
    ["a map", { a: [1, "ü"] }, '{"a":[1,"ü"]}', "application/json"],
    ["a list", [1, 2], "[1,2]", "application/json"],
  ])("sends a body that is %s", async (_, body, sent, type) => {
    const { received } = await request({ url: URL_A, method: "POST", body });
    expect(received[0]).toMatchObject({ body: sent });
    expect(received[0]?.headers["content-type"]).toBe(type);
  });

  it("retains the caller's content type", async () => {
    const { received } = await request({
      url: URL_A,
      method: "PUT",
      body: "<a/>",
      headers: { "Content-Type": "application/xml" },
    });
    expect(received[0]?.headers["content-type"]).toBe("application/xml");
  });

  it("cuts a body at 1 MB and says so", async () => {
    const { ran } = await request(
      { url: URL_A },
      { headers: { "content-type": "text/plain" }, body: "é".repeat(600_000) },
    );
    const { body, truncated } = ran.result as { body: string; truncated: boolean };
    expect(truncated).toBe(true);
    expect(body).toBe("é".repeat(524_288));
    expect(ran.output).toMatch(/\[cut at 1 MB\]$/);
  });

  it.each([
    ["binary by type", "image/png", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 255]), "iVBORwD/", "base64"],
    ["binary of no type", undefined, new Uint8Array([0, 1, 2]), "AAEC", "base64"],
    ["text of no type", undefined, new TextEncoder().encode("höi"), "höi", "text"],
    ["JSON", "application/problem+json", new TextEncoder().encode("{}"), "{}", "text"],
    ["Latin-1", "text/html; charset=ISO-8859-1", new Uint8Array([0xe4]), "ä", "text"],
    ["text of a charset that nobody knows", "text/plain; charset=nope", new TextEncoder().encode("ä"), "ä", "text"],
    ["broken UTF-8", "text/plain", new Uint8Array([0x61, 0xff, 0x62]), "a\uFFFDb", "text"],
    ["nothing", "image/png", new Uint8Array(), "", "text"],
  ])("reads a body that is %s", async (_, type, bytes, body, body_encoding) => {
    const headers = type === undefined ? {} : { "content-type": type };
    expect((await request({ url: URL_A }, { headers, body: bytes })).ran.result).toMatchObject({ body, body_encoding });
  });

  it("shows how large a binary body is, and not the body", async () => {
    const { ran } = await request(
      { url: URL_A },
      { headers: { "content-type": "image/png" }, body: new Uint8Array([0, 255, 254, 0]) },
    );
    expect(ran.output).toBe("HTTP 200, image/png\n\n[binary, 4 bytes]");
  });

  it.each([
    ["no URL", {}, "url"],
    ["an unknown method", { url: URL_A, method: "TRACE" }, "method"],
    ["a body with GET", { url: URL_A, body: "x" }, "body"],
    ["a timeout over 120 seconds", { url: URL_A, timeout: 121 }, "timeout"],
    ["a timeout of zero", { url: URL_A, timeout: 0 }, "timeout"],
    ["a header that is no token", { url: URL_A, headers: { "a b": "x" } }, "headers"],
    ["a header with a line end", { url: URL_A, headers: { a: "x\r\nHost: evil" } }, "headers"],
    ["a header beyond Latin-1", { url: URL_A, headers: { a: "語" } }, "headers"],
    ["the Host header", { url: URL_A, headers: { Host: "evil" } }, "headers"],
    ["a header of the connection", { url: URL_A, headers: { "Transfer-Encoding": "chunked" } }, "headers"],
    ["a header of a proxy", { url: URL_A, headers: { "Proxy-Authorization": "x" } }, "headers"],
    ["one header twice", { url: URL_A, headers: { a: "1", A: "2" } }, "headers"],
    [
      "too many headers",
      { url: URL_A, headers: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`h${i}`, "x"])) },
      "headers",
    ],
    ["headers that are too long", { url: URL_A, headers: { a: "x".repeat(16_385) } }, "headers"],
    ["a header that is a number", { url: URL_A, headers: { a: 1 } }, "headers.a"],
    ["a text that is no URL", { url: "nowhere" }, "url"],
  ])("refuses %s and sends nothing", async (_, given, field) => {
    const { ran, received } = await request(given);
    expect(ran.failure).toMatchObject({ code: "invalid_input", field });
    expect(received).toEqual([]);
  });

  it("is blocked from places that are not public, and from hosts that the agent does not list", async () => {
    expect((await request({ url: "http://169.254.169.254/" })).ran.failure).toMatchObject({
      code: "blocked_by_policy",
    });
    const listed = { allowedDomains: ["example.com", "*.example.org"] };
    expect((await request({ url: URL_A }, {}, listed)).ran.failure).toMatchObject({ code: "blocked_by_policy" });
    expect((await request({ url: "https://example.org/" }, {}, listed)).ran.failure).toMatchObject({
      code: "blocked_by_policy",
    });
    expect((await request({ url: "https://a.example.org/" }, {}, listed)).ran.result).toMatchObject({
      status_code: 200,
    });
    expect((await request({ url: "https://EXAMPLE.com./" }, {}, listed)).ran.result).toMatchObject({
      status_code: 200,
    });
  });

  it("gives the gateway more time than the request itself may take", () => {
    const timeoutMs = httpRequest.timeoutMs as (given: never) => number;
    expect(timeoutMs({ timeout: 120 } as never)).toBeGreaterThan(120_000);
  });
});

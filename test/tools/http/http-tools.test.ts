import { describe, expect, it } from "vitest";
import { MAX_REPLY_BYTES } from "../../../core/web/exchange.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import httpGet from "../../../tools/http/get.ts";
import httpPost from "../../../tools/http/post.ts";
import httpRequest from "../../../tools/web/http-request.ts";
import { fakeSecrets } from "../../fakes/secrets.ts";
import { fakeWeb, type OutsideReply, type OutsideRequest } from "../../fakes/web.ts";
import { runTool } from "../run-tool.ts";

const URL_A = "https://api.example.com/items";
const KEY = "canary-value-of-KEY";

/** Runs a tool against one answer; returns its result and the request that arrived. */
async function call(
  tool: Tool,
  given: object,
  reply: (request: OutsideRequest) => OutsideReply = () => ({}),
  facts: Parameters<typeof runTool>[3] = {},
) {
  const received: OutsideRequest[] = [];
  const secrets = fakeSecrets([{ name: "KEY", value: KEY, hosts: ["api.example.com"] }]);
  const web = fakeWeb(
    (arrived) => {
      received.push(arrived);
      return reply(arrived);
    },
    "",
    secrets,
  );
  return { ran: await runTool(tool, { url: URL_A, ...given }, { web }, facts), received };
}

describe("http.get", () => {
  it("gives status, headers, body and the time that it took", async () => {
    const { ran, received } = await call(httpGet, { headers: { "X-Mine": "yes" } }, () => ({
      status: 203,
      headers: { "Content-Type": "text/plain" },
      body: "done",
    }));
    expect(ran.result).toMatchObject({
      status: 203,
      headers: { "content-type": "text/plain" },
      body: "done",
      body_encoding: "text",
      truncated: false,
      url: URL_A,
    });
    expect((ran.result as { response_time_ms: number }).response_time_ms).toBeGreaterThanOrEqual(0);
    expect(ran.output).toBe("HTTP 203, text/plain\n\ndone");
    expect(received[0]).toMatchObject({ method: "GET", headers: { "x-mine": "yes" } });
  });

  it("follows redirects by default", async () => {
    const reply = ({ url }: OutsideRequest) =>
      url.endsWith("/items") ? { status: 302, headers: { location: "/there" } } : { body: "there" };
    expect((await call(httpGet, {}, reply)).ran.result).toMatchObject({
      status: 200,
      url: "https://api.example.com/there",
    });
    const { ran, received } = await call(httpGet, { follow_redirects: false }, reply);
    expect(ran.result).toMatchObject({ status: 302, headers: { location: "/there" } });
    expect(ran.output).toContain("Location: /there");
    expect(received).toHaveLength(1);
  });

  it("gives up after its time", async () => {
    const { ran } = await call(httpGet, { timeout_ms: 50 }, () => ({ fault: "hang" }));
    expect(ran.failure).toMatchObject({ code: "timeout" });
  });

  it("is cautious and repeats freely", () => {
    expect([httpGet.security, httpGet.permissions]).toEqual(["cautious", ["network"]]);
    expect((httpGet.effect as (...of: unknown[]) => string)({ url: URL_A }, {})).toBe("none");
  });
});

describe("http.post", () => {
  it.each([
    ["a map", { body: { a: [1, "ü"], b: null } }, '{"a":[1,"ü"],"b":null}', "application/json"],
    ["text", { body: '{"a":1}' }, '{"a":1}', "application/json"],
    [
      "a map as a form",
      {
        body: { a: "x y&z", b: 2, c: true, d: null, e: ["1", "2"] },
        content_type: "application/x-www-form-urlencoded",
      },
      "a=x+y%26z&b=2&c=true&d=&e=1&e=2",
      "application/x-www-form-urlencoded",
    ],
    ["text of another type", { body: "<a/>", content_type: "application/xml" }, "<a/>", "application/xml"],
    [
      "a map as JSON of a kind",
      { body: { a: 1 }, content_type: "application/ld+json; charset=utf-8" },
      '{"a":1}',
      "application/ld+json; charset=utf-8",
    ],
    [
      "a map, by the header's content type",
      { body: { a: "1" }, headers: { "Content-Type": "application/x-www-form-urlencoded" } },
      "a=1",
      "application/x-www-form-urlencoded",
    ],
  ])("sends %s", async (_, given, body, type) => {
    const { ran, received } = await call(httpPost, given, () => ({ status: 201 }), { key: "call_7" });
    expect(ran.result).toMatchObject({ status: 201 });
    expect(received[0]).toMatchObject({ method: "POST", body });
    expect(received[0]?.headers).toMatchObject({ "content-type": type, "idempotency-key": "call_7" });
  });

  it.each([
    ["no body", {}, "body"],
    ["a list", { body: [1] }, "body"],
    ["a map as plain text", { body: { a: 1 }, content_type: "text/plain" }, "body"],
    ["a form with a map in it", { body: { a: { b: 1 } }, content_type: "application/x-www-form-urlencoded" }, "body"],
    ["a content type with a line end", { body: "x", content_type: "a\r\nb: c" }, "content_type"],
    ["an empty content type", { body: "x", content_type: "" }, "content_type"],
  ])("refuses %s and sends nothing", async (_, given, field) => {
    const { ran, received } = await call(httpPost, given);
    expect(ran.failure).toMatchObject({ code: "invalid_input", field });
    expect(received).toEqual([]);
  });

  it("is dangerous, happens once, and at the agent's idempotent hosts as often as it must", () => {
    const effect = httpPost.effect as (given: unknown, facts: unknown) => string;
    expect([httpPost.security, httpPost.permissions]).toEqual(["dangerous", ["network"]]);
    expect(effect({ url: URL_A }, { idempotentHosts: [] })).toBe("once");
    expect(effect({ url: URL_A }, { idempotentHosts: ["api.example.com"] })).toBe("keyed");
    expect(effect({ url: "no url" }, { idempotentHosts: ["*"] })).toBe("once");
    const keyedForMs = httpPost.keyedForMs as (given: unknown, facts: unknown) => number;
    const stated = [{ host: "api.example.com", keyed_for_s: 7200 }];
    expect(effect({ url: URL_A }, { idempotentHosts: stated })).toBe("keyed");
    expect(keyedForMs({ url: URL_A }, { idempotentHosts: stated })).toBe(7_200_000);
    expect(keyedForMs({ url: URL_A }, { idempotentHosts: ["*"] })).toBe(1_800_000);
  });
});

describe.each([
  ["http.get", httpGet, {}, "timeout_ms"],
  ["http.post", httpPost, { body: "x" }, "timeout_ms"],
  ["http_request", httpRequest, {}, "timeout"],
] as const)("%s", (_, tool, needed, timeout) => {
  it("cuts a body at 1 MB and says so", async () => {
    const body = "x".repeat(MAX_REPLY_BYTES + 1);
    const { ran } = await call(tool, needed, () => ({ headers: { "content-type": "text/plain" }, body }));
    const result = ran.result as { body: string; truncated: boolean };
    expect([result.body.length, result.truncated]).toEqual([1_048_576, true]);
    expect(ran.output).toMatch(/\[cut at 1 MB\]$/);
  });

  it("takes up to 120 seconds, and allows the gateway more", async () => {
    const most = timeout === "timeout" ? 120 : 120_000;
    const limit = tool.timeoutMs as (given: never) => number;
    expect(limit({ [timeout]: most } as never)).toBeGreaterThan(120_000);
    for (const wrong of [0, most + 1, 1.5, "ten"]) {
      expect((await call(tool, { ...needed, [timeout]: wrong })).ran.failure).toMatchObject({
        code: "invalid_input",
        field: timeout,
      });
    }
  });

  it.each([
    ["headers of the connection", { headers: { Host: "evil.example" } }, "headers"],
    ["a header with a line end", { headers: { a: "x\r\nb: c" } }, "headers"],
    ["a text that is no URL", { url: "nowhere" }, "url"],
    ["an empty URL", { url: "" }, "url"],
  ])("refuses %s and sends nothing", async (_what, given, field) => {
    const { ran, received } = await call(tool, { ...needed, ...given });
    expect(ran.failure).toMatchObject({ code: "invalid_input", field });
    expect(received).toEqual([]);
  });

  it("reaches only hosts of the agent's list, and without a list only those that the operator opened", async () => {
    for (const allowedDomains of [[], ["example.com"], ["*.api.example.com"]]) {
      const { ran, received } = await call(tool, needed, undefined, { allowedDomains });
      expect(ran.failure).toMatchObject({ code: "blocked_by_policy", field: "url" });
      expect(ran.failure?.message).toMatch(/api\.example\.com is not on this agent's list of allowed domains/);
      expect(received).toEqual([]);
    }
    for (const allowedDomains of [["*"], ["*.example.com"], ["api.example.com:443"]]) {
      expect((await call(tool, needed, undefined, { allowedDomains })).received).toHaveLength(1);
    }
    expect((await call(tool, { ...needed, url: "http://169.254.169.254/" })).ran.failure).toMatchObject({
      code: "blocked_by_policy",
    });
  });

  it("sends a secret and shows a reference, in what a server gives back and in what goes wrong", async () => {
    const given = { ...needed, url: `${URL_A}?k={{secret.KEY}}`, headers: { authorization: "Bearer {{secret.KEY}}" } };
    const echo = ({ url, headers }: OutsideRequest) => ({ body: JSON.stringify({ url, headers }) });
    const { ran, received } = await call(tool, given, echo);
    expect(received[0]?.headers["authorization"]).toBe(`Bearer ${KEY}`);
    expect(received[0]?.url).toBe(`${URL_A}?k=${KEY}`);
    expect(JSON.stringify(ran)).toContain("Bearer {{secret.KEY}}");
    expect(JSON.stringify(ran)).not.toContain(KEY);
    const cut = await call(tool, given, () => ({ fault: "cut" }));
    expect(cut.ran.failure).toBeDefined();
    expect(JSON.stringify(cut.ran)).not.toContain(KEY);
    const away = await call(tool, { ...given, url: "https://other.example.com/" });
    expect(away.ran.failure).toMatchObject({ code: "blocked_by_policy", field: "headers" });
    expect(away.received).toEqual([]);
  });
});

/** Secrets in a request with a streamed reply: where they are filled in, and that none comes back. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactBody } from "../../../adapters/egress/redact-body.ts";
import type { WebStreamRequest } from "../../../core/ports/web.ts";
import type { TenantSecret } from "../../../core/ports/secrets.ts";
import { createRedactor } from "../../../core/web/redact-secrets.ts";
import { fakeSecrets } from "../../fakes/secrets.ts";
import { fakeWeb, type OutsideReply, type OutsideRequest } from "../../fakes/web.ts";

const SECRET: TenantSecret = { name: "TOKEN", hosts: ["mcp.example:8080"], value: "canary-4b1d" };
const ALLOW = "mcp.example:8080,other.example:8080";

function ask(url: string, more: Partial<WebStreamRequest> = {}): WebStreamRequest {
  return {
    method: "POST",
    url,
    headers: [["mcp-session-id", "{{secret.TOKEN}}"]],
    secretHeaders: [["authorization", "Bearer {{secret.TOKEN}}"]],
    body: new TextEncoder().encode('{"text":"{{secret.TOKEN}}"}'),
    timeoutMs: 1_000,
    maxBytes: 100_000,
    followRedirects: false,
    allowedDomains: ["*"],
    signal: new AbortController().signal,
    ...more,
  };
}

function web(reply: OutsideReply) {
  const received: OutsideRequest[] = [];
  const port = fakeWeb(
    (request) => {
      received.push(request);
      return reply;
    },
    ALLOW,
    fakeSecrets([SECRET]),
  );
  return { port, received };
}

describe("an opened request", () => {
  it("has secrets filled into its headers, and not into strangers' text: other headers and the body", async () => {
    const { port, received } = web({ body: "ok" });
    expect((await port.open(ask("http://mcp.example:8080/mcp"))).ok).toBe(true);
    expect(received[0]?.headers["authorization"]).toBe("Bearer canary-4b1d");
    expect(received[0]?.headers["mcp-session-id"]).toBe("{{secret.TOKEN}}");
    expect(received[0]?.body).toBe('{"text":"{{secret.TOKEN}}"}');
  });

  it("carries a secret only to its bound hosts, and fills no secret into a URL", async () => {
    const { port, received } = web({ body: "ok" });
    expect(await port.open(ask("http://other.example:8080/mcp"))).toMatchObject({
      ok: false,
      error: { code: "blocked_by_policy", happened: "no" },
    });
    const stray = ask("http://other.example:8080/?a=canary-4b1d", { secretHeaders: [] });
    expect(await port.open(stray)).toMatchObject({ ok: false, error: { code: "blocked_by_policy" } });
    expect(received).toEqual([]);
    await port.open(ask("http://mcp.example:8080/{{secret.TOKEN}}", { secretHeaders: [] }));
    expect(received[0]?.url).not.toContain("canary");
  });

  it("returns no value, in headers or in the body", async () => {
    const events = `event: message\ndata: {"said":"canary-4b1d"}\n\ndata: ${btoa("canary-4b1d")}\n\n`;
    const { port } = web({ headers: { "x-echo": "canary-4b1d" }, body: events });
    const opened = await port.open(ask("http://mcp.example:8080/mcp"));
    if (!opened.ok) throw new Error(opened.error.message);
    const text = await new Response(opened.value.body).text();
    expect(text + JSON.stringify(opened.value.headers)).not.toMatch(/canary|Y2FuYXJ5/);
    expect(text).toContain("{{secret.TOKEN}}");
  });
});

/** A body that arrives in pieces of 64 KB. */
function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 65_536) controller.enqueue(bytes.subarray(at, at + 65_536));
      controller.close();
    },
  });
}

describe("a body that is searched as it arrives", () => {
  const redactor = createRedactor([{ name: "TOKEN", value: "canary-4b1d" }]);
  const through = (pieces: readonly Uint8Array[], maxBytes = 1_000_000) =>
    new Response(
      redactBody(
        new ReadableStream({
          start(controller) {
            for (const piece of pieces) controller.enqueue(piece);
            controller.close();
          },
        }),
        redactor,
        maxBytes,
      ),
    ).text();

  it("is the same wherever it is cut, without the value", async () => {
    const part = fc.constantFrom("data: canary-4b1d", "\n", "\r\n", "\n\n", "grüße", "x".repeat(50));
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 20 }),
        fc.array(fc.nat(400), { maxLength: 8 }),
        async (parts, cuts) => {
          const bytes = new TextEncoder().encode(parts.join(""));
          const places = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
          const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
          expect(await through(pieces)).toBe(parts.join("").replaceAll("canary-4b1d", "{{secret.TOKEN}}"));
        },
      ),
    );
  });

  it("passes on an event as soon as it is complete", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const reader = redactBody(readable, redactor, 1_000).getReader();
    void writer.write(new TextEncoder().encode("data: one\r\n\r\ndata: t"));
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("data: one\r\n\r\n");
    await writer.abort();
  });

  it("is released in slices without the longest value in its longest spelling", async () => {
    const value = Array.from({ length: 4_096 }, (_, at) =>
      String.fromCharCode(0x61 + ((at * 7 + (at >> 5)) % 26)),
    ).join("");
    const spelled = Array.from(value, (letter) => `&#x000000${letter.charCodeAt(0).toString(16)};`).join("");
    const longest = createRedactor([{ name: "LONG", value }]);
    for (let before = 520_000; before < 590_000; before += 10_000) {
      const bytes = new TextEncoder().encode(`${"-".repeat(before)}${spelled}${"-".repeat(600_000)}`);
      const text = await new Response(redactBody(inPieces(bytes), longest, 10_000_000)).text();
      expect([before, text.replaceAll("-", "")]).toEqual([before, "{{secret.LONG}}"]);
    }
  });

  it("is released in slices when a paragraph is long, without a value that crosses the end of a slice", async () => {
    const searched: number[] = [];
    const noting = {
      ...redactor,
      bytes: (bytes: Uint8Array) => redactor.bytes(bytes),
      cut(bytes: Uint8Array, margin: number) {
        searched.push(bytes.length);
        return redactor.cut(bytes, margin);
      },
    };
    const slice = 524_288;
    for (const before of [slice - 5, slice + 20_000, slice + 24_570]) {
      const bytes = new TextEncoder().encode(`${"x".repeat(before)}canary-4b1d${"y".repeat(3 * slice)}`);
      const body = redactBody(new Blob([bytes]).stream(), noting, 10_000_000);
      expect(await new Response(body).text()).toBe(`${"x".repeat(before)}{{secret.TOKEN}}${"y".repeat(3 * slice)}`);
    }
    expect(searched.length).toBeGreaterThanOrEqual(6);
    expect(Math.max(...searched)).toBeLessThan(2.2 * slice);
  });

  it("fails beyond its limit", async () => {
    await expect(through([new Uint8Array(600), new Uint8Array(600)], 1_000)).rejects.toThrow(/more than 1000/);
  });
});

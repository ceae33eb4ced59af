/** What every `WebPort` does. The suite's outside is one host that answers by a function and writes down what it got. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WebPort, WebRequest } from "../../../core/ports/web.ts";
import type { OutsideReply, OutsideRequest } from "../../fakes/web.ts";

/** A port, and an outside that it may reach at `hosts` (two names or ports of one loopback listener). */
export interface WebUnderTest {
  readonly web: WebPort;
  readonly hosts: readonly [string, string];
  /** Sets what the outside answers. */
  answer(reply: (request: OutsideRequest) => OutsideReply): void;
  readonly received: readonly OutsideRequest[];
  close(): Promise<void>;
}

export function ask(url: string, more: Partial<WebRequest> = {}): WebRequest {
  return {
    method: "GET",
    url,
    headers: [],
    body: null,
    timeoutMs: 20_000,
    maxBytes: 100_000,
    followRedirects: true,
    allowedDomains: ["*"],
    signal: new AbortController().signal,
    ...more,
  };
}

const post = (url: string, more: Partial<WebRequest> = {}): WebRequest =>
  ask(url, {
    method: "POST",
    headers: [
      ["content-type", "text/plain"],
      ["idempotency-key", "call_1"],
      ["authorization", "Bearer secret"],
      ["x-api-key", "secret"],
      ["accept", "text/plain"],
    ],
    body: new TextEncoder().encode("the body"),
    ...more,
  });

export function webContract(name: string, open: () => Promise<WebUnderTest>): void {
  describe(`web: ${name}`, () => {
    let outside: WebUnderTest;
    let base: string;
    let other: string;

    beforeEach(async () => {
      outside = await open();
      [base, other] = outside.hosts.map((host) => `http://${host}`) as [string, string];
    });
    afterEach(() => outside.close());

    const paths = () => outside.received.map(({ method, url }) => `${method} ${new URL(url).pathname}`);

    it("hands over status, headers and body, whatever the status is", async () => {
      outside.answer(() => ({ status: 404, headers: { "x-own": "yes" }, body: "nothing here" }));
      const reply = await outside.web.request(ask(`${base}/a?b=c`));
      expect(reply).toMatchObject({ ok: true, value: { status: 404, truncated: false, url: `${base}/a?b=c` } });
      if (!reply.ok) return;
      expect(new TextDecoder().decode(reply.value.body)).toBe("nothing here");
      expect(reply.value.headers.map(([key, value]) => [key.toLowerCase(), value])).toContainEqual(["x-own", "yes"]);
      expect(reply.value.durationMs).toBeGreaterThanOrEqual(0);
    });

    it("sends method, headers and body as they are given", async () => {
      outside.answer(() => ({ body: "ok" }));
      await outside.web.request(post(`${base}/in?x=1`));
      expect(outside.received).toHaveLength(1);
      expect(outside.received[0]).toMatchObject({ method: "POST", body: "the body" });
      expect(outside.received[0]?.url).toMatch(/\/in\?x=1$/);
      expect(outside.received[0]?.headers).toMatchObject({ "x-api-key": "secret", "idempotency-key": "call_1" });
    });

    it("gives the headers of a HEAD request and no body", async () => {
      outside.answer(() => ({ headers: { "x-own": "yes" }, body: "unseen" }));
      const reply = await outside.web.request(ask(`${base}/`, { method: "HEAD" }));
      expect(reply.ok && reply.value.body.length).toBe(0);
    });

    it("cuts a body at the limit and says so", async () => {
      outside.answer(() => ({ body: "x".repeat(5_000) }));
      const cut = await outside.web.request(ask(`${base}/`, { maxBytes: 1_000 }));
      expect(cut.ok && [cut.value.body.length, cut.value.truncated]).toEqual([1_000, true]);
      const complete = await outside.web.request(ask(`${base}/`, { maxBytes: 5_000 }));
      expect(complete.ok && [complete.value.body.length, complete.value.truncated]).toEqual([5_000, false]);
    });

    it("gives up after its time, with an unknown outcome", async () => {
      outside.answer(() => ({ fault: "hang" }));
      // So long that the request is at the outside by then.
      const reply = await outside.web.request(post(`${base}/`, { timeoutMs: 2_000 }));
      expect(reply).toMatchObject({ ok: false, error: { code: "timeout" } });
      expect(!reply.ok && reply.error.happened).not.toBe("no");
    });

    it("gives up when the caller does, long before its time", async () => {
      outside.answer(() => ({ fault: "hang" }));
      const caller = new AbortController();
      const pending = outside.web.request(ask(`${base}/`, { signal: caller.signal, timeoutMs: 100_000 }));
      setTimeout(() => caller.abort(), 100);
      expect((await pending).ok).toBe(false);
    }, 20_000);

    it("reports a connection that ends before a reply, and cannot say that nothing was sent", async () => {
      outside.answer(() => ({ fault: "cut" }));
      const reply = await outside.web.request(post(`${base}/`));
      expect(reply).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
      expect(!reply.ok && reply.error.happened).not.toBe("no");
    });

    it.each([
      "http://127.0.0.1:1/",
      "http://127.1/",
      "http://2130706433/",
      "http://0x7f.1/",
      "http://10.0.0.1/",
      "http://169.254.169.254/latest/meta-data/",
      "http://[::1]/",
      "http://[::ffff:127.0.0.1]/",
      "http://[::127.0.0.1]/",
      "http://localhost/",
      "http://metadata.google.internal/",
      "https://example.com:8443/",
      "ftp://example.com/",
      "file:///etc/passwd",
      "http://user:pass@example.com/",
    ])("sends nothing to %s", async (url) => {
      const reply = await outside.web.request(ask(url));
      expect(reply).toMatchObject({ ok: false, error: { code: "blocked_by_policy", happened: "no" } });
      expect(outside.received).toEqual([]);
    });

    it("calls a text that is no URL invalid", async () => {
      const reply = await outside.web.request(ask("not a url"));
      expect(reply).toMatchObject({
        ok: false,
        error: { code: "invalid_input", field: "url", happened: "no" },
      });
    });

    it("reaches only hosts on the agent's list, also after a redirect", async () => {
      outside.answer(({ url }) =>
        url.endsWith("/go") ? { status: 302, headers: { location: `${other}/there` } } : {},
      );
      const [host] = outside.hosts;
      const none = await outside.web.request(ask(`${base}/`, { allowedDomains: ["example.com"] }));
      expect(none).toMatchObject({ ok: false, error: { code: "blocked_by_policy", happened: "no" } });
      expect(outside.received).toEqual([]);
      const away = await outside.web.request(ask(`${base}/go`, { allowedDomains: [host] }));
      expect(away).toMatchObject({ ok: false, error: { code: "blocked_by_policy", happened: "unknown" } });
      expect(paths()).toEqual(["GET /go"]);
      expect((await outside.web.request(ask(`${base}/`, { allowedDomains: ["*"] }))).ok).toBe(true);
    });

    it.each<[string, string, [string, string][]]>([
      ["GET", "/", [["X-HTTP-Method-Override", "DELETE"]]],
      ["GET", "/", [["x_http_method_override", "GET"]]],
      ["HEAD", "/", [["x-http-method", "PUT"]]],
      ["GET", "/", [["X-Method-Override", "POST"]]],
      ["GET", "/?a=1&_method=delete", []],
      ["GET", "/?x-http-method-override=DELETE", []],
    ])("refuses a %s of %s with %j, which asks for another method", async (method, path, headers) => {
      const refused = { code: "blocked_by_policy", happened: "no" };
      expect(await outside.web.request(ask(`${base}${path}`, { method, headers }))).toMatchObject({
        ok: false,
        error: { ...refused, field: headers.length > 0 ? "headers" : "url" },
      });
      outside.answer(() => ({ status: 302, headers: { location: "/?_method=DELETE" } }));
      const redirected = await outside.web.request(ask(`${base}/go`));
      expect(redirected).toMatchObject({ ok: false, error: { code: "blocked_by_policy" } });
      expect(paths()).toEqual(["GET /go"]);
    });

    it("lets a POST name another method, and a GET its own", async () => {
      await outside.web.request(post(`${base}/a`, { headers: [["x-http-method-override", "PUT"]] }));
      await outside.web.request(ask(`${base}/b?_method=get`));
      expect(paths()).toEqual(["POST /a", "GET /b"]);
    });

    it("returns a redirect to another host when the request stays on its host", async () => {
      outside.answer(({ url }) =>
        url.endsWith("/go")
          ? { status: 302, headers: { location: "/on" } }
          : url.endsWith("/on")
            ? { status: 307, headers: { location: `${other}/there` } }
            : {},
      );
      const reply = await outside.web.request(ask(`${base}/go`, { staysOnHost: true }));
      expect(reply).toMatchObject({ ok: true, value: { status: 307 } });
      expect(paths()).toEqual(["GET /go", "GET /on"]);
      const named = { staysOnHost: true, allowedDomains: ["*", outside.hosts[1]] };
      expect(await outside.web.request(ask(`${base}/go`, named))).toMatchObject({ ok: true, value: { status: 200 } });
    });

    it("puts no query of a URL into a message", async () => {
      outside.answer(() => ({ fault: "cut" }));
      for (const url of [`${base}/p?token=s3cret`, "http://10.0.0.1/?token=s3cret"]) {
        expect(JSON.stringify(await outside.web.request(ask(url)))).not.toContain("s3cret");
      }
    });

    describe("an opened reply", () => {
      const read = async (body: ReadableStream<Uint8Array>) => await new Response(body).text();

      it("has status and headers at once, and its body comes", async () => {
        outside.answer(() => ({ status: 500, headers: { "x-own": "yes" }, body: "a long body" }));
        const reply = await outside.web.open(post(`${base}/in`));
        expect(reply).toMatchObject({ ok: true, value: { status: 500 } });
        if (!reply.ok) return;
        expect(reply.value.headers.map(([key, value]) => [key.toLowerCase(), value])).toContainEqual(["x-own", "yes"]);
        expect(await read(reply.value.body)).toBe("a long body");
        expect(outside.received[0]).toMatchObject({ method: "POST", body: "the body" });
      });

      it("breaks off beyond its limit, and is never reported as complete", async () => {
        outside.answer(() => ({ body: "x".repeat(5_000) }));
        const cut = await outside.web.open(ask(`${base}/`, { maxBytes: 1_000 }));
        expect(cut.ok).toBe(true);
        if (cut.ok) await expect(read(cut.value.body)).rejects.toThrow(Error);
        const complete = await outside.web.open(ask(`${base}/`, { maxBytes: 5_000 }));
        expect(complete.ok && (await read(complete.value.body)).length).toBe(5_000);
      });

      it("is not followed when it is a redirect", async () => {
        outside.answer(() => ({ status: 302, headers: { location: "/there" } }));
        expect(await outside.web.open(ask(`${base}/`))).toMatchObject({ ok: true, value: { status: 302 } });
        expect(outside.received).toHaveLength(1);
      });

      it("is sent to public and listed addresses only", async () => {
        for (const url of ["http://10.0.0.1/", "http://localhost/", "not a url"]) {
          expect(await outside.web.open(ask(url))).toMatchObject({ ok: false, error: { happened: "no" } });
        }
        const listed = await outside.web.open(ask(`${base}/`, { allowedDomains: ["example.com"] }));
        expect(listed).toMatchObject({ ok: false, error: { code: "blocked_by_policy" } });
        expect(outside.received).toEqual([]);
      });

      it("is given up after its time", async () => {
        outside.answer(() => ({ fault: "hang" }));
        expect(await outside.web.open(post(`${base}/`, { timeoutMs: 300 }))).toMatchObject({
          ok: false,
          error: { code: "timeout" },
        });
      });
    });

    describe("redirects", () => {
      it("are followed to the end, and the final URL is returned", async () => {
        outside.answer(({ url }) =>
          url.endsWith("/end") ? { body: "end" } : { status: 301, headers: { location: "/end" } },
        );
        const reply = await outside.web.request(ask(`${base}/start`));
        expect(reply).toMatchObject({ ok: true, value: { status: 200, url: `${base}/end` } });
      });

      it("are handed over when the caller wants that", async () => {
        outside.answer(() => ({ status: 301, headers: { location: "/end" } }));
        const reply = await outside.web.request(ask(`${base}/start`, { followRedirects: false }));
        expect(reply).toMatchObject({ ok: true, value: { status: 301 } });
        expect(outside.received).toHaveLength(1);
      });

      it("end after five", async () => {
        outside.answer(() => ({ status: 302, headers: { location: "/again" } }));
        expect(await outside.web.request(ask(`${base}/`))).toMatchObject({
          ok: false,
          error: { code: "upstream_failed" },
        });
        expect(outside.received).toHaveLength(6);
      });

      it.each([
        "http://127.0.0.1:1/",
        "http://169.254.169.254/",
        "http://[::ffff:10.0.0.1]/",
        "//localhost/",
        "file:///etc/passwd",
      ])("do not lead to %s", async (location) => {
        outside.answer(() => ({ status: 302, headers: { location } }));
        const reply = await outside.web.request(ask(`${base}/`));
        expect(reply).toMatchObject({ ok: false, error: { code: "blocked_by_policy" } });
        expect(outside.received).toHaveLength(1);
      });

      it("turn POST into GET without body and its headers on 301, 302 and 303", async () => {
        for (const status of [301, 302, 303]) {
          outside.answer(({ method }) =>
            method === "POST" ? { status, headers: { location: "/seen" } } : { body: "seen" },
          );
          expect(await outside.web.request(post(`${base}/`))).toMatchObject({ ok: true, value: { status: 200 } });
          const last = outside.received.at(-1);
          expect(last).toMatchObject({ method: "GET", body: "" });
          expect(last?.headers).toMatchObject({ authorization: "Bearer secret", accept: "text/plain" });
          expect(Object.keys(last?.headers ?? {})).not.toEqual(expect.arrayContaining(["idempotency-key"]));
          expect(last?.headers["content-type"]).toBeUndefined();
        }
      });

      it("retain method and body on 307 and 308 at the same origin", async () => {
        for (const status of [307, 308]) {
          outside.answer(({ url }) => (url.endsWith("/seen") ? {} : { status, headers: { location: "/seen" } }));
          await outside.web.request(post(`${base}/`));
          expect(outside.received.at(-1)).toMatchObject({ method: "POST", body: "the body" });
          expect(outside.received.at(-1)?.headers["idempotency-key"]).toBe("call_1");
        }
      });

      it("carry an effect to no other origin: the redirect is the reply", async () => {
        outside.answer(() => ({ status: 307, headers: { location: `${other}/there` } }));
        expect(await outside.web.request(post(`${base}/`))).toMatchObject({ ok: true, value: { status: 307 } });
        expect(outside.received).toHaveLength(1);
      });

      it("carry no secret to another origin", async () => {
        outside.answer(({ url }) =>
          url.endsWith("/there") ? {} : { status: 303, headers: { location: `${other}/there` } },
        );
        await outside.web.request(post(`${base}/`));
        const last = outside.received.at(-1);
        expect(last?.url).toMatch(/\/there$/);
        expect(last?.headers["accept"]).toBe("text/plain");
        expect(JSON.stringify(last)).not.toContain("secret");
      });

      it("count as a reply to a request with an effect, even if they cannot be followed", async () => {
        outside.answer(() => ({ status: 303, headers: { location: "http://10.0.0.1/" } }));
        expect(await outside.web.request(post(`${base}/`))).toMatchObject({ ok: true, value: { status: 303 } });
      });

      it("without a location are plain replies", async () => {
        outside.answer(() => ({ status: 304 }));
        expect(await outside.web.request(ask(`${base}/`))).toMatchObject({ ok: true, value: { status: 304 } });
        outside.answer(() => ({ status: 302 }));
        expect(await outside.web.request(ask(`${base}/`))).toMatchObject({ ok: true, value: { status: 302 } });
      });
    });
  });
}

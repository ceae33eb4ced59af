/** What every `WebPort` does with references to secrets: where values go, and that none comes back. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WebRequest } from "../../../core/ports/web.ts";
import type { SecretsPort, TenantSecret } from "../../../core/ports/secrets.ts";
import type { OutsideRequest } from "../../fakes/web.ts";
import { fakeSecrets } from "../../fakes/secrets.ts";
import { ask, type WebUnderTest } from "./suite.ts";

const KEY = "canary/7f+3a 9c&é";
const OTHER_KEY = "canary-of-the-other-host";

export function webSecretsContract(name: string, open: (secrets: SecretsPort) => Promise<WebUnderTest>): void {
  describe(`secrets on the web: ${name}`, () => {
    let outside: WebUnderTest;
    let host: string;
    let base: string;
    let other: string;
    let isAway: boolean;
    const secrets: TenantSecret[] = [];

    beforeEach(async () => {
      isAway = false;
      outside = await open(fakeSecrets(secrets, () => isAway));
      const [first, second] = outside.hosts;
      host = first;
      base = `http://${first}`;
      other = `http://${second}`;
      secrets.splice(0, secrets.length);
      secrets.push({ name: "KEY", value: KEY, hosts: [first] });
      secrets.push({ name: "OTHER", value: OTHER_KEY, hosts: [second] });
      secrets.push({ name: "PLAIN", value: "canary-in-the-clear", hosts: ["*.example.com"] });
      secrets.push({ name: "SEALED", value: null, hosts: [first] });
      const refusal = "The secret REFUSED is for another agent.";
      secrets.push({ name: "REFUSED", value: "canary-of-another-agent", hosts: [first], refusal });
      secrets.push({ name: "PATCHES", value: "canary-of-a-method", hosts: [first], methods: ["PATCH"] });
    });
    afterEach(() => outside.close());

    /** Everything that a request says, and what came back, as the caller sees it. */
    async function seen(request: WebRequest): Promise<string> {
      const reply = await outside.web.request(request);
      if (!reply.ok) return JSON.stringify(reply);
      return JSON.stringify({ ...reply.value, body: new TextDecoder().decode(reply.value.body) });
    }

    const echo = ({ url, headers, body }: OutsideRequest) => ({ body: `${url}\n${JSON.stringify(headers)}\n${body}` });
    const send = (url: string, headers: Record<string, string>, body: string) =>
      ask(url, { method: "POST", headers: Object.entries(headers), body: new TextEncoder().encode(body) });

    it("fills them in in path, query, headers and body, and gives back the references", async () => {
      outside.answer(echo);
      secrets[0] = { name: "KEY", value: 'canary/7f+3a 9c&é"', hosts: [host] };
      const value = 'canary/7f+3a 9c&é"';
      const json = JSON.stringify({ key: "{{secret.KEY}}", note: "é" });
      const reply = await seen(
        send(
          `${base}/bot{{secret.KEY}}/x?key={{secret.KEY}}&b=2`,
          { "content-type": "application/json", "x-key": "Token {{ secret.KEY }}" },
          json,
        ),
      );
      const [got] = outside.received;
      expect(new URL(got?.url ?? "").pathname).toBe(`/bot${encodeURIComponent(value)}/x`);
      expect(new URL(got?.url ?? "").searchParams.get("key")).toBe(value);
      expect(JSON.parse(got?.body ?? "")).toEqual({ key: value, note: "é" });
      expect(got?.headers["x-key"]).toBe(`Token ${value}`);
      expect(reply).not.toContain("canary");
      expect(reply).toContain("Token {{secret.KEY}}");
    });

    it.each([
      ["url", "/?k={{secret.KEY}}{{secret.KEY}}{{secret.KEY}}", {}, ""],
      ["headers", "/", { a: "{{secret.KEY}}".repeat(10), b: "{{secret.KEY}}".repeat(10) }, ""],
      ["body", "/", {}, "{{secret.KEY}}".repeat(1_100)],
    ] as const)("sends nothing whose %s is too long with them", async (field, path, headers, body) => {
      secrets[0] = { name: "KEY", value: "k".repeat(4_096), hosts: [host] };
      const reply = await outside.web.request(send(`${base}${path}`, headers, body));
      expect(reply).toMatchObject({ ok: false, error: { code: "too_large", field, happened: "no" } });
      expect(outside.received).toEqual([]);
    });

    it.each([
      ["application/x-www-form-urlencoded; charset=utf-8", "a=%7B%7Bsecret.KEY%7D%7D&b={{secret.KEY}}"],
      ["text/plain", "a={{secret.KEY}}"],
    ])("fills them in in a body of %s", async (type, body) => {
      outside.answer(echo);
      expect(await seen(send(`${base}/`, { "content-type": type }, body))).not.toContain("canary");
      const got = outside.received[0]?.body ?? "";
      if (type === "text/plain") expect(got).toBe(`a=${KEY}`);
      else expect([...new URLSearchParams(got).values()]).toEqual([KEY, KEY]);
    });

    it.each([
      [
        "another user's",
        "{{secret.REFUSED}}",
        "blocked_by_policy",
        /REFUSED is for another agent\. Nothing was sent\./,
      ],
      ["one of another method", "{{secret.PATCHES}}", "blocked_by_policy", /PATCHES is bound to PATCH, and this is a/],
      ["another host's", "{{secret.OTHER}}", "blocked_by_policy", /OTHER is not bound to/],
      ["nobody's", "{{secret.NONE}}", "not_found", /no secret named NONE/],
      ["a mistyped one", "{{secret.key-1}}", "not_found", /no secret named key-1/],
      ["one that does not open", "{{secret.SEALED}}", "not_available", /SEALED can no longer be decrypted/],
    ])("sends nothing for %s", async (_, reference, code, message) => {
      for (const [field, request] of [
        ["url", ask(`${base}/?k=${reference}`)],
        ["url", ask(`${base}/${reference}/x`)],
        ["headers", ask(`${base}/`, { headers: [["x-key", `Bearer ${reference}`]] })],
        ["body", send(`${base}/`, {}, reference)],
      ] as const) {
        const reply = await outside.web.request(request);
        expect(reply).toMatchObject({ ok: false, error: { code, field, happened: "no" } });
        expect(!reply.ok && reply.error.message).toMatch(message);
        if (reference === "{{secret.OTHER}}") expect(!reply.ok && reply.error.message).toContain(host);
      }
      expect(outside.received).toEqual([]);
    });

    it("sends one with the methods that it is bound to, and judges the method of each redirect", async () => {
      const patch = { ...send(`${base}/`, { "x-key": "{{secret.PATCHES}}" }, ""), method: "PATCH" };
      expect((await outside.web.request(patch)).ok).toBe(true);
      expect(outside.received[0]?.headers["x-key"]).toBe("canary-of-a-method");
      secrets.push({ name: "POSTS", value: "canary-of-post", hosts: [host], methods: ["POST"] });
      outside.answer(({ method }) => (method === "POST" ? { status: 303, headers: { location: "/next" } } : {}));
      const posted = await outside.web.request(send(`${base}/`, { "x-key": "{{secret.POSTS}}" }, ""));
      expect(posted).toMatchObject({ ok: true, value: { status: 303 } });
      expect(outside.received.map(({ method }) => method)).toEqual(["PATCH", "POST"]);
    });

    it("removes secrets that its user may not use from replies too", async () => {
      outside.answer(() => ({ body: "kept: canary-of-another-agent, canary-of-a-method" }));
      expect(await seen(ask(`${base}/`))).toContain("kept: {{secret.REFUSED}}, {{secret.PATCHES}}");
    });

    it("sends no secret without TLS, except to an address that the operator opened", async () => {
      const reply = await outside.web.request(ask("http://api.example.com/?k={{secret.PLAIN}}"));
      expect(reply).toMatchObject({ ok: false, error: { code: "blocked_by_policy", happened: "no" } });
      expect(!reply.ok && reply.error.message).toContain("https only");
    });

    it("fills no secret into a host", async () => {
      const reply = await outside.web.request(ask("http://{{secret.KEY}}.example.com/"));
      expect(reply).toMatchObject({ ok: false, error: { happened: "no" } });
      expect(outside.received).toEqual([]);
    });

    it("sends nothing whose secrets cannot be read, and everything else", async () => {
      isAway = true;
      const reply = await outside.web.request(ask(`${base}/?k={{secret.KEY}}`));
      expect(reply).toMatchObject({ ok: false, error: { code: "upstream_failed", happened: "no" } });
      expect(!reply.ok && reply.error.retryAfterMs).toBeGreaterThan(0);
      expect(outside.received).toEqual([]);
      expect((await outside.web.request(ask(`${base}/`))).ok).toBe(true);
    });

    it("cuts out what an earlier request left outside, and what another host's is", async () => {
      outside.answer(() => ({ headers: { "x-left": KEY }, body: `kept: ${KEY}, ${btoa(`u:${OTHER_KEY}`)}` }));
      const reply = await seen(ask(`${base}/`));
      expect(reply).not.toContain("canary");
      expect(reply).toContain("kept: {{secret.KEY}}, {{secret.OTHER}}");
    });

    it.each([0, 1, 5, 16, 17])("reveals no part of a value that crosses the limit of a body by %i", async (beyond) => {
      outside.answer(() => ({ body: "x".repeat(1_000 - beyond) + KEY + "y".repeat(50_000) }));
      const reply = await seen(ask(`${base}/?k={{secret.KEY}}`, { maxBytes: 1_000 }));
      expect(reply).not.toContain("canar");
      expect(reply).toContain('"truncated":true');
    });

    it.each(["cut", "hang"] as const)("reveals no secret in a failure: %s", async (fault) => {
      outside.answer(() => ({ fault }));
      const request = send(
        `${base}/bot{{secret.KEY}}/?k={{secret.KEY}}`,
        { "x-key": "{{secret.KEY}}" },
        "{{secret.KEY}}",
      );
      const reply = await outside.web.request({ ...request, timeoutMs: 300 });
      expect(reply.ok).toBe(false);
      expect(JSON.stringify(reply)).not.toContain("canary");
    });

    it("fills them in in a request whose reply comes in pieces only where that says so", async () => {
      const headers = [["x-word", "{{secret.KEY}}"]] as const;
      const secretHeaders = [["x-key", "Bearer {{secret.KEY}}"]] as const;
      const body = new TextEncoder().encode("{{secret.KEY}}");
      const opened = await outside.web.open({
        ...ask(`${base}/?k={{secret.KEY}}`, { method: "POST", headers, body }),
        secretHeaders,
      });
      expect(opened.ok).toBe(true);
      const [got] = outside.received;
      expect(got?.headers).toMatchObject({ "x-word": "{{secret.KEY}}", "x-key": `Bearer ${KEY}` });
      expect(`${got?.url} ${got?.body}`).not.toContain("canary");
    });

    it("opens no stream with secrets of another user or another method in its headers", async () => {
      for (const name of ["REFUSED", "PATCHES"]) {
        const secretHeaders = [["x-key", `{{secret.${name}}}`]] as const;
        const opened = await outside.web.open({ ...ask(`${base}/`, { method: "POST" }), secretHeaders });
        expect(opened).toMatchObject({ ok: false, error: { code: "blocked_by_policy", happened: "no" } });
      }
      expect(outside.received).toEqual([]);
    });

    describe("over a redirect", () => {
      const to = (location: string, status = 302) => ({ status, headers: { location } });

      it("is sent to the same origin after a redirect, and is redacted in the final address", async () => {
        outside.answer(({ url }) =>
          url.includes("/seen") ? { body: url } : to(`/seen?again=${encodeURIComponent(KEY)}`, 307),
        );
        const request = send(`${base}/?k={{secret.KEY}}`, { "x-key": "{{secret.KEY}}" }, "k={{secret.KEY}}");
        const reply = await seen(request);
        expect(outside.received[1]).toMatchObject({ body: `k=${KEY}`, headers: { "x-key": KEY } });
        expect(reply).not.toContain("canary");
        expect(reply).toContain("/seen?again={{secret.KEY}}");
      });

      it("goes to no host that it is not bound to", async () => {
        outside.answer(({ url }) => (url.startsWith(other) ? {} : to(`${other}/there`)));
        const received = await outside.web.request(ask(`${base}/`, { headers: [["user-agent", "{{secret.KEY}}"]] }));
        expect(received).toMatchObject({ ok: false, error: { code: "blocked_by_policy", happened: "unknown" } });
        expect(!received.ok && received.error.message).toMatch(/KEY is not bound to/);
        const dropped = await outside.web.request(
          ask(`${base}/?k={{secret.KEY}}`, { headers: [["x-k", "{{secret.KEY}}"]] }),
        );
        expect(dropped.ok).toBe(true);
        expect(JSON.stringify(outside.received.filter(({ url }) => url.startsWith(other)))).not.toContain("canary");
      });

      it.each([encodeURIComponent, (value: string) => btoa(`u:${value.replace("é", "e")}`)])(
        "is not carried to another host by a server that sends it on",
        async (write) => {
          secrets[0] = { name: "KEY", value: KEY.replace("é", "e"), hosts: [host] };
          outside.answer(({ url }) => (url.startsWith(other) ? {} : to(`${other}/?k=${write(KEY.replace("é", "e"))}`)));
          for (const request of [ask(`${base}/?to={{secret.KEY}}`), ask(`${base}/short`)]) {
            const reply = await outside.web.request(request);
            expect(reply).toMatchObject({ ok: false, error: { code: "blocked_by_policy" } });
            expect(JSON.stringify(reply)).not.toContain("canary");
          }
          expect(outside.received.filter(({ url }) => url.startsWith(other))).toEqual([]);
        },
      );

      it("is not filled in where the server writes a reference", async () => {
        outside.answer(({ url }) => (url.includes("/end") ? { body: url } : to("/end?k={{secret.KEY}}")));
        await outside.web.request(ask(`${base}/?k={{secret.KEY}}`));
        expect(outside.received[1]?.url).toContain("{{secret.KEY}}");
      });

      it("is redacted in the address that is not followed", async () => {
        outside.answer(() => to(`${other}/?k=${encodeURIComponent(KEY)}`));
        const reply = await seen(ask(`${base}/?k={{secret.KEY}}`, { followRedirects: false }));
        expect(reply).not.toContain("canary");
        expect(reply).toContain("{{secret.KEY}}");
      });
    });
  });
}

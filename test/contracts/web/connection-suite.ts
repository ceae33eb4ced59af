/** What every `WebPort` does with the credential of a request's account: where it goes, and that it never comes back. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AccountCredentials } from "../../../adapters/egress/fill-connection.ts";
import { notSent, ok, type Result } from "../../../core/base/errors.ts";
import type { Account } from "../../../core/connections/account.ts";
import type { Bearer } from "../../../core/connections/tokens.ts";
import type { WebRequest } from "../../../core/ports/web.ts";
import type { OutsideRequest } from "../../fakes/web.ts";
import { ask, type WebUnderTest } from "./suite.ts";

const TOKEN = "canary-1/of+ana~=";
const RENEWED = "canary-2/of+ana~=";

const ACCOUNT: Account = {
  connection: "con_1",
  app: "crm",
  provider: "oauth",
  owner: { kind: "person", id: "per_ana", name: "Ana" },
  label: "ana@acme.example",
  consent: 1,
  delegates: false,
};

export function webConnectionsContract(
  name: string,
  open: (accounts: AccountCredentials) => Promise<WebUnderTest>,
): void {
  describe(`accounts on the web: ${name}`, () => {
    let outside: WebUnderTest;
    let base: string;
    let other: string;
    let bearer: Bearer;
    let renewal: Result<Bearer>;
    let calls: string[];

    beforeEach(async () => {
      calls = [];
      outside = await open({
        bearer(account, renew) {
          calls.push(renew === undefined ? `bearer ${account.connection}` : `renew ${renew.refused}`);
          return Promise.resolve(renew === undefined ? ok(bearer) : renewal);
        },
        refused(account) {
          calls.push(`refused ${account.connection}`);
          return Promise.resolve();
        },
      });
      const [first, second] = outside.hosts;
      [base, other] = [`http://${first}`, `http://${second}`];
      bearer = { header: "authorization", value: TOKEN, hosts: [first] };
      renewal = ok({ ...bearer, value: RENEWED });
    });
    afterEach(() => outside.close());

    const withAccount = (url: string, change: Partial<WebRequest> = {}): WebRequest => ({
      ...ask(url, { headers: [["Authorization", "Bearer {{connection}}"]] }),
      account: ACCOUNT,
      ...change,
    });

    /** What came back, as the caller sees it. */
    async function seen(request: WebRequest): Promise<string> {
      const reply = await outside.web.request(request);
      if (!reply.ok) return JSON.stringify(reply);
      return JSON.stringify({ ...reply.value, body: new TextDecoder().decode(reply.value.body) });
    }
    const got = () => outside.received.map(({ headers }) => headers["authorization"]);
    const echo = ({ url, headers, body }: OutsideRequest) => ({ body: `${url}\n${JSON.stringify(headers)}\n${body}` });

    it("fills it in on the app's host, in its header alone, and gives back the reference", async () => {
      outside.answer(echo);
      const body = new TextEncoder().encode('{"note":"{{connection}}"}');
      const reply = await seen(withAccount(`${base}/notes?q=%7B%7Bconnection%7D%7D`, { method: "POST", body }));
      expect(got()).toEqual([`Bearer ${TOKEN}`]);
      expect(outside.received[0]?.body).toBe('{"note":"{{connection}}"}');
      expect(outside.received[0]?.url).toContain("%7B%7Bconnection%7D%7D");
      expect(reply).toContain("Bearer {{connection}}");
      expect(reply).not.toContain("canary");
      expect(calls).toEqual(["bearer con_1"]);
    });

    it.each([
      ["plain", (text: string) => text],
      ["base64", (text: string) => Buffer.from(`user:${text}`).toString("base64")],
      ["of a URL", encodeURIComponent],
      ["hex", (text: string) => Buffer.from(text).toString("hex")],
      ["HTML", (text: string) => text.replaceAll("/", "&#x2f;").replaceAll("=", "&#61;")],
      ["UTF-16", (text: string) => Buffer.from(text, "utf16le").toString("latin1")],
    ])("is taken out of a reply that spells it as %s", async (_spelling, spell) => {
      outside.answer(() => ({
        body: Buffer.from(`before ${spell(TOKEN)} after`, "latin1"),
        headers: { "x-echo": TOKEN },
      }));
      const reply = await seen(withAccount(`${base}/`));
      expect(reply).not.toContain(spell(TOKEN));
      expect(reply).not.toContain(TOKEN);
      expect(reply).toContain("{{connection}}");
    });

    it("takes out a long credential that a reply is cut in, and the password of basic authentication", async () => {
      const long = Array.from({ length: 1_200 }, (_, index) => `canary${index}`).join(".");
      bearer = { ...bearer, value: long };
      outside.answer(() => ({ body: `${"x".repeat(500)}${long}` }));
      expect(await seen(withAccount(`${base}/`, { maxBytes: 1_000 }))).not.toContain("canary");
      bearer = { ...bearer, value: Buffer.from("ana:canary-password").toString("base64") };
      outside.answer(() => ({ body: "you sent ana and canary-password" }));
      expect(await seen(withAccount(`${base}/`))).not.toContain("canary-password");
    });

    it("goes to no other host", async () => {
      expect(await outside.web.request(withAccount(`${other}/`))).toMatchObject({
        ok: false,
        error: {
          code: "blocked_by_policy",
          happened: "no",
          message: `The account may only be used with ${outside.hosts[0]}.`,
        },
      });
      expect(outside.received).toEqual([]);
    });

    it("goes nowhere without https, unless the operator opened the host", async () => {
      bearer = { ...bearer, hosts: ["crm.example"] };
      const blocked = await outside.web.request(withAccount("http://crm.example/"));
      expect(blocked).toMatchObject({
        error: { code: "blocked_by_policy", message: expect.stringContaining("https") },
      });
    });

    it.each([
      ["another header", { headers: [["x-key", "{{connection}}"]] }, "/"],
      ["the path", { headers: [] }, "/{{connection}}/x"],
      ["the query", { headers: [] }, "/?key={{connection}}"],
    ] as const)("goes in no other place: %s", async (_place, change, path) => {
      const blocked = await outside.web.request(withAccount(`${base}${path}`, change));
      const message = "The account may only be used in the header authorization.";
      expect(blocked).toMatchObject({ ok: false, error: { code: "blocked_by_policy", happened: "no", message } });
      expect(outside.received).toEqual([]);
    });

    it("a key of the query goes in its field alone", async () => {
      outside.answer(echo);
      bearer = { ...bearer, header: "?api key" };
      const reply = await seen(withAccount(`${base}/notes?a=1&api%20key={{connection}}&b=2`, { headers: [] }));
      const sent = new URL(outside.received[0]?.url ?? "");
      expect([...sent.searchParams]).toEqual([
        ["a", "1"],
        ["api key", TOKEN],
        ["b", "2"],
      ]);
      expect(reply).not.toContain("canary");
      const field = "The account may only be used in the field api key of the query.";
      for (const search of ["?other={{connection}}", "?api%20key=x{{connection}}", "?{{connection}}=1"])
        expect(await outside.web.request(withAccount(`${base}/${search}`, { headers: [] }))).toMatchObject({
          error: { code: "blocked_by_policy", message: field },
        });
      expect(outside.received).toHaveLength(1);
    });

    it("is refused to a request without an account, and not read for one that does not refer to it", async () => {
      const { account: _, ...without } = withAccount(`${base}/`);
      expect(await outside.web.request(without)).toMatchObject({
        error: { code: "blocked_by_policy", happened: "no" },
      });
      expect(await outside.web.request(withAccount(`${base}/`, { headers: [] }))).toMatchObject({ ok: true });
      expect(calls).toEqual([]);
    });

    it("follows a redirect of its host, and to another one neither as a header nor in the address", async () => {
      outside.answer(({ url }) => (url.endsWith("/old") ? { status: 307, headers: { location: "/new" } } : {}));
      await seen(withAccount(`${base}/old`));
      expect(got()).toEqual([`Bearer ${TOKEN}`, `Bearer ${TOKEN}`]);
      outside.answer(({ url }) => (url.startsWith(base) ? { status: 302, headers: { location: `${other}/` } } : {}));
      await seen(withAccount(`${base}/`));
      expect(got().at(-1)).toBeUndefined();
      const before = outside.received.length;
      const location = `${other}/?token=${encodeURIComponent(TOKEN)}`;
      outside.answer(() => ({ status: 302, headers: { location } }));
      const reply = await seen(withAccount(`${base}/`));
      expect(outside.received).toHaveLength(before + 1);
      expect(reply).not.toContain("canary");
    });

    it("is renewed once after 401, and the request repeated, also one with an effect", async () => {
      outside.answer(({ headers }) =>
        headers["authorization"] === `Bearer ${RENEWED}` ? { body: `done, not ${TOKEN}` } : { status: 401 },
      );
      const body = new TextEncoder().encode("order");
      const reply = await seen(withAccount(`${base}/orders`, { method: "POST", body }));
      expect(outside.received.map((request) => request.body)).toEqual(["order", "order"]);
      expect(calls).toEqual(["bearer con_1", `renew ${TOKEN}`]);
      expect(reply).toContain("done");
      expect(reply).not.toContain("canary");
    });

    it("refused twice, the connection has ended and nothing happened", async () => {
      outside.answer(() => ({ status: 401, body: TOKEN }));
      const refused = await outside.web.request(withAccount(`${base}/orders`, { method: "POST" }));
      expect(refused).toMatchObject({
        ok: false,
        error: { code: "permission_denied", happened: "no", cause: { kind: "connection_ended", connection: "con_1" } },
      });
      expect(calls).toEqual(["bearer con_1", `renew ${TOKEN}`, "refused con_1"]);
      expect(outside.received).toHaveLength(2);
    });

    it("that cannot be renewed now fails as the renewal did, and 401 without an account is a reply", async () => {
      renewal = notSent("upstream_failed", "Crm is away.", { retry: "later" });
      outside.answer(() => ({ status: 401 }));
      expect(await outside.web.request(withAccount(`${base}/`))).toMatchObject({
        error: { code: "upstream_failed", retry: "later", happened: "no" },
      });
      expect(await outside.web.request(ask(`${base}/`))).toMatchObject({ value: { status: 401 } });
    });

    it("after a redirect of an effect only the redirected request is repeated", async () => {
      outside.answer(({ url, headers }) => {
        if (url.endsWith("/orders")) return { status: 303, headers: { location: "/orders/1" } };
        return headers["authorization"] === `Bearer ${RENEWED}` ? { body: "order 1" } : { status: 401 };
      });
      await seen(withAccount(`${base}/orders`, { method: "POST" }));
      expect(outside.received.map(({ method }) => method)).toEqual(["POST", "GET", "GET"]);
    });

    it("a streamed reply: only headers that are given apart are filled in, and 401 is repeated", async () => {
      outside.answer(({ headers }) =>
        headers["authorization"] === `Bearer ${RENEWED}`
          ? { body: `${headers["mcp-session-id"] ?? ""} ${RENEWED} ${TOKEN}` }
          : { status: 401 },
      );
      const headers = [["mcp-session-id", "{{connection}}"]] as const;
      const secretHeaders = [["authorization", "Bearer {{connection}}"]] as const;
      const opened = await outside.web.open({ ...withAccount(`${base}/mcp`, { headers }), secretHeaders });
      if (!opened.ok) throw new Error(opened.error.message);
      const text = await new Response(opened.value.body).text();
      expect(text).toBe("{{connection}} {{connection}} {{connection}}");
      expect(outside.received.map((request) => request.headers["mcp-session-id"])).toEqual([
        "{{connection}}",
        "{{connection}}",
      ]);
    });
  });
}

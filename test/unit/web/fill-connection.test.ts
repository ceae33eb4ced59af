/** Where the credential of an account goes, for any request: to the app's hosts, by https, in the app's place, or nowhere. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { fillConnection } from "../../../adapters/egress/fill-connection.ts";

const VALUE = "canary-token";
const HOSTS = ["api.example", "api.example:8443"];

const urls = fc
  .tuple(
    fc.constantFrom("https", "http"),
    fc.constantFrom("api.example", "api.example:8443", "api.example:444", "evil.example", "api.example.evil.example"),
    fc.constantFrom("/", "/notes", "/{{connection}}", "/a/{{connection}}/b"),
    fc.constantFrom(
      "",
      "?key={{connection}}",
      "?a=1&key={{connection}}",
      "?other={{connection}}",
      "?key=x{{connection}}",
    ),
  )
  .map(([protocol, host, path, search]) => new URL(`${protocol}://${host}${path}${search}`));
const headers = fc.array(
  fc.tuple(
    fc.constantFrom("Authorization", "authorization", "x-key", "cookie"),
    fc.constantFrom("Bearer {{connection}}", "{{connection}}", "plain", "{{ connection }}"),
  ),
  { maxLength: 3 },
);
const places = fc.constantFrom("authorization", "x-key", "?key");

test("any request: the credential is only where the app says", () => {
  const property = fc.property(
    urls,
    headers,
    places,
    fc.boolean(),
    fc.boolean(),
    (url, given, header, urlIsOurs, opened) => {
      const hop = { method: "GET", url, headers: given, body: null };
      const filled = fillConnection({ hop, urlIsOurs }, { header, value: VALUE, hosts: HOSTS }, opened);
      if (!filled.ok) {
        expect(JSON.stringify(filled.error)).not.toContain(VALUE);
        return;
      }
      const sent = filled.value;
      const carrying = sent.headers.filter(([, value]) => value.includes(VALUE)).map(([name]) => name.toLowerCase());
      const isInUrl = sent.url.href.includes(VALUE);
      expect(HOSTS).toContain(sent.url.host);
      expect(sent.url.protocol === "https:" || opened).toBe(true);
      expect(carrying.every((name) => name === header)).toBe(true);
      expect(isInUrl && (header !== "?key" || !urlIsOurs)).toBe(false);
      if (isInUrl) expect(sent.url.searchParams.get("key")).toBe(VALUE);
      expect(sent.url.pathname).toBe(url.pathname);
    },
  );
  fc.assert(property, { numRuns: 2_000 });
});

test("the host is compared with its port, and a credential that a header cannot hold is refused", () => {
  const hop = (href: string) => ({
    hop: {
      method: "GET",
      url: new URL(href),
      headers: [["authorization", "Bearer {{connection}}"]] as const,
      body: null,
    },
    urlIsOurs: true,
  });
  const bearer = { header: "authorization", value: VALUE, hosts: ["api.example"] };
  expect(fillConnection(hop("https://api.example:443/"), bearer, false)).toMatchObject({ ok: true });
  expect(fillConnection(hop("https://API.example/"), bearer, false)).toMatchObject({ ok: true });
  expect(fillConnection(hop("https://api.example:444/"), bearer, false)).toMatchObject({ ok: false });
  const broken = fillConnection(hop("https://api.example/"), { ...bearer, value: "canary\r\nx: y" }, false);
  expect(broken).toMatchObject({ ok: false, error: { code: "invalid_input", field: "headers" } });
  expect(JSON.stringify(broken)).not.toContain("canary");
});

/** What providers grant and claim, in the forms that they really use. */
import { describe, expect, it } from "vitest";
import { callEndpoints } from "../../../adapters/connections/call-endpoint.ts";
import { readLabel } from "../../../adapters/connections/identify.ts";
import { omitNullFields, readScopes, readTokens } from "../../../adapters/connections/token-set.ts";
import { ok } from "../../../core/base/errors.ts";
import { isUsable, needsRenewal, type TokenSet } from "../../../core/connections/tokens.ts";
import { makeApp } from "../../contracts/connections/providers.ts";

const at = { source: { issuer: null, endpoints: "e" }, now: 1_000 };
const granted = { access_token: "a", token_type: "Bearer" };

describe("tokens", () => {
  it.each([
    ["no lifetime", {}, null],
    ["an hour", { expires_in: 3_600 }, 3_601_000],
    ["a negative lifetime", { expires_in: -5 }, 1_000],
    ["a lifetime of a million years", { expires_in: 3e13 }, 1_000 + 3_650 * 86_400_000],
  ])("with %s", (_name, change, expiresAt) => {
    const read = readTokens(makeApp(), { ...granted, ...change }, at);
    expect(read).toMatchObject({ ok: true, value: { access: "a", refresh: null, expiresAt } });
  });

  it.each([
    ["another type", { token_type: "DPoP" }],
    ["a line break", { access_token: "a\r\nx-other: 1" }],
    ["nothing", { access_token: "" }],
    ["an unreadable refresh token", { refresh_token: "ü" }],
    ["too many characters", { access_token: "a".repeat(32_000), refresh_token: "b".repeat(1_000) }],
  ])("with %s are refused, without their text", (_name, change) => {
    const read = readTokens(makeApp(), { ...granted, ...change }, at);
    expect(read).toMatchObject({ ok: false, error: { cause: { kind: "answered" } } });
  });

  it("null means that nothing was granted", async () => {
    const reply = { ...granted, refresh_token: null, expires_in: null, scope: "read" };
    const send = omitNullFields(() => Promise.resolve(Response.json(reply)));
    expect(await (await send("https://crm.example")).json()).toEqual({ ...granted, scope: "read" });
    const broken = omitNullFields(() => Promise.resolve(new Response("not JSON")));
    expect(await (await broken("https://crm.example")).text()).toBe("not JSON");
  });

  it("are renewed before they expire, and never if they do not", () => {
    const tokens: TokenSet = { kind: "oauth", access: "a", refresh: null, expiresAt: 200_000, issuer: null };
    expect([79_999, 80_001].map((now) => needsRenewal(tokens, now, null))).toEqual([false, true]);
    expect([199_999, 200_000].map((now) => isUsable(tokens, now, null))).toEqual([true, false]);
    expect(needsRenewal({ ...tokens, expiresAt: null }, 1e15, null)).toBe(false);
    expect(needsRenewal({ ...tokens, expiresAt: null }, 0, "a")).toBe(true);
  });
});

describe("one operation", () => {
  /** A web without limits of its own. */
  const open = (bytes: number) => {
    const body = () => new Blob([`{"a":"${"x".repeat(bytes)}"}`]).stream();
    return {
      web: { open: () => Promise.resolve(ok({ status: 200, headers: [], body: body() })) },
      isOpened: () => false,
      timer: globalThis,
    };
  };
  const url = "https://crm.example/token";

  it.each([
    [1_000, true],
    [300_000, false],
  ])("reads a reply of %i bytes: %j", async (bytes, isRead) => {
    const read = callEndpoints(open(bytes), [], async (send) => (await send(url)).ok);
    if (isRead) expect(await read).toBe(true);
    else await expect(read).rejects.toMatchObject({ kind: "unanswered" });
  });

  it("makes a bounded number of requests", async () => {
    let sent = 0;
    const endless = callEndpoints(open(1), [], async (send) => {
      for (;;) {
        await send(url);
        sent += 1;
      }
    });
    await expect(endless).rejects.toMatchObject({ kind: "unanswered" });
    expect(sent).toBe(8);
  });
});

describe("scopes", () => {
  it.each([
    ["read write", ["read", "write"]],
    ["repo,gist", ["repo", "gist"]],
    ["", []],
    [undefined, ["asked"]],
  ])("granted as %j", (scope, expected) => {
    expect(readScopes(scope, ["asked"])).toEqual(expected);
  });

  it("are unknown if neither side named any, and bounded", () => {
    expect(readScopes(undefined, [])).toBeNull();
    expect(readScopes(Array.from({ length: 500 }, (_, index) => `s${index}`).join(" "), [])).toHaveLength(100);
  });
});

describe("labels", () => {
  const label = async (claims: unknown) =>
    await readLabel("https://crm.example/userinfo", "t", () => Promise.resolve(Response.json(claims)));

  it.each([
    [{ email: "ana@acme.example", name: "Ana" }, "ana@acme.example"],
    [{ email: "boss@acme.example", email_verified: false, preferred_username: "ana" }, "ana"],
    [{ email: 7, name: "  Ana\u202e\n Bo\u0000 " }, "Ana Bo"],
    [{ name: "x".repeat(500) }, `${"x".repeat(199)}…`],
    [{ sub: "1" }, null],
    [["ana"], null],
    [null, null],
  ])("of %j", async (claims, expected) => {
    expect(await label(claims)).toBe(expected);
  });
});

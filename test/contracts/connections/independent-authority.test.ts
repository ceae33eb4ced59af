/** The OAuth client with an authorization server that others wrote. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ServerCaches } from "../../../adapters/connections/discover.ts";
import { openAuthorizations } from "../../../adapters/connections/oauth-client.ts";
import type { AuthorizationsPort } from "../../../core/ports/authorizations.ts";
import { fakeProviderBook } from "../../fakes/provider-book.ts";
import { makeDirectWeb } from "../../mock-servers/direct-web.ts";
import {
  type IndependentAuthority,
  OWN_CLIENT,
  startIndependentAuthority,
} from "../../mock-servers/independent-authority.ts";
import { valueOf } from "../value-of.ts";
import { makeApp, makeFlow, REDIRECT } from "./providers.ts";

const AT = { redirectUrl: REDIRECT, state: "the-state" };

let authority: IndependentAuthority;

beforeEach(async () => {
  // The package warns that its keys, memory and pages are for development.
  for (const level of ["info", "warn"] as const) vi.spyOn(console, level).mockReturnValue();
  authority = await startIndependentAuthority(REDIRECT);
});

afterEach(async () => {
  await authority.close();
});

const app = makeApp({ scopes: ["openid", "offline_access", "email"] });

function open(client: typeof OWN_CLIENT | null): AuthorizationsPort {
  return openAuthorizations({
    web: makeDirectWeb(),
    isOpened: ({ host }) => host === authority.host,
    timer: globalThis,
    book: fakeProviderBook({ at: { kind: "issuer", issuer: authority.url }, client }),
    cache: new ServerCaches().open("t1", Date.now),
    now: Date.now,
  });
}

async function begin(port: AuthorizationsPort, user: string) {
  const begun = valueOf(await port.begin(app, AT));
  return { flow: makeFlow(begun), returned: await authority.consent(begun.url, user) };
}

describe.each([
  ["the tenant's own client", OWN_CLIENT],
  ["a client that Otto registers", null],
] as const)("an independent authorization server, with %s", (_name, client) => {
  it("connects, names the account, renews with rotation, and revokes", async () => {
    const port = open(client);
    const { flow, returned } = await begin(port, "ana");
    expect(returned.get("iss")).toBe(authority.url);
    const { tokens, scopes } = valueOf(await port.complete(app, flow, returned));
    expect(scopes).toEqual(["openid", "offline_access", "email"]);
    expect(await port.identify(app, tokens)).toBe("ana@acme.example");
    const renewed = valueOf(await port.refresh(app, tokens));
    if (renewed === "ended" || renewed.kind !== "oauth" || tokens.kind !== "oauth") throw new Error("not renewed");
    expect(renewed.refresh).not.toBe(tokens.refresh);
    expect(await port.identify(app, renewed)).toBe("ana@acme.example");
    expect(await port.revoke(app, renewed)).toEqual({ ok: true, value: "done" });
    expect(await port.identify(app, renewed)).toBeNull();
    expect(valueOf(await port.refresh(app, renewed))).toBe("ended");
    expect(authority.events.get("registration_create.success") ?? 0).toBe(client === null ? 1 : 0);
  });

  it("detects a refresh token that is used twice, which ends the grant", async () => {
    const port = open(client);
    const { flow, returned } = await begin(port, "ana");
    const { tokens } = valueOf(await port.complete(app, flow, returned));
    const renewed = valueOf(await port.refresh(app, tokens));
    expect(valueOf(await port.refresh(app, tokens))).toBe("ended");
    expect(renewed === "ended" ? renewed : valueOf(await port.refresh(app, renewed))).toBe("ended");
  });

  it("redeems no code with another verifier, redirect URL or issuer", async () => {
    const port = open(client);
    const one = await begin(port, "ana");
    const completed = async (change: Partial<typeof one.flow>) =>
      await port.complete(app, { ...one.flow, ...change }, one.returned);
    expect(await completed({ verifier: "x".repeat(43) })).toMatchObject({ ok: false });
    const two = await begin(port, "ana");
    expect(await port.complete(app, { ...two.flow, redirectUrl: `${REDIRECT}/x` }, two.returned)).toMatchObject({
      ok: false,
    });
    const three = await begin(port, "ana");
    three.returned.set("iss", "https://attacker.example");
    expect(await port.complete(app, three.flow, three.returned)).toMatchObject({ ok: false });
    expect(authority.events.get("grant.success") ?? 0).toBe(0);
  });
});

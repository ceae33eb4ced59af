/** What only the adapter can show: addresses, TLS, registration, resources, and the credential of a call. */
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { getBearer } from "../../../adapters/connections/bearer.ts";
import { createTokenFlights } from "../../../adapters/connections/renew.ts";
import { toCanonicalJson } from "../../../core/base/canonical-json.ts";
import { ok } from "../../../core/base/errors.ts";
import type { Account } from "../../../core/connections/account.ts";
import { decideFlowEnd } from "../../../core/connections/provider-faults.ts";
import { fakeTokenTable } from "../../fakes/token-table.ts";
import { LOOPBACK_CERTIFICATE } from "../../mock-servers/certificates.ts";
import type { OAuthApp } from "../../mock-servers/oauth-app.ts";
import { controlApp } from "../../mock-servers/oauth-app-control.ts";
import { valueOf } from "../value-of.ts";
import { connect } from "./oauth-client-suite.ts";
import { makeApp, makeFlow, type RealProvider, REDIRECT, startRealProvider } from "./providers.ts";

const AT = { redirectUrl: REDIRECT, state: "the-state" };
const CLIENT = { id: "own", secret: "canary-own-secret" };

let provider: RealProvider;

afterEach(async () => {
  const hits = provider.canaryHits();
  await provider.close();
  if (hits > 0) throw new Error(`${hits} connections reached the private address`);
});

async function start(options: Parameters<typeof startRealProvider>[0] = {}): Promise<RealProvider> {
  provider = await startRealProvider(options);
  return provider;
}

const endpoints = (mock: OAuthApp) =>
  ({
    kind: "endpoints",
    authorization: `${mock.url}/authorize`,
    token: `${mock.url}/token`,
    revocation: `${mock.url}/revoke`,
  }) as const;

function useOwnClient(): void {
  provider.mock.addClient({ ...CLIENT, redirects: [REDIRECT] });
  provider.book.settings = { ...provider.book.settings, client: CLIENT };
}

describe("addresses", () => {
  it("without https nothing is sent, unless the operator opened the host", async () => {
    await start({ opensPlain: false });
    const begun = await provider.port.begin(provider.app, AT);
    const why = "The sign-in of Crm has an address without https, which Otto does not use.";
    expect(!begun.ok && decideFlowEnd("begin", begun.error)).toEqual({ to: "failed", why });
    expect(provider.mock.visits).toEqual([]);
  });

  it("a sign-in by https works", async () => {
    const trusted = getCACertificates("default");
    setDefaultCACertificates([...trusted, LOOPBACK_CERTIFICATE.cert]);
    await start({ secure: true, opensPlain: false });
    try {
      const { tokens } = await connect(provider);
      expect(await provider.port.identify(provider.app, tokens)).toBe("ana@acme.example");
    } finally {
      setDefaultCACertificates(trusted);
    }
  });

  it("a provider that leads inward is blocked", async () => {
    await start();
    provider.book.settings = { ...provider.book.settings, at: { kind: "issuer", issuer: "https://127.0.0.1" } };
    const begun = await provider.port.begin(provider.app, AT);
    expect(begun).toMatchObject({ ok: false, error: { code: "blocked_by_policy" } });
    expect(!begun.ok && decideFlowEnd("begin", begun.error)).toEqual({
      to: "unchanged",
      why: "The sign-in of Crm was not sent. The address 127.0.0.1 is not public.",
    });
  });

  it.each(["http:", "https:"])("endpoints that lead inward by %s get nothing", async (protocol) => {
    const inward = (mock: OAuthApp) => mock.redirectTo.replace("http:", protocol);
    await start({ at: (mock) => ({ ...endpoints(mock), token: inward(mock), revocation: inward(mock) }) });
    useOwnClient();
    const begun = valueOf(await provider.port.begin(provider.app, AT));
    const returned = await provider.consent(begun.url, "ana");
    const completed = await provider.port.complete(provider.app, makeFlow(begun), returned);
    expect(!completed.ok && decideFlowEnd("complete", completed.error).to).toBe("failed");
    const given = { issuer: null, endpoints: toCanonicalJson(provider.book.settings.at) };
    const tokens = { kind: "oauth", access: "a", refresh: "r", expiresAt: null, ...given } as const;
    expect(await provider.port.refresh(provider.app, tokens)).toMatchObject({ ok: false });
    expect(await provider.port.revoke(provider.app, tokens)).toMatchObject({ ok: false });
  });

  it("a description is read once in ten minutes", async () => {
    await start();
    await connect(provider, "ana");
    await connect(provider, "ben");
    expect(provider.mock.visits.filter((visit) => visit.includes("well-known"))).toHaveLength(1);
  });

  it("the description of another issuer is refused", async () => {
    await start({ at: (mock) => ({ kind: "issuer", issuer: `${mock.url}/` }) });
    const begun = await provider.port.begin(provider.app, AT);
    expect(begun).toMatchObject({ ok: false, error: { message: expect.stringContaining("another issuer") } });
  });
});

describe("an app that names endpoints", () => {
  it("connects, renews and revokes with the tenant's client, and names no account", async () => {
    await start({ at: endpoints });
    useOwnClient();
    const { tokens } = await connect(provider);
    expect(tokens).toMatchObject({ issuer: null });
    expect(await provider.port.identify(provider.app, tokens)).toBeNull();
    const renewed = valueOf(await provider.port.refresh(provider.app, tokens));
    expect(renewed).not.toBe("ended");
    expect(await provider.port.revoke(provider.app, renewed === "ended" ? tokens : renewed)).toMatchObject({
      ok: true,
    });
    expect(provider.grants.countActive()).toBe(0);
  });

  it.each(["token", "revocation"] as const)("tokens are not sent to another %s endpoint", async (name) => {
    await start({ at: endpoints });
    useOwnClient();
    const { tokens } = await connect(provider);
    const other = { ...endpoints(provider.mock), [name]: `${provider.mock.url}/elsewhere` };
    provider.book.settings = { ...provider.book.settings, at: other };
    const sent = provider.mock.visits.length;
    expect(valueOf(await provider.port.refresh(provider.app, tokens))).toBe("ended");
    expect(valueOf(await provider.port.revoke(provider.app, tokens))).toBe("done");
    expect(provider.mock.visits.slice(sent)).toEqual([]);
  });

  it("refuses an answer of another server (mix-up)", async () => {
    await start({ at: endpoints });
    useOwnClient();
    provider.mixUp("https://attacker.example");
    const begun = valueOf(await provider.port.begin(provider.app, AT));
    const returned = await provider.consent(begun.url, "ana");
    expect(await provider.port.complete(provider.app, makeFlow(begun), returned)).toMatchObject({ ok: false });
    expect(provider.grants.counts.exchanges).toBe(0);
  });

  it("has nothing to revoke at a provider without such an endpoint", async () => {
    await start({ at: (mock) => ({ ...endpoints(mock), revocation: null }) });
    useOwnClient();
    const { tokens } = await connect(provider);
    expect(await provider.port.revoke(provider.app, tokens)).toEqual({ ok: true, value: "done" });
  });

  it("needs a client_id", async () => {
    await start({ at: endpoints });
    const begun = await provider.port.begin(provider.app, AT);
    expect(begun).toMatchObject({ ok: false, error: { message: expect.stringContaining("client_id") } });
  });
});

describe("clients", () => {
  it("the first registration counts for flows that begin together", async () => {
    await start();
    const begun = await Promise.all([provider.port.begin(provider.app, AT), provider.port.begin(provider.app, AT)]);
    const ids = begun.map((one) => new URL(valueOf(one).url).searchParams.get("client_id"));
    expect(new Set(ids).size).toBe(1);
  });

  it("another redirect URL, or an expired secret, is registered again", async () => {
    await start();
    await connect(provider);
    await provider.port.begin(provider.app, { ...AT, redirectUrl: "http://127.0.0.1:9/moved" });
    expect(provider.grants.counts.registrations).toBe(2);
    const { registered } = provider.book.settings;
    if (registered === null) throw new Error("not registered");
    provider.book.settings = { ...provider.book.settings, registered: { ...registered, expiresAt: Date.now() - 1 } };
    await provider.port.begin(provider.app, { ...AT, redirectUrl: registered.redirectUrl });
    expect(provider.grants.counts.registrations).toBe(3);
  });

  it("settings that change during the sign-in end it: the code stays where it was given", async () => {
    await start();
    const begun = valueOf(await provider.port.begin(provider.app, AT));
    const returned = await provider.consent(begun.url, "ana");
    const flow = { ...makeFlow(begun), issuer: "https://earlier.example" };
    const completed = await provider.port.complete(provider.app, flow, returned);
    expect(completed).toMatchObject({ ok: false, error: { message: expect.stringContaining("changed") } });
    expect(provider.grants.counts.exchanges).toBe(0);
  });
});

describe("the authorization request", () => {
  it("names the resource that the server names for the app's host, also when tokens are renewed", async () => {
    await start();
    const resource = `${provider.mock.url}/api`;
    provider.mock.announced = { ...provider.mock.announced, resources: ["https://elsewhere.example/", resource] };
    const begun = valueOf(await provider.port.begin(provider.app, AT));
    expect(new URL(begun.url).searchParams.get("resource")).toBe(resource);
    // The mock app compares the resource of the exchange.
    expect((await connect(provider)).tokens.kind).toBe("oauth");
  });

  it("has the app's own parameters, but none in place of the protocol's", async () => {
    await start();
    const params = {
      access_type: "offline",
      state: "forged",
      redirect_uri: "https://evil.example",
      scope: "everything",
    };
    provider.book.settings = { ...provider.book.settings, params };
    const { url } = valueOf(await provider.port.begin(provider.app, { ...AT, loginHint: "ana@acme.example" }));
    const query = Object.fromEntries(new URL(url).searchParams);
    expect(query).toMatchObject({
      access_type: "offline",
      state: "the-state",
      redirect_uri: REDIRECT,
      scope: "read write",
    });
    expect(query["login_hint"]).toBe("ana@acme.example");
  });
});

describe("the credential of a call", () => {
  const account: Account = {
    connection: "con_1",
    app: "crm",
    provider: "oauth",
    owner: { kind: "person", id: "per_ana", name: "Ana" },
    label: null,
    consent: 1,
    delegates: false,
  };

  async function open(hosts: readonly string[] = ["crm.example"]) {
    await start();
    const table = fakeTokenTable();
    const { tokens } = await connect(provider);
    table.consent("con_1", tokens);
    return {
      tenant: "t1",
      table,
      authorizations: provider.port,
      flights: createTokenFlights(),
      timer: globalThis,
      now: Date.now,
      background: () => undefined,
      book: provider.book,
      apps: { find: () => Promise.resolve(ok(makeApp({ hosts }))) },
    };
  }

  it("is bound to the app's header and hosts, and renewed once after a 401", async () => {
    const parts = await open();
    const { bearer } = valueOf(await getBearer(parts, account));
    expect(bearer).toMatchObject({ header: "authorization", hosts: ["crm.example"] });
    expect(provider.grants.findUser(bearer.value)?.id).toBe("ana");
    provider.grants.expireAccess();
    const { bearer: renewed } = valueOf(await getBearer(parts, account, { refused: bearer.value }));
    expect(provider.grants.findUser(renewed.value)?.id).toBe("ana");
    expect(provider.grants.counts.refreshes).toBe(1);
  });

  it("of an ended grant says that the connection has ended", async () => {
    const parts = await open();
    const { bearer } = valueOf(await getBearer(parts, account));
    provider.grants.endGrants();
    const ended = await getBearer(parts, account, { refused: bearer.value });
    expect(ended).toMatchObject({ error: { cause: { kind: "connection_ended", connection: "con_1" } } });
    expect(JSON.stringify(ended)).not.toContain("canary");
  });

  it("is sent nowhere if the app names no host", async () => {
    expect(await getBearer(await open([]), account)).toMatchObject({ error: { code: "blocked_by_policy" } });
  });
});

it("the mock app is controlled from another process", async () => {
  await start();
  const { tokens } = await connect(provider);
  if (tokens.kind !== "oauth") throw new Error("no tokens");
  const read = async () =>
    await fetch(`${provider.mock.url}/api/notes`, { headers: { authorization: `Bearer ${tokens.access}` } });
  expect(await (await read()).json()).toEqual({ owner: "ana", notes: ["A note of Ana"] });
  const seen = await controlApp(provider.mock.url, { expire: "ana", faults: { token: "error" } });
  expect(seen).toMatchObject({ active: 1, requests: [{ credential: tokens.access, user: "ana" }] });
  expect((await read()).status).toBe(401);
  expect(await provider.port.refresh(provider.app, tokens)).toMatchObject({ ok: false });
  expect(await controlApp(provider.mock.url, { faults: { token: null }, end: "*" })).toMatchObject({ active: 0 });
  expect(valueOf(await provider.port.refresh(provider.app, tokens))).toBe("ended");
});

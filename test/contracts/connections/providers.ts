/** Providers for the contract suites: the adapter with the mock app over the real egress and sidecar, and the fake. */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { openAuthorizations } from "../../../adapters/connections/oauth-client.ts";
import { ServerCaches } from "../../../adapters/connections/discover.ts";
import { judgeUrl, parseEgressAllow } from "../../../adapters/egress/address.ts";
import { openWeb } from "../../../adapters/egress/web.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import type { AppClient, ProviderAddress } from "../../../core/connections/app-client.ts";
import type { Flow } from "../../../core/connections/flow.ts";
import type { AuthorizationsPort } from "../../../core/ports/authorizations.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";
import { fakeAuthorizations } from "../../fakes/authorizations.ts";
import { type FakeProviderBook, fakeProviderBook } from "../../fakes/provider-book.ts";
import { fakeSecrets } from "../../fakes/secrets.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";
import { type MockEndpoint, type MockFault, type OAuthApp, startOAuthApp } from "../../mock-servers/oauth-app.ts";
import type { OAuthGrants } from "../../mock-servers/oauth-grants.ts";
import { signIn } from "../../mock-servers/oauth-sign-in.ts";

export const REDIRECT = "http://127.0.0.1:9/connect/callback";

/** A provider with what the suites change and see. */
export interface ProviderUnderTest {
  readonly port: AuthorizationsPort;
  readonly app: AppClient;
  readonly grants: OAuthGrants;
  fault(endpoint: MockEndpoint, fault: MockFault | null): void;
  announce(change: { readonly pkce?: boolean; readonly iss?: boolean }): void;
  /** Answers carry this `iss`. */
  mixUp(iss: string): void;
  /** Agrees on the page as a user, or declines (null). Returns what the browser returns with. */
  consent(url: string, user: string | null): Promise<URLSearchParams>;
  /** Connections to the private address to which faults redirect. */
  canaryHits(): number;
  close(): Promise<void>;
}

/** The app that the suites connect to. */
export function makeApp(change: Partial<AppClient> = {}): AppClient {
  return {
    app: "crm",
    provider: "oauth",
    title: "Crm",
    per: "person",
    kind: "oauth2",
    scopes: ["read", "write"],
    fields: [],
    hosts: ["crm.example"],
    settingsHash: "h1",
    ...change,
  };
}

export function makeFlow(begun: { readonly verifier: string; readonly issuer: string | null }): Flow {
  const by = { person: "per_ana", name: "Ana" };
  return { ...begun, nonce: "n1", redirectUrl: REDIRECT, until: Date.now() + 900_000, unattended: false, by };
}

/** The mock app behind the adapter, with what only this one has. */
export interface RealProvider extends ProviderUnderTest {
  readonly mock: OAuthApp;
  readonly book: FakeProviderBook;
}

interface Options {
  readonly at?: (mock: OAuthApp) => ProviderAddress;
  /** False: the operator opened the host to egress, but not without TLS. */
  readonly opensPlain?: boolean;
  readonly secure?: boolean;
  readonly timeoutMs?: number;
}

export async function startRealProvider(options: Options = {}): Promise<RealProvider> {
  const { at = (mock) => ({ kind: "issuer", issuer: mock.url }), opensPlain = true, secure = false } = options;
  const mock = await startOAuthApp({ secure });
  let hits = 0;
  const canary = createServer((_request, response) => response.end());
  canary.on("connection", () => {
    hits += 1;
  });
  mock.redirectTo = `http://127.0.0.1:${await listenOnLoopback(canary, 0)}/private`;
  const allow = parseEgressAllow(mock.host);
  const secret = randomBytes(32).toString("hex");
  const sidecar = makeSidecar(secret, makeSystemEgress(allow));
  const url = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
  const book = fakeProviderBook({ at: at(mock) });
  const port = openAuthorizations({
    web: openWeb({ sidecar: connectSidecar(url, secret), allow, tenant: "t1", secrets: fakeSecrets() }),
    isOpened: (wanted) => {
      const judged = judgeUrl(wanted.href, allow);
      return opensPlain && judged.ok && judged.opened;
    },
    timer: globalThis,
    timeoutMs: options.timeoutMs ?? 5_000,
    book,
    cache: new ServerCaches().open("t1", Date.now),
    now: Date.now,
  });
  return {
    port,
    book,
    mock,
    app: makeApp({ hosts: [mock.host] }),
    grants: mock.grants,
    fault: (endpoint, fault) => setFault(mock.faults, endpoint, fault),
    announce: (change) => {
      mock.announced = { ...mock.announced, ...change };
    },
    mixUp: (iss) => {
      mock.wrongIss = iss;
    },
    consent: async (page, user) => (await signIn(page, user ?? "")).searchParams,
    canaryHits: () => hits,
    close: async () => {
      await Promise.all([mock.close(), closeServer(sidecar), closeServer(canary)]);
    },
  };
}

export async function startFakeProvider(): Promise<ProviderUnderTest> {
  const port = fakeAuthorizations();
  return await Promise.resolve({
    port,
    app: makeApp(),
    grants: port.grants,
    fault: (endpoint: MockEndpoint, fault: MockFault | null) => setFault(port.faults, endpoint, fault),
    announce: (change: { readonly pkce?: boolean; readonly iss?: boolean }) => {
      port.announced = { ...port.announced, ...change };
    },
    mixUp: (iss: string) => {
      port.wrongIss = iss;
    },
    consent: async (url: string, user: string | null) => await Promise.resolve(port.consent(url, user)),
    canaryHits: () => 0,
    close: () => Promise.resolve(),
  });
}

function setFault(faults: Map<MockEndpoint, MockFault>, endpoint: MockEndpoint, fault: MockFault | null): void {
  if (fault === null) faults.delete(endpoint);
  else faults.set(endpoint, fault);
}

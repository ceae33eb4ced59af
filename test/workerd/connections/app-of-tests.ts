/** An app of a tenant at the mock authorization server, and connections to it. */
import { env } from "cloudflare:workers";
import { inject } from "vitest";
import { authorizationsFromEnv, connectionTableFromEnv } from "../../../adapters/env/connections.ts";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import type { AppClient, ProviderAddress } from "../../../core/connections/app-client.ts";
import type { Connection } from "../../../core/connections/connection.ts";
import type { TokenSet } from "../../../core/connections/tokens.ts";
import type { GivenConsent } from "../../../core/ports/connection-table.ts";
import { act } from "../../contracts/database/rows.ts";
import { valueOf } from "../../contracts/value-of.ts";

export const APP: AppClient = {
  app: "crm",
  provider: "oauth",
  title: "Crm",
  per: "either",
  kind: "oauth2",
  scopes: ["read"],
  fields: [],
  hosts: ["crm.example"],
  settingsHash: "h1",
};

const REDIRECT = "https://otto.test/connect/callback";

interface Reached {
  readonly at?: ProviderAddress;
  readonly clientId?: string;
}

/** The settings of an app whose provider answers nothing useful. */
export function nowhere(): Reached {
  const url = `${inject("servers").oauthApp}/nowhere`;
  return { at: { kind: "endpoints", authorization: url, token: url, revocation: url }, clientId: "client-1" };
}

/** Stores the app. Otto registers at the mock server unless `reached` says otherwise. */
export async function addApp(tenant: string, reached: Reached = {}): Promise<void> {
  const { app, provider, settingsHash, ...shown } = APP;
  const issuer = { kind: "issuer" as const, issuer: inject("servers").oauthApp };
  const settings = { ...shown, header: "authorization", at: issuer, clientId: null, params: {}, ...reached };
  valueOf(await appTable(tenant).put({ app, provider, settings, settingsHash, secrets: null }));
}

export async function removeApp(tenant: string): Promise<void> {
  valueOf(await appTable(tenant).remove(APP.app));
}

/** Apps without secrets. */
function appTable(tenant: string) {
  const unused = () => Promise.reject(new Error("there are no secrets"));
  return databaseFromEnv(env).appClients(tenant, { seal: unused, open: unused });
}

/** Tokens that a user of the mock app agreed to. */
export async function grantTokens(tenant: string, user = "ana"): Promise<TokenSet> {
  const authorizations = authorizationsFromEnv(env, tenant);
  const begun = valueOf(await authorizations.begin(APP, { redirectUrl: REDIRECT, state: "s" }));
  const by = { person: null, name: "test" };
  const flow = { ...begun, nonce: "n", redirectUrl: REDIRECT, until: Date.now() + 60_000, unattended: false, by };
  const returned = await signIn(begun.url, user);
  return valueOf(await authorizations.complete(APP, flow, returned)).tokens;
}

/** Presses a user's button on the page of the mock server, and returns what the browser would return with. */
async function signIn(page: string, user: string): Promise<URLSearchParams> {
  const reply = await fetch(page, { method: "POST", body: new URLSearchParams({ user }), redirect: "manual" });
  return new URL(reply.headers.get("location") ?? "").searchParams;
}

/** A connection of a person, or a shared one (null), with tokens. */
export async function connect(
  tenant: string,
  person: string | null,
  consent: Partial<GivenConsent> = {},
): Promise<Connection> {
  const table = connectionTableFromEnv(env, tenant);
  const { id } = valueOf(await table.ensure({ app: APP.app, person, alias: null }, APP.provider));
  const tokens = { kind: "oauth", access: "a", refresh: "r", expiresAt: null, issuer: null } as const;
  const usual = { tokens, label: null, scopes: null, unattended: true, settingsHash: APP.settingsHash };
  const by = { person, name: "test" };
  return valueOf(await table.complete(id, { ...usual, by, ...consent }, act("connection.connect", id)));
}

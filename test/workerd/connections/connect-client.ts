/** People who connect accounts of the mock app: apps of a tenant, keys of people, and browsers. */
import { env } from "cloudflare:workers";
import { expect, inject } from "vitest";
import { appClientsFromEnv, connectionTableFromEnv } from "../../../adapters/env/connections.ts";
import type { Provider } from "../../../core/connections/account.ts";
import { type AppSettings, hashAppSettings } from "../../../core/connections/app-settings.ts";
import type { TokenSet } from "../../../core/connections/tokens.ts";
import type { Scope } from "../../../core/tenant/keys.ts";
import { signIn } from "../../mock-servers/oauth-sign-in.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { type Answer, type Caller, callerOf, knock, makeCaller } from "../http/entry.ts";
import { type ConsentBrowser, newBrowser } from "../mcp/consent-client.ts";

/** A person of a tenant with their own key. */
export interface Member extends Caller {
  readonly person: string;
  readonly name: string;
}

/** A tenant with an administrator's key without a person, and the app `crm`. */
export interface Office {
  readonly admin: Caller;
  readonly tenant: string;
  add(name: string, scopes?: readonly Scope[]): Promise<Member>;
}

export async function openOffice(settings: Partial<AppSettings> = {}): Promise<Office> {
  const admin = await makeCaller();
  await addApp(admin.tenant, "crm", settings);
  return {
    admin,
    tenant: admin.tenant,
    async add(name, scopes = ["tasks:read", "tasks:write"]) {
      const addresses = [{ kind: "email", address: `${name.toLowerCase().replace(/\W/g, "")}@acme.example` }];
      const made = await admin.send("POST", "/v1/people", { name, addresses });
      expect(made.status, made.text).toBe(201);
      const { id } = made.json;
      const bound = await admin.send("POST", "/v1/keys", { name: `key of ${name.slice(0, 50)}`, scopes, person: id });
      expect(bound.status, bound.text).toBe(201);
      return { ...callerOf(admin.tenant, bound.json.key), person: id, name };
    },
  };
}

/** Stores an app as an import does. Its authorization server is the mock app. */
export async function addApp(tenant: string, name: string, change: Partial<AppSettings> = {}): Promise<void> {
  const issuer = inject("servers").oauthApp;
  const settings: AppSettings = {
    title: "Crm",
    kind: "oauth2",
    per: "either",
    scopes: ["read", "write"],
    fields: [],
    hosts: [new URL(issuer).host],
    header: "authorization",
    at: { kind: "issuer", issuer },
    clientId: null,
    params: {},
    ...change,
  };
  const provider: Provider = settings.kind === "oauth2" ? "oauth" : "key";
  const app = { app: name, provider, settings, settingsHash: await hashAppSettings(settings), secrets: null };
  valueOf(await appClientsFromEnv(env, tenant).put(app));
}

export async function readTokens(tenant: string, connection: string): Promise<TokenSet> {
  return valueOf(await connectionTableFromEnv(env, tenant).tokens(connection)).tokens;
}

/** Asks for a link, and returns its path. */
export async function askLink(member: Caller, more: object = {}): Promise<string> {
  const made = await member.send("POST", "/v1/connections", { app: "crm", ...more });
  expect(made.status, made.text).toBe(201);
  return new URL(made.json.connect_url).pathname;
}

/** Uses a link, and returns the address of the app's sign-in page. */
export async function begin(browser: ConsentBrowser, path: string, form = {}): Promise<string> {
  const gone = await browser.submit(`${path}/go`, form);
  expect(gone.status, gone.text).toBe(303);
  return gone.headers.get("location") ?? "";
}

/** Signs in at the app as one of its users (empty: declines), and returns where the browser is sent. */
export async function agree(page: string, user: string): Promise<string> {
  const back = await signIn(page, user);
  return back.pathname + back.search;
}

/** Connects an account in a browser of its own, from the link to the last page. */
export async function connect(member: Caller, user: string, more: object = {}, form = {}): Promise<Answer> {
  const browser = newBrowser();
  return await browser.visit(await agree(await begin(browser, await askLink(member, more), form), user));
}

/** The only connection that the caller sees. */
export async function readOnly(member: Caller) {
  const { data } = (await member.send("GET", "/v1/connections")).json;
  expect(data).toHaveLength(1);
  return data[0];
}

/** Signs a browser in to the console. */
export async function signInTo(browser: ConsentBrowser, { key }: Pick<Caller, "key">): Promise<void> {
  const body = JSON.stringify({ key });
  const address = `198.51.100.${crypto.getRandomValues(new Uint8Array(1))[0] ?? 0}`;
  const headers = { "content-type": "application/json", "cf-connecting-ip": address };
  const answer = await knock("POST", "/v1/session", { body, headers });
  expect(answer.status, answer.text).toBe(201);
  const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(answer.headers.get("set-cookie") ?? "") ?? [];
  browser.cookies.set(name, value);
}

/**
 * A mock app with its authorization server, on loopback: RFC 8414 description, registration, a sign-in page for two users, tokens that rotate
 * (`oauth-grants.ts`), userinfo, revocation (RFC 7009), and an API that answers with the data of the account whose token it gets.
 * Every endpoint can be made to fail. Tests in another process use `/control`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { LOOPBACK_CERTIFICATE } from "./certificates.ts";
import { closeServer, listenOnLoopback } from "./listen.ts";
import { answerApi, type ApiRequest, describeApi } from "./oauth-app-api.ts";
import { answerControl } from "./oauth-app-control.ts";
import { APP_USERS, type MockClient, OAuthGrants } from "./oauth-grants.ts";
import { renderSignIn } from "./oauth-sign-in.ts";

export const ENDPOINTS = ["discovery", "registration", "authorize", "token", "userinfo", "revocation", "api"] as const;
export type MockEndpoint = (typeof ENDPOINTS)[number];

/**
 * `refuse`: the connection is closed; `error`: 500; `hang`: no answer; `trickle`: an answer that never ends; `bad_json`; `huge`: a megabyte;
 * `redirect`: 307 to `redirectTo`; `refusal`: the protocol's own error.
 */
export const FAULTS = ["refuse", "error", "hang", "trickle", "bad_json", "huge", "redirect", "refusal"] as const;
export type MockFault = (typeof FAULTS)[number];

/** What the server says of itself. */
export interface MockAnnouncement {
  readonly pkce: boolean;
  readonly iss: boolean;
  readonly registration: boolean;
  readonly revocation: boolean;
  readonly userinfo: boolean;
  /** Resource identifiers (RFC 9728, section 4). */
  readonly resources: readonly string[];
}

export interface OAuthAppSettings {
  readonly secure?: boolean;
  readonly port?: number;
}

/** A running mock app. Its fields may be changed by tests. */
export interface OAuthApp {
  readonly url: string;
  readonly host: string;
  readonly grants: OAuthGrants;
  readonly faults: Map<MockEndpoint, MockFault>;
  /** Every request to the API, with the token or key that it carried. */
  readonly requests: ApiRequest[];
  /** The paths of all other requests. */
  readonly visits: string[];
  announced: MockAnnouncement;
  redirectTo: string;
  /** Replaces the `iss` of the answers: a mix-up. */
  wrongIss: string | null;
  /** Milliseconds before a token endpoint's answer. */
  tokenDelayMs: number;
  addClient(client: MockClient): MockClient;
  close(): Promise<void>;
}

const EVERYTHING: MockAnnouncement = {
  pkce: true,
  iss: true,
  registration: true,
  revocation: true,
  userinfo: true,
  resources: [],
};

export async function startOAuthApp({ secure = false, port = 0 }: OAuthAppSettings = {}): Promise<OAuthApp> {
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    void readText(request).then((text) => route(app, request, text, response));
  };
  const server: Server = secure ? createSecureServer(LOOPBACK_CERTIFICATE, answer) : createServer(answer);
  const host = `127.0.0.1:${await listenOnLoopback(server, port)}`;
  const grants = new OAuthGrants();
  const app: OAuthApp = {
    url: `${secure ? "https" : "http"}://${host}`,
    host,
    grants,
    faults: new Map(),
    requests: [],
    visits: [],
    announced: EVERYTHING,
    redirectTo: "http://127.0.0.1:9/elsewhere",
    wrongIss: null,
    tokenDelayMs: 0,
    addClient: (client) => grants.addClient(client),
    close: () => closeServer(server),
  };
  return app;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The reply of an endpoint. */
export interface MockReply {
  readonly status: number;
  readonly body?: unknown;
  readonly html?: string;
  readonly location?: string;
}

const PATHS: Readonly<Record<string, MockEndpoint>> = {
  "/.well-known/oauth-authorization-server": "discovery",
  "/register": "registration",
  "/authorize": "authorize",
  "/token": "token",
  "/userinfo": "userinfo",
  "/revoke": "revocation",
};

async function route(app: OAuthApp, request: IncomingMessage, text: string, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", app.url);
  if (url.pathname === "/control") return send(response, answerControl(app, text));
  if (url.pathname === "/openapi.json") return send(response, { status: 200, body: describeApi(app.url) });
  const endpoint = url.pathname.startsWith("/api/") ? "api" : PATHS[url.pathname];
  if (endpoint === undefined) return send(response, { status: 404, body: { error: "not_found" } });
  if (endpoint !== "api") app.visits.push(`${request.method ?? ""} ${url.pathname}`);
  const fault = app.faults.get(endpoint);
  if (fault !== undefined && fault !== "refusal") return fail(app, fault, response);
  if (endpoint === "token" && app.tokenDelayMs > 0)
    await new Promise((resolve) => setTimeout(resolve, app.tokenDelayMs));
  send(response, fault === "refusal" ? refuse(endpoint) : answer(app, endpoint, { request, url, text }));
}

function fail(app: OAuthApp, fault: Exclude<MockFault, "refusal">, response: ServerResponse): void {
  if (fault === "hang") return;
  if (fault === "refuse") response.destroy();
  else if (fault === "error") response.writeHead(500).end("canary-error-page");
  else if (fault === "redirect") response.writeHead(307, { location: app.redirectTo }).end();
  else if (fault === "trickle") response.writeHead(200, { "content-type": "application/json" }).write('{"a":');
  else
    response.writeHead(200, { "content-type": "application/json" }).end(fault === "huge" ? HUGE : "canary, not JSON");
}

const HUGE = JSON.stringify({ padding: "x".repeat(1_000_000) });

/** The error with which an endpoint refuses (RFC 6749, 7009, 7591). */
function refuse(endpoint: MockEndpoint): MockReply {
  if (endpoint === "discovery") return { status: 404, body: {} };
  if (endpoint === "registration") return { status: 400, body: { error: "invalid_redirect_uri" } };
  if (endpoint === "userinfo" || endpoint === "api") return { status: 401, body: { error: "invalid_token" } };
  return { status: 400, body: { error: endpoint === "revocation" ? "unsupported_token_type" : "invalid_grant" } };
}

interface Asked {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly text: string;
}

function answer(app: OAuthApp, endpoint: MockEndpoint, { request, url, text }: Asked): MockReply {
  const { authorization } = request.headers;
  if (endpoint === "discovery") return { status: 200, body: describe(app) };
  if (endpoint === "registration") return register(app, text);
  if (endpoint === "authorize")
    return authorize(app, request.method === "POST" ? new URLSearchParams(text) : null, url);
  if (endpoint === "userinfo") return readUserinfo(app, authorization);
  if (endpoint === "api") return answerApi(app, request, url, text);
  const form = new URLSearchParams(text);
  const client = authenticate(app, authorization, form);
  return endpoint === "token" ? app.grants.token(form, client) : app.grants.revoke(form, client);
}

function describe({ url, announced }: OAuthApp): Readonly<Record<string, unknown>> {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    ...(announced.registration ? { registration_endpoint: `${url}/register` } : {}),
    ...(announced.revocation ? { revocation_endpoint: `${url}/revoke` } : {}),
    ...(announced.userinfo ? { userinfo_endpoint: `${url}/userinfo` } : {}),
    ...(announced.resources.length > 0 ? { protected_resources: announced.resources } : {}),
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: announced.pkce ? ["S256"] : ["plain"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
    authorization_response_iss_parameter_supported: announced.iss,
  };
}

function register({ grants }: OAuthApp, text: string): MockReply {
  const metadata = JSON.parse(text) as { readonly redirect_uris: readonly string[] };
  const { id, secret } = grants.register(metadata.redirect_uris);
  const reply = { ...metadata, client_id: id, client_secret: secret, client_secret_expires_at: 0 };
  return { status: 201, body: { ...reply, token_endpoint_auth_method: "client_secret_basic" } };
}

/** `form` is what the sign-in page sent: who signed in, or that they declined. */
function authorize(app: OAuthApp, form: URLSearchParams | null, url: URL): MockReply {
  const request = app.grants.check(url.searchParams);
  if (typeof request === "string") return { status: 400, html: `<p>Invalid request: ${request}</p>` };
  if (form === null) return { status: 200, html: renderSignIn(url, APP_USERS) };
  const back = new URL(request.redirect);
  if (request.state !== null) back.searchParams.set("state", request.state);
  if (app.announced.iss) back.searchParams.set("iss", app.wrongIss ?? app.url);
  const user = APP_USERS.find(({ id }) => id === form.get("user"));
  if (user === undefined) back.searchParams.set("error", "access_denied");
  else back.searchParams.set("code", app.grants.agree(request, user));
  return { status: 303, location: back.href };
}

function readUserinfo({ grants }: OAuthApp, authorization: string | undefined): MockReply {
  const user = grants.findUser(authorization?.replace(/^Bearer /, "") ?? "");
  if (user === null) return { status: 401, body: { error: "invalid_token" } };
  return { status: 200, body: { sub: user.id, name: user.name, email: user.email, email_verified: true } };
}

/** RFC 6749, section 2.3.1. */
function authenticate({ grants }: OAuthApp, authorization: string | undefined, form: URLSearchParams) {
  const basic = /^Basic (.+)$/.exec(authorization ?? "")?.[1];
  if (basic === undefined) return grants.authenticate(form.get("client_id") ?? "", form.get("client_secret"));
  const [id = "", secret = ""] = atob(basic).split(":");
  return grants.authenticate(decodeForm(id), decodeForm(secret));
}

function decodeForm(value: string): string {
  return new URLSearchParams(`v=${value}`).get("v") ?? "";
}

function send(response: ServerResponse, { status, body, html, location }: MockReply): void {
  const type = html === undefined ? "application/json" : "text/html; charset=utf-8";
  response.writeHead(status, { "content-type": type, ...(location === undefined ? {} : { location }) });
  response.end(html ?? (body === undefined ? "" : JSON.stringify(body)));
}

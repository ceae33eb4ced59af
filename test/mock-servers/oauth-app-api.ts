/** The API of the mock app: each account has its own notes. Accepts access tokens, API keys and basic authentication. */
import type { IncomingMessage } from "node:http";
import type { MockReply, OAuthApp } from "./oauth-app.ts";
import { APP_USERS, type AppUser } from "./oauth-grants.ts";

/** A request to the API. `credential` is the token or key, without its scheme; `user` is null if it was refused. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly credential: string | null;
  readonly user: string | null;
  readonly body: string;
}

const notes = new WeakMap<OAuthApp, Map<string, string[]>>();

export function answerApi(app: OAuthApp, request: IncomingMessage, url: URL, body: string): MockReply {
  const credential = findCredential(request, url);
  const user = credential === null ? null : findUser(app, credential);
  const method = request.method ?? "";
  app.requests.push({ method, path: url.pathname, credential, user: user?.id ?? null, body });
  if (user === null) return { status: 401, body: { error: "invalid_token" } };
  if (url.pathname === "/api/me") return { status: 200, body: { id: user.id, name: user.name, email: user.email } };
  if (url.pathname !== "/api/notes") return { status: 404, body: { error: "not_found" } };
  const own = findNotes(app, user);
  if (method !== "POST") return { status: 200, body: { owner: user.id, notes: own } };
  own.push((JSON.parse(body) as { readonly text: string }).text);
  return { status: 201, body: { owner: user.id, notes: own } };
}

function findNotes(app: OAuthApp, { id, name }: AppUser): string[] {
  const all = notes.get(app) ?? new Map<string, string[]>();
  notes.set(app, all);
  const own = all.get(id) ?? [`A note of ${name}`];
  all.set(id, own);
  return own;
}

function findCredential({ headers }: IncomingMessage, url: URL): string | null {
  const { authorization } = headers;
  const key = headers["x-api-key"];
  if (authorization !== undefined) return authorization.replace(/^\w+ /, "");
  return typeof key === "string" ? key : url.searchParams.get("api_key");
}

/** An access token, an API key, or the base64 of `id:key`. */
function findUser({ grants }: OAuthApp, credential: string): AppUser | null {
  const user = grants.findUser(credential);
  return user ?? APP_USERS.find(({ id, key }) => credential === key || credential === btoa(`${id}:${key}`)) ?? null;
}

/** The API as an OpenAPI document, for imports. */
export function describeApi(url: string): Readonly<Record<string, unknown>> {
  const answers = { "200": { description: "OK", content: { "application/json": { schema: { type: "object" } } } } };
  const text = { type: "object", required: ["text"], properties: { text: { type: "string" } } };
  const read = { security: [{ oauth: ["read"] }], responses: answers };
  const added = { description: "Added", content: { "application/json": { schema: { type: "object" } } } };
  return {
    openapi: "3.1.0",
    info: { title: "Mock app", version: "1" },
    servers: [{ url }],
    paths: {
      "/api/me": { get: { operationId: "getMe", summary: "Read the account", ...read } },
      "/api/notes": {
        get: { operationId: "listNotes", summary: "List the notes of the account", ...read },
        post: {
          operationId: "addNote",
          summary: "Add a note to the account",
          security: [{ oauth: ["write"] }],
          requestBody: { required: true, content: { "application/json": { schema: text } } },
          responses: { "201": added },
        },
      },
    },
    components: {
      securitySchemes: {
        oauth: {
          type: "oauth2",
          flows: {
            authorizationCode: {
              authorizationUrl: `${url}/authorize`,
              tokenUrl: `${url}/token`,
              scopes: { read: "Read notes", write: "Add notes" },
            },
          },
        },
        key: { type: "apiKey", in: "header", name: "x-api-key" },
        basic: { type: "http", scheme: "basic" },
      },
    },
  };
}

/**
 * An authorization server that others wrote (the package `oidc-provider`), on loopback: Otto's client must not only fit our own mock. People
 * sign in by the package's development pages.
 */
import { createServer, type RequestListener } from "node:http";
import { Provider } from "oidc-provider";
import { closeServer, listenOnLoopback } from "./listen.ts";

export const OWN_CLIENT = { id: "otto-client", secret: "canary-secret-of-otto-with/odd+characters" };

export interface IndependentAuthority {
  readonly url: string;
  readonly host: string;
  /** How often each event of the package was seen. */
  readonly events: Map<string, number>;
  /** Signs in on the page and agrees. Returns what the browser returns with. */
  consent(page: string, user: string): Promise<URLSearchParams>;
  close(): Promise<void>;
}

const EVENTS = [
  "grant.success",
  "grant.error",
  "grant.revoked",
  "refresh_token.consumed",
  "registration_create.success",
];

export async function startIndependentAuthority(redirect: string): Promise<IndependentAuthority> {
  let handle: RequestListener = (_request, response) => response.end();
  const server = createServer((request, response) => handle(request, response));
  const host = `127.0.0.1:${await listenOnLoopback(server, 0)}`;
  const url = `http://${host}`;
  const events = new Map<string, number>();
  const provider = new Provider(url, {
    clients: [
      {
        client_id: OWN_CLIENT.id,
        client_secret: OWN_CLIENT.secret,
        redirect_uris: [redirect],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
      },
    ],
    cookies: { keys: ["a key of this test"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
    },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@acme.example`, email_verified: true }),
    }),
  });
  for (const event of EVENTS) provider.on(event, () => events.set(event, (events.get(event) ?? 0) + 1));
  const callback = provider.callback();
  handle = (request, response) => void callback(request, response);
  return {
    url,
    host,
    events,
    consent: async (page, user) => await consent(page, user, redirect),
    close: () => closeServer(server),
  };
}

const MAX_STEPS = 20;

/** Follows the redirects as a browser, and submits the forms of the two prompts. */
async function consent(page: string, user: string, redirect: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  const forms = [
    { prompt: "login", login: user, password: "any" },
    { prompt: "consent", login: "", password: "" },
  ];
  let url = page;
  let body: URLSearchParams | null = null;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const method = body === null ? "GET" : "POST";
    const reply: Response = await fetch(url, { method, body, headers: { cookie }, redirect: "manual" });
    for (const set of reply.headers.getSetCookie()) {
      const [name = "", value = ""] = set.split(";", 1)[0]?.split(/=(.*)/s) ?? [];
      cookies.set(name, value);
    }
    const location = reply.headers.get("location");
    if (location?.startsWith(redirect) === true) return new URL(location).searchParams;
    body = null;
    if (location !== null) url = new URL(location, url).href;
    else if (reply.status === 200) body = new URLSearchParams(forms.shift());
    else throw new Error(`the page answered ${reply.status}: ${(await reply.text()).slice(0, 500)}`);
  }
  throw new Error("the consent did not end");
}

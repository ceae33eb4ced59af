/**
 * Which browser an outside party's consent belongs to. Whoever begins one could send its address to somebody else, whose
 * workspace or account would then be the sender's to use (RFC 6749 section 10.12, RFC 9700 section 4.7). So the browser that
 * comes back has to hold a cookie of this very consent. It gets it when a session of its own begins the consent, or, for one
 * that was begun with a key, on Otto's own page, which says whose tenant it is for (docs/decisions/0049-whose-consent.md).
 */
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { sealingFromEnv } from "../../adapters/env/secrets.ts";
import { toBase64Url } from "../../core/base/base64.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import type { AppContext } from "./context.ts";
import { escaped, page, PAGE_HEADERS } from "./page.ts";
import { isSignedInElsewhere } from "./signed-in-elsewhere.ts";
import { cookieNameOf, isHttps } from "./session-cookie.ts";

/** How long a consent counts that has begun. */
export const CONSENT_LIFE_MS = 10 * 60_000;
const TOKEN_BYTES = 32;
const MAX_SHOWN_NAME = 100;
/** No cache keeps a page that was made for one browser. */
const HEADERS = { ...PAGE_HEADERS, "cache-control": "no-store" } as const;

/** A consent that has begun. */
export interface Begun {
  readonly tenant: string;
  /** Names it; nobody can guess it. */
  readonly mark: string;
}

interface Asked {
  /** What the person will give, such as `a Slack workspace`. */
  readonly what: string;
  /** Where the person agrees. */
  readonly url: string;
  /** From the link on the page; absent: the page is to be shown. */
  readonly go: string | undefined;
}

/**
 * Where the person goes first. A browser whose own session asked, and which will come back to where it asked, goes to `url` at
 * once. For any other it is Otto's page at `path`, which knows the consent by its state.
 */
export async function whereToBegin(
  c: AppContext,
  { mark }: Begun,
  { url, origin, path, state }: Readonly<Record<"url" | "origin" | "path" | "state", string>>,
): Promise<string> {
  if (!isBySession(c, origin)) return `${origin}${path}?state=${state}`;
  await bind(c, mark);
  return url;
}

/** True when the request comes from a browser of a session that will come back to the same origin. */
export function isBySession(c: AppContext, origin: string): boolean {
  return c.get("session") !== null && new URL(c.req.url).origin === origin;
}

/**
 * Otto's page before a consent that was begun with a key. What it shows binds nothing: a program that previews a link opens it
 * too. Its own link does, and nobody else can make one: `go` has to be what the page's cookie says.
 */
export async function beginInBrowser(c: AppContext, begun: Begun, { what, url, go }: Asked): Promise<Response> {
  const { tenant, mark } = begun;
  const asking = await cookieOf(c, "ask", mark);
  if (go === undefined) {
    const token = toBase64Url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));
    setCookie(c, asking, token, attributes(c));
    return c.html(await question(c.env, tenant, { what, to: new URL(url).host, link: linkTo(c, token) }), 200, HEADERS);
  }
  if (!isSame(getCookie(c, asking), go))
    return told(c, 400, "This browser has not seen the page before this one. Open the link that Otto gave once more.");
  if (await isSignedInElsewhere(c, tenant))
    return told(
      c,
      409,
      "This browser is signed in to another tenant of Otto. Sign out there, then open the link again.",
    );
  deleteCookie(c, asking, attributes(c));
  await bind(c, mark);
  return c.redirect(url, 303);
}

/** Whether the browser that came back is the one that went. What it held is taken away: it counts once. */
export async function isSameBrowser(c: AppContext, { mark }: Begun): Promise<boolean> {
  const name = await cookieOf(c, "consent", mark);
  const given = getCookie(c, name);
  deleteCookie(c, name, attributes(c));
  return (await tokensOf(c.env, mark)).some((token) => isSame(given, token));
}

export const OTHER_BROWSER =
  "This browser did not begin this, so nothing was connected. Did somebody send you the link? Then what you agreed to would have been theirs. Else begin anew, and go all the way in one browser.";

/** A plain page that says one thing. */
export function told(c: AppContext, status: 200 | 400 | 409, message: string): Response {
  const html = page("Otto", `<h1>Otto</h1><p>${escaped(message)}</p><p>You can close this page.</p>`);
  return c.html(html, status, HEADERS);
}

async function question(
  env: Env,
  tenant: string,
  { what, to, link }: Readonly<Record<"what" | "to" | "link", string>>,
): Promise<string> {
  const found = await databaseFromEnv(env).tenants.get(tenant);
  const name = found.ok ? `<b><bdi>${escaped(found.value.name.slice(0, MAX_SHOWN_NAME))}</bdi></b> ` : "";
  return page(
    "Otto",
    `<h1>Connect ${escaped(what)}?</h1>
<p>What you agree to on the next page, at <b>${escaped(to)}</b>, is given to the tenant ${name}(<code>${escaped(tenant)}</code>) of Otto. Its people and agents can then use it.</p>
<p>Go on only if you have begun this yourself, or know who of that tenant did. If this link just reached you, close the page: nothing has happened yet.</p>
<p><a href="${escaped(link)}">Go on to ${escaped(to)}</a></p>`,
  );
}

/** The page's own address, with what its cookie says. */
function linkTo(c: AppContext, token: string): string {
  const { pathname, searchParams } = new URL(c.req.url);
  searchParams.set("go", token);
  return `${pathname}?${searchParams.toString()}`;
}

async function bind(c: AppContext, mark: string): Promise<void> {
  const [token = ""] = await tokensOf(c.env, mark);
  setCookie(c, await cookieOf(c, "consent", mark), token, attributes(c));
}

/** Derived from the mark, so that nothing is stored: by OTTO_SECRET_KEY, then by the earlier keys of the ring. */
async function tokensOf(env: Env, mark: string): Promise<readonly string[]> {
  const seed = new TextEncoder().encode(mark);
  return (await sealingFromEnv(env).deriveEach(seed, "browser of a consent", TOKEN_BYTES)).map(toBase64Url);
}

/** One a consent: several may be under way in a browser. */
async function cookieOf(c: AppContext, what: "ask" | "consent", mark: string): Promise<string> {
  return cookieNameOf(c, `otto_${what}_${(await sha256Hex(mark)).slice(0, 16)}`);
}

/** Whether the value of a `Set-Cookie` binds a browser to a consent. */
export function isConsentCookie(set: string): boolean {
  return /^(?:__Host-)?otto_consent_/.test(set);
}

/** `Lax`, because the way back is a link from another site. */
function attributes(c: AppContext) {
  const secure = isHttps(c);
  return { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge: CONSENT_LIFE_MS / 1000 } as const;
}

/** Takes the same time wherever two texts of one length differ. What was not given is no text. */
function isSame(given: string | undefined, right: string): boolean {
  if (given === undefined) return false;
  const [a, b] = [new TextEncoder().encode(given), new TextEncoder().encode(right)];
  return a.byteLength === b.byteLength && crypto.subtle.timingSafeEqual(a, b);
}

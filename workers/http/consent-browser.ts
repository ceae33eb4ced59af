/**
 * Binds a consent at an outside service to one browser. Without this, somebody who starts a consent could send its
 * link to another person, whose workspace or account the sender could then use (RFC 6749 section 10.12, RFC 9700
 * section 4.7). So the browser that returns must hold a cookie of this consent. It gets the cookie when its own
 * session starts the consent or, for a consent started with a key, on Otto's page, which names the tenant
 * (docs/decisions/0049-whose-consent.md).
 */
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { sealingFromEnv } from "../../adapters/env/secrets.ts";
import { toBase64Url } from "../../core/base/base64.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import type { AppContext } from "./context.ts";
import { escapeHtml, renderPage, PAGE_HEADERS } from "./page.ts";
import { isSignedInElsewhere } from "./signed-in-elsewhere.ts";
import { getCookieName, isHttps } from "./session-cookie.ts";

/** Lifetime of a consent that has started. */
export const CONSENT_LIFE_MS = 10 * 60_000;
const TOKEN_BYTES = 32;
const MAX_NAME = 100;
/** No cache stores a page that was made for one browser. */
const HEADERS = { ...PAGE_HEADERS, "cache-control": "no-store" } as const;

/** A consent that has started. */
export interface StartedConsent {
  readonly tenant: string;
  /** Identifies the consent; not guessable. */
  readonly mark: string;
}

interface ConsentPage {
  /** What the person grants, such as `a Slack workspace`. */
  readonly what: string;
  /** Where the person agrees. */
  readonly url: string;
  /** From the link on the page; absent for the first view of the page. */
  readonly go: string | undefined;
}

/**
 * Returns the first address of a consent. A browser whose own session started it, and which returns to the same
 * origin, goes to `url` directly. Any other goes to Otto's page at `path`, which finds the consent by its state.
 */
export async function getFirstUrl(
  c: AppContext,
  { mark }: StartedConsent,
  { url, origin, path, state }: Readonly<Record<"url" | "origin" | "path" | "state", string>>,
): Promise<string> {
  if (!isFromSession(c, origin)) return `${origin}${path}?state=${state}`;
  await bindBrowser(c, mark);
  return url;
}

/** Whether the request's browser has a session and returns to the same origin. */
export function isFromSession(c: AppContext, origin: string): boolean {
  return c.get("session") !== null && new URL(c.req.url).origin === origin;
}

/**
 * Serves Otto's page before a consent that was started with a key. The page alone binds nothing, because programs
 * that preview links open it too. Its link binds the browser: `go` must equal the page's cookie.
 */
export async function serveConsentPage(
  c: AppContext,
  begun: StartedConsent,
  { what, url, go }: ConsentPage,
): Promise<Response> {
  const { tenant, mark } = begun;
  const asking = await getConsentCookieName(c, "ask", mark);
  if (go === undefined) {
    const token = toBase64Url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));
    setCookie(c, asking, token, attributes(c));
    return c.html(
      await renderQuestion(c.env, tenant, { what, to: new URL(url).host, link: getLink(c, token) }),
      200,
      HEADERS,
    );
  }
  if (!isSame(getCookie(c, asking), go))
    return renderMessage(c, 400, "This browser has not opened the previous page. Open Otto's link again.");
  if (await isSignedInElsewhere(c, tenant))
    return renderMessage(
      c,
      409,
      "This browser is signed in to another tenant of Otto. Sign out there, then open the link again.",
    );
  deleteCookie(c, asking, attributes(c));
  await bindBrowser(c, mark);
  return c.redirect(url, 303);
}

/** Whether the browser that returned is the one that started. Removes its cookie, which is valid once. */
export async function isSameBrowser(c: AppContext, { mark }: Pick<StartedConsent, "mark">): Promise<boolean> {
  const isBound = await isBoundBrowser(c, mark);
  deleteCookie(c, await getConsentCookieName(c, "consent", mark), attributes(c));
  return isBound;
}

/** Whether the browser has the cookie of this consent. The cookie stays, so that a repeat can be told what happened. */
export async function isBoundBrowser(c: AppContext, mark: string): Promise<boolean> {
  const given = getCookie(c, await getConsentCookieName(c, "consent", mark));
  return (await deriveTokens(c.env, mark)).some((token) => isSame(given, token));
}

export const OTHER_BROWSER =
  "This browser did not start this consent, so nothing was connected. If somebody sent you the link, they would have received your access. Otherwise start again, and complete every step in one browser.";

/** Renders a plain page with one message. */
export function renderMessage(c: AppContext, status: 200 | 400 | 409, message: string): Response {
  const html = renderPage("Otto", `<h1>Otto</h1><p>${escapeHtml(message)}</p><p>You can close this page.</p>`);
  return c.html(html, status, HEADERS);
}

async function renderQuestion(
  env: Env,
  tenant: string,
  { what, to, link }: Readonly<Record<"what" | "to" | "link", string>>,
): Promise<string> {
  const found = await databaseFromEnv(env).tenants.get(tenant);
  const name = found.ok ? `<b><bdi>${escapeHtml(found.value.name.slice(0, MAX_NAME))}</bdi></b> ` : "";
  return renderPage(
    "Otto",
    `<h1>Connect ${escapeHtml(what)}?</h1>
<p>What you agree to on the next page, at <b>${escapeHtml(to)}</b>, is given to the tenant ${name}(<code>${escapeHtml(tenant)}</code>) of Otto. Its people and agents can then use it.</p>
<p>Go on only if you have begun this yourself, or know who of that tenant did. If this link just reached you, close the page: nothing has happened yet.</p>
<p><a href="${escapeHtml(link)}">Go on to ${escapeHtml(to)}</a></p>`,
  );
}

/** Returns the page's own address with the value of its cookie. */
function getLink(c: AppContext, token: string): string {
  const { pathname, searchParams } = new URL(c.req.url);
  searchParams.set("go", token);
  return `${pathname}?${searchParams.toString()}`;
}

/** Sets the cookie of a consent. `lifeMs` is the consent's lifetime. */
export async function bindBrowser(c: AppContext, mark: string, lifeMs: number = CONSENT_LIFE_MS): Promise<void> {
  const [token = ""] = await deriveTokens(c.env, mark);
  const cookie = { ...attributes(c), maxAge: lifeMs / 1000 };
  setCookie(c, await getConsentCookieName(c, "consent", mark), token, cookie);
}

/**
 * Derives the tokens from the mark, so that nothing is stored: with OTTO_SECRET_KEY, then with the earlier keys of
 * the ring.
 */
async function deriveTokens(env: Env, mark: string): Promise<readonly string[]> {
  const seed = new TextEncoder().encode(mark);
  return (await sealingFromEnv(env).deriveEach(seed, "browser of a consent", TOKEN_BYTES)).map(toBase64Url);
}

/** The cookie of one consent. A browser can have several consents in progress. */
async function getConsentCookieName(c: AppContext, what: "ask" | "consent", mark: string): Promise<string> {
  return getCookieName(c, `otto_${what}_${(await sha256Hex(mark)).slice(0, 16)}`);
}

/** Whether the value of a `Set-Cookie` binds a browser to a consent. */
export function isConsentCookie(set: string): boolean {
  return /^(?:__Host-)?otto_consent_/.test(set);
}

/** `Lax`, because the return is a link from another site. */
function attributes(c: AppContext) {
  const secure = isHttps(c);
  return { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge: CONSENT_LIFE_MS / 1000 } as const;
}

/** Compares two texts in constant time. An absent text equals none. */
function isSame(given: string | undefined, right: string): boolean {
  if (given === undefined) return false;
  const [a, b] = [new TextEncoder().encode(given), new TextEncoder().encode(right)];
  return a.byteLength === b.byteLength && crypto.subtle.timingSafeEqual(a, b);
}

/**
 * The pages of connecting: no script, nothing loaded, no cache, no referrer. Every name on them was written by somebody
 * else, so it is escaped and isolated in its direction.
 */
import { appsStatusFromEnv } from "../../adapters/env/apps.ts";
import { hasOpenedDestinations } from "../../adapters/env/connections.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { isKeyApp, listKeyFields, type KeyField } from "../../core/connections/key-fields.ts";
import type { AppContext } from "../http/context.ts";
import { escapeHtml, PAGE_HEADERS, renderPage } from "../http/page.ts";
import { isHttps } from "../http/session-cookie.ts";
import type { OpenedLink } from "./opened-link.ts";

export type PageStatus = 200 | 400 | 403 | 410 | 413 | 415 | 422 | 429;

const MAX_NAME = 100;
const NOTE_HEADERS = { ...PAGE_HEADERS, "cache-control": "no-store" } as const;
const CLOSE = "You may close this window.";

const STYLE = `
html { background: Canvas; color: CanvasText; }
main { max-width: 34rem; margin: 0 auto; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
dl { margin: 1rem 0; border-top: 1px solid #8884; }
dl div { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: .5rem 0; border-bottom: 1px solid #8884; }
dt { min-width: 6rem; opacity: .8; } dd { margin: 0; flex: 1 1 10rem; }
label { display: block; font-weight: 600; margin-top: 1rem; }
input { font: inherit; }
input:not([type=checkbox]) { display: block; box-sizing: border-box; width: 100%; margin-top: .25rem; padding: .5rem .75rem; border: 1px solid #888; border-radius: 6px; background: Field; color: FieldText; }
.check { display: flex; gap: .6rem; align-items: flex-start; font-weight: 400; }
.check input { width: 1.15rem; height: 1.15rem; margin: .15rem 0 0; flex: none; }
.hint { font-size: .9rem; opacity: .8; margin: .25rem 0 0; font-weight: 400; }
button { font: inherit; font-weight: 600; margin: 1.5rem 0 0; padding: .65rem 1.25rem; border: 0; border-radius: 6px; background: #1f5fbf; color: #fff; cursor: pointer; max-width: 100%; overflow-wrap: anywhere; }
button:focus-visible, input:focus-visible, a:focus-visible { outline: 3px solid CanvasText; outline-offset: 2px; }
.error { border-left: 4px solid #b3261e; padding: .5rem .75rem; background: #b3261e1a; }
.warning { font-size: .9rem; margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid #8884; }`;

/** Renders a page with one message. */
export function renderNote(c: AppContext, status: PageStatus, message: string, title = "Connect an account"): Response {
  const body = `<main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(message)}</p></main>`;
  return c.html(renderPage(title, body, STYLE), status, NOTE_HEADERS);
}

/** A consent that worked. `label` is how the app names the account, `returnTo` an address of this system. */
interface ConnectedPage {
  readonly title: string;
  readonly label: string | null;
  readonly returnTo: string | undefined;
}

/** Answers a consent that worked: with a page, or with the way back to where it began. */
export function endConnected(c: AppContext, { title, label, returnTo }: ConnectedPage): Response {
  if (returnTo !== undefined) {
    c.header("cache-control", "no-store");
    return c.redirect(returnTo, 303);
  }
  const account = label === null ? "" : ` as ${isolate(label)}`;
  const body = `<main><h1>Connected</h1><p>${isolate(title)} is connected${account}.</p><p>${CLOSE}</p></main>`;
  return c.html(renderPage("Connected", body, STYLE), 200, NOTE_HEADERS);
}

/** Renders a step that failed, with a way to try again while the link is unused. */
export function renderFailure(c: AppContext, opened: OpenedLink, message: string): Response {
  const title = `Couldn't connect ${opened.app.title.slice(0, MAX_NAME)}`;
  const again = `<p><a href="${escapeHtml(getLinkPath(c))}">Back to the link</a></p>`;
  const body = `<main><h1>${escapeHtml(title)}</h1><p class="error" role="alert">${escapeHtml(message)}</p>${again}</main>`;
  return c.html(renderPage(title, body, STYLE), 200, NOTE_HEADERS);
}

/** What the page shows besides the link itself. */
export interface LinkForm {
  /** The first line of the waiting task, if it could be read. */
  readonly task: string | null;
  /** The entered value that was refused, if any. */
  readonly error: { readonly field: string | null; readonly message: string } | null;
}

/** Renders the page of a link: who connects what, in which tenant, and why. */
export function renderLink(c: AppContext, opened: OpenedLink, { task, error }: LinkForm): Response {
  const { link, app, linked } = opened;
  const verb = (linked.connection?.consent ?? 0) > 0 ? "Reconnect" : "Connect";
  const title = `${verb} ${app.title.slice(0, MAX_NAME)}`;
  const isKey = isKeyApp(app);
  const fields = isKey ? listKeyFields(app).map((field) => renderField(field, error?.field ?? null)) : [];
  const alias = link.alias === null ? "" : renderRow("Name", isolate(link.alias));
  const body = `<main><h1>${verb} ${isolate(app.title)}</h1>
${error === null ? "" : `<p class="error" role="alert">${escapeHtml(error.message)}</p>`}
<p>${renderSummary(opened)}</p>
<dl>${renderRow("Tenant", `${isolate(opened.tenantName)} <code>${escapeHtml(link.tenant)}</code>`)}
${renderRow("For", renderOwner(opened))}${alias}${renderRow("Purpose", renderPurpose(opened, task))}</dl>
<form method="post" action="${escapeHtml(`${getLinkPath(c)}/go`)}" autocomplete="off">
${fields.join("\n")}
${renderUnattended(opened)}
<button type="submit">${isKey ? "Connect" : `Continue to ${isolate(app.title)}`}</button>
</form>
<p class="warning">${renderWarning(opened)}</p></main>`;
  return c.html(renderPage(title, body, STYLE), error === null ? 200 : 422, getFormHeaders(c, isKey));
}

function renderSummary({ link, app, personName, tenantName }: OpenedLink): string {
  const who = link.person === null ? "everyone" : isolate(personName ?? "");
  return `Otto will use your account of ${isolate(app.title)} for tasks of ${who} in ${isolate(tenantName)}.`;
}

function renderOwner({ link, personName, tenantName }: OpenedLink): string {
  return link.person === null ? `Everyone in ${isolate(tenantName)}` : isolate(personName ?? "");
}

function renderPurpose({ link, linked }: OpenedLink, task: string | null): string {
  if (link.wait !== null) return task === null ? "A task waits for this" : `A task waits for this: ${isolate(task)}`;
  const { label = null, consent = 0 } = linked.connection ?? {};
  if (consent === 0) return "Connect an account";
  return label === null ? "Reconnect the account" : `Reconnect ${isolate(label)}`;
}

function renderField({ name, label, hint, isSecret }: KeyField, refused: string | null): string {
  const id = `field-${name}`;
  const described = hint === undefined ? "" : ` aria-describedby="${escapeHtml(`${id}-hint`)}"`;
  const note = hint === undefined ? "" : `<p class="hint" id="${escapeHtml(`${id}-hint`)}">${escapeHtml(hint)}</p>`;
  const invalid = name === refused ? ' aria-invalid="true"' : "";
  return `<label for="${escapeHtml(id)}">${escapeHtml(label)}</label>
<input id="${escapeHtml(id)}" name="${escapeHtml(`field.${name}`)}" type="${isSecret ? "password" : "text"}" autocomplete="off" spellcheck="false" required${described}${invalid}>${note}`;
}

/** Shared accounts serve tasks that nobody started anyway. */
function renderUnattended({ link, linked }: OpenedLink): string {
  if (link.person === null) return "";
  const checked = isProposedUnattended({ link, linked }) ? " checked" : "";
  return `<label class="check"><input type="checkbox" name="unattended" value="on"${checked}><span>Also while I am away<br><span class="hint">Tasks that a schedule or a webhook starts for you may use the account too.</span></span></label>`;
}

/** A reconnect proposes what its owner chose before. */
export function isProposedUnattended({ link, linked }: Pick<OpenedLink, "link" | "linked">): boolean {
  return link.unattended ?? linked.connection?.unattended ?? false;
}

function renderWarning({ link, personName }: OpenedLink): string {
  const you = link.person === null ? "you are an administrator of this tenant" : `you are ${isolate(personName ?? "")}`;
  return `Continue only if ${you} and asked for this link. If somebody else sent it to you, close this page: nothing has happened yet.`;
}

function renderRow(name: string, html: string): string {
  return `<div><dt>${name}</dt><dd>${html}</dd></div>`;
}

function isolate(text: string): string {
  const cut = text.length <= MAX_NAME ? text : `${text.slice(0, MAX_NAME).toWellFormed()}…`;
  return `<bdi>${escapeHtml(cut)}</bdi>`;
}

/** The path of the link, also of its second step. */
function getLinkPath(c: AppContext): string {
  return new URL(c.req.url).pathname.replace(/\/go$/, "");
}

/**
 * Browsers apply `form-action` to every redirect after the form, and a provider may redirect to hosts that nobody can list.
 * So it admits every https address where a provider follows, and this server alone where a key is entered.
 */
function getFormHeaders(c: AppContext, isKey: boolean) {
  const action = isKey ? "'self'" : `'self' ${listProviderSchemes(c.env)}`;
  const policy = PAGE_HEADERS["content-security-policy"].replace("form-action 'none'", `form-action ${action}`);
  return { "content-security-policy": policy, "cache-control": "no-store", ...getReferrerPolicy(c) };
}

function listProviderSchemes(env: Env): string {
  return hasOpenedDestinations(env) || appsStatusFromEnv(env) === "demo" ? "https: http:" : "https:";
}

const THIS_MACHINE = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Without https, and but for this machine, browsers send no `Sec-Fetch-Site`. Then `Origin` has to prove that the form is
 * ours, and `no-referrer` would empty it. Neither policy sends a referrer to another site.
 */
function getReferrerPolicy(c: AppContext) {
  const sendsFetchSite = isHttps(c) || THIS_MACHINE.test(new URL(c.req.url).hostname);
  return { "referrer-policy": sendsFetchSite ? "no-referrer" : "same-origin" };
}

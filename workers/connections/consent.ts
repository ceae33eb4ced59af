/** Uses a connect link: sends a person to the app's sign-in page, or stores the key that they entered. */
import { waitUntil } from "cloudflare:workers";
import { authorizationsFromEnv, connectionTableFromEnv } from "../../adapters/env/connections.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { publicUrlFromEnv } from "../../adapters/env/deployment.ts";
import { toBase64Url } from "../../core/base/base64.ts";
import { type Failure, OttoError } from "../../core/base/errors.ts";
import { getOwnerPerson } from "../../core/connections/account.ts";
import type { Actor } from "../../core/connections/actors.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import { isCatalogueApp, toEntity } from "../../core/connections/catalogue-app.ts";
import type { Connection } from "../../core/connections/connection.ts";
import { type Flow, type FlowAccount, toAccountTokens } from "../../core/connections/flow.ts";
import { decideFlowEnd } from "../../core/connections/provider-faults.ts";
import { bindBrowser } from "../http/consent-browser.ts";
import { openState, sealState } from "../http/consent-state.ts";
import type { AppContext } from "../http/context.ts";
import { wakeTasksOf, writeConnectionChange } from "./changes.ts";
import { CALLBACK_PATH, type ConnectLink, PROVIDER_CALLBACK_PATH } from "./connect-token.ts";
import { createConnectAct, notifyOfAccount } from "./consent-notices.ts";
import { checkServer } from "./server-consent.ts";
import { revokeSoon } from "./drop-account.ts";
import { LINK_USED } from "./open-link.ts";
import type { OpenedLink } from "./opened-link.ts";
import { endConnected, renderFailure, renderNote } from "./page.ts";

/** From the begin of a consent to the return of its browser. */
const FLOW_LIFE_MS = 15 * 60_000;
const NONCE_BYTES = 32;
const CONTEXT = "connect-state";

/** What travels with the browser to the provider and back, sealed. */
export interface ConnectState {
  readonly tenant: string;
  readonly person: string | null;
  readonly app: string;
  /** `con_…` */
  readonly connection: string;
  /** Of the flow, and of the browser's cookie. */
  readonly nonce: string;
  /** For the audit log. */
  readonly actor: string;
  /** As the link has it. */
  readonly returnTo?: string;
}

/** Opens a state; null if this system did not create it for a connection. */
export async function openConnectState(env: Env, text: string): Promise<ConnectState | null> {
  return await openState<ConnectState>(env, CONTEXT, text);
}

/** Sends the browser to the app's sign-in page. A link whose provider cannot be reached stays unused. */
export async function beginConsent(c: AppContext, opened: OpenedLink, isUnattended: boolean): Promise<Response> {
  const { link, app } = opened;
  const checked = await checkServer(c.env, link.tenant, app);
  if (!checked.ok) return renderFailure(c, opened, checked.error.message);
  const table = connectionTableFromEnv(c.env, link.tenant);
  const ensured = await table.ensure(link, app.provider);
  if (!ensured.ok) return renderUnusable(c, opened, ensured.error);
  const { id: connection } = ensured.value;
  const nonce = createNonce();
  const redirectUrl = `${publicUrlFromEnv(c.env) ?? new URL(c.req.url).origin}${getCallbackPath(app)}`;
  const { tenant, person } = link;
  const state = await sealState(c.env, CONTEXT, {
    tenant,
    person,
    app: app.app,
    connection,
    nonce,
    actor: getActor(link),
    ...(link.returnTo === undefined ? {} : { returnTo: link.returnTo }),
  } satisfies ConnectState);
  const request = { redirectUrl, state, entity: toEntity(tenant, person) };
  const begun = await authorizationsFromEnv(c.env, tenant).begin(app, request);
  if (!begun.ok) {
    const { to, why } = decideFlowEnd("begin", begun.error);
    if (to === "failed")
      await writeConnectionChange(c.env, tenant, async () => await table.settle(connection, to, why));
    return renderFailure(c, opened, why);
  }
  const { url, ...parts } = begun.value;
  const flow = createFlow(opened, { ...parts, nonce, redirectUrl, isUnattended });
  const started = await writeConnectionChange(c.env, tenant, async () => await table.beginFlow(link, link, flow));
  if (!started.ok) {
    // Nobody was sent there. If the flow was stored without an answer, its account is revoked once more when it expires.
    if (flow.account !== undefined) waitUntil(revokeAccount(c.env, opened, flow.account));
    return renderUnusable(c, opened, started.error);
  }
  // The account of the flow that this one replaced.
  if (started.value.revocation !== null) revokeSoon(c.env, { tenant, connection });
  await bindBrowser(c, nonce, FLOW_LIFE_MS);
  c.header("cache-control", "no-store");
  return c.redirect(url, 303);
}

async function revokeAccount(env: Env, { link, app }: OpenedLink, account: FlowAccount): Promise<void> {
  await authorizationsFromEnv(env, link.tenant).revoke(app, toAccountTokens(account));
}

/** Stores the credential of an app without a sign-in page. */
export async function storeKey(
  c: AppContext,
  opened: OpenedLink,
  { value, isUnattended }: { readonly value: string; readonly isUnattended: boolean },
): Promise<Response> {
  const { link, app } = opened;
  const table = connectionTableFromEnv(c.env, link.tenant);
  const ensured = await table.ensure(link, app.provider);
  if (!ensured.ok) return renderUnusable(c, opened, ensured.error);
  // The flow uses the link up, as for a consent.
  const flow = createFlow(opened, {
    nonce: createNonce(),
    verifier: "",
    issuer: null,
    redirectUrl: "",
    isUnattended,
  });
  const started = await table.beginFlow(link, link, flow);
  if (!started.ok) return renderUnusable(c, opened, started.error);
  const given = {
    tokens: { kind: "key", value } as const,
    label: null,
    scopes: null,
    unattended: isUnattended,
    settingsHash: app.settingsHash,
    by: flow.by,
  };
  const act = createConnectAct(c.get("requestId"), getActor(link), ensured.value.id);
  const complete = async () => await table.complete(ensured.value.id, given, act);
  const stored = await writeConnectionChange(c.env, link.tenant, complete);
  if (!stored.ok) return renderUnusable(c, opened, stored.error);
  await wakeTasksOf(c.env, stored.value);
  await notifyOfAccount(c, { app, before: ensured.value, now: stored.value });
  return endConnected(c, { title: app.title, label: null, returnTo: link.returnTo });
}

function getCallbackPath(app: AppClient): string {
  return isCatalogueApp(app) ? PROVIDER_CALLBACK_PATH : CALLBACK_PATH;
}

interface FlowParts extends Pick<Flow, "nonce" | "verifier" | "issuer" | "redirectUrl" | "account"> {
  readonly isUnattended: boolean;
}

function createFlow(opened: OpenedLink, { isUnattended, ...parts }: FlowParts): Flow {
  const { app } = opened;
  const until = Date.now() + FLOW_LIFE_MS;
  return { ...parts, until, unattended: isUnattended, settingsHash: app.settingsHash, by: getConsenter(opened) };
}

/** Who consents: the person of the link; for a shared account, who asked for the link. */
function getConsenter({ link, personName }: OpenedLink): Actor {
  return link.person === null ? link.by : { person: link.person, name: personName ?? link.person };
}

/** Who acts, by id: a browser has no key. */
function getActor({ person, by, key }: ConnectLink): string {
  return person ?? by.person ?? key ?? by.name;
}

function createNonce(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
}

/** Renders why a link cannot be used now. Faults of Otto's own parts are thrown. */
function renderUnusable(c: AppContext, { app }: OpenedLink, error: Failure): Response {
  if (error.code === "gone") return renderNote(c, 410, LINK_USED);
  if (error.code === "quota_exceeded") return renderNote(c, 403, error.message);
  if (error.code === "not_found") return renderNote(c, 410, `The person or the app ${app.title} no longer exists.`);
  throw new OttoError(error);
}

/** True if the flow of this connection is the one that the state began. */
export function isOfConnection(state: ConnectState, { app, owner }: Connection): boolean {
  return app === state.app && getOwnerPerson(owner) === state.person;
}

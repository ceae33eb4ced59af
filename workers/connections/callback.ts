/**
 * `/connect/callback` and `/api/composio/callback`: the return from a sign-in page. A consent counts if the state is ours,
 * the browser has the cookie of this consent, and the connection still waits for it; each counts once. Only then is the code
 * redeemed, or the account read at the provider of the catalogue. An account there that is not stored is revoked, also where
 * the request ends before it says so: the sweep finds it.
 */
import { appsFromEnv, authorizationsFromEnv, connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { type Failure, OttoError, type Result } from "../../core/base/errors.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import { type Connection, toConnectionStatus } from "../../core/connections/connection.ts";
import type { Flow } from "../../core/connections/flow.ts";
import { decideFlowEnd } from "../../core/connections/provider-faults.ts";
import { isBoundBrowser } from "../http/consent-browser.ts";
import type { AppContext } from "../http/context.ts";
import { wakeTasksOf, writeConnectionChange } from "./changes.ts";
import { createConnectAct, notifyOfAccount, notifyOfForeignConsent } from "./consent-notices.ts";
import { readFirstTools } from "./server-consent.ts";
import { dropAccount, dropTokens, revokeSoon } from "./drop-account.ts";
import { type ConnectState, isOfConnection, openConnectState } from "./consent.ts";
import { endConnected, renderNote } from "./page.ts";
import { storeConsent } from "./store-consent.ts";

const NO_STATE = "This address did not come from Otto, or it was cut off. Open the link to connect again.";
const OTHER_BROWSER = "Start again in the browser in which you began. Nothing was connected.";
const REMOVED = "The app was removed during the sign-in. Nothing was connected.";
const ENDED = "This sign-in was replaced or disconnected, or took too long. Ask for a new link.";
const CHANGED = "The settings of the app changed during the sign-in. Ask for a new link.";

/** Answers `GET /connect/callback` and `GET /api/composio/callback`. The query is read again where the provider's client needs all of it. */
export async function completeLink(c: AppContext, text: string): Promise<Response> {
  const state = await openConnectState(c.env, text);
  if (state === null) return renderNote(c, 400, NO_STATE);
  const table = connectionTableFromEnv(c.env, state.tenant);
  const [before, client] = await Promise.all([
    table.find(state.connection),
    appsFromEnv(c.env, state.tenant).find(state.app),
  ]);
  if (!before.ok) return renderMissing(c, before.error);
  // A state of another app ends nothing of this connection.
  if (!isOfConnection(state, before.value)) return renderNote(c, 400, NO_STATE);
  if (!client.ok) return await endWithoutApp(c, state, client.error);
  const returned: ReturnedConsent = { state, before: before.value, client: client.value };
  if (!(await isBoundBrowser(c, state.nonce))) return await refuseBrowser(c, returned);
  const taken = await takeFlow(c, state);
  if (taken.ok) return await completeConsent(c, returned, taken.value);
  if (taken.error.code !== "gone") throw new OttoError(taken.error);
  revokeSoon(c.env, state);
  return renderNote(c, 410, `This link was used. ${describeNow(returned)}`);
}

interface ReturnedConsent {
  readonly state: ConnectState;
  readonly before: Connection;
  readonly client: AppClient;
}

/** Ends the flow of a state, once. */
async function takeFlow(c: AppContext, { tenant, connection, nonce }: ConnectState): Promise<Result<Flow>> {
  const take = async () => await connectionTableFromEnv(c.env, tenant).takeFlow(connection, nonce);
  return await writeConnectionChange(c.env, tenant, take);
}

/** Ends the flow, so that nobody can complete it with what this browser brought, and notifies the owner once. */
async function refuseBrowser(c: AppContext, { state, before, client }: ReturnedConsent): Promise<Response> {
  const taken = await takeFlow(c, state);
  if (taken.ok) {
    await dropAccount(c.env, state, taken.value);
    await notifyOfForeignConsent(c, client, { connection: before, nonce: state.nonce });
  }
  return renderNote(c, 403, OTHER_BROWSER);
}

async function completeConsent(c: AppContext, returned: ReturnedConsent, flow: Flow): Promise<Response> {
  const { state, before, client } = returned;
  if (flow.settingsHash !== client.settingsHash) {
    await dropAccount(c.env, state, flow);
    return renderNote(c, 400, CHANGED);
  }
  const table = connectionTableFromEnv(c.env, state.tenant);
  const authorizations = authorizationsFromEnv(c.env, state.tenant);
  const granted = await authorizations.complete(client, flow, new URL(c.req.url).searchParams);
  if (!granted.ok) {
    await dropAccount(c.env, state, flow);
    const { to, why } = decideFlowEnd("complete", granted.error);
    if (to === "failed")
      await writeConnectionChange(c.env, state.tenant, async () => await table.settle(state.connection, to, why));
    return renderNote(c, 400, why);
  }
  const { tokens, scopes } = granted.value;
  const label = granted.value.label ?? (await authorizations.identify(client, tokens));
  const { unattended, by } = flow;
  const consent = { tokens, label, scopes, unattended, settingsHash: client.settingsHash, by };
  const act = createConnectAct(c.get("requestId"), state.actor, state.connection);
  const given = { id: state.connection, consent, act };
  const complete = async () => await storeConsent(table, given, globalThis);
  const stored = await writeConnectionChange(c.env, state.tenant, complete);
  if (!stored.ok) {
    await dropTokens(c.env, state, client, tokens);
    return renderUnstored(c, stored.error);
  }
  await readFirstTools(c, state.tenant, { connection: stored.value, actor: state.actor, by });
  await wakeTasksOf(c.env, stored.value);
  await notifyOfAccount(c, { app: client, before, now: stored.value });
  return endConnected(c, { title: client.title, label: stored.value.label, returnTo: state.returnTo });
}

/** Ends the flow of an app that was removed: nobody can complete it. */
async function endWithoutApp(c: AppContext, state: ConnectState, error: Failure): Promise<Response> {
  const taken = error.code === "not_found" ? await takeFlow(c, state) : null;
  if (taken?.ok === true) await dropAccount(c.env, state, taken.value);
  return renderMissing(c, error);
}

/** Renders why a consent was not stored. Faults of Otto's own parts are thrown. */
function renderUnstored(c: AppContext, error: Failure): Response {
  if (error.code === "not_found") return renderNote(c, 410, "The person or the connection no longer exists.");
  if (error.code === "gone") return renderNote(c, 410, ENDED);
  if (error.code === "too_large") return renderNote(c, 400, error.message);
  throw new OttoError(error);
}

function renderMissing(c: AppContext, error: Failure): Response {
  if (error.code === "not_found") return renderNote(c, 410, REMOVED);
  throw new OttoError(error);
}

/** The connection's present state, for the browser that began. */
function describeNow({ before, client }: ReturnedConsent): string {
  const status = toConnectionStatus(before, Date.now());
  if (status !== "active") return `${client.title} is not connected by it. Ask for a new link.`;
  return before.label === null ? `${client.title} is connected.` : `${client.title} is connected as ${before.label}.`;
}

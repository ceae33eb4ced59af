/**
 * A person's consent at an MCP server's authorization server. The state that travels with the browser is sealed: only
 * this Worker can create one. It is valid once, for ten minutes.
 */
import { type AuthStore, type Consent, mcpRegistryFromEnv, type SavedAuth } from "../../adapters/env/mcp.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { Actor } from "../../core/connections/actors.ts";
import { type StartedConsent, CONSENT_LIFE_MS } from "../http/consent-browser.ts";
import { openState, sealState } from "../http/consent-state.ts";

/** Otto's own page before the authorization server's, for a consent that was started with a key. */
export const BEGIN_PATH = "/oauth/mcp/begin";
export const CALLBACK_PATH = "/oauth/mcp/callback";
/** Otto's client metadata, for authorization servers that accept such a URL as a client id. */
export const CLIENT_PATH = "/oauth/mcp/client.json";

const CONTEXT = "mcp-oauth-state";

/** The content of a state. */
export interface ConsentState extends StartedConsent {
  readonly server: string;
  /** Who started it, for the audit log. */
  readonly actor: string;
  /** The same, as a person; absent if an earlier release started it. */
  readonly by?: Actor;
}

/** Retries while calls renew the tokens. */
const MAX_TRIES = 5;
const CHANGED = failed("conflict", "The authorization of this server changed meanwhile. Try again.");

/** Changes the authorization as it is stored now, so that nothing brings back tokens that were renewed or erased meanwhile. */
export async function changeAuth(
  store: AuthStore,
  change: (saved: SavedAuth) => Result<SavedAuth>,
): Promise<Result<SavedAuth>> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const saved = await store.load();
    const next = saved.ok ? change(saved.value) : saved;
    if (!next.ok) return next;
    const replaced = await store.replace(next.value);
    if (!replaced.ok) return replaced;
    if (replaced.value) return next;
  }
  return CHANGED;
}

/** Starts a consent. An earlier unfinished one ends. */
export async function startConsent(
  env: Env,
  tenant: string,
  server: string,
  { origin, actor, by }: { readonly origin: string; readonly actor: string; readonly by: Actor },
): Promise<Result<Consent & { readonly begun: StartedConsent }>> {
  const store = mcpRegistryFromEnv(env, tenant).authOf(server);
  const mark = crypto.randomUUID();
  const redirectUrl = `${origin}${CALLBACK_PATH}`;
  const written = await changeAuth(store, (saved) => {
    // A client that is registered with another redirect address could not return here.
    const { client: _, ...rest } = saved;
    const kept = saved.flow?.redirectUrl === redirectUrl ? saved : rest;
    return ok({ ...kept, flow: { mark, redirectUrl, until: Date.now() + CONSENT_LIFE_MS } });
  });
  if (!written.ok) return written;
  const state: ConsentState = { tenant, server, mark, actor, by };
  return ok({ ...createConsent(origin, await sealState(env, CONTEXT, state)), begun: { tenant, mark } });
}

/** A client id must be an https URL, so an API without https has none. */
function createConsent(origin: string, state: string): Consent {
  const clientUrl = origin.startsWith("https:") ? `${origin}${CLIENT_PATH}` : null;
  return { redirectUrl: `${origin}${CALLBACK_PATH}`, clientUrl, state };
}

/** Completes a consent, once, and returns it. */
export async function completeConsent(
  env: Env,
  { tenant, server, mark }: ConsentState,
  state: string,
): Promise<Result<Consent>> {
  const store = mcpRegistryFromEnv(env, tenant).authOf(server);
  const taken = await changeAuth(store, (saved) => {
    const { flow } = saved;
    if (flow === undefined || flow.mark !== mark || flow.until < Date.now()) return CONSENT_ENDED;
    return ok({ ...saved, flow: { ...flow, mark: "", until: 0 } });
  });
  if (!taken.ok) return taken;
  return ok(createConsent(new URL(taken.value.flow?.redirectUrl ?? "").origin, state));
}

const CONSENT_ENDED = failed("gone", "This authorization has expired, or a newer one has started. Start it again.");

/** Opens a state; null if this Worker did not create it. */
export async function openMcpConsent(env: Env, text: string): Promise<ConsentState | null> {
  return await openState<ConsentState>(env, CONTEXT, text);
}

/** Stores the address of the consent page, for Otto's own page before it. */
export async function storeConsentPage(
  env: Env,
  { tenant, server, mark }: Pick<ConsentState, "tenant" | "server" | "mark">,
  page: string,
): Promise<Result<void>> {
  const store = mcpRegistryFromEnv(env, tenant).authOf(server);
  const stored = await changeAuth(store, (saved) => {
    const { flow } = saved;
    return flow?.mark === mark ? ok({ ...saved, flow: { ...flow, page } }) : CONSENT_ENDED;
  });
  return stored.ok ? ok(undefined) : stored;
}

/** Returns the address of the consent page. */
export async function findConsentPage(env: Env, { tenant, server, mark }: ConsentState): Promise<Result<string>> {
  const saved = await mcpRegistryFromEnv(env, tenant).authOf(server).load();
  if (!saved.ok) return saved;
  const { flow } = saved.value;
  if (flow?.page === undefined || flow.mark !== mark || flow.until < Date.now()) return CONSENT_ENDED;
  return ok(flow.page);
}

/**
 * A person's consent at an MCP server's authorization server. The state that travels with the browser is sealed: only
 * this Worker can create one. It is valid once, for ten minutes.
 */
import { type Consent, mcpRegistryFromEnv } from "../../adapters/env/mcp.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
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
  /** Who started it. */
  readonly actor: string;
}

/** Starts a consent. An earlier unfinished one ends. */
export async function startConsent(
  env: Env,
  tenant: string,
  server: string,
  { origin, actor }: { readonly origin: string; readonly actor: string },
): Promise<Result<Consent & { readonly begun: StartedConsent }>> {
  const store = mcpRegistryFromEnv(env, tenant).authOf(server);
  const saved = await store.load();
  if (!saved.ok) return saved;
  const mark = crypto.randomUUID();
  const redirectUrl = `${origin}${CALLBACK_PATH}`;
  // A client that is registered with another redirect address could not return here.
  const { client: _, ...rest } = saved.value;
  const kept = saved.value.flow?.redirectUrl === redirectUrl ? saved.value : rest;
  const written = await store.save({ ...kept, flow: { mark, redirectUrl, until: Date.now() + CONSENT_LIFE_MS } });
  if (!written.ok) return written;
  const state: ConsentState = { tenant, server, mark, actor };
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
  const saved = await store.load();
  if (!saved.ok) return saved;
  const { flow } = saved.value;
  if (flow === undefined || flow.mark !== mark || flow.until < Date.now()) return CONSENT_ENDED;
  const written = await store.save({ ...saved.value, flow: { ...flow, mark: "", until: 0 } });
  return written.ok ? ok(createConsent(new URL(flow.redirectUrl).origin, state)) : written;
}

const CONSENT_ENDED = failed("gone", "This authorization has expired, or a newer one has started. Start it again.");

/** Opens a state; null if this Worker did not create it. */
export async function openMcpConsent(env: Env, text: string): Promise<ConsentState | null> {
  return await openState<ConsentState>(env, CONTEXT, text);
}

/** Stores the address of the consent page, for Otto's own page before it. */
export async function storeConsentPage(
  env: Env,
  { tenant, server, mark }: Omit<ConsentState, "actor">,
  page: string,
): Promise<Result<void>> {
  const store = mcpRegistryFromEnv(env, tenant).authOf(server);
  const saved = await store.load();
  if (!saved.ok) return saved;
  const { flow } = saved.value;
  if (flow?.mark !== mark) return CONSENT_ENDED;
  return await store.save({ ...saved.value, flow: { ...flow, page } });
}

/** Returns the address of the consent page. */
export async function findConsentPage(env: Env, { tenant, server, mark }: ConsentState): Promise<Result<string>> {
  const saved = await mcpRegistryFromEnv(env, tenant).authOf(server).load();
  if (!saved.ok) return saved;
  const { flow } = saved.value;
  if (flow?.page === undefined || flow.mark !== mark || flow.until < Date.now()) return CONSENT_ENDED;
  return ok(flow.page);
}

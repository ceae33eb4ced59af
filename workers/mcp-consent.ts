/**
 * The way of a person to an MCP server's authorization server and back. The state that travels with the browser is sealed:
 * only this Worker can make one. It is good for ten minutes and once.
 */
import { type Consent, mcpRegistryFromEnv, sealingFromEnv, type Env } from "../adapters/from-env.ts";
import { failed, ok, type Result } from "../core/errors.ts";

export const CALLBACK_PATH = "/oauth/mcp/callback";
/** Where Otto describes itself, for authorization servers that take such a URL for a client's id. */
export const CLIENT_PATH = "/oauth/mcp/client.json";

const LIFETIME_MS = 10 * 60_000;
const CONTEXT = "mcp-oauth-state";

/** What a state says, once it is opened. */
export interface ConsentState {
  readonly tenant: string;
  readonly server: string;
  readonly mark: string;
  /** Who began it. */
  readonly actor: string;
}

/** Begins: the one before it, if it was not ended, is over. */
export async function beginConsent(
  env: Env,
  tenant: string,
  server: string,
  { origin, actor }: { readonly origin: string; readonly actor: string },
): Promise<Result<Consent>> {
  const store = mcpRegistryFromEnv(env, tenant).authOf(server);
  const saved = await store.load();
  if (!saved.ok) return saved;
  const mark = crypto.randomUUID();
  const redirectUrl = `${origin}${CALLBACK_PATH}`;
  // A client that was registered for another way back could not be sent back here.
  const { client: _, ...rest } = saved.value;
  const kept = saved.value.flow?.redirectUrl === redirectUrl ? saved.value : rest;
  const written = await store.save({ ...kept, flow: { mark, redirectUrl, until: Date.now() + LIFETIME_MS } });
  if (!written.ok) return written;
  return ok(consentFor(origin, await sealState(env, { tenant, server, mark, actor })));
}

/** A client's id has to be an https URL, so an API without it has none. */
function consentFor(origin: string, state: string): Consent {
  const clientUrl = origin.startsWith("https:") ? `${origin}${CLIENT_PATH}` : null;
  return { redirectUrl: `${origin}${CALLBACK_PATH}`, clientUrl, state };
}

/** Ends: gives the consent that was begun, once. */
export async function endConsent(
  env: Env,
  { tenant, server, mark }: ConsentState,
  state: string,
): Promise<Result<Consent>> {
  const store = mcpRegistryFromEnv(env, tenant).authOf(server);
  const saved = await store.load();
  if (!saved.ok) return saved;
  const { flow } = saved.value;
  if (flow === undefined || flow.mark !== mark || flow.until < Date.now()) return OVER;
  const written = await store.save({ ...saved.value, flow: { ...flow, mark: "", until: 0 } });
  return written.ok ? ok(consentFor(new URL(flow.redirectUrl).origin, state)) : written;
}

const OVER = failed("gone", "This authorization is over, or another one has begun. Begin anew.");

async function sealState(env: Env, state: ConsentState): Promise<string> {
  const sealed = await sealingFromEnv(env).seal(new TextEncoder().encode(JSON.stringify(state)), CONTEXT);
  const text = btoa(Array.from(sealed, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Null for what this Worker did not make. */
export async function openState(env: Env, text: string): Promise<ConsentState | null> {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const sealed = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(await sealingFromEnv(env).open(sealed, CONTEXT))) as ConsentState;
  } catch {
    return null;
  }
}

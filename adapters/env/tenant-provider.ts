/**
 * The provider of apps as it serves one tenant: with the tenant's own key, else with the operator's. A key that cannot be
 * read is a failure: the operator's key never takes its place, because its accounts are others.
 */
import { type AppProviderParts, openComposio } from "../composio/composio.ts";
import type { KnownKey } from "../connections/account-cache.ts";
import { appProviderFromEnv, readAppsAddress } from "./apps.ts";
import type { Env } from "./bindings.ts";
import { connectionCaches } from "./connection-caches.ts";
import { databaseFromEnv } from "./database.ts";
import { oncePerEnv } from "./once-per-env.ts";
import { rowSealFromEnv } from "./row-seal.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { OPERATOR_KEY } from "../../core/connections/provider-key.ts";
import type { CatalogueSource } from "../../core/ports/apps.ts";
import type { ProviderKeyTable, TenantLinks } from "../../core/ports/provider-keys.ts";

/** Tenants whose providers an isolate holds, each with the budget of its key. */
const MAX_OPENED = 200;

/** The provider with the key that serves a tenant. */
export interface ServingProvider {
  /** The id of the tenant's own key, or `OPERATOR_KEY`. */
  readonly key: string;
  readonly parts: AppProviderParts;
}

type OwnKey = NonNullable<KnownKey["own"]>;

const openedFromEnv = oncePerEnv(() => new Map<string, { readonly id: string; readonly parts: AppProviderParts }>());

export function providerKeysFromEnv(env: Env, tenant: string): ProviderKeyTable {
  return databaseFromEnv(env).providerKeys(tenant, rowSealFromEnv(env, tenant));
}

/** Null without a key. What it says of an own key is at most 5 s old; 10 min while the database is away. */
export async function servingProviderFromEnv(env: Env, tenant: string): Promise<Result<ServingProvider | null>> {
  const known = await readOwnKey(env, tenant);
  if (!known.ok) return known;
  const { own } = known.value;
  if (own !== null) return ok({ key: own.id, parts: openOwn(env, tenant, own) });
  const parts = appProviderFromEnv(env);
  return ok(parts === null ? null : { key: OPERATOR_KEY, parts });
}

/** Names the key that serves a tenant; null without one. */
export async function servingKeyFromEnv(env: Env, tenant: string): Promise<Result<string | null>> {
  const serving = await servingProviderFromEnv(env, tenant);
  return serving.ok ? ok(serving.value?.key ?? null) : serving;
}

export function tenantLinksFromEnv(env: Env, tenant: string): TenantLinks {
  return {
    async present() {
      const serving = await servingProviderFromEnv(env, tenant);
      if (!serving.ok || serving.value === null) return serving.ok ? ok(null) : serving;
      return ok({ key: serving.value.key, links: serving.value.parts.links });
    },

    async madeBy(key) {
      if (key === OPERATOR_KEY) return ok(appProviderFromEnv(env)?.links ?? null);
      const known = await readOwnKey(env, tenant);
      if (!known.ok) return known;
      const { own } = known.value;
      return ok(own?.id === key ? openOwn(env, tenant, own).links : null);
    },
  };
}

/** Opens the provider with a key that is not stored yet, to check it. */
export function openUnstoredFromEnv(env: Env, value: string): AppProviderParts {
  return openComposio({ baseUrl: readAppsAddress(env), apiKey: value, keyOf: "tenant" });
}

/**
 * Where apps and their actions are described: with the operator's key, else with that of the first tenant which has one.
 * Null without any.
 */
export async function catalogueSourceFromEnv(env: Env): Promise<Result<CatalogueSource | null>> {
  const operators = appProviderFromEnv(env);
  if (operators !== null) return ok(operators.source);
  const first = await databaseFromEnv(env).providerKeyTenants.first();
  if (!first.ok || first.value === null) return first.ok ? ok(null) : first;
  const tenant = first.value;
  const known = await readOwnKey(env, tenant);
  if (!known.ok) {
    if (known === UNOPENED) await markUnopened(env, tenant);
    return known;
  }
  const { own } = known.value;
  if (own === null) return ok(null);
  const onRefused = async () => {
    await providerKeysFromEnv(env, tenant).markRefused(own.id);
  };
  return ok(openTenantSource(openOwn(env, tenant, own).source, onRefused));
}

/** A key that cannot be opened counts as refused: that of another tenant fills the catalogue next time. */
async function markUnopened(env: Env, tenant: string): Promise<void> {
  const keys = providerKeysFromEnv(env, tenant);
  const found = await keys.find();
  if (found.ok && found.value?.value === null) await keys.markRefused(found.value.id);
}

/** The source with a tenant's key. `onRefused`: the provider rejected the key. */
function openTenantSource(source: CatalogueSource, onRefused: () => Promise<void>): CatalogueSource {
  async function watch<Value>(read: Promise<Result<Value>>): Promise<Result<Value>> {
    const result = await read;
    if (!result.ok && result.error.cause?.kind === "key_refused") await onRefused();
    return result;
  }
  return {
    isOfTenant: true,
    apps: (cursor) => watch(source.apps(cursor)),
    actions: (cursor, of) => watch(source.actions(cursor, of)),
    triggers: (cursor, of) => watch(source.triggers(cursor, of)),
  };
}

async function readOwnKey(env: Env, tenant: string): Promise<Result<KnownKey>> {
  const read = async (): Promise<Result<KnownKey>> => {
    const found = await providerKeysFromEnv(env, tenant).find();
    if (!found.ok || found.value === null) return found.ok ? ok({ own: null }) : found;
    const { id, value } = found.value;
    return value === null ? UNOPENED : ok({ own: { id, value } });
  };
  return await connectionCaches.providerKeys.get(`${tenant} `, Date.now(), read);
}

const UNOPENED = failed(
  "not_available",
  "The Composio key of this workspace can no longer be decrypted. An administrator has to save it again.",
);

function openOwn(env: Env, tenant: string, { id, value }: OwnKey): AppProviderParts {
  const opened = openedFromEnv(env);
  const known = opened.get(tenant);
  const parts = known?.id === id ? known.parts : openUnstoredFromEnv(env, value);
  opened.delete(tenant);
  opened.set(tenant, { id, parts });
  const [oldest] = opened.keys();
  if (opened.size > MAX_OPENED && oldest !== undefined) opened.delete(oldest);
  return parts;
}

/**
 * Keeps the tenant's object informed of the events that its endpoints subscribe to, so that no event is lost and none
 * is stored without a subscriber.
 */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { getInterests, type EndpointSetting } from "../../../core/channels/webhooks/endpoint.ts";
import { forgetEndpoints } from "./endpoint-cache.ts";

/**
 * Changes an endpoint. The object is notified before, so that it stores the new events from the moment of the change,
 * and after, so that no stale list stays in use. `wanted` are the events after the change.
 */
export async function changeEndpoint<T>(
  env: Env,
  tenant: string,
  wanted: readonly Pick<EndpointSetting, "enabled" | "events">[],
  change: () => Promise<T>,
): Promise<T> {
  const object = tenantsFromEnv(env)(tenant);
  const types = getInterests(wanted);
  await object.addInterests(types);
  const changed = await change();
  forgetEndpoints(tenant);
  await narrowInterests(env, tenant, await object.addInterests(types));
  return changed;
}

/** Removes events without a subscriber. A failure only costs time, so it is ignored. */
async function narrowInterests(env: Env, tenant: string, stamp: string): Promise<void> {
  const read = await databaseFromEnv(env).endpoints.all(tenant);
  if (!read.ok) return;
  try {
    await tenantsFromEnv(env)(tenant).setInterests(getInterests(read.value), stamp);
  } catch (thrown) {
    console.warn("the interests of webhooks were not narrowed", tenant, thrown);
  }
}

/** Keeps the tenant's object told of what its endpoints want, so that no event is lost and none is kept for nobody. */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { getInterests, type EndpointSetting } from "../../../core/channels/webhooks/endpoint.ts";
import { forgetEndpoints } from "./known-endpoints.ts";

/**
 * Changes an endpoint. The object is told before, so that it keeps what the endpoint wants from the moment of the change,
 * and after, so that nobody goes by a list that was read in between. `wanted`: what the endpoint wants after it.
 */
export async function changingEndpoints<T>(
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
  await narrow(env, tenant, await object.addInterests(types));
  return changed;
}

/** What no endpoint wants any more is kept for nobody; while it is, only time is lost. So a failure is left as it is. */
async function narrow(env: Env, tenant: string, stamp: string): Promise<void> {
  const read = await databaseFromEnv(env).endpoints.all(tenant);
  if (!read.ok) return;
  try {
    await tenantsFromEnv(env)(tenant).setInterests(getInterests(read.value), stamp);
  } catch (thrown) {
    console.warn("the interests of webhooks were not narrowed", tenant, thrown);
  }
}

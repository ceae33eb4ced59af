/** What came in for an erased tenant, forgotten by each channel. */
import type { Env } from "../../../adapters/env/bindings.ts";
import { CHANNELS } from "../channels.ts";

/** Can be done again, as long as the rows of the tenant's hooks and installations are there. */
export async function eraseInboxes(env: Env, tenant: string): Promise<void> {
  for (const { load } of CHANNELS.values()) await (await load()).eraseInboxes?.(env, tenant);
}

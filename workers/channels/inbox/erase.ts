/** Deletes the received items of an erased tenant, in each channel. */
import type { Env } from "../../../adapters/env/bindings.ts";
import { CHANNELS } from "../channels.ts";

/** Idempotent while the rows of the tenant's hooks and installations exist. */
export async function eraseInboxes(env: Env, tenant: string): Promise<void> {
  for (const { load } of CHANNELS.values()) await (await load()).eraseInboxes?.(env, tenant);
}

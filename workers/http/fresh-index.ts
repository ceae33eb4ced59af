/** The index of tasks, as fresh as a list needs it. */
import { awaitWithin } from "../../core/base/deadline.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { AppContext } from "./context.ts";
import { tenantOf } from "./principal.ts";

/** How long a list waits for the index to take what was reported last. */
const FRESH_WITHIN_MS = 1000;

/** Sends the index what the tenant's tasks have just reported, so that a caller finds what it made; a slow database is not waited for. */
export async function bringUpToDate(c: AppContext): Promise<void> {
  const sent = tenantsFromEnv(c.env)(tenantOf(c)).flush();
  const answered = sent.catch(() => false);
  await awaitWithin(globalThis, FRESH_WITHIN_MS, answered, false);
}

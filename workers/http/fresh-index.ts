/** Brings the index of tasks up to date for a list. */
import { awaitWithin } from "../../core/base/deadline.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { AppContext } from "./context.ts";
import { getTenant } from "./principal.ts";

/** Maximum wait of a list for the index. While thousands of rows are on their way, a list is not complete but quick. */
const FRESH_WITHIN_MS = 150;

/**
 * Sends the index the latest reports of the tenant's tasks, so that a caller finds what it created. Does not wait for
 * a slow database.
 */
export async function flushIndex(c: AppContext): Promise<void> {
  await flushIndexOf(c.env, getTenant(c));
}

/** The same without a request. */
export async function flushIndexOf(env: Env, tenant: string): Promise<void> {
  const sent = tenantsFromEnv(env)(tenant).flush();
  const answered = sent.catch(() => false);
  await awaitWithin(globalThis, FRESH_WITHIN_MS, answered, false);
}

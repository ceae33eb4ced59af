/** What a request knows of its tenant: whether it is stopped, the version of its agents, and its tools. */
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { raise } from "../../core/base/errors.ts";
import type { TenantFacts } from "../../core/tenant/rpc.ts";
import { addShipped } from "../../core/tool/shipped-skills.ts";
import type { PinnedSource } from "../../core/tool/source.ts";
import type { AppContext } from "./context.ts";
import { getTenant } from "./principal.ts";

/**
 * Returns the facts that came with the request's admission. A read that was admitted without the tenant's object asks it
 * now, so that a caller finds what it just changed.
 */
export async function readTenantFacts(c: AppContext): Promise<TenantFacts> {
  const known = c.get("tenantFacts");
  if (known !== null) return known;
  const tenant = getTenant(c);
  const read = async () => await tenantsFromEnv(c.env)(tenant).standing();
  // Retries once for an object that was reset during the call.
  const facts = await read().catch(read);
  if (facts === null) raise("unauthenticated", "This tenant was erased.");
  c.set("tenantFacts", facts);
  return facts;
}

/** Returns the tenant's own tools and the shipped skills, as a new task gets them. */
export async function readSources(c: AppContext): Promise<readonly PinnedSource[]> {
  return addShipped((await readTenantFacts(c)).sources);
}

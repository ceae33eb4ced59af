/**
 * Checks whether the key or session of a request is still valid, for replies that stream long after the request was
 * admitted.
 */
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { AppContext } from "./context.ts";

/**
 * False once the key was revoked or expired, the session ended, or the tenant was erased. Throws while the tenant's
 * object is unavailable.
 */
export async function isStillAllowed(c: AppContext): Promise<boolean> {
  const principal = c.get("principal");
  if (principal.kind === "operator") return true;
  const { tenant, key } = principal;
  if (key.expiresAt !== null && key.expiresAt <= Date.now()) return false;
  const isRevoked = async () => await tenantsFromEnv(c.env)(tenant).isRevoked(key.id, c.get("session")?.hash ?? null);
  // Retries once for an object that was reset during the call.
  return !(await isRevoked().catch(isRevoked));
}

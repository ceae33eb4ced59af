/** Whether the key or the session of a request may still be used, for answers that go on long after the request was let in. */
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { AppContext } from "./context.ts";

/** False once the key was revoked or has expired, the session is over, or the tenant was erased. Throws when the tenant's object is away. */
export async function isStillAllowed(c: AppContext): Promise<boolean> {
  const principal = c.get("principal");
  if (principal.kind === "operator") return true;
  const { tenant, key } = principal;
  if (key.expiresAt !== null && key.expiresAt <= Date.now()) return false;
  const isRevoked = async () => await tenantsFromEnv(c.env)(tenant).isRevoked(key.id, c.get("session")?.hash ?? null);
  // An object that was reset under the first question answers the second.
  return !(await isRevoked().catch(isRevoked));
}

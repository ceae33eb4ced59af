/** The objects of sandboxes. */
import type { Env } from "./bindings.ts";
import { getStub } from "./object-stub.ts";
import { tenantsFromEnv } from "./tenants.ts";
import { getSandboxName, type SandboxOwner, getSandboxTenant } from "../files/blob-keys.ts";
import type { Result } from "../../core/base/errors.ts";
import type { SandboxRpc } from "../../core/sandbox/rpc.ts";

/** The object of a sandbox, by its owner. */
export function sandboxesFromEnv(env: Env): (place: SandboxOwner) => SandboxRpc {
  return (place) => getStub<SandboxRpc>(env.SANDBOXES, getSandboxName(place));
}

/**
 * Reserves bytes of the tenant's quota for the sandbox whose object has this name. The name is always known, because an
 * object without alarms is only reached through it.
 */
export async function holdStorageFromEnv(env: Env, name: string | undefined, bytes: number): Promise<Result<void>> {
  if (name === undefined) throw new Error("a sandbox's object needs a name");
  return await tenantsFromEnv(env)(getSandboxTenant(name)).holdStorage(name, bytes);
}

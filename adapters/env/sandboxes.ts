/** The objects of sandboxes. */
import type { Env } from "./bindings.ts";
import { stubOf } from "./object-stub.ts";
import { tenantsFromEnv } from "./tenants.ts";
import { sandboxName, type SandboxPlace, tenantOfSandbox } from "../files/blob-keys.ts";
import type { Result } from "../../core/base/errors.ts";
import type { SandboxRpc } from "../../core/sandbox/rpc.ts";

/** A sandbox's object, by whose it is. */
export function sandboxesFromEnv(env: Env): (place: SandboxPlace) => SandboxRpc {
  return (place) => stubOf<SandboxRpc>(env.SANDBOXES, sandboxName(place));
}

/**
 * Lets the sandbox whose object has this name hold bytes of its tenant's quota. Its name is always known: an object that is
 * woken by no alarm is called by it.
 */
export async function holdStorageFromEnv(env: Env, name: string | undefined, bytes: number): Promise<Result<void>> {
  if (name === undefined) throw new Error("a sandbox's object is asked by its name");
  return await tenantsFromEnv(env)(tenantOfSandbox(name)).holdStorage(name, bytes);
}

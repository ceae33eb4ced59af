/** Secrets of hooks: created, sealed for the tenant and the hook, and opened to verify a call. */
import { openStoredFromEnv, sealingFromEnv } from "../../../adapters/env/secrets.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { toBase64 } from "../../../core/base/base64.ts";
import type { Hook, HookAuth, ReplacedSecret } from "../../../core/channels/webhooks/hook.ts";
import { OLD_SECRET_MS, selectValidSecrets } from "../../../core/channels/webhooks/old-secrets.ts";

const SECRET_BYTES = 32;

/**
 * Creates a secret in the form of Standard Webhooks. `random` comes from the request, so a repeat creates the same
 * one.
 */
export async function createHookSecret(env: Env, tenant: string, random: Uint8Array): Promise<string> {
  return `whsec_${toBase64(await sealingFromEnv(env).derive(random, `hook secret of ${tenant}`, SECRET_BYTES))}`;
}

/** Seals a secret for a hook's row. */
export async function sealHookSecret(env: Env, tenant: string, hook: string, secret: string): Promise<string> {
  const bytes = new TextEncoder().encode(secret);
  return toBase64(await sealingFromEnv(env).seal(bytes, getContext(tenant, hook)));
}

/**
 * Replaces a hook's secret. The same secret again changes nothing; otherwise a repeated request would list it as
 * replaced. `overlap` is in seconds.
 */
export async function replaceHookSecret(
  env: Env,
  { tenant, hook: { id, sealed }, given }: { readonly tenant: string; readonly hook: Hook; readonly given: string },
  { overlap, at }: { readonly overlap: number | undefined; readonly at: number },
): Promise<ReplacedSecret | null> {
  const isSame = (await openHookSecret(env, { tenant, hook: id, sealed }, "hooks.sealed")) === given;
  if (isSame && overlap !== 0) return null;
  const oldUntil = overlap === 0 ? null : at + (overlap === undefined ? OLD_SECRET_MS : overlap * 1000);
  return { sealed: await sealHookSecret(env, tenant, id, given), oldUntil };
}

/** Opens the valid secrets: the current one, and recently replaced ones. */
export async function* openHookSecrets(env: Env, door: HookAuth, now: number): AsyncGenerator<string> {
  const { tenant, hook } = door;
  yield await openHookSecret(env, door, "hooks.sealed");
  for (const { sealed } of selectValidSecrets(door.old ?? [], now))
    yield await openHookSecret(env, { tenant, hook, sealed }, "hooks.old_sealed[]");
}

async function openHookSecret(
  env: Env,
  { tenant, hook, sealed }: Pick<HookAuth, "tenant" | "hook" | "sealed">,
  column: "hooks.sealed" | "hooks.old_sealed[]",
): Promise<string> {
  const value = { tenant, column, sealed, context: getContext(tenant, hook) };
  return new TextDecoder().decode(await openStoredFromEnv(env, value));
}

function getContext(tenant: string, hook: string): string {
  return `hook ${tenant} ${hook}`;
}

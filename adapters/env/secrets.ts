/** Sealing, and the secrets of tenants. */
import { type Env, readRequired, readText } from "./bindings.ts";
import { systemClock } from "./clock.ts";
import { databaseFromEnv } from "./database.ts";
import { oncePerEnv } from "./once-per-env.ts";
import { openReseal, type Reseal, ResealedValues, type SealedValue } from "../secrets/resealing.ts";
import { openSealing, type Sealing } from "../secrets/sealing.ts";
import { openSecrets, sealSecret, SecretCache } from "../secrets/secrets.ts";
import { fromBase64 } from "../../core/base/base64.ts";
import type { SecretsPort } from "../../core/ports/secrets.ts";
import { findMissingKeys, describeMissingKeys, parseKeyRing } from "../../core/secrets/key-ring.ts";
import type { SecretUser } from "../../core/secrets/secret-use.ts";

/** Seals stored values that may contain secrets. */
export const sealingFromEnv = oncePerEnv((env: Env): Sealing => {
  return openSealing(readRequired(env.OTTO_SECRET_KEY, "OTTO_SECRET_KEY"), readText(env.OTTO_SECRET_KEYS_OLD));
});

const resealed = new ResealedValues();

/** Stores a value under the current key if an earlier key sealed it. */
export function resealFromEnv(env: Env): Reseal {
  const settings = { sealing: sealingFromEnv(env), values: databaseFromEnv(env).sealed, clock: systemClock };
  return openReseal({ ...settings, resealed });
}

/**
 * Opens a value of the database, and re-seals it if an earlier key sealed it. Throws `internal` when no key opens it.
 */
export async function openStoredFromEnv(env: Env, value: SealedValue): Promise<Uint8Array> {
  const bytes = await sealingFromEnv(env).open(fromBase64(value.sealed), value.context);
  await resealFromEnv(env)(value);
  return bytes;
}

/** The environments whose key ring has every key that sealed a row. */
const completeRings = new WeakSet<Env>();

/** Describes what is wrong with the key ring; null if nothing is, or the database is unavailable. */
export async function keyRingProblemFromEnv(env: Env): Promise<string | null> {
  if (completeRings.has(env)) return null;
  const ring = parseKeyRing(readRequired(env.OTTO_SECRET_KEY, "OTTO_SECRET_KEY"), readText(env.OTTO_SECRET_KEYS_OLD));
  const missing = await findMissingKeys(databaseFromEnv(env).sealed, ring);
  if (!missing.ok) return null;
  if (missing.value.length > 0) return describeMissingKeys(missing.value);
  completeRings.add(env);
  return null;
}

/** A cache of the tenants' sealed secrets for the life of the isolate. */
export const secretCache = new SecretCache();

/** A tenant's secrets. Each that `user` may not use has a `refusal`. */
export function secretsFromEnv(env: Env, tenant: string, user: SecretUser): SecretsPort {
  const { secrets: table } = databaseFromEnv(env);
  return openSecrets({
    table,
    sealing: sealingFromEnv(env),
    reseal: resealFromEnv(env),
    tenant,
    user,
    shelf: secretCache,
    clock: systemClock,
  });
}

/** Seals a secret's value for the database. */
export async function sealSecretFromEnv(
  env: Env,
  tenant: string,
  secret: { readonly name: string; readonly value: string },
): Promise<string> {
  return await sealSecret(sealingFromEnv(env), tenant, secret);
}

/** Makes the next request of this isolate read the tenant's secrets again. Other isolates do so within five seconds. */
export function forgetSecretsFromEnv(_env: Env, tenant: string): void {
  secretCache.forget(tenant);
}

/** What seals, and the secrets of tenants. */
import { type Env, required, set } from "./bindings.ts";
import { systemClock } from "./clock.ts";
import { databaseFromEnv } from "./database.ts";
import { openReseal, type Reseal, ResealedValues, type SealedValue } from "../secrets/resealing.ts";
import { openSealing, type Sealing } from "../secrets/sealing.ts";
import { openSecrets, sealSecret, SecretShelf } from "../secrets/secrets.ts";
import { fromBase64 } from "../../core/base/base64.ts";
import type { SecretsPort } from "../../core/ports/secrets.ts";
import { findMissingKeys, describeMissingKeys, parseKeyRing } from "../../core/secrets/key-ring.ts";
import type { SecretUser } from "../../core/secrets/secret-use.ts";

/** The sealing of this isolate, whose variables do not change. */
const sealings = new WeakMap<Env, Sealing>();

/** Seals what is stored and may hold a secret. */
export function sealingFromEnv(env: Env): Sealing {
  const known = sealings.get(env);
  if (known !== undefined) return known;
  const opened = openSealing(required(env.OTTO_SECRET_KEY, "OTTO_SECRET_KEY"), set(env.OTTO_SECRET_KEYS_OLD));
  sealings.set(env, opened);
  return opened;
}

const resealed = new ResealedValues();

/** Stores a value under the present key when an earlier one sealed it. */
export function resealFromEnv(env: Env): Reseal {
  const settings = { sealing: sealingFromEnv(env), values: databaseFromEnv(env).sealed, clock: systemClock };
  return openReseal({ ...settings, resealed });
}

/** Opens a value of the database, and re-seals it when an earlier key sealed it. Throws `internal` when no key opens it. */
export async function openStoredFromEnv(env: Env, value: SealedValue): Promise<Uint8Array> {
  const bytes = await sealingFromEnv(env).open(fromBase64(value.sealed), value.context);
  await resealFromEnv(env)(value);
  return bytes;
}

/** The environments whose key ring has every member that sealed a row. */
const wholeRings = new WeakSet<Env>();

/** What is wrong with the key ring, a sentence; null: nothing, or the database cannot be asked. */
export async function keyRingProblemFromEnv(env: Env): Promise<string | null> {
  if (wholeRings.has(env)) return null;
  const ring = parseKeyRing(required(env.OTTO_SECRET_KEY, "OTTO_SECRET_KEY"), set(env.OTTO_SECRET_KEYS_OLD));
  const missing = await findMissingKeys(databaseFromEnv(env).sealed, ring);
  if (!missing.ok) return null;
  if (missing.value.length > 0) return describeMissingKeys(missing.value);
  wholeRings.add(env);
  return null;
}

/** A cache of the tenants' sealed secrets for the life of the isolate. */
export const secretShelf = new SecretShelf();

/** A tenant's secrets. Each that `user` may not use has a `refusal`. */
export function secretsFromEnv(env: Env, tenant: string, user: SecretUser): SecretsPort {
  const { secrets: table } = databaseFromEnv(env);
  return openSecrets({
    table,
    sealing: sealingFromEnv(env),
    reseal: resealFromEnv(env),
    tenant,
    user,
    shelf: secretShelf,
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
  secretShelf.forget(tenant);
}

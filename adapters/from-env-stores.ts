/** The part of `from-env.ts` that needs the database: its tables, sealed values and the tenants' secrets. */
import type { Database } from "../core/database.ts";
import type { SecretUser } from "../core/policy/secret-use.ts";
import type { VectorsPort } from "../core/memory/vector-ports.ts";
import type { Clock } from "../core/ports.ts";
import type { SecretsPort } from "../core/web/secrets-port.ts";
import { openDatabase } from "./database/database.ts";
import { type Env, required, set } from "./env.ts";
import { openSealing, type Sealing } from "./sealing.ts";
import { checkEndpoint } from "./settings.ts";
import { openSecrets, sealSecret, SecretShelf } from "./tenant-secrets.ts";
import { openPgvector } from "./vectors/pgvector.ts";

/** Opened once for the life of the isolate: the database checks once whether row-level security binds its role. */
interface Stores {
  readonly database: Database;
  readonly pgvector: VectorsPort;
}
const stores = new Map<string, Stores>();

function storesFromEnv(env: Env): Stores {
  const url = required(env.DATABASE_URL, "DATABASE_URL");
  const endpoint = set(env.OTTO_DATABASE_ENDPOINT);
  const name = `${endpoint} ${url}`;
  const known = stores.get(name);
  if (known !== undefined) return known;
  checkEndpoint(env);
  const opened = { database: openDatabase(url, endpoint), pgvector: openPgvector(url, endpoint) };
  stores.set(name, opened);
  return opened;
}

export function databaseFromEnv(env: Env): Database {
  return storesFromEnv(env).database;
}

/** The vector index in the database. */
export function pgvectorFromEnv(env: Env): VectorsPort {
  return storesFromEnv(env).pgvector;
}

export function clockFromEnv(_env: Env): Clock {
  return { now: () => Date.now() };
}

/** Seals what is stored and may hold a secret. */
export function sealingFromEnv(env: Env): Sealing {
  return openSealing(required(env.OTTO_SECRET_KEY, "OTTO_SECRET_KEY"));
}

/** A cache of the tenants' sealed secrets for the life of the isolate. */
export const secretShelf = new SecretShelf();

/** A tenant's secrets. Each that `user` may not use has a `refusal`. */
export function secretsFromEnv(env: Env, tenant: string, user: SecretUser): SecretsPort {
  const { secrets: table } = databaseFromEnv(env);
  return openSecrets({
    table,
    sealing: sealingFromEnv(env),
    tenant,
    user,
    shelf: secretShelf,
    clock: clockFromEnv(env),
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

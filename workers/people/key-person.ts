/** The person whom a key belongs to: finding one, changing one, and the notification of one. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { forgetAccessFromEnv, tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { failed, type Result } from "../../core/base/errors.ts";
import { isId } from "../../core/base/ids.ts";
import { createBindingMessage } from "../../core/people/binding-message.ts";
import type { PersonRecord } from "../../core/people/person.ts";
import type { KeyPerson, PersonChange } from "../../core/tenant/rpc.ts";
import { sendMessage } from "../channels/outbox/notify.ts";
import type { AppContext } from "../http/context.ts";
import { logFailure } from "../http/log.ts";
import { getPerson, getTenant } from "../http/principal.ts";

/** Finds the person that a field of a request names. An unknown one is `invalid_input` with the field. */
export async function findNamedPerson(
  env: Env,
  tenant: string,
  id: string,
  field: string,
): Promise<Result<PersonRecord>> {
  const unknown = failed("invalid_input", "There is no person with this id.", { field });
  if (!isId("person", id)) return unknown;
  const found = await databaseFromEnv(env).people.get(tenant, id);
  return !found.ok && found.error.code === "not_found" ? unknown : found;
}

export function toKeyPerson({ id, name, timeZone }: PersonRecord): KeyPerson {
  return { id, name, timeZone };
}

/** The person of a key, as views name it. */
export function toPersonName(person: Pick<KeyPerson, "id" | "name"> | null) {
  return person === null ? null : { id: person.id, name: person.name };
}

/**
 * Writes a change of a person, or of a key's. The keys that it concerns act for the new one from then on: at once in this
 * isolate, within three seconds in every other.
 */
export async function writePersonChange<T>(c: AppContext, change: PersonChange, write: () => Promise<T>): Promise<T> {
  const tenant = getTenant(c);
  const object = tenantsFromEnv(c.env)(tenant);
  await object.personChanged(change);
  try {
    return await write();
  } finally {
    // For an object that restarted during the write. Without it, what was read meanwhile counts for a minute at most.
    await object.personChanged(change).catch((thrown: unknown) => {
      logFailure({ id: c.get("requestId"), method: c.req.method, path: c.req.path }, thrown);
    });
    forgetAccessFromEnv(c.env, tenant);
  }
}

/** A key that acts for a person since `at`, in milliseconds since the epoch. */
export interface Binding {
  readonly key: { readonly id: string; readonly name: string };
  readonly person: PersonRecord;
  readonly at: number;
}

/** Notifies a person whose key another caller bound, once. A person without an address reads it in the audit log. */
export async function notifyOfBinding(c: AppContext, { key, person, at }: Binding): Promise<Result<void>> {
  if (person.addresses.length === 0 || getPerson(c)?.id === person.id) return { ok: true, value: undefined };
  const message = createBindingMessage(key.name);
  const about = { tenant: getTenant(c), deliver: [{ channel: "person", to: person.id } as const], message };
  return await sendMessage(c.env, about, { kind: "notification", seed: `key.bind ${key.id} ${person.id} ${at}`, at });
}

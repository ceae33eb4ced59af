/** Whom somebody is who writes to Otto in a channel. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import { hasAddress, createLinkedFields, addAddress } from "../../core/people/link.ts";
import { getAddressKey, type PersonFields, type PersonRecord } from "../../core/people/person.ts";
import type { PersonTable } from "../../core/ports/person-table.ts";
import { seededIds } from "../../core/base/seeded-ids.ts";

/** A member of a Slack workspace of the tenant, as the workspace itself describes them. */
export interface SlackSpeaker {
  readonly team: string;
  readonly user: string;
  readonly name: string;
  /** The address that this workspace vouches for; null for a member of another workspace, or when it is not told. */
  readonly email: string | null;
  /** IANA name; null: it is not told. */
  readonly tz: string | null;
}

/** Others may link the same person, or take the name, at the same time. */
const MAX_TRIES = 8;

/**
 * The person who speaks: found by the Slack address, else by the mail address, whose record then gets this one too; else
 * a record is made, which may answer and not approve. Said twice, or at the same time, it is one record. Fails while the
 * database is away.
 */
export async function linkSlackPerson(env: Env, tenant: string, speaker: SlackSpeaker): Promise<Result<PersonRecord>> {
  const { people } = databaseFromEnv(env);
  const slack = { kind: "slack", team: speaker.team, user: speaker.user } as const;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const known = await people.findByAddress(tenant, slack);
    if (!known.ok) return known;
    if (known.value !== null) return ok(known.value);
    const byMail = speaker.email === null ? ok(null) : await personOfMail(env, tenant, speaker.email);
    if (!byMail.ok) return byMail;
    // Made or joined since the look before.
    if (byMail.value !== null && hasAddress(byMail.value, slack)) return ok(byMail.value);
    const linked =
      byMail.value === null
        ? await made(env, people, tenant, createLinkedFields(speaker, tries))
        : await joined(env, people, tenant, byMail.value, addAddress(byMail.value, slack));
    // Somebody else was first: with the address, the name or the version of the record.
    if (linked.ok || linked.error.code !== "conflict") return linked;
  }
  return failed("upstream_failed", "The person's record is being changed by others. Try again.", {
    retryAfterMs: 1000,
  });
}

/** Whose address it is; null: nobody's that the tenant knows. Fails while the database is away. */
export async function personOfMail(env: Env, tenant: string, address: string): Promise<Result<PersonRecord | null>> {
  return await databaseFromEnv(env).people.findByAddress(tenant, { kind: "email", address });
}

async function made(
  env: Env,
  people: PersonTable,
  tenant: string,
  fields: PersonFields,
): Promise<Result<PersonRecord>> {
  const now = Date.now();
  const id = makeId("person", now, crypto.getRandomValues(new Uint8Array(10)));
  return await people.create(tenant, { id, ...fields }, await linkAct(id, fields, now));
}

async function joined(
  env: Env,
  people: PersonTable,
  tenant: string,
  { id, version }: PersonRecord,
  fields: PersonFields,
): Promise<Result<PersonRecord>> {
  const act = await linkAct(id, fields, Date.now());
  return await people.update(tenant, { id, fields, ifVersion: version }, act);
}

/** The actor is the address that was linked: nobody else asked for it. */
async function linkAct(person: string, { addresses }: PersonFields, at: number): Promise<AuditEntry> {
  const slack = addresses.findLast(({ kind }) => kind === "slack");
  const actor = slack === undefined ? "slack" : getAddressKey(slack);
  const { random } = await seededIds("audit", `${person} ${actor}`, at);
  return { id: makeId("audit", at, random), at, actor, action: "person.link", target: person, requestId: actor };
}

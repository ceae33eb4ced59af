/** Finds the person who writes to Otto in a channel. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import { hasAddress, createLinkedFields, addAddress } from "../../core/people/link.ts";
import { getAddressKey, type PersonFields, type PersonRecord } from "../../core/people/person.ts";
import type { PersonTable } from "../../core/ports/person-table.ts";
import { seededIds } from "../../core/base/seeded-ids.ts";

/** A member of a Slack workspace, as the workspace describes them. */
export interface SlackSpeaker {
  readonly team: string;
  readonly user: string;
  readonly name: string;
  /** The verified address; null for a member of another workspace, or if unknown. */
  readonly email: string | null;
  /** IANA name; null if unknown. */
  readonly tz: string | null;
}

/** Other requests may link the same person, or take the name, at the same time. */
const MAX_TRIES = 8;

/**
 * Returns the person of a Slack member: by the Slack address, or else by the mail address, whose record then gets the
 * Slack address too. Otherwise creates a record that may answer but not approve. Concurrent calls create one record.
 * Fails while the database is unavailable.
 */
export async function linkSlackPerson(env: Env, tenant: string, speaker: SlackSpeaker): Promise<Result<PersonRecord>> {
  const { people } = databaseFromEnv(env);
  const slack = { kind: "slack", team: speaker.team, user: speaker.user } as const;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const known = await people.findByAddress(tenant, slack);
    if (!known.ok) return known;
    if (known.value !== null) return ok(known.value);
    const byMail = speaker.email === null ? ok(null) : await findPersonByMail(env, tenant, speaker.email);
    if (!byMail.ok) return byMail;
    // Another request created or linked the record meanwhile.
    if (byMail.value !== null && hasAddress(byMail.value, slack)) return ok(byMail.value);
    const linked =
      byMail.value === null
        ? await createPerson(env, people, tenant, createLinkedFields(speaker, tries))
        : await linkAddress(env, people, tenant, byMail.value, addAddress(byMail.value, slack));
    // Another request was first: with the address, the name or the version of the record.
    if (linked.ok || linked.error.code !== "conflict") return linked;
  }
  return failed("upstream_failed", "The person's record is being changed by other requests. Try again.", {
    retryAfterMs: 1000,
  });
}

/** Returns the person with this mail address; null if nobody has it. Fails while the database is unavailable. */
export async function findPersonByMail(
  env: Env,
  tenant: string,
  address: string,
): Promise<Result<PersonRecord | null>> {
  return await databaseFromEnv(env).people.findByAddress(tenant, { kind: "email", address });
}

async function createPerson(
  env: Env,
  people: PersonTable,
  tenant: string,
  fields: PersonFields,
): Promise<Result<PersonRecord>> {
  const now = Date.now();
  const id = makeId("person", now, crypto.getRandomValues(new Uint8Array(10)));
  return await people.create(tenant, { id, ...fields }, await createLinkEntry(id, fields, now));
}

async function linkAddress(
  env: Env,
  people: PersonTable,
  tenant: string,
  { id, version }: PersonRecord,
  fields: PersonFields,
): Promise<Result<PersonRecord>> {
  const act = await createLinkEntry(id, fields, Date.now());
  return await people.update(tenant, { id, fields, ifVersion: version }, act);
}

/** The actor is the linked address, because no other caller requested it. */
async function createLinkEntry(person: string, { addresses }: PersonFields, at: number): Promise<AuditEntry> {
  const slack = addresses.findLast(({ kind }) => kind === "slack");
  const actor = slack === undefined ? "slack" : getAddressKey(slack);
  const { random } = await seededIds("audit", `${person} ${actor}`, at);
  return { id: makeId("audit", at, random), at, actor, action: "person.link", target: person, requestId: actor };
}

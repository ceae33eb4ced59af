/** People, with the names and addresses by which they are found. */
import { and, asc, count, desc, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import { type Failure, failed, ok, type Result } from "../../core/base/errors.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import {
  getAddressKey,
  getFirstNameKey,
  MAX_PEOPLE,
  getNameKey,
  type PersonAddress,
  type PersonFields,
  type PersonRecord,
  type WorkingHours,
} from "../../core/people/person.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import type { PersonTable } from "../../core/ports/person-table.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { asTenant, type Connection, type Query } from "./connection.ts";
import { isBefore } from "./list-order.ts";
import { people, personAddresses, personNames } from "./schema.ts";

const NO_PERSON = failed("not_found", "There is no such person.");

export function personTable(connection: Connection): PersonTable {
  return {
    async create(tenant, person, act) {
      const { id, name } = person;
      const written = await asTenant(connection, tenant, (query) => [
        insertPerson(query, tenant, person, act),
        selectPeople(query).where(isPerson(tenant, id)),
      ]);
      if (!written.ok) return { ok: false, error: toConflict(written.error, name) };
      const [kept] = written.value[1];
      if (kept !== undefined) return ok(toPerson(kept));
      return failed("quota_exceeded", `A tenant has at most ${MAX_PEOPLE} people. Delete one first.`);
    },

    async get(tenant, id) {
      const read = await asTenant(connection, tenant, (query) => [selectPeople(query).where(isPerson(tenant, id))]);
      return read.ok ? toResult(read.value[0][0]) : read;
    },

    async page(tenant, { after, limit }) {
      const read = await asTenant(connection, tenant, (query) => [
        selectPeople(query)
          .where(and(eq(people.tenant, tenant), isBefore(people.createdAt, people.id, after)))
          .orderBy(desc(people.createdAt), desc(people.id))
          .limit(limit + 1),
      ]);
      if (!read.ok) return read;
      return ok(cutPage(read.value[0].map(toPerson), limit, ({ id, createdAt }) => ({ at: createdAt, id })));
    },

    async update(tenant, { id, fields, ifVersion }, act) {
      const { name, aliases, addresses, preferred, timeZone, workingHours, mayAnswer, mayApprove } = fields;
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with changed as (
            update people set version = version + 1, name = ${name}, name_key = ${getNameKey(name)},
              aliases = ${sql.param([...aliases])}::text[], addresses = ${JSON.stringify(addresses)},
              preferred = ${preferred}, time_zone = ${timeZone}, working_hours = ${formatHours(workingHours)},
              may_answer = ${mayAnswer}, may_approve = ${mayApprove},
              updated_at = ${new Date(act.at).toISOString()}::timestamptz
            where ${isPerson(tenant, id)} and (${ifVersion}::int is null or version = ${ifVersion}::int)
            returning id
          ), unaddressed as (
            delete from person_addresses where tenant = ${tenant} and person in (select id from changed)
              and not address = any (${getAddressKeys(fields)})
          ), addressed as (${addAddresses(tenant, fields, sql`changed`)}), uncalled as (
            delete from person_names where tenant = ${tenant} and person in (select id from changed)
              and not name = any (${getNameKeys(fields)})
          ), called as (${addNames(tenant, fields, sql`changed`)})
          ${insertAuditFrom(tenant, act)} from changed`),
        selectPeople(query).where(isPerson(tenant, id)),
      ]);
      if (!written.ok) return { ok: false, error: toConflict(written.error, name) };
      const [changed, [found]] = written.value;
      if (found === undefined || changed.rowCount > 0) return toResult(found);
      return failed("conflict", `The person is at version ${found.version} now. Read it again before you change it.`, {
        field: "If-Match",
      });
    },

    async remove(tenant, id, act) {
      const written = await asTenant(connection, tenant, (query) => [
        selectPeople(query).where(isPerson(tenant, id)),
        query.execute(sql`
          with gone as (delete from people where ${isPerson(tenant, id)} returning id), unbound as (
            update keys set person = null where tenant = ${tenant} and person in (select id from gone)
          ), cleared as (
            update hooks set acts_for = null where tenant = ${tenant} and acts_for in (select id from gone)
          )
          ${insertAuditFrom(tenant, act)} from gone`),
      ]);
      return written.ok ? toResult(written.value[0][0]) : written;
    },

    async findByName(tenant, name, limit) {
      const key = getNameKey(name);
      const isWhole = or(eq(people.id, name), eq(people.nameKey, key));
      const read = await asTenant(connection, tenant, (query) => {
        const called = query
          .select({ person: personNames.person })
          .from(personNames)
          .where(and(eq(personNames.tenant, tenant), eq(personNames.name, key)));
        const wanted = or(isWhole, inArray(people.id, called));
        return [
          selectPeople(query)
            .where(and(eq(people.tenant, tenant), wanted))
            .orderBy(desc(sql`(${isWhole})`), asc(people.nameKey))
            .limit(limit),
        ];
      });
      return read.ok ? ok(read.value[0].map(toPerson)) : read;
    },

    async findByAddress(tenant, address) {
      const isThis = and(eq(personAddresses.tenant, tenant), eq(personAddresses.address, getAddressKey(address)));
      const read = await asTenant(connection, tenant, (query) => [
        selectPeople(query).where(
          and(
            eq(people.tenant, tenant),
            inArray(people.id, query.select({ person: personAddresses.person }).from(personAddresses).where(isThis)),
          ),
        ),
      ]);
      if (!read.ok) return read;
      const [found] = read.value[0];
      return ok(found === undefined ? null : toPerson(found));
    },

    async names(tenant, limit) {
      const isOurs = eq(people.tenant, tenant);
      const read = await asTenant(connection, tenant, (query) => [
        query.select({ name: people.name }).from(people).where(isOurs).orderBy(asc(people.nameKey)).limit(limit),
        query.select({ total: count() }).from(people).where(isOurs),
      ]);
      if (!read.ok) return read;
      const [names, [counted]] = read.value;
      return ok({ names: names.map(({ name }) => name), total: counted?.total ?? 0 });
    },
  };
}

/** The statement that stores a person and its audit row, unless the id is taken or the tenant is at its limit. */
export function insertPerson(
  query: Query,
  tenant: string,
  { id, ...fields }: PersonFields & { readonly id: string },
  act: AuditEntry,
) {
  const at = new Date(act.at).toISOString();
  const { name, aliases, addresses, preferred, timeZone, workingHours, mayAnswer, mayApprove } = fields;
  return query.execute(sql`
    with made as (
      insert into people (tenant, id, version, name, name_key, aliases, addresses, preferred, time_zone,
        working_hours, may_answer, may_approve, created_at, updated_at)
      select ${tenant}::text, ${id}::text, 1, ${name}::text, ${getNameKey(name)}::text,
        ${sql.param([...aliases])}::text[], ${JSON.stringify(addresses)}::text, ${preferred}::text,
        ${timeZone}::text, ${formatHours(workingHours)}::text, ${mayAnswer}::boolean, ${mayApprove}::boolean,
        ${at}::timestamptz, ${at}::timestamptz
      where (select count(*) from people where tenant = ${tenant}) < ${MAX_PEOPLE}
      on conflict (tenant, id) do nothing
      returning id
    ), addressed as (${addAddresses(tenant, fields, sql`made`)}), called as (${addNames(tenant, fields, sql`made`)})
    ${insertAuditFrom(tenant, act)} from made`);
}

/** Adds the missing addresses of `whom`; another person's address violates the primary key. */
function addAddresses(tenant: string, fields: PersonFields, whom: SQL): SQL {
  return sql`
    insert into person_addresses (tenant, address, person)
    select ${tenant}::text, a.address, w.id from ${whom} w, unnest(${getAddressKeys(fields)}) as a (address)
    where not exists (select from person_addresses p
      where p.tenant = ${tenant} and p.address = a.address and p.person = w.id)`;
}

function addNames(tenant: string, fields: PersonFields, whom: SQL): SQL {
  return sql`
    insert into person_names (tenant, name, person)
    select ${tenant}::text, n.name, w.id from ${whom} w, unnest(${getNameKeys(fields)}) as n (name)
    where not exists (select from person_names p where p.tenant = ${tenant} and p.name = n.name and p.person = w.id)`;
}

function getAddressKeys({ addresses }: PersonFields): SQL {
  return sql`${sql.param([...new Set(addresses.map(getAddressKey))])}::text[]`;
}

function getNameKeys({ name, aliases }: PersonFields): SQL {
  return sql`${sql.param([...new Set([getFirstNameKey(name), ...aliases.map(getNameKey)])])}::text[]`;
}

function isPerson(tenant: string, id: string) {
  return and(eq(people.tenant, tenant), eq(people.id, id));
}

function selectPeople(query: Query) {
  const { id, version, name, aliases, addresses, preferred, timeZone } = people;
  const { workingHours, mayAnswer, mayApprove, createdAt, updatedAt } = people;
  const fields = { name, aliases, addresses, preferred, timeZone, workingHours, mayAnswer, mayApprove };
  return query.select({ id, version, ...fields, createdAt, updatedAt }).from(people);
}

type Row = Awaited<ReturnType<typeof selectPeople>>[number];

function toPerson(row: Row): PersonRecord {
  return {
    ...row,
    addresses: JSON.parse(row.addresses) as PersonAddress[],
    preferred: row.preferred as PersonAddress["kind"] | null,
    workingHours: row.workingHours === null ? null : (JSON.parse(row.workingHours) as WorkingHours),
  };
}

function formatHours(hours: WorkingHours | null): string | null {
  return hours === null ? null : JSON.stringify(hours);
}

function toResult(row: Row | undefined): Result<PersonRecord> {
  return row === undefined ? NO_PERSON : ok(toPerson(row));
}

/** Says which unique value belongs to another person. */
function toConflict(error: Failure, name: string): Failure {
  if (error.code !== "conflict") return error;
  if (error.cause?.kind === "constraint" && error.cause.constraint === "people_name") {
    return failed("conflict", `A person named ${name} already exists. Choose another name.`, { field: "name" }).error;
  }
  return failed("conflict", "One of the addresses belongs to another person.", { field: "addresses" }).error;
}

/** A fake of the people table, limited to searches. It passes the same contract as the database. */
import { openPeople } from "../../adapters/database/find-people.ts";
import { ok } from "../../core/base/errors.ts";
import { getFirstNameKey, getNameKey, type PersonFields, type PersonRecord } from "../../core/people/person.ts";
import type { PeoplePort } from "../../core/ports/people.ts";
import type { PersonTable } from "../../core/ports/person-table.ts";

/** Creates the people of one tenant. Ignores which tenant is requested. */
export function fakePersonTable(people: readonly PersonRecord[]): Pick<PersonTable, "findByName" | "names"> {
  const sorted = people.toSorted((a, b) => (getNameKey(a.name) < getNameKey(b.name) ? -1 : 1));
  return {
    async findByName(_tenant, search, limit) {
      const key = getNameKey(search);
      const isWhole = ({ id, name }: PersonRecord) => id === search || getNameKey(name) === key;
      const isCalled = ({ name, aliases }: PersonRecord) =>
        getFirstNameKey(name) === key || aliases.some((alias) => getNameKey(alias) === key);
      const others = sorted.filter((person) => !isWhole(person) && isCalled(person));
      return ok([...sorted.filter(isWhole), ...others].slice(0, limit));
    },
    async names(_tenant, limit) {
      return ok({ names: sorted.slice(0, limit).map(({ name }) => name), total: sorted.length });
    },
  };
}

export function fakePeople(...people: readonly PersonRecord[]): PeoplePort {
  return openPeople(fakePersonTable(people), "ten_1");
}

/** A person without an address who can be asked at any time. */
export function makePerson(id: string, name: string, change: Partial<PersonFields> = {}): PersonRecord {
  const fields = { aliases: [], addresses: [], preferred: null, timeZone: "UTC", workingHours: null };
  const row = { version: 1, createdAt: 0, updatedAt: 0 };
  return { id, name, ...fields, mayAnswer: true, mayApprove: false, ...change, ...row };
}

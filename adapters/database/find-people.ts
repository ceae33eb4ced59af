/** Finds the people whom a task can ask, in the records of its tenant. */
import { ok } from "../../core/base/errors.ts";
import { findPerson } from "../../core/people/find-person.ts";
import type { PeoplePort } from "../../core/ports/people.ts";
import type { PersonTable } from "../../core/ports/person-table.ts";

export function openPeople(table: Pick<PersonTable, "findByName" | "names">, tenant: string): PeoplePort {
  return {
    async find(name) {
      const found = await findPerson(table, tenant, name);
      if (!found.ok) return found;
      return ok(found.value === null ? { id: null, name } : { id: found.value.id, name: found.value.name });
    },
  };
}

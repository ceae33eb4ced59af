/** The rows of people. Expected failures are values. */
import type { AuditEntry } from "./audit.ts";
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { PersonAddress, PersonFields, PersonRecord } from "../people/person.ts";

/** The names of a tenant's people: the first in alphabetical order, and their total. */
export interface PeopleNames {
  readonly names: readonly string[];
  readonly total: number;
}

/** A person to store, and the audit row of the creation. */
export interface NewPerson {
  readonly person: PersonFields & { readonly id: string };
  readonly act: AuditEntry;
}

export interface PersonTable {
  /**
   * `conflict` when the name or an address is taken (field `name` or `addresses`), `quota_exceeded` at the tenant's
   * limit. Creating the same id again returns the stored row.
   */
  create(
    tenant: string,
    person: PersonFields & { readonly id: string },
    act: AuditEntry,
  ): Promise<Result<PersonRecord>>;
  get(tenant: string, id: string): Promise<Result<PersonRecord>>;
  page(tenant: string, request: PageRequest): Promise<Result<Page<PersonRecord>>>;
  /** Replaces all fields. With `ifVersion`, `conflict` (field `If-Match`) at another version; otherwise as `create`. */
  update(
    tenant: string,
    change: { readonly id: string; readonly fields: PersonFields; readonly ifVersion: number | null },
    act: AuditEntry,
  ): Promise<Result<PersonRecord>>;
  /** Returns the removed row. */
  remove(tenant: string, id: string, act: AuditEntry): Promise<Result<PersonRecord>>;
  /** Finds people by id, name, alias or first name; at most `limit`, exact names first. */
  findByName(tenant: string, name: string, limit: number): Promise<Result<readonly PersonRecord[]>>;
  /** Finds the person of an address; null if none. */
  findByAddress(tenant: string, address: PersonAddress): Promise<Result<PersonRecord | null>>;
  names(tenant: string, limit: number): Promise<Result<PeopleNames>>;
}

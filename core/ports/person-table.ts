/** The rows of people. Expected failures are values. */
import type { AuditEntry } from "./audit.ts";
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { PersonAddress, PersonFields, PersonRecord } from "../people/person.ts";

/** What a tenant's people are called: the first of them in the order of their names, and how many there are in all. */
export interface PeopleNames {
  readonly names: readonly string[];
  readonly total: number;
}

export interface PersonTable {
  /**
   * `conflict` when the name or an address is another's (field `name` or `addresses`), `quota_exceeded` when the tenant has
   * as many as it may. Making the same id again changes nothing and gives what is there.
   */
  create(
    tenant: string,
    person: PersonFields & { readonly id: string },
    act: AuditEntry,
  ): Promise<Result<PersonRecord>>;
  get(tenant: string, id: string): Promise<Result<PersonRecord>>;
  page(tenant: string, request: PageRequest): Promise<Result<Page<PersonRecord>>>;
  /** Sets all fields anew. With `ifVersion`, `conflict` (field `If-Match`) when it is at another; else as `create`. */
  update(
    tenant: string,
    change: { readonly id: string; readonly fields: PersonFields; readonly ifVersion: number | null },
    act: AuditEntry,
  ): Promise<Result<PersonRecord>>;
  /** Gives what was there. */
  remove(tenant: string, id: string, act: AuditEntry): Promise<Result<PersonRecord>>;
  /** Those who could be meant by a name: by id, name, alias or first name; `limit` at most, exact names first. */
  named(tenant: string, asked: string, limit: number): Promise<Result<readonly PersonRecord[]>>;
  /** Whom an address belongs to; null: nobody. */
  byAddress(tenant: string, address: PersonAddress): Promise<Result<PersonRecord | null>>;
  names(tenant: string, limit: number): Promise<Result<PeopleNames>>;
}

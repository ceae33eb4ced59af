/** The tables of tenants and of their keys. */
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { AuditEntry } from "./audit.ts";
import type { NewPerson } from "./person-table.ts";
import type { KeyPerson, KeyRecord } from "../tenant/rpc.ts";

/** A customer. */
export interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

/** An API key in lists. `createdBy` is the key that created it, or `operator`. */
export interface ApiKey extends KeyRecord {
  readonly projects: readonly string[] | null;
  readonly agents: readonly string[] | null;
  readonly person: KeyPerson | null;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly revokedAt: number | null;
}

/** A key to store: its record and its SHA-256 in hex. */
export interface NewApiKey {
  readonly key: ApiKey;
  readonly hash: string;
}

/** A key whose person was set. `boundAt`: when it was set to this person, in milliseconds since the epoch. */
export interface BoundKey {
  readonly key: ApiKey;
  readonly boundAt: number;
}

export interface TenantTable {
  /** Creates the tenant, its first person, its first key and the audit rows. Idempotent by id. */
  create(tenant: Tenant, firstKey: NewApiKey, act: AuditEntry, firstPerson?: NewPerson): Promise<Result<void>>;
  /** `not_found` for a deleted tenant too. */
  get(id: string): Promise<Result<Tenant>>;
  page(request: PageRequest): Promise<Result<Page<Tenant>>>;
  /** Marks the tenant as deleted: from then on its keys are not found. `purge` deletes its rows. */
  erase(id: string, act: AuditEntry): Promise<Result<Tenant>>;
  /** Deleted tenants that still have rows, the earliest first. */
  listErased(limit: number): Promise<Result<readonly string[]>>;
  /** Deletes every row of a deleted tenant, and records only that its id was used. */
  purge(id: string): Promise<Result<void>>;
}

export interface KeyTable {
  /** Stores a key. Storing the same id again returns the stored row. */
  create(key: NewApiKey, act: AuditEntry): Promise<Result<ApiKey>>;
  /** Finds the valid key of this tenant with this hash; `not_found` when it is revoked or its tenant deleted. */
  findByHash(tenant: string, hash: string): Promise<Result<KeyRecord>>;
  /** Finds a key by its id, revoked or not. */
  get(tenant: string, id: string): Promise<Result<ApiKey>>;
  page(tenant: string, request: PageRequest): Promise<Result<Page<ApiKey>>>;
  /**
   * Sets the person of a key; null: none. The audit row gets the earlier one. `not_found` (field `person` for a person),
   * `conflict` for a revoked key. The same person again changes nothing, and returns the time of the first.
   */
  bind(tenant: string, id: string, person: string | null, act: AuditEntry): Promise<Result<BoundKey>>;
  /** Revokes a key. Idempotent. */
  revoke(tenant: string, id: string, act: AuditEntry): Promise<Result<ApiKey>>;
}

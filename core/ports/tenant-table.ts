/** The tables of tenants and of their keys. */
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { AuditEntry } from "./audit.ts";
import type { KeyRecord } from "../tenant/rpc.ts";

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
  readonly createdAt: number;
  readonly createdBy: string;
  readonly revokedAt: number | null;
}

/** A key to store: its record and its SHA-256 in hex. */
export interface NewApiKey {
  readonly key: ApiKey;
  readonly hash: string;
}

export interface TenantTable {
  /** Creates the tenant, its first key and the audit row. Idempotent by id. */
  create(tenant: Tenant, firstKey: NewApiKey, act: AuditEntry): Promise<Result<void>>;
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
  /** Revokes a key. Idempotent. */
  revoke(tenant: string, id: string, act: AuditEntry): Promise<Result<ApiKey>>;
}

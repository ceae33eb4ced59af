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

/** An API key as it is listed. `createdBy` is the key that made it, or `operator`. */
export interface ApiKey extends KeyRecord {
  readonly projects: readonly string[] | null;
  readonly agents: readonly string[] | null;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly revokedAt: number | null;
}

/** A key to be kept: its record and its SHA-256 in hex. */
export interface NewApiKey {
  readonly key: ApiKey;
  readonly hash: string;
}

export interface TenantTable {
  /** Makes the tenant, its first key and the audit row. Doing it again with the same ids changes nothing. */
  create(tenant: Tenant, firstKey: NewApiKey, act: AuditEntry): Promise<Result<void>>;
  /** `not_found` for an erased tenant too. */
  get(id: string): Promise<Result<Tenant>>;
  page(request: PageRequest): Promise<Result<Page<Tenant>>>;
  /** Marks the tenant erased: from then on none of its keys is found. Its rows go by `purge`. */
  erase(id: string, act: AuditEntry): Promise<Result<Tenant>>;
  /** Erased tenants whose rows are still there, the earliest first. */
  erased(limit: number): Promise<Result<readonly string[]>>;
  /** Deletes every row of an erased tenant and remembers only that its id was used. */
  purge(id: string): Promise<Result<void>>;
}

export interface KeyTable {
  /** Keeps a key. Keeping the same id again changes nothing and gives what is there. */
  create(key: NewApiKey, act: AuditEntry): Promise<Result<ApiKey>>;
  /** The living key with this hash, of this tenant; `not_found` when it is revoked or its tenant erased. */
  byHash(tenant: string, hash: string): Promise<Result<KeyRecord>>;
  /** A key by its id, revoked or not. */
  get(tenant: string, id: string): Promise<Result<ApiKey>>;
  page(tenant: string, request: PageRequest): Promise<Result<Page<ApiKey>>>;
  /** Revoking a revoked key changes nothing and gives what is there. */
  revoke(tenant: string, id: string, act: AuditEntry): Promise<Result<ApiKey>>;
}

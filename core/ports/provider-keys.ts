/** A tenant's own key of the catalogue's provider, and whose key serves a tenant. */
import type { Result } from "../base/errors.ts";
import type { AppLinks } from "./apps.ts";
import type { AuditEntry } from "./audit.ts";

/** A stored key, without its value. Times are milliseconds since the epoch. */
export interface ProviderKey {
  /** `pvk_…`; another one with each other value. */
  readonly id: string;
  readonly createdAt: number;
  /** When the provider refused it in a sync of the catalogue; null: it did not. */
  readonly refusedAt: number | null;
}

/** The value may be sent to the provider alone. Null if no key of the ring opens it. */
export interface OpenedProviderKey extends ProviderKey {
  readonly value: string | null;
}

/** The key of one tenant. */
export interface ProviderKeyTable {
  /** Null without one. */
  find(): Promise<Result<OpenedProviderKey | null>>;
  /** Stores the key in the place of an earlier one. */
  put(key: { readonly id: string; readonly value: string }, act: AuditEntry): Promise<Result<ProviderKey>>;
  /** False: there was no key, and nothing is audited. */
  remove(act: AuditEntry): Promise<Result<boolean>>;
  /** The provider refused this key. Another one that was stored meanwhile is not marked. */
  markRefused(id: string): Promise<Result<void>>;
}

/** Across tenants. */
export interface ProviderKeyTenants {
  /** The tenant whose key fills the catalogue where the operator has none; null if no tenant has a key. */
  first(): Promise<Result<string | null>>;
}

/** The accounts of one tenant at the provider, by the key that made them. */
export interface TenantLinks {
  /** Of the key that serves the tenant now; null without one. */
  present(): Promise<Result<{ readonly key: string; readonly links: AppLinks } | null>>;
  /** Of the key that made an account; null if Otto no longer has it. */
  madeBy(key: string): Promise<Result<AppLinks | null>>;
}

/** The table of secrets. */
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { AuditEntry } from "./audit.ts";

/** A secret in lists, without its value. */
export interface Secret {
  readonly id: string;
  readonly name: string;
  readonly hosts: readonly string[];
  /** Ids of the agents that may use it; null: as `core/secrets/secret-use.ts` says. */
  readonly agents: readonly string[] | null;
  /** Methods of the requests that may carry it; null: all of them. */
  readonly methods: readonly string[] | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The new state of a secret: its encrypted value in base64, and its bindings. */
export interface SecretSetting extends Pick<Secret, "name" | "hosts" | "agents" | "methods"> {
  readonly sealed: string;
}

/** Names are unique in a tenant and never change. */
export interface SecretTable {
  /**
   * `conflict` when the name is taken, `quota_exceeded` at the tenant's limit. Creating the same id again returns the
   * stored row.
   */
  create(tenant: string, secret: SecretSetting & { readonly id: string }, act: AuditEntry): Promise<Result<Secret>>;
  get(tenant: string, name: string): Promise<Result<Secret>>;
  page(tenant: string, request: PageRequest): Promise<Result<Page<Secret>>>;
  /** Replaces value and bindings. */
  update(tenant: string, secret: SecretSetting, act: AuditEntry): Promise<Result<Secret>>;
  /** Returns the removed row. */
  remove(tenant: string, name: string, act: AuditEntry): Promise<Result<Secret>>;
  /** All secrets with their encrypted values, for the egress module. */
  sealed(tenant: string): Promise<Result<readonly SecretSetting[]>>;
}

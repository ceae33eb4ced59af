/** The table of secrets. */
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { AuditEntry } from "./audit.ts";

/** A secret as it is listed: everything but its value. */
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

/** What a secret is set to: its value sealed, in base64, and its bindings. */
export interface SecretSetting extends Pick<Secret, "name" | "hosts" | "agents" | "methods"> {
  readonly sealed: string;
}

/** Names are unique in a tenant, and stay. */
export interface SecretTable {
  /**
   * `conflict` when the name is taken, `quota_exceeded` when the tenant has as many as it may. Making the same id again
   * changes nothing and gives what is there.
   */
  create(tenant: string, secret: SecretSetting & { readonly id: string }, act: AuditEntry): Promise<Result<Secret>>;
  get(tenant: string, name: string): Promise<Result<Secret>>;
  page(tenant: string, request: PageRequest): Promise<Result<Page<Secret>>>;
  /** Replaces value and bindings. */
  update(tenant: string, secret: SecretSetting, act: AuditEntry): Promise<Result<Secret>>;
  /** Gives what was there. */
  remove(tenant: string, name: string, act: AuditEntry): Promise<Result<Secret>>;
  /** All of them with their sealed values, for the egress module. */
  sealed(tenant: string): Promise<Result<readonly SecretSetting[]>>;
}

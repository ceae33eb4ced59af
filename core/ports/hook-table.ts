/** The table of incoming webhooks. */
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { Hook, HookConfig, ReplacedSecret } from "../channels/webhooks/hook.ts";
import type { AuditEntry } from "./audit.ts";

/** A hook to create. `actsFor`: the id of the person for whom its tasks act; null or absent: nobody. */
export interface NewHook extends Pick<Hook, "id" | "config" | "sealed"> {
  readonly actsFor?: string | null;
}

export interface HookTable {
  /** Creates version 1. `conflict`: the name is taken; `quota_exceeded`. Idempotent by id. */
  create(tenant: string, hook: NewHook, act: AuditEntry): Promise<Result<Hook>>;
  get(tenant: string, id: string): Promise<Result<Hook>>;
  /** Finds the hook with this name, otherwise the oldest one of this type. */
  find(tenant: string, nameOrType: string): Promise<Result<Hook>>;
  page(tenant: string, request: PageRequest): Promise<Result<Page<Hook>>>;
  /** Creates the next version. `secret` null keeps the secret. With `ifVersion`, `conflict` at another version. */
  update(
    tenant: string,
    change: {
      readonly id: string;
      readonly config: HookConfig;
      readonly secret: ReplacedSecret | null;
      /** The id of the person for whom its tasks act; null: nobody. */
      readonly actsFor: string | null;
      readonly ifVersion: number | null;
    },
    act: AuditEntry,
  ): Promise<Result<Hook>>;
  /** Returns the removed row. */
  remove(tenant: string, id: string, act: AuditEntry): Promise<Result<Hook>>;
}

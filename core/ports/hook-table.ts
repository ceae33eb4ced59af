/** The table of hooks. */
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { Hook, HookConfig, ReplacedSecret } from "../channels/webhooks/hook.ts";
import type { AuditEntry } from "./audit.ts";

export interface HookTable {
  /** Version 1. `conflict`: the name is taken; `quota_exceeded`. Making the same id again changes nothing. */
  create(tenant: string, hook: Pick<Hook, "id" | "config" | "sealed">, act: AuditEntry): Promise<Result<Hook>>;
  get(tenant: string, id: string): Promise<Result<Hook>>;
  /** The hook with this name, else the oldest one of this type. */
  find(tenant: string, nameOrType: string): Promise<Result<Hook>>;
  page(tenant: string, request: PageRequest): Promise<Result<Page<Hook>>>;
  /** Makes the next version. `secret` null: it stays. With `ifVersion`, `conflict` when it is at another. */
  update(
    tenant: string,
    change: {
      readonly id: string;
      readonly config: HookConfig;
      readonly secret: ReplacedSecret | null;
      readonly ifVersion: number | null;
    },
    act: AuditEntry,
  ): Promise<Result<Hook>>;
  /** Gives what is gone. */
  remove(tenant: string, id: string, act: AuditEntry): Promise<Result<Hook>>;
}

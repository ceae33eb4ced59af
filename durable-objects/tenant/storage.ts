/** What the tenant's sandboxes hold of its quota of bytes. */
import { settingsFromEnv } from "../../adapters/env/settings.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { judgeStorage } from "../../core/tenant/storage-quota.ts";
import type { TenantTables } from "./tables.ts";

export class TenantStorage {
  private readonly env: Env;
  private readonly tables: TenantTables;

  constructor(env: Env, tables: TenantTables) {
    this.env = env;
    this.tables = tables;
  }

  /** Lets a sandbox hold so many bytes. Of an erased tenant, none holds any. */
  hold(sandbox: string, bytes: number): Result<void> {
    if (this.tables.isErased()) return bytes === 0 ? ok(undefined) : failed("not_found", "This tenant was erased.");
    const held = this.bytesOf("SELECT bytes FROM storage WHERE sandbox = ?", sandbox);
    const total = this.bytesOf("SELECT bytes FROM stored");
    const limit = settingsFromEnv(this.env).tenantFileBytes;
    const judged = judgeStorage({ held, wanted: bytes, total, limit });
    if (!judged.ok) return judged;
    if (bytes !== held) this.keep(sandbox, bytes, judged.value);
    return ok(undefined);
  }

  /** Bytes that all sandboxes hold. */
  total(): number {
    return this.bytesOf("SELECT bytes FROM stored");
  }

  /** Forgets what every sandbox holds. */
  erase(): void {
    this.tables.empty("storage", "stored");
  }

  private keep(sandbox: string, bytes: number, total: number): void {
    this.tables.storage.transactionSync(() => {
      if (bytes === 0) this.tables.write("DELETE FROM storage WHERE sandbox = ?", sandbox);
      else this.tables.write("INSERT OR REPLACE INTO storage VALUES (?, ?)", sandbox, bytes);
      this.tables.write("INSERT OR REPLACE INTO stored VALUES (1, ?)", total);
    });
  }

  private bytesOf(query: string, ...values: string[]): number {
    return this.tables.read<{ bytes: number }>(query, ...values)[0]?.bytes ?? 0;
  }
}

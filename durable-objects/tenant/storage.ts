/** The bytes that the tenant's sandboxes reserve of its quota. */
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

  /** Reserves bytes for a sandbox, instead of its earlier reservation. An erased tenant can only release. */
  reserve(sandbox: string, bytes: number): Result<void> {
    if (this.tables.isErased()) return bytes === 0 ? ok(undefined) : failed("not_found", "This tenant was erased.");
    const held = this.readBytes("SELECT bytes FROM storage WHERE sandbox = ?", sandbox);
    const total = this.readBytes("SELECT bytes FROM stored");
    const limit = settingsFromEnv(this.env).tenantFileBytes;
    const judged = judgeStorage({ held, wanted: bytes, total, limit });
    if (!judged.ok) return judged;
    if (bytes !== held) this.store(sandbox, bytes, judged.value);
    return ok(undefined);
  }

  /** Returns the bytes that all sandboxes reserve. */
  countBytes(): number {
    return this.readBytes("SELECT bytes FROM stored");
  }

  erase(): void {
    this.tables.clear("storage", "stored");
  }

  private store(sandbox: string, bytes: number, total: number): void {
    this.tables.storage.transactionSync(() => {
      if (bytes === 0) this.tables.write("DELETE FROM storage WHERE sandbox = ?", sandbox);
      else this.tables.write("INSERT OR REPLACE INTO storage VALUES (?, ?)", sandbox, bytes);
      this.tables.write("INSERT OR REPLACE INTO stored VALUES (1, ?)", total);
    });
  }

  private readBytes(query: string, ...values: string[]): number {
    return this.tables.read<{ bytes: number }>(query, ...values)[0]?.bytes ?? 0;
  }
}

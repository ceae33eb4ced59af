/** The published sources of the tenant's own tools, which a new task pins. */
import type { PinnedSource } from "../../core/tool/source.ts";
import type { TenantTables } from "./tables.ts";

/** Reads and writes rows. Every method is synchronous. */
export class TenantSources {
  private readonly tables: TenantTables;
  /** Null until read. */
  private known: readonly PinnedSource[] | null = null;

  constructor(tables: TenantTables) {
    this.tables = tables;
  }

  /** Lists the sources that have tools, by name. */
  list(): readonly PinnedSource[] {
    this.known ??= this.tables
      .read<{ name: string; hash: string }>("SELECT name, hash FROM sources WHERE hash IS NOT NULL ORDER BY name")
      .map(({ name, hash }) => ({ name, hash }));
    return this.known;
  }

  /**
   * Records a published source. Publications arrive in any order, so only a higher version counts, also for a deleted
   * source.
   */
  record({
    name,
    version,
    hash,
  }: {
    readonly name: string;
    readonly version: number;
    readonly hash: string | null;
  }): void {
    this.tables.write(
      `INSERT INTO sources VALUES (?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET version = excluded.version, hash = excluded.hash WHERE excluded.version > version`,
      name,
      version,
      hash,
    );
    this.known = null;
  }

  erase(): void {
    this.tables.clear("sources");
    this.known = null;
  }
}

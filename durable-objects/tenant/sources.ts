/** The sources of the tenant's own tools: what a task that is made now pins of each. */
import type { PinnedSource } from "../../core/tool/source.ts";
import type { TenantTables } from "./tables.ts";

/** Reads and writes rows. Every method is one synchronous piece of work. */
export class TenantSources {
  private readonly tables: TenantTables;
  /** Null: not read yet. */
  private known: readonly PinnedSource[] | null = null;

  constructor(tables: TenantTables) {
    this.tables = tables;
  }

  /** By name, those that have tools. */
  present(): readonly PinnedSource[] {
    this.known ??= this.tables
      .read<{ name: string; hash: string }>("SELECT name, hash FROM sources WHERE hash IS NOT NULL ORDER BY name")
      .map(({ name, hash }) => ({ name, hash }));
    return this.known;
  }

  /** Takes what was published. News come in any order, so only a higher version counts, also of a source that is gone. */
  take({
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
    this.tables.empty("sources");
    this.known = null;
  }
}

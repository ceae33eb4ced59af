/**
 * Pages of connections that this isolate read, so that a list needs no database while nothing changed. The tenant's object
 * changes its stamp before and after a change, and a page counts under the stamp of its read alone.
 */
import { ok, type Result } from "../../core/base/errors.ts";
import type { Connection } from "../../core/connections/connection.ts";

/** Bounds how long a change stays unseen that was not stamped: what a call or a provider changed. */
const MAX_AGE_MS = 30_000;
/** Connections of all pages together, because tenants share the isolate. */
const MAX_CONNECTIONS = 10_000;

/** Which page, and the stamp under which it is asked for; undefined from an object of an earlier release. */
export interface PageRequest {
  /** Of the tenant and everything that the page depends on. */
  readonly key: string;
  readonly stamp: string | undefined;
  /** Milliseconds since the epoch, from before the read. */
  readonly now: number;
}

interface Entry {
  readonly stamp: string;
  readonly readAt: number;
  readonly page: readonly Connection[];
}

export class ConnectionPages {
  /** The page that was read longest ago first. */
  private readonly entries = new Map<string, Entry>();
  private size = 0;

  async get(
    { key, stamp, now }: PageRequest,
    read: () => Promise<Result<readonly Connection[]>>,
  ): Promise<Result<readonly Connection[]>> {
    const known = this.entries.get(key);
    if (known !== undefined && known.stamp === stamp && now - known.readAt < MAX_AGE_MS) return ok(known.page);
    const result = await read();
    if (result.ok && stamp !== undefined) this.save(key, { stamp, readAt: now, page: result.value });
    return result;
  }

  private save(key: string, entry: Entry): void {
    this.drop(key);
    if (entry.page.length > MAX_CONNECTIONS) return;
    this.entries.set(key, entry);
    this.size += entry.page.length + 1;
    for (const oldest of this.entries.keys()) {
      if (this.size <= MAX_CONNECTIONS) return;
      this.drop(oldest);
    }
  }

  private drop(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.size -= entry.page.length + 1;
  }
}

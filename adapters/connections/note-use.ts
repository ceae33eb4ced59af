/** Notes the last use of connections. */
import { USED_EVERY_MS } from "../../core/connections/rules.ts";
import type { ConnectionTable } from "../../core/ports/connection-table.ts";
import type { ConnectionCaches } from "./account-cache.ts";

/** Connections whose last use this isolate remembers. */
const MAX_USED = 5_000;

export interface UseParts {
  readonly tenant: string;
  readonly table: Pick<ConnectionTable, "touchUsed">;
  readonly caches: Pick<ConnectionCaches, "usedAt">;
  readonly now: () => number;
  /** Lets the note end after its caller has gone: the platform's `waitUntil`. */
  readonly background: (work: Promise<unknown>) => void;
}

/** Notes it in the background, once an hour. */
export function noteUse({ tenant, table, caches: { usedAt }, now, background }: UseParts, id: string): void {
  const key = `${tenant} ${id}`;
  if (now() - (usedAt.get(key) ?? 0) < USED_EVERY_MS) return;
  usedAt.delete(key);
  usedAt.set(key, now());
  const [oldest] = usedAt.keys();
  if (usedAt.size > MAX_USED && oldest !== undefined) usedAt.delete(oldest);
  background(table.touchUsed(id).catch(() => undefined));
}

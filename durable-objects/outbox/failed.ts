/** Which deliveries of an outbox failed for good: what is replayed together. */
import type { OutboxTables } from "./tables.ts";

/** Those that can leave at all and were made at `since` or later, in the order in which they were put, and how many there are beyond `limit`. */
export function failedSince(
  tables: OutboxTables,
  since: number,
  limit: number,
): { readonly ids: readonly string[]; readonly left: number } {
  const failed = `FROM deliveries WHERE state IN ('dead', 'unknown') AND json_extract(queued, '$.createdAt') >= ?
    AND json_extract(delivery, '$.refused') IS NULL`;
  const rows = tables.read<{ id: string }>(`SELECT id ${failed} ORDER BY place LIMIT ?`, since, limit);
  const [all] = tables.read<{ count: number }>(`SELECT COUNT(*) AS count ${failed}`, since);
  return { ids: rows.map(({ id }) => id), left: (all?.count ?? 0) - rows.length };
}

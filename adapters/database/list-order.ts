/** The order of every list: by time, the latest first, then by id. */
import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { PagePosition } from "../../core/base/page-cursor.ts";

/** The condition that a row comes after `place` in a list; undefined (no condition) at its start. */
export function isBefore(at: PgColumn, id: PgColumn, place: PagePosition | null): SQL | undefined {
  if (place === null) return undefined;
  return sql`(${at}, ${id}) < (${new Date(place.at).toISOString()}::timestamptz, ${place.id})`;
}

/** The order of every list: by time, the latest first, then by id. */
import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { PagePosition } from "../../core/base/page-cursor.ts";

/** The condition that a row follows a position in a list; undefined at its start. */
export function isBefore(at: PgColumn, id: PgColumn, position: PagePosition | null): SQL | undefined {
  if (position === null) return undefined;
  return sql`(${at}, ${id}) < (${new Date(position.at).toISOString()}::timestamptz, ${position.id})`;
}

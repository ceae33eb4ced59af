/** Overdue tasks and deliveries of all tenants for the sweep, read by database functions. */
import { getOwn } from "../../core/base/own-field.ts";
import { sql } from "drizzle-orm";
import { ok, type Result } from "../../core/base/errors.ts";
import { cutPage, type Page, type PageRequest, type PagePosition } from "../../core/base/page-cursor.ts";
import { callDirectory, type Connection } from "./connection.ts";

/** Each returns the id of a row, its due time and further columns. */
const FUNCTIONS = {
  tasks: { call: sql.raw("otto_overdue_tasks"), due: "wake_at" },
  deliveries: { call: sql.raw("otto_overdue_deliveries"), due: "due_at" },
} as const;

/** Reads a page of rows due before `before` (ms), the longest overdue first. */
export async function readOverdue<Row extends { readonly id: string }>(
  connection: Connection,
  of: keyof typeof FUNCTIONS,
  { before, after, limit }: PageRequest & { readonly before: number },
  read: (row: Readonly<Record<string, unknown>>) => Row,
): Promise<Result<Page<Row>>> {
  const { call, due } = FUNCTIONS[of];
  const moment = new Date(before).toISOString();
  const at = after === null ? null : new Date(after.at).toISOString();
  const found = await callDirectory(
    connection,
    sql`select * from ${call}(${moment}::timestamptz, ${at}::timestamptz, ${after?.id ?? null}::text, ${limit + 1}::int)`,
  );
  if (!found.ok) return found;
  const rows = found.value.map((row) => ({ row: read(row), at: Date.parse(String(getOwn(row, due))) }));
  const { items, next } = cutPage(rows, limit, (one): PagePosition => ({ at: one.at, id: one.row.id }));
  return ok({ items: items.map(({ row }) => row), next });
}

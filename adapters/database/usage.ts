/** The use of tasks, indexed and erased, summed by the requested parts from sums of each day. */
import { getOwn } from "../../core/base/own-field.ts";
import { type SQL, sql } from "drizzle-orm";
import type { UsagePart, UsageRow, UsageTable } from "../../core/ports/usage-table.ts";
import { ok } from "../../core/base/errors.ts";
import { asTenant, type Connection } from "./connection.ts";

/** The parts as columns of both tables. */
const COLUMNS: Readonly<Record<UsagePart, SQL>> = {
  day: sql`day::text`,
  agent: sql`agent`,
  key: sql`nullif(key, '')`,
  project: sql`nullif(project, '')`,
};

export function usageTable(connection: Connection): UsageTable {
  return {
    async read(tenant, { from, to, by, limit }) {
      const parts = by.map((part) => sql`${COLUMNS[part]} as ${sql.identifier(part)}`);
      const numbers = by.map((_, index) => sql.raw(String(index + 1)));
      const sorted = by.map((_, index) => sql`${sql.raw(String(index + 1))} nulls first`);
      const read = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          select ${sql.join([...parts, sql`sum(tasks)::text as tasks`], sql`, `)}, sum(steps)::text as steps,
            sum(tool_calls)::text as tool_calls, sum(tokens)::text as tokens, sum(cost_micros)::text as cost_micros
          from (
            select day, agent, key, project, tasks, steps, tool_calls, tokens, cost_micros from usage_days
            where tenant = ${tenant} and day between ${from}::date and ${to}::date
            union all
            select day, agent, key, project, tasks, steps, tool_calls, tokens, cost_micros from erased_usage
            where tenant = ${tenant} and day between ${from}::date and ${to}::date
          ) as used
          ${by.length === 0 ? sql`` : sql`group by ${sql.join(numbers, sql`, `)} order by ${sql.join(sorted, sql`, `)}`}
          limit ${limit}`),
      ]);
      if (!read.ok) return read;
      const { rows } = read.value[0];
      // The sum of no rows is a row of nulls.
      return ok(rows.filter((row) => row["tasks"] !== null).map((row) => toRow(row, by)));
    },
  };
}

function toRow(row: Record<string, unknown>, by: readonly UsagePart[]): UsageRow {
  const parts = by.map((part) => [part, getOwn(row, part) as string | null] as const);
  return {
    parts: Object.fromEntries(parts),
    tasks: Number(row["tasks"]),
    steps: Number(row["steps"]),
    toolCalls: Number(row["tool_calls"]),
    tokens: Number(row["tokens"]),
    costMicros: Number(row["cost_micros"]),
  };
}

/** The tree below a task, read from the index. */
import { type SQL, sql } from "drizzle-orm";
import { MICROS_PER_DOLLAR } from "../../core/task/amounts.ts";
import type { TreeNode } from "../../core/ports/task-index.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { TaskLine } from "../../core/task/line.ts";
import type { TaskStatus } from "../../core/task/status.ts";
import { asTenant, type Connection } from "./connection.ts";

const COLUMNS = sql.raw(
  "t.id, t.parent, t.title, t.status, t.agent, t.project, t.created_at, t.ended_at, t.steps, t.tool_calls, t.tokens, t.cost_micros",
);

/**
 * Reads at most `limit` tasks below one, however large the tree is: Postgres produces only as many rows of a recursive
 * query as are fetched (https://www.postgresql.org/docs/current/queries-with.html), level by level. Of a level that is
 * cut, the children of earlier parents are included.
 */
export async function readBelow(
  connection: Connection,
  tenant: string,
  task: string,
  limit: number,
): Promise<Result<readonly TreeNode[]>> {
  const childrenOf = (parent: SQL): SQL => sql`
    select ${COLUMNS} from tasks t where t.tenant = ${tenant} and t.parent = ${parent} and not t.hidden
    order by t.created_at, t.id limit ${limit}`;
  const read = await asTenant(connection, tenant, (query) => [
    query.execute(sql`
      with recursive below as (
        select child.*, 1 as depth from (${childrenOf(sql`${task}`)}) as child
        union all
        select child.*, below.depth + 1 from below cross join lateral (${childrenOf(sql`below.id`)}) as child
      )
      select * from (select * from below limit ${limit}) as found order by depth, created_at, id`),
  ]);
  return read.ok ? ok(read.value[0].rows.map(toNode)) : read;
}

function toNode(row: Record<string, unknown>): TreeNode {
  return {
    ...readLine(row),
    usage: {
      steps: Number(row["steps"]),
      tool_calls: Number(row["tool_calls"]),
      tokens: Number(row["tokens"]),
      cost_usd: Number(row["cost_micros"]) / MICROS_PER_DOLLAR,
    },
  };
}

/** Reads a task's columns from a row. */
export function readLine(row: Record<string, unknown>): TaskLine {
  return {
    id: String(row["id"]),
    parent_id: row["parent"] as string | null,
    title: String(row["title"]),
    status: row["status"] as TaskStatus,
    agent: String(row["agent"]),
    project: row["project"] as string | null,
    created_at: toIso(row["created_at"]),
    ended_at: row["ended_at"] === null ? null : toIso(row["ended_at"]),
  };
}

function toIso(written: unknown): string {
  return new Date(String(written)).toISOString();
}

/** Projects: names with which tasks and memories were created. */
import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import type { ProjectTable } from "../../core/ports/memory-tables.ts";
import { failed, ok } from "../../core/base/errors.ts";
import { hasEnded, TASK_STATUSES } from "../../core/task/status.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { asTenant, type Connection, type Query } from "./connection.ts";
import { memories, projects, tasks } from "./schema.ts";

const LIVE = TASK_STATUSES.filter((status) => !hasEnded(status));
const NO_PROJECT = failed("not_found", "There is no such project.");

export function projectTable(connection: Connection): ProjectTable {
  return {
    async list(tenant, after, limit, among = null) {
      const read = await asTenant(connection, tenant, (query) => [
        selectCounted(query)
          .where(
            and(
              eq(projects.tenant, tenant),
              after === null ? undefined : gt(projects.name, after),
              among === null ? undefined : inArray(projects.name, [...among]),
            ),
          )
          .orderBy(asc(projects.name))
          .limit(limit + 1),
      ]);
      return read.ok ? ok(read.value[0]) : read;
    },

    async get(tenant, name) {
      const read = await asTenant(connection, tenant, (query) => [
        selectCounted(query).where(and(eq(projects.tenant, tenant), eq(projects.name, name))),
      ]);
      if (!read.ok) return read;
      const [found] = read.value[0];
      return found === undefined ? NO_PROJECT : ok(found);
    },

    async refuseLive(tenant, name) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select({ id: tasks.id })
          .from(tasks)
          .where(and(eq(tasks.tenant, tenant), eq(tasks.project, name), inArray(tasks.status, LIVE)))
          .limit(1),
      ]);
      if (!read.ok) return read;
      const [live] = read.value[0];
      if (live === undefined) return ok(undefined);
      return failed("conflict", `The task ${live.id} of this project has not ended. Cancel it first.`);
    },

    async erase(tenant, name, act) {
      const erased = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with gone as (delete from projects where tenant = ${tenant} and name = ${name} returning name)
          ${insertAuditFrom(tenant, act)} from gone`),
      ]);
      return erased.ok ? ok(undefined) : erased;
    },
  };
}

function selectCounted(query: Query) {
  const isSame = sql`tenant = ${projects.tenant} and project = ${projects.name}`;
  return query
    .select({
      name: projects.name,
      createdAt: projects.createdAt,
      memories: sql<number>`(select count(*)::int from ${memories} where ${isSame})`,
      tasks: sql<number>`(select count(*)::int from ${tasks} where ${isSame} and not hidden)`,
    })
    .from(projects);
}

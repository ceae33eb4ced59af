/** The index of tasks: what lists show and the sweep looks at. Rows come from the tasks' own objects, by their tenant's. */
import { type SQL, and, desc, eq, sql } from "drizzle-orm";
import type { TaskIndex } from "../../core/database.ts";
import { ok } from "../../core/errors.ts";
import type { TaskReport } from "../../core/objects.ts";
import { type Place, cutPage } from "../../core/page-cursor.ts";
import type { TaskView } from "../../core/task-view.ts";
import { asTenant, callDirectory, type Connection, type Query } from "./connection.ts";
import { isBefore } from "./list-order.ts";
import { tasks } from "./schema.ts";

/** A page takes no further task once it holds this much. An answer of the database has at most 64 MB. */
const PAGE_BYTES = 8_000_000;

export function taskIndex(connection: Connection): TaskIndex {
  return {
    async upsert(tenant, reports) {
      if (reports.length === 0) return ok(undefined);
      const written = await asTenant(connection, tenant, (query) => [query.execute(upsert(tenant, reports))]);
      return written.ok ? ok(undefined) : written;
    },

    async page(tenant, { status, project }, { after, limit }) {
      const wanted = and(
        eq(tasks.tenant, tenant),
        sql`not ${tasks.hidden}`,
        status === null ? undefined : eq(tasks.status, status),
        project === null ? undefined : eq(tasks.project, storable(project)),
        isBefore(tasks.createdAt, tasks.id, after),
      );
      const read = await asTenant(connection, tenant, (query) => [listed(query, wanted, limit + 1)]);
      if (!read.ok) return read;
      const [rows] = read.value;
      const tooMuch = rows.findIndex(({ view }) => view === null);
      const fitting = tooMuch < 0 ? limit : Math.min(tooMuch, limit);
      const { items, next } = cutPage(rows, fitting, ({ id, at }): Place => ({ at, id }));
      return ok({ items: items.map(({ view }) => readView(view ?? "null")), next });
    },

    async some(tenant, limit) {
      const read = await asTenant(connection, tenant, (query) => [
        query.select({ id: tasks.id }).from(tasks).where(eq(tasks.tenant, tenant)).limit(limit),
      ]);
      return read.ok ? ok(read.value[0].map(({ id }) => id)) : read;
    },

    async remove(tenant, ids) {
      if (ids.length === 0) return ok(undefined);
      const removed = await asTenant(connection, tenant, (query) => [query.execute(removeAndCount(tenant, ids))]);
      return removed.ok ? ok(undefined) : removed;
    },

    async overdue(before, { after, limit }) {
      const moment = new Date(before).toISOString();
      const at = after === null ? null : new Date(after.at).toISOString();
      const read = await callDirectory(
        connection,
        sql`select tenant, id, wake_at from otto_overdue_tasks(${moment}::timestamptz, ${at}::timestamptz, ${after?.id ?? null}::text, ${limit + 1}::int)`,
      );
      if (!read.ok) return read;
      const rows = read.value.map((row) => {
        return { tenant: String(row["tenant"]), task: String(row["id"]), at: Date.parse(String(row["wake_at"])) };
      });
      const { items, next } = cutPage(rows, limit, ({ task, at: wakeAt }): Place => ({ at: wakeAt, id: task }));
      return ok({ items: items.map(({ tenant, task }) => ({ tenant, task })), next });
    },
  };
}

/** A view as it was stored; one of a release that knew no skills names none. */
function readView(text: string): TaskView {
  return { skills: [], ...(JSON.parse(text) as Partial<TaskView>) } as TaskView;
}

/** Tasks in the order of every list. From where a page would be too large for one answer on, their views are null. */
function listed(query: Query, wanted: SQL | undefined, limit: number) {
  const rows = query
    .select({
      id: tasks.id,
      at: tasks.createdAt,
      view: tasks.view,
      bytes:
        sql`sum(octet_length(${tasks.view})) over (order by ${tasks.createdAt} desc, ${tasks.id} desc rows unbounded preceding)`.as(
          "bytes",
        ),
    })
    .from(tasks)
    .where(wanted)
    .orderBy(desc(tasks.createdAt), desc(tasks.id))
    .limit(limit)
    .as("rows");
  const view = sql<
    string | null
  >`case when ${rows.bytes} - octet_length(${rows.view}) < ${PAGE_BYTES} then ${rows.view} end`;
  return query.select({ id: rows.id, at: rows.at, view }).from(rows).orderBy(desc(rows.at), desc(rows.id));
}

/** Deletes rows and adds what their tasks used to what is kept of those that were erased. */
function removeAndCount(tenant: string, ids: readonly string[]): SQL {
  return sql`
    with gone as (
      delete from tasks where tenant = ${tenant} and id = any (${sql.param([...ids])}::text[]) returning *
    )
    insert into erased_usage as known (tenant, day, agent, key, project, tasks, steps, tool_calls, tokens, cost_micros)
    select tenant, (created_at at time zone 'UTC')::date, agent, coalesce(key, ''), coalesce(project, ''),
      count(*) filter (where not hidden), sum(steps), sum(tool_calls), sum(tokens), sum(cost_micros)
    from gone group by 1, 2, 3, 4, 5
    on conflict (tenant, day, agent, key, project) do update set tasks = known.tasks + excluded.tasks,
      steps = known.steps + excluded.steps, tool_calls = known.tool_calls + excluded.tool_calls,
      tokens = known.tokens + excluded.tokens, cost_micros = known.cost_micros + excluded.cost_micros`;
}

/**
 * One statement for any number of rows: they go as one JSON parameter, since each row has a dozen values. A project is
 * known from the first row that names it; a row that changes nothing makes none known again.
 */
function upsert(tenant: string, reports: readonly TaskReport[]): SQL {
  const rows = reports.map(({ task, version, view, hidden, wakeAt, key, used }) => ({
    id: task,
    version,
    status: view.status,
    hidden,
    project: view.project === null ? null : storable(view.project),
    agent: view.agent.id,
    parent: view.parent_id,
    created_at: view.created_at,
    wake_at: wakeAt === null ? null : new Date(wakeAt).toISOString(),
    view: JSON.stringify(view),
    key,
    steps: view.usage.steps,
    tool_calls: view.usage.tool_calls,
    tokens: used.tokens,
    cost_micros: used.costMicros,
  }));
  const written = sql`
    insert into tasks (tenant, id, version, status, hidden, project, agent, parent, created_at, updated_at, wake_at, view,
      key, steps, tool_calls, tokens, cost_micros)
    select ${tenant}::text, r.id, r.version, r.status, r.hidden, r.project, r.agent, r.parent, r.created_at, now(),
      r.wake_at, r.view, r.key, r.steps, r.tool_calls, r.tokens, r.cost_micros
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (id text, version bigint, status text, hidden boolean,
      project text, agent text, parent text, created_at timestamptz, wake_at timestamptz, view text, key text, steps integer,
      tool_calls integer, tokens bigint, cost_micros bigint)
    where exists (select from tenants where id = ${tenant} and erased_at is null)
    on conflict (tenant, id) do update set version = excluded.version, status = excluded.status,
      hidden = excluded.hidden, project = excluded.project, agent = excluded.agent, parent = excluded.parent,
      updated_at = excluded.updated_at, wake_at = excluded.wake_at, view = excluded.view, key = excluded.key,
      steps = excluded.steps, tool_calls = excluded.tool_calls, tokens = excluded.tokens, cost_micros = excluded.cost_micros
    where excluded.version > tasks.version`;
  if (rows.every(({ project }) => project === null)) return written;
  return sql`
    with written as (${written} returning project, created_at)
    insert into projects (tenant, name, created_at)
    select ${tenant}::text, project, min(created_at) from written where project is not null group by project
    on conflict do nothing`;
}

/** Postgres's text holds neither NUL nor half a surrogate pair; both stand as U+FFFD in what lists are narrowed by. */
function storable(text: string): string {
  return text.replaceAll("\u0000", "\ufffd").toWellFormed();
}

/** The task index for lists and the sweep. Tasks report their rows through their tenant's object. */
import { type SQL, and, eq, gt, isNull, lt, sql } from "drizzle-orm";
import type { TaskIndex } from "../../core/ports/task-index.ts";
import { ok } from "../../core/base/errors.ts";
import type { OpenWait } from "../../core/task/open-waits.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import { toShortTask } from "../../core/task/short.ts";
import { storable } from "../../core/base/storable.ts";
import { getSearchText, getTitle } from "../../core/task/line.ts";
import type { TaskView } from "../../core/task/view.ts";
import { asTenant, type Connection } from "./connection.ts";
import { readOverdue } from "./overdue.ts";
import { tasks } from "./schema.ts";
import { readInbox } from "./task-inbox.ts";
import { readPage } from "./task-list.ts";
import { readBelow } from "./task-tree.ts";

/** Views up to this many UTF-16 units are read in full, which covers most. */
const SHORT_VIEW = 4000;

/** `background` writes what no caller waits for. */
export function taskIndex(connection: Connection, background: Connection): TaskIndex {
  return {
    async upsert(tenant, reports, counter) {
      if (reports.length === 0 && counter === undefined) return ok({ isTogether: true });
      const written = await asTenant(background, tenant, (query) => [
        query.execute(upsert(tenant, reports, counter ?? null)),
      ]);
      if (!written.ok) return written;
      return ok({ isTogether: counter === undefined || Number(written.value[0].rows[0]?.["advanced"]) === 1 });
    },

    inbox: async (tenant, filter, request) => await readInbox(connection, tenant, filter, request),
    listBelow: async (tenant, task, limit) => await readBelow(connection, tenant, task, limit),

    page: async (tenant, filter, request) =>
      await readPage(connection, tenant, { filter, request, view: sql<string>`${tasks.view}`, read: readView }),

    shortPage: async (tenant, filter, request) =>
      await readPage(connection, tenant, {
        filter,
        request,
        // An earlier release may have written the view after its short form.
        view: sql<string>`coalesce(case when ${tasks.shortVersion} = ${tasks.version} then ${tasks.shortView} end, ${tasks.view})`,
        read: (text) => toShortTask(readView(text)),
      }),

    async some(tenant, limit) {
      const read = await asTenant(connection, tenant, (query) => [
        query.select({ id: tasks.id }).from(tasks).where(eq(tasks.tenant, tenant)).limit(limit),
      ]);
      return read.ok ? ok(read.value[0].map(({ id }) => id)) : read;
    },

    async ids(tenant, after, limit) {
      const isAfter = after === null ? undefined : gt(tasks.id, after);
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select({ id: tasks.id })
          .from(tasks)
          .where(and(eq(tasks.tenant, tenant), isAfter))
          .orderBy(tasks.id)
          .limit(limit),
      ]);
      return read.ok ? ok(read.value[0].map(({ id }) => id)) : read;
    },

    async listEnded(tenant, before, { after, limit }) {
      const isAfter =
        after === null
          ? undefined
          : sql`(${tasks.endedAt}, ${tasks.id}) > (${new Date(after.at).toISOString()}::timestamptz, ${after.id})`;
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select({ id: tasks.id, at: tasks.endedAt })
          .from(tasks)
          .where(and(eq(tasks.tenant, tenant), isNull(tasks.parent), lt(tasks.endedAt, before), isAfter))
          .orderBy(tasks.endedAt, tasks.id)
          .limit(limit),
      ]);
      return read.ok ? ok(read.value[0].map(({ id, at }) => ({ id, at: at ?? 0 }))) : read;
    },

    async count(tenant) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select({
            tasks: sql<number>`count(*)::int`,
            ended: sql<number>`count(${tasks.endedAt})::int`,
            earliestEnd: sql<string | null>`min(${tasks.endedAt})::text`,
          })
          .from(tasks)
          .where(and(eq(tasks.tenant, tenant), sql`not ${tasks.hidden}`)),
      ]);
      if (!read.ok) return read;
      const { tasks: all = 0, ended = 0, earliestEnd = null } = read.value[0][0] ?? {};
      return ok({ tasks: all, ended, earliestEnd: earliestEnd === null ? null : Date.parse(earliestEnd) });
    },

    async remove(tenant, ids) {
      if (ids.length === 0) return ok(undefined);
      const removed = await asTenant(background, tenant, (query) => [query.execute(removeAndCount(tenant, ids))]);
      return removed.ok ? ok(undefined) : removed;
    },

    async find(tenant, id) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select()
          .from(tasks)
          .where(and(eq(tasks.tenant, tenant), eq(tasks.id, id))),
      ]);
      if (!read.ok) return read;
      const [row] = read.value[0];
      if (row === undefined) return ok(null);
      const { version, hidden, wakeAt, key, tokens, costMicros } = row;
      return ok({ task: id, version, view: readView(row.view), hidden, wakeAt, key, used: { tokens, costMicros } });
    },

    async overdue(before, request) {
      const read = await readOverdue(connection, "tasks", { before, ...request }, (row) => {
        return { tenant: String(row["tenant"]), id: String(row["id"]) };
      });
      if (!read.ok) return read;
      const { items, next } = read.value;
      return ok({ items: items.map(({ tenant, id }) => ({ tenant, task: id })), next });
    },
  };
}

/** Reads a stored view. Releases without skills or budgets lack these fields. */
function readView(text: string): TaskView {
  return { skills: [], budget: null, ...(JSON.parse(text) as Partial<TaskView>) } as TaskView;
}

/** Deletes rows, and adds the use of their tasks to that of erased tasks. */
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
 * One statement for any number of rows, which are one JSON parameter: each row has a dozen values. The first row that
 * names a project creates it; an unchanged row does not recreate one. The counter advances in the same statement, and
 * may have advanced in an interrupted one before.
 */
function upsert(tenant: string, reports: readonly TaskReport[], counter: number | null): SQL {
  const rows = reports.map(({ task, version, view, hidden, wakeAt, key, used, waits }) => ({
    ...toViewColumns(view, version),
    id: task,
    version,
    status: view.status,
    hidden,
    project: view.project === null ? null : storable(view.project),
    agent: view.agent.id,
    parent: view.parent_id,
    created_at: view.created_at,
    wake_at: wakeAt === null ? null : new Date(wakeAt).toISOString(),
    key,
    steps: view.usage.steps,
    tool_calls: view.usage.tool_calls,
    tokens: used.tokens,
    // A token of a cheap model costs a part of a micro-dollar; the column stores whole ones.
    cost_micros: Math.round(used.costMicros),
    title: storable(getTitle(view.input)),
    search_text: storable(getSearchText(view.input)),
    ended_at: view.ended_at,
    waits: waits?.map(storableWait) ?? null,
  }));
  const written = sql`
    insert into tasks (tenant, id, version, status, hidden, project, agent, parent, created_at, updated_at, wake_at, view,
      key, steps, tool_calls, tokens, cost_micros, title, search_text, ended_at, waits, short_view, short_version)
    select ${tenant}::text, r.id, r.version, r.status, r.hidden, r.project, r.agent, r.parent, r.created_at, now(),
      r.wake_at, r.view, r.key, r.steps, r.tool_calls, r.tokens, r.cost_micros, r.title, r.search_text,
      r.ended_at, r.waits, r.short_view, r.short_version
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (id text, version bigint, status text, hidden boolean,
      project text, agent text, parent text, created_at timestamptz, wake_at timestamptz, view text, key text, steps integer,
      tool_calls integer, tokens bigint, cost_micros bigint, title text, search_text text, ended_at timestamptz, waits jsonb, short_view text,
      short_version bigint)
    where exists (select from tenants where id = ${tenant} and erased_at is null)
    on conflict (tenant, id) do update set version = excluded.version, status = excluded.status,
      hidden = excluded.hidden, project = excluded.project, agent = excluded.agent, parent = excluded.parent,
      updated_at = excluded.updated_at, wake_at = excluded.wake_at, view = excluded.view, key = excluded.key,
      steps = excluded.steps, tool_calls = excluded.tool_calls, tokens = excluded.tokens, cost_micros = excluded.cost_micros,
      title = excluded.title, search_text = excluded.search_text, ended_at = excluded.ended_at, waits = excluded.waits,
      short_view = excluded.short_view, short_version = excluded.short_version
    where excluded.version > tasks.version`;
  return sql`
    with written as (${written} returning project, created_at),
    named as (
      insert into projects (tenant, name, created_at)
      select ${tenant}::text, project, min(created_at) from written where project is not null group by project
      on conflict do nothing
    ),
    advanced as (
      update tenants set counter = ${counter}::bigint + 1
      where id = ${tenant} and erased_at is null and counter between ${counter}::bigint and ${counter}::bigint + 1
      returning id
    )
    select count(*)::int as advanced from advanced`;
}

/** Adds a short form of a long view. */
function toViewColumns(view: TaskView, version: number) {
  const whole = JSON.stringify(view);
  return whole.length <= SHORT_VIEW
    ? { view: whole, short_view: null, short_version: null }
    : { view: whole, short_view: JSON.stringify(toShortTask(view)), short_version: version };
}

function storableWait(wait: OpenWait): OpenWait {
  return { ...wait, person: wait.person === null ? null : storable(wait.person) };
}

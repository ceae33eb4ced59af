/** Pages of the task list, narrowed by filters and a searched text. */
import { and, eq, gte, inArray, isNull, lt, type SQL, sql } from "drizzle-orm";
import { DEFAULT_AGENT } from "../../core/agents/agent.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import { cutPage, type Page, type PageRequest, type PagePosition } from "../../core/base/page-cursor.ts";
import { storable } from "../../core/base/storable.ts";
import type { TaskFilter } from "../../core/ports/task-index.ts";
import { normalizeSearchText } from "../../core/task/line.ts";
import { asTenant, type Connection } from "./connection.ts";
import { isBefore } from "./list-order.ts";
import { tasks } from "./schema.ts";

/** Maximum bytes of a page. A reply of the database is limited to 64 MB. */
const PAGE_BYTES = 8_000_000;
/** A text of this length may be part of an id. */
const MIN_ID_CHARACTERS = 6;
/** The index of texts has sequences of this many characters, so it finds no shorter text. */
const MIN_INDEXED_CHARACTERS = 3;
/**
 * Up to this many tasks that contain a text are read by their ids and sorted. A text of more tasks is common, so walking
 * the list from its start finds a page of them soon.
 */
const MAX_FOUND = 2000;

/** What is read of a row, as JSON text, and how it becomes an item. */
export interface RowReading<Item> {
  readonly view: SQL<string>;
  readonly read: (text: string) => Item;
}

/** Reads a page of a tenant's tasks, the newest first. It is shorter than requested when it would be too large. */
export async function readPage<Item>(
  connection: Connection,
  tenant: string,
  { filter, request, view, read }: RowReading<Item> & { readonly filter: TaskFilter; readonly request: PageRequest },
): Promise<Result<Page<Item>>> {
  const { after, limit } = request;
  const wanted = and(matchesFilter(tenant, filter), isBefore(tasks.createdAt, tasks.id, after));
  const rows = selectRows({ tenant, text: toSearchedText(filter), wanted, view, limit: limit + 1 });
  const found = await asTenant(connection, tenant, (query) => [query.execute(cutLargePage(rows))]);
  if (!found.ok) return found;
  const listed = found.value[0].rows.map((row) => {
    return { id: String(row["id"]), at: Date.parse(String(row["at"])), view: row["view"] as string | null };
  });
  const tooMuch = listed.findIndex((row) => row.view === null);
  const fitting = tooMuch < 0 ? limit : Math.min(tooMuch, limit);
  const { items, next } = cutPage(listed, fitting, ({ id, at }): PagePosition => ({ at, id }));
  return ok({ items: items.map((row) => read(row.view ?? "null")), next });
}

interface RowsOptions {
  readonly tenant: string;
  readonly text: string | null;
  readonly wanted: SQL | undefined;
  readonly view: SQL<string>;
  readonly limit: number;
}

/**
 * The rows of a page with its columns `id`, `at` and `text`. For a text, the index of texts counts its tasks, at most one
 * more than `MAX_FOUND`, and one of two plans runs: Postgres skips a branch whose condition on the count is false.
 */
function selectRows({ tenant, text, wanted, view, limit }: RowsOptions): SQL {
  const select = sql`select tasks.id, tasks.created_at as at, ${view} as text`;
  const page = sql`order by tasks.created_at desc, tasks.id desc limit ${limit}`;
  if (text === null || Array.from(text).length < MIN_INDEXED_CHARACTERS)
    return sql`${select} from tasks where ${wanted} ${page}`;
  const withIds = text.length >= MIN_ID_CHARACTERS;
  const count = sql`(select how_many from found)`;
  return sql`
    with found as materialized (
      select array_agg(id) as ids, count(*) as how_many
      from otto_find_texts(${text}::text, ${withIds}::boolean, ${MAX_FOUND + 1}::int)
    )
    (${select} from unnest((select ids from found)) as one (id)
      join tasks on tasks.tenant = ${tenant} and tasks.id = one.id
      where ${count} <= ${MAX_FOUND} and ${wanted} ${page})
    union all
    (${select} from tasks where ${count} > ${MAX_FOUND} and ${wanted} ${page})`;
}

/** Tasks in list order. Views are null from the row at which the page would be too large. */
function cutLargePage(rows: SQL): SQL {
  return sql`
    select id, at, case when bytes - octet_length(text) < ${PAGE_BYTES} then text end as view
    from (
      select id, at, text, sum(octet_length(text)) over (order by at desc, id desc rows unbounded preceding) as bytes
      from (${rows}) as listed
    ) as measured
    order by at desc, id desc`;
}

function matchesFilter(tenant: string, filter: TaskFilter): SQL | undefined {
  const { status, project, projects, agent, parent, from, before } = filter;
  const text = toSearchedText(filter);
  return and(
    eq(tasks.tenant, tenant),
    sql`not ${tasks.hidden}`,
    status === null ? undefined : inArray(tasks.status, [...status]),
    project === null ? undefined : eq(tasks.project, storable(project)),
    projects === undefined ? undefined : inArray(tasks.project, projects.map(storable)),
    agent === undefined ? undefined : hasAgent(tenant, storable(agent)),
    parent === undefined ? undefined : parent.id === null ? isNull(tasks.parent) : eq(tasks.parent, parent.id),
    text === null ? undefined : containsText(text),
    from === undefined ? undefined : gte(tasks.createdAt, from),
    before === undefined ? undefined : lt(tasks.createdAt, before),
  );
}

function toSearchedText({ text }: TaskFilter): string | null {
  return text === undefined ? null : storable(normalizeSearchText(text));
}

/** The built-in agent is in no table, and no other agent may have its name. */
function hasAgent(tenant: string, agent: string): SQL {
  if (agent === DEFAULT_AGENT.config.name) return eq(tasks.agent, DEFAULT_AGENT.id);
  return sql`(${tasks.agent} = ${agent}
    or ${tasks.agent} = (select a.id from agents a where a.tenant = ${tenant} and a.name = ${agent}))`;
}

/** A plain substring search, without patterns. */
function containsText(text: string): SQL {
  const isInText = sql`strpos(${tasks.searchText}, ${text}) > 0`;
  return text.length < MIN_ID_CHARACTERS ? isInText : sql`(${isInText} or strpos(${tasks.id}, ${text}) > 0)`;
}

/** What waits for people, read from the task index: each row has the open waits of its task. */
import { type SQL, sql } from "drizzle-orm";
import type { InboxFilter, InboxPage } from "../../core/ports/task-index.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { OpenWait } from "../../core/task/open-waits.ts";
import { cutPage, type PageRequest } from "../../core/base/page-cursor.ts";
import { storable } from "../../core/base/storable.ts";
import { hasEnded, TASK_STATUSES } from "../../core/task/status.ts";
import { asTenant, type Connection } from "./connection.ts";
import { readLine } from "./task-tree.ts";

/** An ended task has no waits, even if a release without waits wrote its row last. */
const ENDED = TASK_STATUSES.filter(hasEnded);

export async function readInbox(
  connection: Connection,
  tenant: string,
  filter: InboxFilter,
  { after, limit }: PageRequest,
): Promise<Result<InboxPage>> {
  const open = openEntries(tenant, filter);
  const isNewestFirst = filter.order === "newest";
  const direction = isNewestFirst ? sql`desc` : sql`asc`;
  const isAfter =
    after === null
      ? sql``
      : sql`where (since, id) ${isNewestFirst ? sql`<` : sql`>`} (${after.at}::bigint, ${after.id}::text)`;
  const read = await asTenant(connection, tenant, (query) => [
    query.execute(sql`select count(*)::int as total from (${open}) as open`),
    query.execute(
      sql`select * from (${open}) as open ${isAfter} order by since ${direction}, id ${direction} limit ${limit + 1}`,
    ),
  ]);
  if (!read.ok) return read;
  const [counted, found] = read.value;
  const page = cutPage(found.rows.map(toEntry), limit, ({ since, id }) => ({ at: since, id }));
  return ok({ ...page, total: Number(counted.rows[0]?.["total"] ?? 0) });
}

function openEntries(tenant: string, { kind, person, projects }: InboxFilter): SQL {
  const ofKind = kind === null ? sql`` : sql`and entry ->> 'kind' = ${kind}`;
  const ofProjects =
    projects === undefined ? sql`` : sql`and t.project = any (${sql.param(projects.map(storable))}::text[])`;
  const name = person === null ? null : storable(person);
  const ofPerson =
    name === null
      ? sql``
      : sql`and (entry ->> 'person_id' = ${name} or lower(entry ->> 'person') = lower(${name}::text))`;
  return sql`
    select t.id as task, t.parent, t.title, t.status, t.agent, t.project, t.created_at, t.ended_at, entry ->> 'id' as id, entry ->> 'kind' as kind, entry ->> 'person' as person,
      entry ->> 'person_id' as person_id, (entry ->> 'since')::bigint as since
    from tasks t cross join lateral jsonb_array_elements(t.waits) as entry
    where t.tenant = ${tenant} and t.waits is not null and t.status <> all (${sql.param(ENDED)}::text[])
      ${ofKind} ${ofPerson} ${ofProjects}`;
}

function toEntry(row: Record<string, unknown>): InboxPage["items"][number] {
  return {
    task: readLine({ ...row, id: row["task"] }),
    id: String(row["id"]),
    kind: row["kind"] as OpenWait["kind"],
    person: row["person"] as string | null,
    person_id: row["person_id"] as string | null,
    since: Number(row["since"]),
  };
}

/** Memories. Their vectors are stored behind the vectors port. */
import { type SQL, and, desc, eq, inArray, isNull, or, sql } from "drizzle-orm";
import type { AuditEntry } from "../../core/ports/audit.ts";
import type {
  EmbeddedSummaries,
  HashedMemory,
  MemoryFilter,
  MemoryTable,
  ReadMemory,
} from "../../core/ports/memory-tables.ts";
import { type Failure, failed, ok } from "../../core/base/errors.ts";
import { MAX_TAGS, type Memory, type MemoryKind, type MemoryScope, toMemoryLabel } from "../../core/memory/memory.ts";
import { listWords } from "../../core/memory/words.ts";
import { type Label, TENANT } from "../../core/provenance/label.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { asTenant, callDirectory, type Connection } from "./connection.ts";
import { isBefore } from "./list-order.ts";
import { memories, memoryTags } from "./schema.ts";
import { upsertVectors } from "./vector-rows.ts";

const NO_MEMORY = failed("not_found", "There is no such memory.");

export function memoryTable(connection: Connection): MemoryTable {
  return {
    async save(tenant, given, act) {
      if (given.length === 0) return ok([]);
      const rows = toRecordset(given);
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(insert(tenant, rows)),
        query.execute(merge(tenant, rows)),
        query.execute(insertWords(tenant, rows)),
        query.execute(makeProjects(tenant, given)),
        query
          .select()
          .from(memories)
          .where(
            and(
              eq(memories.tenant, tenant),
              sql`${memories.id} in (select k.id from ${rows} cross join lateral ${selectStoredId(tenant)} k)`,
            ),
          ),
        ...(act === null ? [] : [query.execute(auditSaved(tenant, rows, act))]),
      ]);
      if (!written.ok) return written;
      const kept = written.value[4].map(toMemory);
      return ok(given.flatMap((memory) => findStored(memory, kept) ?? []));
    },

    async saveSummaries(tenant, given, embedded) {
      if (given.length === 0) return ok([]);
      const statement = insertSummaries(tenant, given, embedded);
      const written = await asTenant(connection, tenant, (query) => [query.execute(statement)]);
      return written.ok ? ok(written.value[0].rows.map((row) => String(row["id"]))) : written;
    },

    async read(tenant, scope, ids) {
      if (ids.length === 0) return ok([]);
      const read = await asTenant(connection, tenant, (query) => [query.execute(byId(tenant, ids, isInScope(scope)))]);
      return read.ok ? ok(read.value[0].rows.map(readRow)) : read;
    },

    async tagged(tenant, filter, words, limit) {
      if (words?.length === 0) return ok([]);
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select({ id: memories.id, tags: memories.tags })
          .from(memories)
          .where(and(matchesFilter(tenant, filter), words === null ? undefined : hasWord(tenant, words)))
          .orderBy(memories.kind, memories.label, desc(memories.updatedAt), desc(memories.id))
          .limit(limit),
      ]);
      return read.ok ? ok(read.value[0]) : read;
    },

    async page(tenant, filter, { after, limit }) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select()
          .from(memories)
          .where(and(matchesFilter(tenant, filter), isBefore(memories.createdAt, memories.id, after)))
          .orderBy(desc(memories.createdAt), desc(memories.id))
          .limit(limit + 1),
      ]);
      if (!read.ok) return read;
      return ok(cutPage(read.value[0].map(toMemory), limit, ({ id, createdAt }) => ({ at: createdAt, id })));
    },

    async update(tenant, { id, label, content, contentHash, tags }, act) {
      const isThis = and(eq(memories.tenant, tenant), eq(memories.id, id));
      const at = new Date(act.at).toISOString();
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with changed as (
            update memories set content = ${content}, tags = ${toTextArray(tags)}, embedded_by = case when content = ${content} then embedded_by end,
              content_hash = ${contentHash}, label = ${label}, updated_at = ${at}::timestamptz
            where ${isThis} returning id
          )
          ${insertAuditFrom(tenant, act)} from changed`),
        query.delete(memoryTags).where(and(eq(memoryTags.tenant, tenant), eq(memoryTags.memory, id))),
        query.execute(sql`
          insert into memory_tags (tenant, word, memory)
          select m.tenant, w, m.id from memories m, unnest(${toTextArray(listWords(tags))}) w
          where m.tenant = ${tenant} and m.id = ${id} on conflict do nothing`),
        query.select().from(memories).where(isThis),
      ]);
      if (!written.ok) return { ok: false, error: toContentConflict(written.error) };
      const [found] = written.value[3];
      return found === undefined ? NO_MEMORY : ok(toMemory(found));
    },

    async delete(tenant, id, act) {
      const isThis = and(eq(memories.tenant, tenant), eq(memories.id, id));
      const written = await asTenant(connection, tenant, (query) => [
        query.select().from(memories).where(isThis),
        query.execute(sql`
          with gone as (delete from memories where ${isThis} returning id) ${insertAuditFrom(tenant, act)} from gone`),
      ]);
      if (!written.ok) return written;
      const [found] = written.value[0];
      return found === undefined ? NO_MEMORY : ok(toMemory(found));
    },

    async remove(tenant, ids) {
      if (ids.length === 0) return ok(undefined);
      const removed = await asTenant(connection, tenant, (query) => [
        query.delete(memories).where(and(eq(memories.tenant, tenant), inArray(memories.id, [...ids]))),
      ]);
      return removed.ok ? ok(undefined) : removed;
    },

    async some(tenant, scope, limit) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select({ id: memories.id })
          .from(memories)
          .where(and(eq(memories.tenant, tenant), isInScope(scope)))
          .limit(limit),
      ]);
      return read.ok ? ok(read.value[0].map(({ id }) => id)) : read;
    },

    async markEmbedded(tenant, model, read) {
      if (read.length === 0) return ok([]);
      const rows = JSON.stringify(read.map(({ id, contentHash }) => ({ id, hash: contentHash })));
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update memories m set embedded_by = case when m.content_hash = r.hash then ${model}::text end
          from (select * from json_to_recordset(${rows}::json) as r (id text, hash text) limit ${count(read)}) r
          where m.tenant = ${tenant} and m.id = r.id returning m.id`),
      ]);
      return written.ok ? ok(written.value[0].rows.map((row) => String(row["id"]))) : written;
    },

    async toEmbed(model, limit) {
      const read = await callDirectory(
        connection,
        sql`select tenant, id from otto_memories_to_embed(${model}::text, ${limit}::int)`,
      );
      return read.ok ? ok(read.value.map((row) => ({ tenant: String(row["tenant"]), id: String(row["id"]) }))) : read;
    },
  };
}

/** One index lookup per id: for a list, Postgres would scan all rows of the tenant. */
function byId(tenant: string, ids: readonly string[], wanted: SQL | undefined): SQL {
  return sql`
    select memories.* from unnest(${toTextArray(ids)}) asked (id) cross join lateral (
      select * from memories where tenant = ${tenant} and id = asked.id offset 0) memories
    where ${wanted ?? sql`true`}`;
}

/** Converts a raw row. */
function readRow(row: Record<string, unknown>): ReadMemory {
  return {
    id: String(row["id"]),
    project: toTextOrNull(row["project"]),
    kind: String(row["kind"]) as MemoryKind,
    content: String(row["content"]),
    contentHash: String(row["content_hash"]),
    tags: row["tags"] as string[],
    sourceTask: toTextOrNull(row["source_task"]),
    author: String(row["author"]),
    createdAt: Date.parse(String(row["created_at"])),
    updatedAt: Date.parse(String(row["updated_at"])),
    embeddedBy: toTextOrNull(row["embedded_by"]),
    label: toMemoryLabel(Number(row["label"]) as Label),
  };
}

function toTextOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The number of rows for Postgres's planner, which otherwise assumes 100 for a JSON list. */
function count(rows: readonly unknown[]): SQL {
  return sql.raw(String(rows.length));
}

/** The rows as one JSON parameter, with the columns of the table. */
function toRecordset(given: readonly HashedMemory[]): SQL {
  const rows = given.map((memory) => ({
    id: memory.id,
    project: memory.project,
    kind: memory.kind,
    content: memory.content,
    content_hash: memory.contentHash,
    label: memory.label,
    tags: memory.tags,
    tag_words: listWords(memory.tags),
    source_task: memory.sourceTask,
    author: memory.author,
    created_at: new Date(memory.createdAt).toISOString(),
  }));
  return sql`(
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as r (id text, project text, kind text, content text,
      content_hash text, label smallint, tags text[], tag_words text[], source_task text, author text, created_at timestamptz)
    limit ${count(rows)}) r`;
}

function insert(tenant: string, rows: SQL): SQL {
  return sql`
    insert into memories (tenant, id, project, kind, content, content_hash, label, tags, source_task, author, created_at,
      updated_at)
    select ${tenant}::text, r.id, r.project, r.kind, r.content, r.content_hash, r.label, r.tags, r.source_task, r.author,
      r.created_at, r.created_at
    from ${rows}
    where exists (select from tenants where id = ${tenant} and erased_at is null)
    on conflict do nothing`;
}

/**
 * One statement for any number of summaries, their projects and their vectors. A summary has no tags, and its hash
 * contains its id, so it is merged with no other memory.
 */
function insertSummaries(tenant: string, given: readonly HashedMemory[], embedded: EmbeddedSummaries | null): SQL {
  const isSaved = sql`r.id in (select id from saved)`;
  return sql`
    with given as (select * from ${toRecordset(given)}),
    saved as (
      insert into memories (tenant, id, project, kind, content, content_hash, label, tags, source_task, author,
        created_at, updated_at, embedded_by)
      select ${tenant}::text, id, project, kind, content, content_hash, label, tags, source_task, author, created_at,
        created_at, ${embedded?.model ?? null}::text
      from given
      where exists (select from tenants where id = ${tenant} and erased_at is null)
      on conflict do nothing returning id, project, created_at
    ),
    found as (${upsertVectors(tenant, embedded?.model ?? "", embedded?.vectors ?? [], isSaved)} returning id),
    named as (
      insert into projects (tenant, name, created_at)
      select ${tenant}::text, project, min(created_at) from saved where project is not null group by project
      on conflict do nothing
    )
    select id from saved
    union select memories.id from given join memories on memories.tenant = ${tenant} and memories.id = given.id`;
}

/** A memory with the same content gets the missing tags, as far as they fit, and the newer time. */
function merge(tenant: string, rows: SQL): SQL {
  return sql`
    update memories m set updated_at = greatest(m.updated_at, r.created_at),
      tags = (m.tags || array(select t from unnest(r.tags) t where t <> all (m.tags)))[1:${sql.raw(String(MAX_TAGS))}]
    from ${rows}
    where m.tenant = ${tenant} and coalesce(m.project, '') = coalesce(r.project, '')
      and m.content_hash = r.content_hash and m.id <> r.id
      and not exists (select from memories k where k.tenant = ${tenant} and k.id = r.id)`;
}

/** Stores the words of the tags that the memory has now. */
function insertWords(tenant: string, rows: SQL): SQL {
  return sql`
    insert into memory_tags (tenant, word, memory)
    select ${tenant}::text, w, k.id from ${rows} cross join lateral ${selectStoredId(tenant)} k, unnest(r.tag_words) w
    on conflict do nothing`;
}

/** The audit entry of the one saved memory, with the row under which it is stored. */
function auditSaved(tenant: string, rows: SQL, act: AuditEntry): SQL {
  const at = new Date(act.at).toISOString();
  return sql`
    insert into audit (tenant, id, at, actor, action, target, request_id)
    select ${tenant}::text, ${act.id}::text, ${at}::timestamptz, ${act.actor}::text, ${act.action}::text, k.id,
      ${act.requestId}::text
    from ${rows} cross join lateral ${selectStoredId(tenant)} k
    order by k.id = r.id desc limit 1
    on conflict (tenant, id) do nothing`;
}

/**
 * The row under which the memory `r` is stored: its own, or the one of its project with the same content. Two index
 * lookups.
 */
function selectStoredId(tenant: string): SQL {
  return sql`(
    select o.id from memories o where o.tenant = ${tenant} and o.id = r.id
    union
    select s.id from memories s where s.tenant = ${tenant} and coalesce(s.project, '') = coalesce(r.project, '')
      and s.content_hash = r.content_hash)`;
}

function makeProjects(tenant: string, given: readonly HashedMemory[]): SQL {
  const named = given.flatMap(({ project, createdAt }) =>
    project === null ? [] : [{ name: project, created_at: new Date(createdAt).toISOString() }],
  );
  return sql`
    insert into projects (tenant, name, created_at)
    select ${tenant}::text, r.name, min(r.created_at)
    from json_to_recordset(${JSON.stringify(named)}::json) as r (name text, created_at timestamptz)
    where exists (select from tenants where id = ${tenant} and erased_at is null)
    group by r.name
    on conflict do nothing`;
}

/** Returns the row under which a memory is stored: its own, else the one of its project with the same content. */
function findStored({ id, project, contentHash }: HashedMemory, kept: readonly ReadMemory[]): ReadMemory | undefined {
  return (
    kept.find((row) => row.id === id) ?? kept.find((row) => row.project === project && row.contentHash === contentHash)
  );
}

function matchesFilter(tenant: string, { scope, kind, tag, withOutside }: MemoryFilter): SQL | undefined {
  return and(
    eq(memories.tenant, tenant),
    isInScope(scope),
    kind === null ? undefined : eq(memories.kind, kind),
    withOutside ? undefined : eq(memories.label, TENANT),
    tag === null ? undefined : and(hasTag(tag), hasWord(tenant, listWords([tag]))),
  );
}

/** Compares as the database lowers letters: the same way on both sides. */
function hasTag(tag: string): SQL {
  return sql`exists (select from unnest(${memories.tags}) own where lower(own) = lower(${tag}))`;
}

/** Uses the index of words. A tag without words is searched row by row. */
function hasWord(tenant: string, words: readonly string[]): SQL | undefined {
  if (words.length === 0) return undefined;
  return sql`${memories.id} in (
    select memory from memory_tags where tenant = ${tenant} and word = any (${toTextArray(words)}))`;
}

function isInScope(scope: MemoryScope): SQL | undefined {
  if (scope === null) return undefined;
  const names = scope.filter((project) => project !== null);
  const isNamed = names.length === 0 ? undefined : inArray(memories.project, names);
  if (names.length === scope.length) return isNamed ?? sql`false`;
  return or(isNamed, isNull(memories.project));
}

/** A list of texts as one parameter. */
function toTextArray(texts: readonly string[]): SQL {
  return sql`${sql.param([...texts], memories.tags)}::text[]`;
}

function toContentConflict(error: Failure): Failure {
  if (error.code !== "conflict") return error;
  return failed("conflict", "Its project has another memory with this content already.", { field: "content" }).error;
}

function toMemory(row: typeof memories.$inferSelect): ReadMemory {
  const { tenant: _, kind, ...memory } = row;
  return { ...memory, kind: kind as MemoryKind } satisfies Memory & ReadMemory;
}

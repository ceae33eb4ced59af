/** Codebases and their index. Files of an attempt are invisible until its last statement. */
import { and, type AnyColumn, asc, eq, type SQL, sql } from "drizzle-orm";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { iso } from "../../core/base/iso.ts";
import { NO_LIST } from "../../core/base/user-lists.ts";
import {
  type Codebase,
  type CodebaseSource,
  type CodebaseStatus,
  MAX_CODEBASES,
} from "../../core/codebases/codebase.ts";
import type { CodeHit, CodeQuery } from "../../core/codebases/rank.ts";
import type { SymbolKind } from "../../core/codebases/indexed-file.ts";
import type { CodebaseTable, NewCodebase } from "../../core/ports/codebases.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { chunkRows, selectUnmarked, toCodePlace } from "./code-chunks.ts";
import { codebaseReindexes } from "./codebase-reindexes.ts";
import { asTenant, callDirectory, type Connection, type Query } from "./connection.ts";
import { codebases as rows } from "./codebase-schema.ts";

const NO_CODEBASE = failed("not_found", "There is no such codebase.");
const NAME_TAKEN = "A codebase has this name already. Choose another one.";

/** `background` has more time: nobody waits for an index. */
export function codebaseTable(connection: Connection, background: Connection): CodebaseTable {
  return {
    ...chunkRows(connection, background),
    ...codebaseReindexes(connection),

    async all(tenant) {
      const read = await asTenant(connection, tenant, (query) => [
        query.select().from(rows).where(eq(rows.tenant, tenant)).orderBy(asc(rows.name)),
      ]);
      return read.ok ? ok(read.value[0].map(toCodebase)) : read;
    },

    async get(tenant, id) {
      const read = await asTenant(connection, tenant, (query) => [selectOne(query, tenant, id)]);
      return read.ok ? toFirst(read.value[0]) : read;
    },

    async create(tenant, codebase, act) {
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(
          sql`with made as (${insertCodebase(tenant, codebase, act.at)}) ${insertAuditFrom(tenant, act)} from made`,
        ),
        selectOne(query, tenant, codebase.id),
      ]);
      if (written.ok) {
        const [made] = written.value[1];
        if (made !== undefined) return ok(toCodebase(made));
        return failed("quota_exceeded", `A tenant has at most ${MAX_CODEBASES} codebases. Delete one first.`);
      }
      return written.error.code === "conflict" ? failed("conflict", NAME_TAKEN, { field: "name" }) : written;
    },

    async update(tenant, id, { agents, projects, people }, act) {
      const [forAgents, forProjects, forPeople] = [
        toNew(rows.agents, agents),
        toNew(rows.projects, projects),
        toNew(rows.people, people),
      ];
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with changed as (
            update codebases set agents = ${forAgents}, projects = ${forProjects}, people = ${forPeople},
              updated_at = ${iso(act.at)}::timestamptz
            where ${isThis(tenant, id)} and num_nonnulls(${forAgents}, ${forProjects}, ${forPeople}) > 0
            returning id
          )
          ${insertAuditFrom(tenant, act)} from changed`),
        selectOne(query, tenant, id),
      ]);
      if (!written.ok) return written;
      const [{ rowCount }, [found]] = written.value;
      if (found === undefined) return NO_CODEBASE;
      return rowCount === 0 ? failed("invalid_input", NO_LIST, { field: "agents" }) : ok(toCodebase(found));
    },

    async remove(tenant, id, act) {
      const removed = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with removed as (delete from codebases where ${isThis(tenant, id)} returning id)
          ${insertAuditFrom(tenant, act)} from removed`),
      ]);
      if (!removed.ok) return removed;
      return removed.value[0].rowCount > 0 ? ok(undefined) : NO_CODEBASE;
    },

    async request(tenant, id, act) {
      const at = iso(act.at);
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with requested as (
            update codebases set status = 'queued', updated_at = ${at}::timestamptz where ${isThis(tenant, id)} returning id
          )
          ${insertAuditFrom(tenant, act)} from requested`),
        selectOne(query, tenant, id),
      ]);
      return written.ok ? toFirst(written.value[1]) : written;
    },

    async begin(tenant, id, at) {
      const begun = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update codebases set builds = builds + 1, building = builds + 1, status = 'indexing', updated_at = ${iso(at)}::timestamptz
          where ${isThis(tenant, id)}`),
        selectOne(query, tenant, id),
      ]);
      if (!begun.ok) return begun;
      const [row] = begun.value[1];
      return row === undefined ? NO_CODEBASE : ok({ codebase: toCodebase(row), build: row.builds });
    },

    async known(tenant, id) {
      const read = await asTenant(background, tenant, (query) => [
        query.execute(sql`select path, hash from code_files where tenant = ${tenant} and codebase = ${id} and live`),
      ]);
      if (!read.ok) return read;
      return ok(new Map(read.value[0].rows.map((row) => [String(row["path"]), String(row["hash"])])));
    },

    async add(tenant, id, build, files) {
      // Only indexing needs it, and every isolate loads this module.
      const { insertFiles } = await import("./code-rows.ts");
      const place = { tenant, codebase: id, build };
      const written = await asTenant(background, tenant, (query) => [
        query.execute(lockBuild(tenant, id, build)),
        ...insertFiles(place, files, isPresent(tenant, id, build)).map((statement) => query.execute(statement)),
      ]);
      return written.ok ? ok(written.value[0].rowCount > 0) : written;
    },

    async publish(tenant, id, build, { commit, deleted, skipped, mark, at }) {
      const files = sql`tenant = ${tenant} and codebase = ${id}`;
      const isOurs = isPresent(tenant, id, build);
      const gone = sql.param([...deleted]);
      const published = await asTenant(background, tenant, (query) => [
        query.execute(lockBuild(tenant, id, build)),
        query.execute(sql`
          update code_files set live = false
          where ${files} and live and build <> ${build} and ${isOurs} and (path = any (${gone}::text[])
            or path in (select path from code_files where ${files} and build = ${build}))`),
        query.execute(sql`update code_files set live = true where ${files} and build = ${build} and ${isOurs}`),
        query.execute(sql`
          update codebases set status = 'ready', building = null, error = null, commit = ${commit}::text,
            skipped = ${JSON.stringify(skipped)}, indexed_at = ${iso(at)}::timestamptz, updated_at = ${iso(at)}::timestamptz,
            files = (select count(*) from code_files where ${files} and live),
            symbols = ${countLive("code_symbols", tenant, id)}, chunks = ${countLive("code_chunks", tenant, id)},
            published = ${build}, embedder = case when ${hasUnembedded(tenant, id, mark)} then null else ${mark}::text end
          where ${isThis(tenant, id)} and building = ${build}`),
      ]);
      return published.ok ? ok(published.value[3].rowCount > 0) : published;
    },

    async fail(tenant, id, build, why, at) {
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update codebases set status = 'failed', building = null, error = ${why}, updated_at = ${iso(at)}::timestamptz
          where ${isThis(tenant, id)} and building = ${build}`),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async old(tenant, id, limit) {
      const isOf = id === null ? sql`true` : sql`f.codebase = ${id}`;
      const read = await asTenant(background, tenant, (query) => [
        query.execute(sql`
          select f.codebase, f.path, f.build, array(
            select c.id from code_chunks c
            where c.tenant = f.tenant and c.codebase = f.codebase and c.path = f.path and c.build = f.build) as chunks
          from code_files f where f.tenant = ${tenant} and ${isOf} and ${isOld(tenant)} limit ${limit}`),
      ]);
      if (!read.ok) return read;
      const { rows: found } = read.value[0];
      const files = found.map(({ codebase, path, build }) => {
        return { codebase: String(codebase), path: String(path), build: Number(build) };
      });
      return ok({ files, chunks: found.flatMap(({ chunks }) => chunks as string[]) });
    },

    async removeOld(tenant, files) {
      const removed = await asTenant(background, tenant, (query) => [
        query.execute(sql`
          delete from code_files f
          using jsonb_to_recordset(${JSON.stringify(files)}::jsonb) as r (codebase text, path text, build int)
          where f.tenant = ${tenant} and f.codebase = r.codebase and f.path = r.path and f.build = r.build and ${isOld(tenant)}`),
      ]);
      return removed.ok ? ok(undefined) : removed;
    },

    async listDeleted(limit) {
      const read = await callDirectory(connection, sql`select tenant, id from otto_deleted_codebases(${limit}::int)`);
      return read.ok ? ok(read.value.map(({ tenant, id }) => ({ tenant: String(tenant), id: String(id) }))) : read;
    },

    async removeAll(tenant) {
      const removed = await asTenant(connection, tenant, (query) => [
        query.delete(rows).where(eq(rows.tenant, tenant)),
      ]);
      return removed.ok ? ok(undefined) : removed;
    },

    async find(tenant, query, limit) {
      const read = await asTenant(connection, tenant, (run) => [run.execute(selectHits(query, limit))]);
      return read.ok ? ok(read.value[0].rows.map(toHit)) : read;
    },
  };
}

type Row = typeof rows.$inferSelect;

function isThis(tenant: string, id: string): SQL {
  return sql`${and(eq(rows.tenant, tenant), eq(rows.id, id))}`;
}

function selectOne(query: Query, tenant: string, id: string) {
  return query.select().from(rows).where(isThis(tenant, id));
}

/** The condition of every write of an attempt. */
function isPresent(tenant: string, id: string, build: number): SQL {
  return sql`exists (select from codebases where ${isThis(tenant, id)} and building = ${build})`;
}

/** Until this transaction ends, no other attempt begins. */
function lockBuild(tenant: string, id: string, build: number): SQL {
  return sql`select id from codebases where ${isThis(tenant, id)} and building = ${build} for update`;
}

/** Of a file `f`: it is neither visible nor of the attempt under way, or its codebase was deleted. */
function isOld(tenant: string): SQL {
  const owner = sql`select from codebases o where o.tenant = ${tenant} and o.id = f.codebase`;
  return sql`(not exists (${owner}) or not f.live and not exists (${owner} and o.building = f.build))`;
}

/** Whether a visible chunk has no vector with this mark. */
function hasUnembedded(tenant: string, id: string, mark: string): SQL {
  return sql`exists (select from ${selectUnmarked(tenant, id, mark)}
      and (select f.live from code_files f
        where f.tenant = c.tenant and f.codebase = c.codebase and f.path = c.path and f.build = c.build))`;
}

/** Counted by file: without statistics, a join compares every row with every file. */
function countLive(table: "code_symbols" | "code_chunks", tenant: string, id: string): SQL {
  return sql`(select coalesce(sum((select count(*) from ${sql.identifier(table)} r
      where r.tenant = f.tenant and r.codebase = f.codebase and r.path = f.path and r.build = f.build)), 0)
    from code_files f where f.tenant = ${tenant} and f.codebase = ${id} and f.live)`;
}

function insertCodebase(tenant: string, codebase: NewCodebase, at: number): SQL {
  const { id, name, source, agents, projects, people, every, dueAt } = codebase;
  return sql`
    insert into codebases (tenant, id, name, source, agents, projects, people, every, due_at, status, created_at,
      updated_at)
    select ${tenant}, ${id}, ${name}, ${JSON.stringify(source)}, ${toArray(agents)}, ${toArray(projects)}, ${toArray(people)},
      ${every}::text, ${dueAt === null ? null : iso(dueAt)}::timestamptz, 'queued',
      ${iso(at)}::timestamptz, ${iso(at)}::timestamptz
    where (select count(*) from codebases where tenant = ${tenant}) < ${MAX_CODEBASES}
    returning id`;
}

function toArray(names: readonly string[] | null): SQL {
  return sql`${sql.param(names === null ? null : [...names])}::text[]`;
}

/** The new value of a list: the given one, or else the present one. */
function toNew(column: AnyColumn, given: readonly string[] | null | undefined): SQL {
  return given === undefined ? sql`${column}` : toArray(given);
}

function toFirst([row]: readonly Row[]): Result<Codebase> {
  return row === undefined ? NO_CODEBASE : ok(toCodebase(row));
}

function toCodebase({ tenant: _, building: __, source, status, skipped, ...row }: Row): Codebase {
  return {
    ...row,
    source: JSON.parse(source) as CodebaseSource,
    status: status as CodebaseStatus,
    skipped: JSON.parse(skipped) as Codebase["skipped"],
  };
}

/** Words are letters and digits only (`core/codebases/names.ts`), so quoting them is enough. */
function selectHits({ codebases, names, words, extensions }: CodeQuery, limit: number): SQL {
  const parts = words.map((word) => `'w:${word}'`);
  // A whole name is looked for on its own: as a beginning alone, it would count no more than the names that begin with it.
  const ofSymbols = [...names.flatMap((name) => [`'n:${name}'`, `'n:${name}':*`]), ...parts].join(" | ");
  const ofTypes = sql.param(extensions === null ? null : [...extensions]);
  return sql`select * from otto_find_code(${sql.param([...codebases])}::text[], ${ofSymbols}::text, ${parts.join(" | ")}::text,
    ${ofTypes}::text[], ${limit}::int)`;
}

function toHit(row: Readonly<Record<string, unknown>>): CodeHit {
  const place = toCodePlace(row);
  if (row["found"] === "text") return { found: "text", ...place };
  return {
    found: "symbol",
    ...place,
    name: String(row["name"]),
    kind: row["kind"] as SymbolKind,
    signature: String(row["signature"]),
    doc: String(row["doc"]),
  };
}

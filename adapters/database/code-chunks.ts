/** Chunks of codebases, and which of them have vectors. */
import { type SQL, sql } from "drizzle-orm";
import { ok } from "../../core/base/errors.ts";
import type { CodeText } from "../../core/codebases/rank.ts";
import type { BuildPlace, CodeChunks } from "../../core/ports/codebases.ts";
import { asTenant, type Connection } from "./connection.ts";

/** The file of a chunk `c`. It is looked up for each row: without statistics, a join compares every row with every file. */
const OF_FILE = sql`from code_files f
  where f.tenant = c.tenant and f.codebase = c.codebase and f.path = c.path and f.build = c.build`;
/** The chunk of a row `v` of vectors, looked up likewise. */
const OF_VECTOR = sql`lateral (select * from code_chunks k where k.tenant = v.tenant and k.id = v.chunk offset 0) c`;

/** `background` has more time: nobody waits for an index. */
export function chunkRows(connection: Connection, background: Connection): CodeChunks {
  return {
    async listUnembedded(tenant, place, mark, limit) {
      const read = await asTenant(background, tenant, (query) => [
        query.execute(sql`select c.id, c.path, c.text from ${selectMissing(tenant, place, mark)} limit ${limit}`),
      ]);
      if (!read.ok) return read;
      // The path says what the lines are about.
      const toText = (row: Readonly<Record<string, unknown>>): string =>
        `${String(row["path"])}\n${String(row["text"])}`;
      return ok(
        read.value[0].rows.map((row) => {
          return { id: String(row["id"]), kind: "code" as const, project: place.codebase, text: toText(row) };
        }),
      );
    },

    async countVectors(tenant, place, mark) {
      const isOf = sql`f.tenant = ${tenant} and f.codebase = ${place.codebase}`;
      const read = await asTenant(background, tenant, (query) => [
        query.execute(sql`
          select (select count(*) from ${selectMissing(tenant, place, mark)}) as missing,
            (select count(*) from code_chunk_vectors v where v.tenant = ${tenant} and v.embedded_by = ${mark}::text
              and exists (select from codebases o where o.tenant = v.tenant and o.id = v.codebase)) as present,
            (select coalesce(sum((
              select count(*) from code_chunks c where c.tenant = f.tenant and c.codebase = f.codebase and c.path = f.path
                and c.build = f.build and ${hasVector(mark)})), 0)
            from code_files f where ${isOf} and not ${isSeenAfter(place)}) as replaced`),
      ]);
      if (!read.ok) return read;
      const [{ missing = 0, present = 0, replaced = 0 } = {}] = read.value[0].rows;
      return ok({ missing: Number(missing), total: Number(present) - Number(replaced) + Number(missing) });
    },

    async markEmbedded(tenant, mark, ids) {
      if (ids.length === 0) return ok([]);
      const written = await asTenant(background, tenant, (query) => [
        query.execute(sql`
          update code_chunk_vectors set embedded_by = ${mark}::text where tenant = ${tenant} and ${isOneOf(sql`chunk`, ids)}
          returning chunk`),
        // The release before this one reads marks here. It may take none for a vector that is there, and never the reverse.
        query.execute(sql`
          update code_chunks set embedded_by = null
          where ${mark === null} and tenant = ${tenant} and ${isOneOf(sql`id`, ids)} and embedded_by is not null`),
      ]);
      return written.ok ? ok(written.value[0].rows.map((row) => String(row["chunk"]))) : written;
    },

    async listEmbedded(tenant, codebase, limit) {
      const read = await asTenant(background, tenant, (query) => [
        query.execute(sql`
          select chunk from code_chunk_vectors
          where tenant = ${tenant} and codebase = ${codebase} and embedded_by is not null limit ${limit}`),
      ]);
      return read.ok ? ok(read.value[0].rows.map((row) => String(row["chunk"]))) : read;
    },

    async readChunks(tenant, { codebases, extensions }, ids) {
      if (ids.length === 0) return ok([]);
      const isOfType = extensions === null ? sql`true` : isOneOf(sql`f.extension`, extensions);
      const read = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          select c.id, c.codebase, c.path, c.start_line, c.end_line, c.text as code, c.start_line as code_line, f.language
          from code_chunks c cross join lateral (select f.language, f.extension ${OF_FILE} and f.live offset 0) f
          where c.tenant = ${tenant} and ${isOneOf(sql`c.id`, ids)} and ${isOneOf(sql`c.codebase`, codebases)} and ${isOfType}`),
      ]);
      return read.ok ? ok(read.value[0].rows.map(toText)) : read;
    },
  };
}

/** Rows `v` of chunks without a vector of this mark. The conditions are those that an index serves. */
export function selectUnmarked(tenant: string, codebase: string, mark: string): SQL {
  return sql`code_chunk_vectors v cross join ${OF_VECTOR}
    where v.tenant = ${tenant} and v.codebase = ${codebase}
      and (v.embedded_by is null or v.embedded_by < ${mark}::text or v.embedded_by > ${mark}::text)`;
}

/** Chunks `c` that searches see once the attempt is published, and that have no vector of this mark. */
function selectMissing(tenant: string, place: BuildPlace, mark: string): SQL {
  return sql`${selectUnmarked(tenant, place.codebase, mark)} and (select ${isSeenAfter(place)} ${OF_FILE})`;
}

/** Whether searches see a file `f` once the attempt is published. */
function isSeenAfter({ build, deleted }: BuildPlace): SQL {
  return sql`(f.build = ${build}::integer or f.live and f.path <> all (${sql.param([...deleted])}::text[]) and not exists (
    select from code_files later
    where later.tenant = f.tenant and later.codebase = f.codebase and later.path = f.path and later.build = ${build}::integer
    offset 0))`;
}

/** Whether a chunk `c` has a vector of this mark. */
function hasVector(mark: string): SQL {
  return sql`exists (select from code_chunk_vectors v
    where v.tenant = c.tenant and v.chunk = c.id and v.embedded_by = ${mark}::text offset 0)`;
}

function isOneOf(column: SQL, values: readonly string[]): SQL {
  return sql`${column} = any (${sql.param([...values])}::text[])`;
}

/** The place of a row of code, whether a chunk or what `otto_find_code` found. */
export function toCodePlace(row: Readonly<Record<string, unknown>>) {
  return {
    codebase: String(row["codebase"]),
    path: String(row["path"]),
    language: String(row["language"]),
    startLine: Number(row["start_line"]),
    endLine: Number(row["end_line"]),
    code: String(row["code"]),
    codeLine: Number(row["code_line"]),
  };
}

function toText(row: Readonly<Record<string, unknown>>): CodeText {
  return { found: "text", id: String(row["id"]), ...toCodePlace(row) };
}

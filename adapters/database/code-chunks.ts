/** Chunks of codebases, and which of them have vectors. */
import { type SQL, sql } from "drizzle-orm";
import { ok } from "../../core/base/errors.ts";
import type { CodeText } from "../../core/codebases/rank.ts";
import type { CodeChunks } from "../../core/ports/codebases.ts";
import { asTenant, type Connection } from "./connection.ts";

/** The file of a chunk `c`. It is looked up for each row: without statistics, a join compares every row with every file. */
const OF_FILE = sql`from code_files f
  where f.tenant = c.tenant and f.codebase = c.codebase and f.path = c.path and f.build = c.build`;

/** `background` has more time: nobody waits for an index. */
export function chunkRows(connection: Connection, background: Connection): CodeChunks {
  return {
    async listUnembedded(tenant, { codebase, build }, model, limit) {
      const read = await asTenant(background, tenant, (query) => [
        query.execute(sql`
          select c.id, c.path, c.text from code_chunks c
          where c.tenant = ${tenant} and c.codebase = ${codebase}
            and (c.embedded_by is null or c.embedded_by < ${model}::text or c.embedded_by > ${model}::text)
            and (c.build = ${build}::integer or (select f.live ${OF_FILE}) and not exists (
              select from code_files later
              where later.tenant = c.tenant and later.codebase = c.codebase and later.path = c.path and later.build = ${build}::integer
              offset 0))
          limit ${limit}`),
      ]);
      if (!read.ok) return read;
      // The path says what the lines are about.
      const toText = (row: Readonly<Record<string, unknown>>): string =>
        `${String(row["path"])}\n${String(row["text"])}`;
      return ok(
        read.value[0].rows.map((row) => {
          return { id: String(row["id"]), kind: "code" as const, project: codebase, text: toText(row) };
        }),
      );
    },

    async markEmbedded(tenant, model, ids) {
      if (ids.length === 0) return ok([]);
      const written = await asTenant(background, tenant, (query) => [
        query.execute(sql`
          update code_chunks set embedded_by = ${model}::text where tenant = ${tenant} and ${isOneOf(sql`id`, ids)}
          returning id`),
      ]);
      return written.ok ? ok(written.value[0].rows.map((row) => String(row["id"]))) : written;
    },

    async countEmbedded(tenant, model) {
      const read = await asTenant(background, tenant, (query) => [
        query.execute(sql`
          select count(*) as found from code_chunks where tenant = ${tenant} and embedded_by = ${model}::text`),
      ]);
      return read.ok ? ok(Number(read.value[0].rows[0]?.["found"] ?? 0)) : read;
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

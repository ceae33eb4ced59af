/** The sources of tenants' tools, the names that they use, and the definitions that tenants wrote. */
import { and, asc, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import type { AuditEntry } from "../../core/ports/audit.ts";
import type { SourceChange, ToolSourceTable } from "../../core/ports/tool-source-table.ts";
import { type Failure, failed, ok } from "../../core/base/errors.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import type { DefinedTool, SourceRecord } from "../../core/tool/source.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { asTenant, type Connection, type Query } from "./connection.ts";
import { refuseSecondApp } from "./one-name.ts";
import { buildSkillWrites } from "./skills.ts";
import { customTools, toolNames, toolSources } from "./schema.ts";

/** Maximum names in an error. */
const MAX_NAMES = 5;

export function toolSourceTable(connection: Connection): ToolSourceTable {
  return {
    async all(tenant) {
      const read = await asTenant(connection, tenant, (query) => [
        query.select().from(toolSources).where(eq(toolSources.tenant, tenant)).orderBy(asc(toolSources.name)),
      ]);
      return read.ok ? ok(read.value[0].map(toRecord)) : read;
    },

    async publish(tenant, change, act) {
      const { name } = change;
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(putSource(tenant, change, act)),
        query.execute(
          sql`delete from tool_names where tenant = ${tenant} and source = ${name} and ${isCurrentTransaction(tenant, change)}`,
        ),
        query.execute(sql`
          insert into tool_names (tenant, key, source)
          select ${tenant}::text, key, ${name}::text from unnest(${sql.param(change.names)}::text[]) as key
          where ${isCurrentTransaction(tenant, change)}`),
        ...change.definitions.map((definition) => query.execute(addDefinition(tenant, change, definition))),
        ...(change.skill === null
          ? []
          : buildSkillWrites(tenant, change.skill, change.at, isCurrentTransaction(tenant, change)).map((write) =>
              query.execute(write),
            )),
        query
          .select()
          .from(toolSources)
          .where(and(eq(toolSources.tenant, tenant), eq(toolSources.name, name))),
      ]);
      if (!written.ok) {
        const added = `The app ${name.replace("openapi:", "")} is added to this workspace. Choose another name.`;
        const refused = refuseSecondApp(written.error, added, "name");
        return refused ?? { ok: false, error: await nameTaken(connection, tenant, change, written.error) };
      }
      const [put] = written.value;
      const [row] = written.value.at(-1) as (typeof toolSources.$inferSelect)[];
      if (row === undefined || put.rowCount === 0) {
        const message = `The source ${name} is at version ${row?.version ?? 0} now. Read it again before you change it.`;
        return failed("conflict", message, { field: "ifVersion" });
      }
      return ok(toRecord(row));
    },

    async definitions(tenant) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .selectDistinctOn([customTools.name])
          .from(customTools)
          .where(eq(customTools.tenant, tenant))
          .orderBy(asc(customTools.name), desc(customTools.version)),
      ]);
      return read.ok ? ok(read.value[0].filter(({ definition }) => definition !== null).map(toDefined)) : read;
    },

    async versions(tenant, name, { after, limit }) {
      const isThis = and(eq(customTools.tenant, tenant), eq(customTools.name, name));
      const older = after === null ? undefined : lt(customTools.version, after.at);
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select()
          .from(customTools)
          .where(and(isThis, older))
          .orderBy(desc(customTools.version))
          .limit(limit + 1),
        query.select({ name: customTools.name }).from(customTools).where(isThis).limit(1),
      ]);
      if (!read.ok) return read;
      const [rows, [known]] = read.value;
      if (known === undefined) return failed("not_found", "There is no such tool.");
      return ok(cutPage(rows.map(toDefined), limit, ({ version }) => ({ at: version, id: name })));
    },
  };
}

/** Writes the row, only at the expected version, and with it the audit entry; the count of rows says whether it did. */
function putSource(tenant: string, change: SourceChange, act: AuditEntry | null): SQL {
  const { name, ifVersion, hash, tools, bytes, origin, at } = change;
  const put = sql`
    insert into tool_sources as known (tenant, name, version, hash, tools, bytes, origin, updated_at)
    values (${tenant}, ${name}, ${ifVersion + 1}::int, ${hash}, ${tools}::int, ${bytes}::int, ${origin}, ${new Date(at).toISOString()}::timestamptz)
    on conflict (tenant, name) do update set version = excluded.version, hash = excluded.hash, tools = excluded.tools,
      bytes = excluded.bytes, origin = excluded.origin, updated_at = excluded.updated_at
    where known.version = ${ifVersion}::int
    returning version`;
  return act === null ? put : sql`with put as (${put}) ${insertAuditFrom(tenant, act)} from put`;
}

/** True only in the transaction that wrote the row, even if another wrote an equal one. */
function isCurrentTransaction(tenant: string, { name }: SourceChange): SQL {
  return sql`exists (select from tool_sources where tenant = ${tenant} and name = ${name}
    and xmin = pg_current_xact_id()::xid)`;
}

function addDefinition(tenant: string, change: SourceChange, { name, definition }: DefinedChange): SQL {
  return sql`
    insert into custom_tools (tenant, name, version, definition, created_at)
    select ${tenant}::text, ${name}::text, coalesce(max(version), 0) + 1, ${definition}::text,
      ${new Date(change.at).toISOString()}::timestamptz
    from custom_tools where tenant = ${tenant} and name = ${name}
    having ${isCurrentTransaction(tenant, change)}`;
}

/** Turns a conflict of names into a failure that lists them. */
async function nameTaken(
  connection: Connection,
  tenant: string,
  { name, names }: SourceChange,
  error: Failure,
): Promise<Failure> {
  if (error.code !== "conflict") return error;
  const taken = await asTenant(connection, tenant, (query) => [selectTaken(query, tenant, name, names)]);
  const keys = taken.ok ? taken.value[0].map(({ key }) => key) : [];
  const message = `Another of your sources already has a tool of this name: ${keys.join(", ")}.`;
  return failed("conflict", message, { field: "name", details: { names: keys } }).error;
}

function selectTaken(query: Query, tenant: string, source: string, names: readonly string[]) {
  return query
    .select({ key: toolNames.key })
    .from(toolNames)
    .where(
      and(
        eq(toolNames.tenant, tenant),
        sql`${toolNames.key} = any (${sql.param(names)}::text[]) and ${toolNames.source} <> ${source}`,
      ),
    )
    .orderBy(asc(toolNames.key))
    .limit(MAX_NAMES);
}

type DefinedChange = SourceChange["definitions"][number];

function toRecord({ tenant: _, ...row }: typeof toolSources.$inferSelect): SourceRecord {
  return row;
}

function toDefined({ tenant: _, ...row }: typeof customTools.$inferSelect): DefinedTool {
  return row;
}

/** Finds what the role of a database may do besides reading. */
import { ok, type Result } from "../../../core/base/errors.ts";
import type { SqlOrder } from "../sql-order.ts";
import { IS_OWN } from "./list-tables.ts";
import { nameOpenTables } from "./open-tables.ts";
import { type Session, type SqlDeps, withSession } from "./session.ts";

const MAX_GRANTS = 20;
const MAX_TABLES = 200;

/** `grants`: what the role may do besides reading, in words; empty for one that only reads. */
export interface RoleCheck {
  readonly role: string;
  readonly server: string;
  readonly grants: readonly string[];
  /** The first tables that queries may read. */
  readonly tables: readonly string[];
}

/** Attributes of the role, and roles of the server that it is a member of. */
const ATTRIBUTES = `
  select attribute from pg_roles r, unnest(array[
    case when rolsuper then 'SUPERUSER' end, case when rolcreaterole then 'CREATEROLE' end, case when rolcreatedb then 'CREATEDB' end,
    case when rolreplication then 'REPLICATION' end, case when rolbypassrls then 'BYPASSRLS' end]) attribute
  where rolname = current_user and attribute is not null
  union all
  select 'member of ' || rolname from pg_roles
  where rolname in ('pg_write_all_data', 'pg_write_server_files', 'pg_read_server_files', 'pg_execute_server_program',
      'pg_signal_backend', 'pg_checkpoint', 'pg_maintain', 'pg_create_subscription')
    and pg_has_role(current_user, oid, 'member')`;

/** Rights on objects. TEMPORARY is not among them, which every role has by default: a read-only transaction refuses it. */
const RIGHTS = `
  select kind || ' on ' || name from (
    select 'CREATE' as kind, 'database ' || datname as name from pg_database
    where datname = current_database() and has_database_privilege(oid, 'create')
    union all
    select 'CREATE', 'schema ' || nspname from pg_namespace
    where nspname !~ '^pg_(toast|temp)' and has_schema_privilege(oid, 'create')
    union all
    select upper(kind), 'table ' || nspname || '.' || relname
    from pg_class c join pg_namespace n on n.oid = relnamespace, unnest(array['insert', 'update', 'delete', 'truncate', 'trigger']) kind
    where relkind in ('r', 'p', 'v', 'm', 'f') and ${IS_OWN}
      and (has_table_privilege(c.oid, kind)
        or kind in ('insert', 'update') and has_any_column_privilege(c.oid, kind))
    union all
    select 'UPDATE', 'sequence ' || nspname || '.' || relname
    from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind = 'S' and nspname !~ '^pg_' and (has_sequence_privilege(c.oid, 'update') or has_sequence_privilege(c.oid, 'usage'))
  ) found
  limit ${MAX_GRANTS + 1}`;

/** A superuser has every right, so the others are not listed. */
async function readGrants(session: Session): Promise<readonly string[]> {
  const attributes = (await session.run(ATTRIBUTES)).map(([text]) => text ?? "");
  if (attributes.includes("SUPERUSER")) return ["SUPERUSER"];
  const rights = (await session.run(RIGHTS)).map(([text]) => text ?? "");
  return [...attributes, ...rights];
}

/** Connects, and reports the role. Never rejects. */
export async function checkRole(order: SqlOrder, deps: SqlDeps, signal: AbortSignal): Promise<Result<RoleCheck>> {
  return await withSession(order, deps, signal, async (session) => {
    const [about] = await session.run("select current_user, current_setting('server_version')");
    const found = await readGrants(session);
    return ok({
      role: about?.[0] ?? "",
      server: `PostgreSQL ${about?.[1] ?? ""}`,
      grants: found.length > MAX_GRANTS ? [...found.slice(0, MAX_GRANTS), "and more"] : found,
      tables: await nameOpenTables(session, order.lists, MAX_TABLES),
    });
  });
}

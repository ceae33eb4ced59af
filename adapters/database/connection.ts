/**
 * The only connection to Postgres: Neon's HTTP driver, one transaction per request. `asTenant` is the only access to
 * tables: it sets the tenant inside the transaction, and row-level security enforces it.
 */
import { neon, NeonDbError, neonConfig } from "@neondatabase/serverless";
import { type SQL, sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";
import { type Failure, type Result, failed, ok } from "../../core/base/errors.ts";

/** Time limit of a transaction, and of its HTTP request where a caller waits for it. */
const TIMEOUT_MS = 5_000;
/**
 * The same of a request that nobody waits for. In a process that is busy with thousands of tasks a reply waits for its turn;
 * giving up there would send the same rows again, later.
 */
export const BACKGROUND_TIMEOUT_MS = 15_000;
/** The delay that callers are told while the database is unavailable. */
const RETRY_AFTER_MS = 2_000;

const TABLES = [
  "tenants",
  "keys",
  "agents",
  "agent_versions",
  "tasks",
  "audit",
  "secrets",
  "tool_sources",
  "tool_names",
  "custom_tools",
  "erased_usage",
  "task_texts",
  "usage_days",
  "projects",
  "memories",
  "memory_tags",
  "vectors",
  "mcp_servers",
  "schedules",
  "people",
  "person_addresses",
  "person_names",
  "deliveries",
  "endpoints",
  "hooks",
  "slack_installs",
  "slack_authorizations",
  "entity_connections",
  "app_clients",
  "provider_keys",
  "composio_apps_cache",
  "composio_actions_cache",
  "composio_stats_cache",
  "composio_sync_jobs",
  "app_catalogue",
  "workspace_tool_config",
  "agent_app_assignments",
  "agent_tool_permissions",
  "app_triggers",
  "trigger_subscriptions",
  "trigger_endings",
  "knowledge_documents",
  "knowledge_versions",
  "knowledge_pieces",
  "codebases",
  "code_files",
  "code_symbols",
  "code_chunks",
  "code_chunk_vectors",
  "ended_triggers",
];

/** Builds queries. A query awaited on its own runs without a tenant and sees nothing. */
export type Query = NeonHttpDatabase;
/** A query that is built but not run. */
export type Statement = BatchItem<"pg">;

export interface Connection {
  readonly query: Query;
  /** True once Postgres confirmed that row-level security binds this connection's role. */
  roleIsBound: boolean;
}

/** What the driver passes on to its requests: also what its client was opened with. */
interface TimedInit extends RequestInit {
  readonly timeoutMs?: number;
}

/**
 * Opens a connection without sending anything. `endpoint` null: Neon's own. All connections of an isolate share one
 * endpoint.
 */
export function openConnection(url: string, endpoint: string | null, timeoutMs = TIMEOUT_MS): Connection {
  if (endpoint !== null) neonConfig.fetchEndpoint = endpoint;
  neonConfig.fetchFunction = async (target: string, { timeoutMs: limit = TIMEOUT_MS, ...init }: TimedInit) =>
    await fetch(target, { ...init, signal: AbortSignal.timeout(limit) });
  const client = neon(url, { disableWarningInBrowsers: true, fetchOptions: { timeoutMs } });
  return { query: drizzle({ client }), roleIsBound: false };
}

/**
 * Runs statements in one transaction that sees only `tenant`'s rows, and returns their results in order. Fails with
 * `upstream_failed` while the database is unavailable, `conflict` for a value that has to be unique, `invalid_input`
 * for text that Postgres cannot store, and `internal` for a defect.
 */
export async function asTenant<const T extends readonly Statement[]>(
  connection: Connection,
  tenant: string,
  build: (query: Query) => T,
): Promise<Result<BatchResponse<T>>> {
  const { query } = connection;
  return run(connection, async () => {
    const [, ...results] = await query.batch([query.execute(setTenant(tenant)), ...build(query)]);
    return results;
  });
}

/** The statement that lets the rest of its transaction see another tenant's rows, for acts of the operator. */
export function setTenant(tenant: string): SQL {
  return sql`select set_config('app.tenant', ${tenant}, true), set_config('statement_timeout', ${String(TIMEOUT_MS)}, true)`;
}

/** Calls a database function that reads across tenants, and returns its rows. */
export async function callDirectory(connection: Connection, call: SQL): Promise<Result<Record<string, unknown>[]>> {
  return run(connection, async () => (await connection.query.execute(call)).rows);
}

async function run<T>(connection: Connection, work: () => Promise<T>): Promise<Result<T>> {
  try {
    const refusal = connection.roleIsBound ? null : await checkRole(connection);
    return refusal === null ? ok(await work()) : { ok: false, error: refusal };
  } catch (thrown) {
    return { ok: false, error: toFailure(thrown) };
  }
}

/**
 * Refuses a role that row-level security would not bind: a superuser, one that may bypass it, the owner of a table, or
 * a member of such a role. Only a success is cached.
 */
async function checkRole(connection: Connection): Promise<Failure | null> {
  const { rows } = await connection.query.execute(sql`
    select current_user as role,
      exists (select from pg_roles r where (r.rolsuper or r.rolbypassrls or r.rolname = 'otto_directory')
        and pg_has_role(current_user, r.oid, 'member')) as passes,
      exists (select from pg_class c where c.relnamespace = 'public'::regnamespace
        and c.relname = any (${sql.param(TABLES)}::text[]) and pg_has_role(current_user, c.relowner, 'member')) as owns,
      (select count(*) from pg_class c where c.relnamespace = 'public'::regnamespace
        and c.relname = any (${sql.param(TABLES)}::text[]) and c.relrowsecurity and c.relforcerowsecurity) as guarded`);
  const [found] = rows;
  if (found?.["passes"] === false && found["owns"] === false && Number(found["guarded"]) === TABLES.length) {
    connection.roleIsBound = true;
    return null;
  }
  const details = {
    role: found?.["role"],
    passes: found?.["passes"],
    owns: found?.["owns"],
    guarded: found?.["guarded"],
  };
  console.error(
    "the database is refused: its tables are not guarded, or its role is not bound by row-level security",
    details,
  );
  return failed("internal", "Otto's database is not set up safely, so it is not used. Tell its operator.", { details })
    .error;
}

/** The tenant's object detects this too, and restores the row. */
const ROW_LOST = "The database is being rebuilt after a loss. Send the request again shortly.";

/**
 * Converts what the driver threw to a failure. An error with a SQLSTATE comes from Postgres, any other from the
 * network.
 */
function toFailure(thrown: unknown): Failure {
  const error = findDatabaseError(thrown);
  const state = error?.code;
  if (error === null || state === undefined || isUnavailable(state)) {
    const details = { thrown: thrown instanceof Error ? thrown.message.slice(0, 500) : String(thrown) };
    const message = "The database did not reply. Send the request again shortly.";
    return failed("upstream_failed", message, { retryAfterMs: RETRY_AFTER_MS, details }).error;
  }
  const details = { sqlstate: state, constraint: error.constraint, thrown: error.message };
  const refused = {
    details,
    ...(state.startsWith("23") && { cause: { kind: "constraint", constraint: error.constraint ?? null } as const }),
  };
  if (state === "23503" && error?.constraint?.endsWith("_tenant_fkey") === true)
    return failed("upstream_failed", ROW_LOST, { retryAfterMs: RETRY_AFTER_MS, ...refused }).error;
  if (state === "23505") return failed("conflict", "This name or id already exists.", refused).error;
  if (state.startsWith("22")) return failed("invalid_input", "This value cannot be stored.", { details }).error;
  console.error("the database refused a statement", details);
  return failed("internal", "Otto failed unexpectedly. Try again later.", refused).error;
}

/** Drizzle wraps the driver's error of a single statement, but not that of a batch. */
function findDatabaseError(thrown: unknown): NeonDbError | null {
  if (thrown instanceof NeonDbError) return thrown;
  return thrown instanceof Error && thrown.cause instanceof NeonDbError ? thrown.cause : null;
}

/**
 * True for errors that no statement causes: classes 08 (connection), 28 (sign-in of the role), 40 (rolled back, can be
 * repeated), 53 (resources), 55 (object not in the required state, such as locked), 57 (operator intervention,
 * timeouts), 58 (system), XX (internal), and 25006 (read-only, as a replica that takes over).
 */
function isUnavailable(sqlstate: string): boolean {
  return /^(?:08|28|40|53|55|57|58|XX|25006)/.test(sqlstate);
}

/** Databases of a tenant through the sidecar. An address is opened for its job alone. */
import { z } from "zod";
import { failed, notSent, ok, type Result } from "../../core/base/errors.ts";
import { chooseDatabase } from "../../core/databases/choose-database.ts";
import type { ListedUser } from "../../core/base/user-lists.ts";
import { COLUMN_KINDS } from "../../core/databases/column-kinds.ts";
import { type DatabaseCheck, databaseCheckSchema } from "../../core/databases/database.ts";
import { schemaFactsSchema } from "../../core/databases/facts.ts";
import type { DatabasesPort } from "../../core/ports/databases.ts";
import type { TenantDatabase, TenantDatabaseTable } from "../../core/ports/tenant-database-table.ts";
import { runJob } from "../sidecar/run-job.ts";
import type { Sidecar } from "../sidecar/sidecar.ts";
import type { FactsCache } from "./facts-cache.ts";

/** `sidecar` is null without one. */
interface DatabasesSettings {
  readonly table: Pick<TenantDatabaseTable, "all" | "openDsn">;
  readonly sidecar: Sidecar | null;
  readonly tenant: string;
}

/** The sidecar's own time beyond the query, so that the reply is still its own. */
const ENDING_MS = 3_000;

const rowsSchema = z.object({
  sql: z.string(),
  columns: z.array(z.string()),
  kinds: z.array(z.enum(COLUMN_KINDS)),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
  truncated: z.boolean(),
  duration_ms: z.number(),
});

/** The databases that `user` may use. */
export function openDatabases(
  settings: DatabasesSettings & { readonly user: ListedUser; readonly facts: FactsCache },
): DatabasesPort {
  const { table, user, tenant } = settings;
  const choose = async (name: string | null) => {
    const all = await table.all();
    return all.ok ? chooseDatabase(all.value, name, user) : all;
  };
  return {
    async find(name) {
      const chosen = await choose(name);
      return chosen.ok ? ok({ id: chosen.value.id, name: chosen.value.name }) : chosen;
    },

    async query({ database: name, sql, signal }) {
      const chosen = await choose(name);
      if (!chosen.ok) return chosen;
      const { max_rows } = chosen.value.settings;
      const ran = await runSql(settings, chosen.value, { action: "query", sql, max_rows }, rowsSchema, signal);
      if (!ran.ok) return ran;
      const { duration_ms: durationMs, ...rows } = ran.value;
      return ok({ database: chosen.value.name, ...rows, durationMs });
    },

    async facts(name, signal) {
      const chosen = await choose(name);
      if (!chosen.ok) return chosen;
      const { id, version, settings: its } = chosen.value;
      const order = { action: "facts", samples: its.samples ?? false };
      const read = async (limit: AbortSignal) => await runSql(settings, chosen.value, order, schemaFactsSchema, limit);
      return await settings.facts.read({ tenant, id, version }, read, signal);
    },
  };
}

/** Connects to a database and looks at its role. */
export async function checkDatabase(
  settings: DatabasesSettings,
  database: TenantDatabase,
  signal: AbortSignal,
): Promise<Result<DatabaseCheck>> {
  return await runSql(settings, database, { action: "check" }, databaseCheckSchema, signal);
}

async function runSql<T>(
  { table, sidecar, tenant }: DatabasesSettings,
  { id, version, settings }: TenantDatabase,
  action: Readonly<Record<string, unknown>>,
  schema: z.ZodType<T>,
  signal: AbortSignal,
): Promise<Result<T>> {
  const dsn = await table.openDsn(id, version);
  if (!dsn.ok) return dsn;
  if (dsn.value === null)
    return notSent("not_available", "No key opens the address of this database. An administrator sets its dsn again.");
  const { tls, schemas, tables, columns, functions, timeout_s } = settings;
  const timeoutMs = timeout_s * 1_000;
  const lists = { schemas, tables, columns, functions };
  const order = { ...action, dsn: dsn.value, tls, lists, timeout_ms: timeoutMs };
  const job = { kind: "sql", tenant, order, files: [], timeoutMs: timeoutMs + ENDING_MS, signal };
  const replied = await runJob(sidecar, job);
  if (!replied.ok) return replied;
  const read = schema.safeParse(replied.value.body);
  return read.success
    ? ok(read.data)
    : failed("upstream_failed", "The sidecar's reply about the database is unreadable.");
}

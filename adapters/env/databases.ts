/** The databases of tenants that their agents may query. */
import type { Env } from "./bindings.ts";
import { databaseFromEnv } from "./database.ts";
import { rowSealFromEnv } from "./row-seal.ts";
import { sidecarFromEnv } from "./sidecar.ts";
import { checkDatabase, openDatabases } from "../databases/databases.ts";
import type { Result } from "../../core/base/errors.ts";
import type { DatabaseCheck } from "../../core/databases/database.ts";
import type { DatabasesPort } from "../../core/ports/databases.ts";
import type { TenantDatabase, TenantDatabaseTable } from "../../core/ports/tenant-database-table.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/** The table of a tenant's databases. */
export function tenantDatabasesFromEnv(env: Env, tenant: string): TenantDatabaseTable {
  return databaseFromEnv(env).tenantDatabases(tenant, rowSealFromEnv(env, tenant));
}

/** The databases that a task may use, by its agent, its project and the person for whom it acts. */
export function databasesFromEnv(
  env: Env,
  { tenant, agent, project, actsFor }: Pick<TaskFacts, "tenant" | "agent" | "project" | "actsFor">,
): DatabasesPort {
  const user = { agent: { id: agent.id, name: agent.config.name }, project, person: actsFor?.person ?? null };
  return openDatabases({ table: tenantDatabasesFromEnv(env, tenant), sidecar: sidecarFromEnv(env), tenant, user });
}

/** Connects to a database for an administrator, and looks at its role. */
export async function checkDatabaseFromEnv(
  env: Env,
  tenant: string,
  database: TenantDatabase,
  signal: AbortSignal,
): Promise<Result<DatabaseCheck>> {
  const settings = { table: tenantDatabasesFromEnv(env, tenant), sidecar: sidecarFromEnv(env), tenant };
  return await checkDatabase(settings, database, signal);
}

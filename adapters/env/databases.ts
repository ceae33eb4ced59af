/** The databases of tenants that their agents may query. */
import { waitUntil } from "cloudflare:workers";
import type { Env } from "./bindings.ts";
import { databaseFromEnv } from "./database.ts";
import { rowSealFromEnv } from "./row-seal.ts";
import { sidecarFromEnv } from "./sidecar.ts";
import { checkDatabase, openDatabases } from "../databases/databases.ts";
import { FactsCache } from "../databases/facts-cache.ts";
import type { Result } from "../../core/base/errors.ts";
import type { DatabaseCheck } from "../../core/databases/database.ts";
import type { DatabasesPort } from "../../core/ports/databases.ts";
import type { TenantDatabase, TenantDatabaseTable } from "../../core/ports/tenant-database-table.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/** The table of a tenant's databases. */
export function tenantDatabasesFromEnv(env: Env, tenant: string): TenantDatabaseTable {
  return databaseFromEnv(env).tenantDatabases(tenant, rowSealFromEnv(env, tenant));
}

/** Of this isolate. */
const facts = new FactsCache({ now: Date.now, background: waitUntil });

/** The databases that a task may use, by its agent, its project and the person for whom it acts. */
export function databasesFromEnv(
  env: Env,
  { tenant, agent, project, actsFor }: Pick<TaskFacts, "tenant" | "agent" | "project" | "actsFor">,
): DatabasesPort {
  const user = { agent: { id: agent.id, name: agent.config.name }, project, person: actsFor?.person ?? null };
  const table = tenantDatabasesFromEnv(env, tenant);
  return openDatabases({ table, sidecar: sidecarFromEnv(env), tenant, user, facts });
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

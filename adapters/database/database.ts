/** The database port on Postgres. */
import type { Database } from "../../core/ports/database.ts";
import { agentTable } from "./agents.ts";
import { appCatalogueTable } from "./app-catalogue.ts";
import { appClientTable } from "./app-clients.ts";
import { auditLog } from "./audit-log.ts";
import { codebaseTable } from "./codebases.ts";
import { connectionJobs } from "./connection-jobs.ts";
import { connectionTable } from "./connections.ts";
import { BACKGROUND_TIMEOUT_MS, openConnection } from "./connection.ts";
import { deliveryTable } from "./deliveries.ts";
import { endpointTable } from "./endpoints.ts";
import { hookTable } from "./hooks.ts";
import { keyTable } from "./keys.ts";
import { knowledgeTable } from "./knowledge.ts";
import { knowledgeWordsTable } from "./knowledge-words.ts";
import { memoryTable } from "./memories.ts";
import { personTable } from "./people.ts";
import { providerKeyTable, providerKeyTenants } from "./provider-keys.ts";
import { projectTable } from "./projects.ts";
import { mcpServerTable } from "./mcp-servers.ts";
import { recoveryTable } from "./recovery.ts";
import { cacheInstalls } from "./remembered-installs.ts";
import { scheduleTable } from "./schedules.ts";
import { sealedValues } from "./sealed-values.ts";
import { secretTable } from "./secrets.ts";
import { skillTable } from "./skills.ts";
import { taskIndex } from "./task-index.ts";
import { slackInstallTable } from "./slack-installs.ts";
import { tenantDatabaseTable } from "./tenant-databases.ts";
import { tenantTable } from "./tenants.ts";
import { toolSourceTable } from "./tool-sources.ts";
import { subscriptionTable } from "./trigger-subscriptions.ts";
import { triggerTable } from "./triggers.ts";
import { usageTable } from "./usage.ts";
import { workspaceAppTable } from "./workspace-apps.ts";

/** Opens the database without sending a request. `endpoint` is the address of a proxy; Neon's own when null. */
export function openDatabase(url: string, endpoint: string | null): Database {
  const connection = openConnection(url, endpoint);
  const background = openConnection(url, endpoint, BACKGROUND_TIMEOUT_MS);
  return {
    tenants: tenantTable(connection),
    keys: keyTable(connection),
    agents: agentTable(connection),
    schedules: scheduleTable(connection),
    secrets: secretTable(connection),
    sealed: sealedValues(connection),
    tasks: taskIndex(connection, background),
    audit: auditLog(connection),
    recovery: recoveryTable(connection),
    mcpServers: mcpServerTable(connection),
    toolSources: toolSourceTable(connection),
    skills: skillTable(connection),
    usage: usageTable(connection),
    memories: memoryTable(connection),
    knowledge: knowledgeTable(connection),
    knowledgeWords: knowledgeWordsTable(connection),
    projects: projectTable(connection),
    people: personTable(connection),
    deliveries: deliveryTable(connection),
    endpoints: endpointTable(connection),
    hooks: hookTable(connection),
    slackInstalls: cacheInstalls(slackInstallTable(connection), Date.now),
    connectionJobs: connectionJobs(connection),
    appCatalogue: appCatalogueTable(connection, background),
    workspaceApps: workspaceAppTable(connection),
    triggers: triggerTable(connection),
    subscriptions: subscriptionTable(connection),
    providerKeyTenants: providerKeyTenants(connection),
    codebases: codebaseTable(connection, background),
    connections: (tenant, seal) => connectionTable(connection, { tenant, seal, now: Date.now }),
    appClients: (tenant, seal) => appClientTable(connection, tenant, seal),
    tenantDatabases: (tenant, seal) => tenantDatabaseTable(connection, tenant, seal),
    providerKeys: (tenant, seal) => providerKeyTable(connection, tenant, seal),
  };
}

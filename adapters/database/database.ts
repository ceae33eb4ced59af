/** The database port on Postgres. */
import type { Database } from "../../core/ports/database.ts";
import { agentTable } from "./agent-table.ts";
import { auditLog } from "./audit-log.ts";
import { openConnection } from "./connection.ts";
import { deliveryTable } from "./delivery-table.ts";
import { endpointTable } from "./endpoint-table.ts";
import { hookTable } from "./hook-table.ts";
import { keyTable } from "./key-table.ts";
import { memoryTable } from "./memory-table.ts";
import { personTable } from "./person-table.ts";
import { projectTable } from "./project-table.ts";
import { mcpServerTable } from "./mcp-server-table.ts";
import { recoveryTable } from "./recovery-table.ts";
import { rememberInstalls } from "./remembered-installs.ts";
import { scheduleTable } from "./schedule-table.ts";
import { sealedValues } from "./sealed-values.ts";
import { secretTable } from "./secret-table.ts";
import { skillTable } from "./skill-table.ts";
import { taskIndex } from "./task-index.ts";
import { slackInstallTable } from "./slack-install-table.ts";
import { tenantTable } from "./tenant-table.ts";
import { toolSourceTable } from "./tool-source-table.ts";
import { usageTable } from "./usage-table.ts";

/** Opens the database; nothing is sent yet. `endpoint` null: Neon's own. */
export function openDatabase(url: string, endpoint: string | null): Database {
  const connection = openConnection(url, endpoint);
  return {
    tenants: tenantTable(connection),
    keys: keyTable(connection),
    agents: agentTable(connection),
    schedules: scheduleTable(connection),
    secrets: secretTable(connection),
    sealed: sealedValues(connection),
    tasks: taskIndex(connection),
    audit: auditLog(connection),
    recovery: recoveryTable(connection),
    mcpServers: mcpServerTable(connection),
    toolSources: toolSourceTable(connection),
    skills: skillTable(connection),
    usage: usageTable(connection),
    memories: memoryTable(connection),
    projects: projectTable(connection),
    people: personTable(connection),
    deliveries: deliveryTable(connection),
    endpoints: endpointTable(connection),
    hooks: hookTable(connection),
    slackInstalls: rememberInstalls(slackInstallTable(connection), Date.now),
  };
}

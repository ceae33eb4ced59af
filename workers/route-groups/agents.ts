/** The routes of agents, their tools, skills and schedules. */
import type { App } from "../http/context.ts";
import { agentRoutes } from "../agents/routes.ts";
import { toolRoutes } from "../tools/routes.ts";
import { toolCallRoutes } from "../tools/call-routes.ts";
import { toolImportRoutes } from "../openapi/routes.ts";
import { ownToolRoutes } from "../custom-tools/routes.ts";
import { mcpServerRoutes } from "../mcp/routes.ts";
import { skillRoutes } from "../skills/routes.ts";
import { scheduleRunRoutes } from "../schedules/run-routes.ts";
import { scheduleRoutes } from "../schedules/routes.ts";

export function agentsGroup(app: App): void {
  agentRoutes(app);
  toolRoutes(app);
  toolCallRoutes(app);
  toolImportRoutes(app);
  ownToolRoutes(app);
  mcpServerRoutes(app);
  skillRoutes(app);
  scheduleRunRoutes(app);
  scheduleRoutes(app);
}

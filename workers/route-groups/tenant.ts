/** The routes of people, keys, sessions, secrets and what the tenant is limited by. */
import type { App } from "../http/context.ts";
import { projectRoutes } from "../projects/routes.ts";
import { peopleRoutes } from "../people/routes.ts";
import { keyRoutes } from "../tenants/key-routes.ts";
import { sessionRoutes } from "../sessions/sign-in-routes.ts";
import { sessionsRoutes } from "../sessions/routes.ts";
import { secretRoutes } from "../secrets/routes.ts";
import { budgetRoutes } from "../tenants/budget-routes.ts";
import { retentionRoutes } from "../tenants/retention-routes.ts";
import { killSwitchRoutes } from "../tenants/kill-switch-routes.ts";
import { tenantRoutes } from "../tenants/routes.ts";
import { auditRoutes } from "../audit/routes.ts";
import { usageRoutes } from "../tenants/usage-routes.ts";

export function tenantGroup(app: App): void {
  projectRoutes(app);
  peopleRoutes(app);
  keyRoutes(app);
  sessionRoutes(app);
  sessionsRoutes(app);
  secretRoutes(app);
  budgetRoutes(app);
  retentionRoutes(app);
  killSwitchRoutes(app);
  tenantRoutes(app);
  auditRoutes(app);
  usageRoutes(app);
}

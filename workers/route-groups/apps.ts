/** The routes of the directory of apps, connections and triggers. */
import type { App } from "../http/context.ts";
import { appRoutes } from "../connections/app-routes.ts";
import { appCatalogueRoutes } from "../apps/routes.ts";
import { appLogoRoute } from "../apps/logo-route.ts";
import { appResolutionRoutes } from "../apps/resolve-routes.ts";
import { catalogueSyncRoutes } from "../apps/sync-routes.ts";
import { providerKeyRoutes } from "../apps/provider-key-routes.ts";
import { workspaceAppRoutes } from "../apps/workspace-routes.ts";
import { appAccessRoutes } from "../apps/access-routes.ts";
import { appConnectRoutes } from "../apps/connect-routes.ts";
import { appChangeRoutes } from "../apps/change-routes.ts";
import { connectionRoutes } from "../connections/routes.ts";
import { connectPageRoutes } from "../connections/page-routes.ts";
import { triggerRoutes } from "../triggers/routes.ts";

export function appsGroup(app: App): void {
  appRoutes(app);
  appCatalogueRoutes(app);
  appLogoRoute(app);
  appResolutionRoutes(app);
  catalogueSyncRoutes(app);
  providerKeyRoutes(app);
  workspaceAppRoutes(app);
  appAccessRoutes(app);
  appConnectRoutes(app);
  appChangeRoutes(app);
  connectionRoutes(app);
  connectPageRoutes(app);
  triggerRoutes(app);
}

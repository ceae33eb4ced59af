import { createRoute } from "@tanstack/react-router";
import { consoleRoute } from "../../shell/root-route.tsx";
import { readAuditSearch } from "./audit-search.ts";
import { readUsageSearch } from "./usage-search.ts";
import { lazyPage } from "../../api/when-reached.ts";

const usageRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/usage",
  validateSearch: readUsageSearch,
  component: lazyPage(async () => await import("./usage-page.tsx"), "UsagePage"),
});

const limitsRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/limits",
  component: lazyPage(async () => await import("./limits-page.tsx"), "LimitsPage"),
});

const keysRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/keys",
  component: lazyPage(async () => await import("./keys-page.tsx"), "KeysPage"),
});

const secretsRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/secrets",
  component: lazyPage(async () => await import("./secrets-page.tsx"), "SecretsPage"),
});

const auditRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/audit",
  validateSearch: readAuditSearch,
  component: lazyPage(async () => await import("./audit-page.tsx"), "AuditPage"),
});

const systemRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/system",
  component: lazyPage(async () => await import("./system-page.tsx"), "SystemPage"),
});

export const settingsRoutes = { usageRoute, limitsRoute, keysRoute, secretsRoute, auditRoute, systemRoute };

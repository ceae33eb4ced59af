import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../../api/when-reached.ts";
import { consoleRoute } from "../../shell/root-route.tsx";
import { readAppSearch, readAppsSearch } from "./apps-search.ts";

const appsRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/apps",
  validateSearch: readAppsSearch,
  component: lazyPage(async () => await import("./apps-page.tsx"), "AppsPage"),
});

const appRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/apps/$app",
  validateSearch: readAppSearch,
  component: lazyPage(async () => await import("./app-page.tsx"), "AppPage"),
});

export const appRoutes = { appsRoute, appRoute };

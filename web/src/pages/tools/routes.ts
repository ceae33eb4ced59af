import { createRoute } from "@tanstack/react-router";
import { consoleRoute } from "../../shell/root-route.tsx";
import { readToolSearch, readToolsSearch } from "./tools-search.ts";
import { lazyPage } from "../../api/when-reached.ts";

const toolsRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/tools",
  validateSearch: readToolsSearch,
  component: lazyPage(async () => await import("./tools-page.tsx"), "ToolsPage"),
});

const toolRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/tools/$name",
  validateSearch: readToolSearch,
  component: lazyPage(async () => await import("./tool-page.tsx"), "ToolPage"),
});

const toolSourcesRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/tool-sources",
  component: lazyPage(async () => await import("./tool-sources-page.tsx"), "ToolSourcesPage"),
});

const importRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/tool-sources/import",
  component: lazyPage(async () => await import("./import-page.tsx"), "ImportPage"),
});

const newToolRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/tool-sources/new-tool",
  component: lazyPage(async () => await import("./new-tool-page.tsx"), "NewToolPage"),
});

export const toolRoutes = { toolsRoute, toolRoute, toolSourcesRoute, importRoute, newToolRoute };

import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../../api/when-reached.ts";
import { consoleRoute } from "../../shell/root-route.tsx";
import { readDatabaseSearch } from "./database-search.ts";

const databasesRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/databases",
  validateSearch: readDatabaseSearch,
  component: lazyPage(async () => await import("./databases-page.tsx"), "DatabasesPage"),
});

export const databaseRoutes = { databasesRoute };

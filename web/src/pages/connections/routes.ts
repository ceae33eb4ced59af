import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../../api/when-reached.ts";
import { consoleRoute } from "../../shell/root-route.tsx";
import { readConnectionsSearch } from "./connections-search.ts";

const connectionsRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/connections",
  validateSearch: readConnectionsSearch,
  component: lazyPage(async () => await import("./connections-page.tsx"), "ConnectionsPage"),
});

export const connectionRoutes = { connectionsRoute };

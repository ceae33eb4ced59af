import { createRoute } from "@tanstack/react-router";
import { consoleRoute } from "../../shell/root-route.tsx";
import { readAgentSearch, readAgentsSearch } from "./agent-search.ts";
import { lazyPage } from "../../api/when-reached.ts";

const agentsRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/agents",
  validateSearch: readAgentsSearch,
  component: lazyPage(async () => await import("./agents-page.tsx"), "AgentsPage"),
});

const newAgentRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/agents/new",
  component: lazyPage(async () => await import("./new-agent-page.tsx"), "NewAgentPage"),
});

const agentRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/agents/$agentId",
  validateSearch: readAgentSearch,
  component: lazyPage(async () => await import("./agent-page.tsx"), "AgentPage"),
});

export const agentRoutes = { agentsRoute, newAgentRoute, agentRoute };

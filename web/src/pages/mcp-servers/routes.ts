import { createRoute } from "@tanstack/react-router";
import { consoleRoute } from "../../shell/root-route.tsx";
import { lazyPage } from "../../api/when-reached.ts";

const mcpServersRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/mcp-servers",
  validateSearch: ({ add }: Record<string, unknown>): { add?: true } => (add === true ? { add } : {}),
  component: lazyPage(async () => await import("./mcp-servers-page.tsx"), "McpServersPage"),
});

const mcpServerRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/mcp-servers/$name",
  validateSearch: ({ edit }: Record<string, unknown>): { edit?: true } => (edit === true ? { edit } : {}),
  component: lazyPage(async () => await import("./mcp-server-page.tsx"), "McpServerPage"),
});

export const mcpServerRoutes = { mcpServersRoute, mcpServerRoute };

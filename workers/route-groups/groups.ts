/**
 * The groups of routes that load with their first request, so that an isolate starts with less. The engine's own paths
 * (tasks, hooks, Slack's requests) are in no group: `workers/app.ts` registers them at the start.
 */
import type { App } from "../http/context.ts";

/** Registers every route of the API, in the order of the OpenAPI document. Rejects when a group cannot be loaded. */
export type ListRoutes = () => Promise<App>;

/** Adds the routes of a group to an app. Only the group of the document needs `listRoutes`. */
export type RegisterRoutes = (app: App, listRoutes: ListRoutes) => void;

export interface RouteGroup {
  readonly name: string;
  /**
   * Paths, each with everything below it; a segment `*` is any one segment. Every route of the group is below one of
   * them, and no two groups share a path: a route is found in whichever order groups load.
   */
  readonly prefixes: readonly string[];
  readonly load: () => Promise<RegisterRoutes>;
}

export const ROUTE_GROUPS: readonly RouteGroup[] = [
  {
    name: "agents",
    prefixes: [
      "/v1/agents",
      "/v1/tools",
      "/v1/tools.json",
      "/v1/tools.md",
      "/v1/tool-sources",
      "/v1/mcp-servers",
      "/oauth/mcp",
      "/v1/skills",
      "/v1/schedules",
    ],
    load: async () => (await import("./agents.ts")).agentsGroup,
  },
  {
    name: "apps",
    prefixes: [
      "/v1/apps",
      "/v1/agents/*/apps",
      "/v1/integrations",
      "/v1/connections",
      "/v1/triggers",
      "/api/tools",
      "/api/composio",
      "/connect",
    ],
    load: async () => (await import("./apps.ts")).appsGroup,
  },
  {
    name: "knowledge",
    prefixes: ["/v1/memory", "/v1/knowledge", "/v1/codebases", "/v1/databases"],
    load: async () => (await import("./knowledge.ts")).knowledgeGroup,
  },
  {
    name: "tenant",
    prefixes: [
      "/v1/projects",
      "/v1/people",
      "/v1/keys",
      "/v1/session",
      "/v1/sessions",
      "/v1/secrets",
      "/v1/budgets",
      "/v1/retention",
      "/v1/kill-switch",
      "/v1/tenants",
      "/v1/audit",
      "/v1/usage",
    ],
    load: async () => (await import("./tenant.ts")).tenantGroup,
  },
  {
    name: "channels",
    prefixes: [
      "/v1/mail",
      "/cdn-cgi/local",
      "/v1/incoming-webhooks",
      "/v1/webhooks",
      "/v1/deliveries",
      "/v1/slack",
      "/slack/oauth",
    ],
    load: async () => (await import("./channels.ts")).channelsGroup,
  },
  {
    name: "document",
    prefixes: ["/openapi.json", "/docs"],
    load: async () => (await import("./document.ts")).documentGroup,
  },
];

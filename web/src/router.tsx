/** Every page of the console, by its address. Each area names its own; a page's code comes when it is first opened. */
import { createRoute, createRouter, redirect } from "@tanstack/react-router";
import { agentRoutes } from "./pages/agents/routes.ts";
import { appRoutes } from "./pages/apps/routes.ts";
import { connectionRoutes } from "./pages/connections/routes.ts";
import { deliveryRoutes } from "./pages/deliveries/routes.ts";
import { inboxRoutes } from "./pages/inbox/routes.ts";
import { mailRoutes } from "./pages/mail/routes.ts";
import { codeRoutes } from "./pages/code/routes.ts";
import { databaseRoutes } from "./pages/databases/routes.ts";
import { documentRoutes } from "./pages/documents/routes.ts";
import { memoryRoutes } from "./pages/memory/routes.ts";
import { mcpServerRoutes } from "./pages/mcp-servers/routes.ts";
import { settingsRoutes } from "./pages/settings/routes.ts";
import { peopleRoutes } from "./pages/people/routes.ts";
import { scheduleRoutes } from "./pages/schedules/routes.ts";
import { signInRoute } from "./pages/sign-in/routes.ts";
import { skillRoutes } from "./pages/skills/routes.ts";
import { slackRoutes } from "./pages/slack/routes.ts";
import { taskRoutes } from "./pages/tasks/routes.ts";
import { toolRoutes } from "./pages/tools/routes.ts";
import { webhookRoutes } from "./pages/webhooks/routes.ts";
import { NotFound } from "./shell/not-found.tsx";
import { PageError } from "./shell/page-error.tsx";
import { consoleRoute, rootRoute } from "./shell/root-route.tsx";

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: () => {
    redirect({ to: "/tasks", replace: true, throw: true });
  },
});

const routeTree = rootRoute.addChildren([
  homeRoute,
  signInRoute,
  consoleRoute.addChildren({
    ...taskRoutes,
    ...inboxRoutes,
    ...agentRoutes,
    ...toolRoutes,
    ...skillRoutes,
    ...memoryRoutes,
    ...documentRoutes,
    ...codeRoutes,
    ...databaseRoutes,
    ...mcpServerRoutes,
    ...appRoutes,
    ...connectionRoutes,
    ...peopleRoutes,
    ...scheduleRoutes,
    ...webhookRoutes,
    ...deliveryRoutes,
    ...slackRoutes,
    ...mailRoutes,
    ...settingsRoutes,
  }),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: "intent",
  defaultNotFoundComponent: NotFound,
  // A page that fails leaves the menu around it.
  defaultErrorComponent: PageError,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

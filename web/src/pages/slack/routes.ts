import { createRoute } from "@tanstack/react-router";
import { consoleRoute } from "../../shell/root-route.tsx";
import { lazyPage } from "../../api/when-reached.ts";

const slackRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/slack",
  component: lazyPage(async () => await import("./slack-page.tsx"), "SlackPage"),
});

export const slackRoutes = { slackRoute };

import { createRoute } from "@tanstack/react-router";
import { consoleRoute } from "../../shell/root-route.tsx";
import { lazyPage } from "../../api/when-reached.ts";

const mailRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/mail",
  component: lazyPage(async () => await import("./mail-page.tsx"), "MailPage"),
});

export const mailRoutes = { mailRoute };

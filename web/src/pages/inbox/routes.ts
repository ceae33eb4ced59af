import { createRoute } from "@tanstack/react-router";
import { consoleRoute } from "../../shell/root-route.tsx";
import { readInboxSearch } from "./inbox-search.ts";
import { lazyPage } from "../../api/when-reached.ts";

const inboxRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/inbox",
  validateSearch: readInboxSearch,
  component: lazyPage(async () => await import("./inbox-page.tsx"), "InboxPage"),
});

export const inboxRoutes = { inboxRoute };

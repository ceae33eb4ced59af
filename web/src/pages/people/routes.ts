import { createRoute } from "@tanstack/react-router";
import { consoleRoute } from "../../shell/root-route.tsx";
import { lazyPage } from "../../api/when-reached.ts";

const peopleRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/people",
  validateSearch: ({ add }: Record<string, unknown>): { add?: true } => (add === true ? { add } : {}),
  component: lazyPage(async () => await import("./people-page.tsx"), "PeoplePage"),
});

const personRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/people/$personId",
  component: lazyPage(async () => await import("./person-page.tsx"), "PersonPage"),
});

export const peopleRoutes = { peopleRoute, personRoute };

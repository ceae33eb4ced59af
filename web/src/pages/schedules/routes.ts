import { createRoute } from "@tanstack/react-router";
import { consoleRoute } from "../../shell/root-route.tsx";
import { lazyPage } from "../../api/when-reached.ts";

const schedulesRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/schedules",
  component: lazyPage(async () => await import("./schedules-page.tsx"), "SchedulesPage"),
});

const newScheduleRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/schedules/new",
  component: lazyPage(async () => await import("./new-schedule-page.tsx"), "NewSchedulePage"),
});

const scheduleRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/schedules/$scheduleId",
  validateSearch: ({ view }: Record<string, unknown>): { view?: "edit" } => (view === "edit" ? { view } : {}),
  component: lazyPage(async () => await import("./schedule-page.tsx"), "SchedulePage"),
});

export const scheduleRoutes = { schedulesRoute, newScheduleRoute, scheduleRoute };

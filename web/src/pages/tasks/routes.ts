import { createRoute } from "@tanstack/react-router";
import { consoleRoute } from "../../shell/root-route.tsx";
import { readTaskSearch } from "../task/task-search.ts";
import { readNewTaskSearch, readTasksSearch } from "./task-filters.ts";
import { lazyPage } from "../../api/when-reached.ts";

const tasksRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/tasks",
  validateSearch: readTasksSearch,
  component: lazyPage(async () => await import("./tasks-page.tsx"), "TasksPage"),
});

const newTaskRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/tasks/new",
  validateSearch: readNewTaskSearch,
  component: lazyPage(async () => await import("./new-task-page.tsx"), "NewTaskPage"),
});

const taskRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/tasks/$taskId",
  validateSearch: readTaskSearch,
  component: lazyPage(async () => await import("../task/task-page.tsx"), "TaskPage"),
});

export const taskRoutes = { tasksRoute, newTaskRoute, taskRoute };

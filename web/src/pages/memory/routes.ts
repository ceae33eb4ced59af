import { createRoute } from "@tanstack/react-router";
import { consoleRoute } from "../../shell/root-route.tsx";
import { readMemorySearch } from "./memory-search.ts";
import { lazyPage } from "../../api/when-reached.ts";

const memoryRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/memory",
  validateSearch: readMemorySearch,
  component: lazyPage(async () => await import("./memory-page.tsx"), "MemoryPage"),
});

export const memoryRoutes = { memoryRoute };

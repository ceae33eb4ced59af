import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../../api/when-reached.ts";
import { consoleRoute } from "../../shell/root-route.tsx";
import { readCodeSearch } from "./code-search.ts";

const codeRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/code",
  validateSearch: readCodeSearch,
  component: lazyPage(async () => await import("./code-page.tsx"), "CodePage"),
});

export const codeRoutes = { codeRoute };

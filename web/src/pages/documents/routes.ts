import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../../api/when-reached.ts";
import { consoleRoute } from "../../shell/root-route.tsx";
import { readDocumentSearch } from "./document-search.ts";

const documentsRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/documents",
  validateSearch: readDocumentSearch,
  component: lazyPage(async () => await import("./documents-page.tsx"), "DocumentsPage"),
});

export const documentRoutes = { documentsRoute };

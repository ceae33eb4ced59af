import { createRoute } from "@tanstack/react-router";
import { consoleRoute } from "../../shell/root-route.tsx";
import { readDeliverySearch } from "./delivery-search.ts";
import { lazyPage } from "../../api/when-reached.ts";

const deliveriesRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/deliveries",
  validateSearch: readDeliverySearch,
  component: lazyPage(async () => await import("./deliveries-page.tsx"), "DeliveriesPage"),
});

const deliveryRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/deliveries/$deliveryId",
  component: lazyPage(async () => await import("./delivery-page.tsx"), "DeliveryPage"),
});

export const deliveryRoutes = { deliveriesRoute, deliveryRoute };

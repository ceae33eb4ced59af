import { createRoute } from "@tanstack/react-router";
import { consoleRoute } from "../../shell/root-route.tsx";
import { readIncomingSearch, readWebhookSearch, readWebhooksSearch } from "./webhook-search.ts";
import { lazyPage } from "../../api/when-reached.ts";

const webhooksRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/webhooks",
  validateSearch: readWebhooksSearch,
  component: lazyPage(async () => await import("./webhooks-page.tsx"), "WebhooksPage"),
});

const webhookRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/webhooks/$webhookId",
  validateSearch: readWebhookSearch,
  component: lazyPage(async () => await import("./webhook-page.tsx"), "WebhookPage"),
});

const incomingWebhookRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/webhooks/incoming/$webhookId",
  validateSearch: readIncomingSearch,
  component: lazyPage(async () => await import("./incoming-webhook-page.tsx"), "IncomingWebhookPage"),
});

export const webhookRoutes = { webhooksRoute, webhookRoute, incomingWebhookRoute };

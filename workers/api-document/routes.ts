/** Serves the OpenAPI document of the routes, and the same document as a page. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { openAnswers } from "../http/answers.ts";
import type { App } from "../http/context.ts";
import { renderDocsPage } from "./docs-page.ts";
import { type OpenApiDocument, buildOpenApiDocument } from "./document.ts";
import type { ListRoutes } from "../route-groups/groups.ts";
import { PAGE_HEADERS } from "../http/page.ts";
import { VERSION } from "../../core/base/version.ts";

const INFO: OpenApiDocument["info"] = {
  title: "Otto",
  version: VERSION,
  license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
  description:
    "Autonomous agents as an API. JSON is snake_case, times are ISO 8601 in UTC, errors are application/problem+json. Text that JSON can write but UTF-8 or Postgres cannot store (lone surrogates, NUL) is refused with 422. Any POST that creates something accepts an `Idempotency-Key`.",
};

const document = createRoute({
  method: "get",
  operationId: "system.getDocument",
  path: "/openapi.json",
  tags: ["System"],
  summary: "Show this document",
  responses: openAnswers({ 200: { description: "OpenAPI 3.1.", json: z.looseObject({ openapi: z.string() }) } }),
});

const docs = createRoute({
  method: "get",
  operationId: "system.getDocs",
  path: "/docs",
  tags: ["System"],
  summary: "Show this document as a page",
  responses: openAnswers({ 200: { description: "The page.", other: ["text/html"] } }),
});

/** The first request builds the document, of the routes that `listRoutes` registers. */
export function openApiRoutes(app: App, listRoutes: ListRoutes): void {
  let made: OpenApiDocument | null = null;
  const current = async () => (made ??= buildOpenApiDocument(await listRoutes(), INFO));
  app.openapi(document, async (c) => c.json(await current(), 200));
  app.openapi(docs, async (c) => c.html(renderDocsPage(await current()), 200, PAGE_HEADERS));
}

/** The API's description: as an OpenAPI document made from the routes, and as a page for people made from the document. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { openAnswers } from "../http/answers.ts";
import type { App } from "../http/context.ts";
import { docsPage } from "./docs-page.ts";
import { type OpenApiDocument, openApiDocument } from "./document.ts";
import { PAGE_HEADERS } from "../http/page.ts";
import { VERSION } from "../http/version.ts";

const INFO: OpenApiDocument["info"] = {
  title: "Otto",
  version: VERSION,
  license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
  description:
    "Autonomous agents as an API. JSON is snake_case, times are ISO 8601 in UTC, errors are application/problem+json. Text that JSON can write and UTF-8 or Postgres cannot keep (lone surrogates, NUL) is refused with 422. Any POST that makes something takes an `Idempotency-Key`.",
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

/** Registered after every other route: the document is made at the first request for it. */
export function openApiRoutes(app: App): void {
  let made: OpenApiDocument | null = null;
  const current = () => (made ??= openApiDocument(app, INFO));
  app.openapi(document, (c) => c.json(current(), 200));
  app.openapi(docs, (c) => c.html(docsPage(current()), 200, PAGE_HEADERS));
}

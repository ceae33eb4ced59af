/**
 * The logo of an app, as a sync stored it. The bytes are a stranger's, and may be a document with scripts: opened as a page, it
 * runs in a sandbox that loads nothing. A page of the console shows it as a picture, with the session's cookie.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { appCatalogueFromEnv } from "../../adapters/env/app-catalogue.ts";
import { blobsFromEnv } from "../../adapters/env/files.ts";
import { findLogoType, getLogoKey, LOGO_TYPES } from "../../core/apps/logo.ts";
import { raise } from "../../core/base/errors.ts";
import { answers, withKey } from "../http/answers.ts";
import type { App } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { unwrap } from "../http/unwrap.ts";
import { refuseInvalid } from "../http/validation.ts";
import { appParams } from "./schemas.ts";

const logoQuery = z.strictObject({
  v: z.string().optional().describe("The hash of the wanted bytes. Others are not stored."),
});

const logo = createRoute({
  tags: ["Apps"],
  ...withKey,
  method: "get",
  operationId: "marketplace.getLogo",
  path: "/api/tools/{app}/logo",
  summary: "Show the logo of an app",
  description:
    "`logo_url` of an app is this path with `v`, the hash of the bytes: then the reply can be stored for a year. Show it as a picture; it comes from the provider.",
  request: {
    params: appParams,
    query: logoQuery,
  },
  responses: answers(
    {
      200: { description: "The bytes.", other: LOGO_TYPES },
      304: { description: "Your copy is current." },
    },
    [404, 422],
  ),
});

export function appLogoRoute(app: App): void {
  app.openAPIRegistry.registerPath(logo);
  app.get("/api/tools/:app/logo", requireScope("tasks:read"), async (c) => {
    const query = logoQuery.safeParse(c.req.query());
    refuseInvalid(query.success ? query : { ...query, target: "query" });
    const name = c.req.param("app").toLowerCase();
    const snapshot = unwrap(await appCatalogueFromEnv(c.env).snapshot());
    const hash = snapshot?.apps.find((one) => one.app === name)?.logo ?? null;
    if (hash === null) raise("not_found", "There is no logo of this app.");
    const etag = `"${hash}"`;
    const headers = {
      etag,
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": c.req.query("v") === hash ? "private, max-age=31536000, immutable" : "private, no-cache",
    };
    if (c.req.header("if-none-match") === etag) return c.body(null, 304, headers);
    const bytes = unwrap(await blobsFromEnv(c.env).get(getLogoKey(hash)));
    const type = findLogoType(bytes) ?? raise("not_found", "There is no logo of this app.");
    return new Response(bytes, { headers: { ...headers, "content-type": type } });
  });
}

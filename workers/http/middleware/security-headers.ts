/** Adds security headers that a route did not set itself. */
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../context.ts";

const HEADERS: readonly (readonly [string, string])[] = [
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-resource-policy", "same-origin"],
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"],
];

export const securityHeaders: MiddlewareHandler<AppEnv> = async function securityHeaders(c, next) {
  await next();
  const { headers } = c.res;
  for (const [name, value] of HEADERS) if (!headers.has(name)) headers.set(name, value);
  if (/^\/(?:v1|api)\//.test(c.req.path) && !headers.has("cache-control")) headers.set("cache-control", "no-store");
  if (new URL(c.req.url).protocol === "https:") headers.set("strict-transport-security", "max-age=31536000");
};

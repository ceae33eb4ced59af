/** Finds the methods of a path, for 405 and OPTIONS. */
import { TrieRouter } from "hono/router/trie-router";
import type { App } from "../context.ts";

const routers = new WeakMap<App, TrieRouter<string>>();

/** Returns the methods of a path in alphabetical order; empty if no route has it. */
export function listAllowedMethods(app: App, path: string): string[] {
  const router = routers.get(app) ?? index(app);
  routers.set(app, router);
  const methods = new Set(router.match("ANY", path)[0].map(([method]) => method));
  if (methods.size === 0) return [];
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods.add("OPTIONS")].toSorted();
}

/**
 * Indexes every route under one method, so that one search finds all methods of a path. Middleware has the method
 * ALL.
 */
function index(app: App): TrieRouter<string> {
  const router = new TrieRouter<string>();
  for (const { method, path } of app.routes) if (method !== "ALL") router.add("ANY", path, method);
  return router;
}

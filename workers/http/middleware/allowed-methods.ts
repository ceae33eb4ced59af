/** Finds the methods of a path, for 405 and OPTIONS. */
import { TrieRouter } from "hono/router/trie-router";
import type { App } from "../context.ts";

/** The routes of an app, indexed by path. */
interface PathIndex {
  readonly router: TrieRouter<string>;
  /** Routes of the app that the index has. */
  readonly size: number;
}

const indexes = new WeakMap<App, PathIndex>();

/** Returns the methods of a path in alphabetical order; empty if no route has it. */
export function listAllowedMethods(app: App, path: string): string[] {
  const methods = new Set(
    indexRoutes(app)
      .match("ANY", path)[0]
      .map(([method]) => method),
  );
  if (methods.size === 0) return [];
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods.add("OPTIONS")].toSorted();
}

/**
 * Indexes every route under one method, so that one search finds all methods of a path. Middleware has the method
 * ALL. Routes that were added since the last call are added to the index.
 */
function indexRoutes(app: App): TrieRouter<string> {
  const { router, size } = indexes.get(app) ?? { router: new TrieRouter<string>(), size: 0 };
  for (const { method, path } of app.routes.slice(size)) if (method !== "ALL") router.add("ANY", path, method);
  indexes.set(app, { router, size: app.routes.length });
  return router;
}

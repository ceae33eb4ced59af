/**
 * Adds groups of routes to an app when a path first needs them. A group that could not be loaded stays missing, and the
 * next request of its paths tries again. No promise is shared between requests: the runtime cancels a request that waits
 * for another one's, and its loader evaluates a module once.
 */
import { type Failure, ok, type Result } from "../../core/base/errors.ts";
import type { App } from "../http/context.ts";
import type { ListRoutes, RegisterRoutes, RouteGroup } from "./groups.ts";

/** Answers a request whose group could not be loaded. */
export const NOT_LOADED: Failure = {
  code: "upstream_failed",
  message: "This part of Otto could not be loaded. Try again.",
  retryAfterMs: 1000,
};

export interface LateRoutes {
  /** Returns the groups of a path that are not loaded yet. */
  findMissing: (path: string) => readonly RouteGroup[];
  /** Adds the routes of groups. A group that fails to load stays missing. */
  load: (groups: readonly RouteGroup[]) => Promise<void>;
}

/** `app` has a router that takes routes after its first request. */
export function createLateRoutes(app: App, groups: readonly RouteGroup[], listRoutes: ListRoutes): LateRoutes {
  let missing = groups;
  return {
    findMissing: (path) => missing.filter(({ prefixes }) => prefixes.some((prefix) => isBelow(path, prefix))),
    async load(wanted) {
      for (const group of wanted) {
        const loaded = await loadGroup(group);
        // Another request may have added the group meanwhile.
        if (!loaded.ok || !missing.includes(group)) continue;
        loaded.value(app, listRoutes);
        missing = missing.filter((other) => other !== group);
      }
    },
  };
}

/** Loads the code of a group. Logs why it failed, and fails with `NOT_LOADED`. */
export async function loadGroup(group: RouteGroup): Promise<Result<RegisterRoutes>> {
  try {
    return ok(await group.load());
  } catch (thrown) {
    console.error(`the routes of the group ${group.name} could not be loaded`, thrown);
    return { ok: false, error: NOT_LOADED };
  }
}

/** Returns true for the prefix itself and every path below it. */
function isBelow(path: string, prefix: string): boolean {
  if (!prefix.includes("*"))
    return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");
  const segments = path.split("/");
  return prefix.split("/").every((segment, index) => segment === "*" || segment === segments[index]);
}

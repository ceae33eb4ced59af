/** Second addresses of routes: those of earlier releases, and other names. They are not in the OpenAPI document. */
import { getPath } from "hono/utils/url";

const MOVED = [
  { from: "/v1/webhooks/incoming", to: "/v1/incoming-webhooks" },
  { from: "/api/tools/sync/history", to: "/api/tools/sync-history" },
];

/** Returns the path that is routed. */
export function getCurrentPath(request: Request): string {
  const path = getPath(request);
  const moved = MOVED.find(({ from }) => path === from || path.startsWith(`${from}/`));
  return moved === undefined ? path : moved.to + path.slice(moved.from.length);
}

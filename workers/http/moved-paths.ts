/** Addresses of earlier releases. They still work, and are not in the OpenAPI document. */
import { getPath } from "hono/utils/url";

const MOVED = { from: "/v1/webhooks/incoming", to: "/v1/incoming-webhooks" };

/** Returns the path that is routed. */
export function getCurrentPath(request: Request): string {
  const path = getPath(request);
  const isMoved = path === MOVED.from || path.startsWith(`${MOVED.from}/`);
  return isMoved ? MOVED.to + path.slice(MOVED.from.length) : path;
}

import type { Context, Env, MiddlewareHandler } from "hono";

/**
 * A middleware that runs once for a request. Hono finds the one of `/v1/*` twice for a request of that very path: as what the
 * pattern matches, and as the name itself. A body was then read twice.
 */
export function once<E extends Env>(middleware: MiddlewareHandler<E>): MiddlewareHandler<E> {
  const seen = new WeakSet<Context<E>>();
  return async function runOnce(c, next) {
    if (seen.has(c)) return await next();
    seen.add(c);
    return await middleware(c, next);
  };
}

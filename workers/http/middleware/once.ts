import type { Context, Env, MiddlewareHandler } from "hono";

/**
 * Runs a middleware once per request. For a request of exactly `/v1/*`, Hono finds it twice, as a match of the
 * pattern and by name, and a body would be read twice.
 */
export function once<E extends Env>(middleware: MiddlewareHandler<E>): MiddlewareHandler<E> {
  const seen = new WeakSet<Context<E>>();
  return async function runOnce(c, next) {
    if (seen.has(c)) return await next();
    seen.add(c);
    return await middleware(c, next);
  };
}
